internal import CSPP
internal import SecretMemory

/// The metadata of an entry that concern its keys; a field of unexpected form counts as absent.
struct WalletMetadata {
  private(set) var addressType: AddressType?
  private(set) var derivationPath: DerivationPath?
  private(set) var fingerprint: Fingerprint?

  init(_ entry: WalletEntry, in plaintext: borrowing SecretBytes) {
    let metadata = entry.metadata(in: plaintext)
    metadata.withBytes { text in
      guard let value = try? JSON.parse(text),
        let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup)
      else { return }
      func string(_ field: StaticString) -> String? {
        guard let found = try? object.value(field, in: text), found.kind == .string else {
          return nil
        }
        return found.string(in: text)
      }
      addressType = string("address_type").flatMap { AddressType(csppName: $0) }
      derivationPath = string("derivation_path").flatMap { try? DerivationPath($0) }
      fingerprint = string("master_fingerprint").flatMap { try? Fingerprint($0) }
    }
  }
}

internal import BackupFolder
package import CSPP
package import CommandKit
package import SecretMemory
package import SyncFolders
package import Unlocking
internal import WalletFormats

/// Imports a mnemonic, a SeedQR, or a list of descriptors, as new wallets.
package struct SecretImport {
  package let unlock: UnlockOptions
  /// A path or `-`.
  package let file: String
  let format: WalletImportFormat
  package let name: String
  package let network: String
  package let fingerprint: String?
  package let passphrase: WalletPassphraseOption
  package let place: SyncedFolderOption

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let network: WalletNetwork
    do throws(WalletFormatError) {
      network = try WalletNetwork(argument: self.network)
    } catch {
      throw UserMessage(error)
    }
    var spending: [WalletSpending] = []
    var isElectrumToo = false
    let entries = try entries(network, world, &spending, &isElectrumToo)
    let watchOnly = spending.count { $0 == .watchOnly }
    if watchOnly < spending.count {
      try place.requirePrivate(input: file, besides: unlock.folder.folder, world)
    }
    var opened = try await unlock.open(world, for: .writing, purpose: .writing)
    let outcome = try entries.add(to: &opened, byRecord: false) { version, entry in
      Self.content(version.entry, in: entry)
    }
    let added = outcome.added
    WatchOnlyMemory(opened.id, world).keep(
      adding: Set(added).intersection(
        zip(entries.records, spending).filter { $0.1 == .watchOnly }.map(\.0)))
    let namesakes = Namesakes(of: Set(added), in: &opened)
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    let unchanged = entries.count - added.count
    let noun = added.count == 1 ? "wallet" : "wallets"
    try unlock.output(world).result(
      opened.importWords(
        added: added.count, unchanged: unchanged, of: outcome.unchanged, same: "secret"),
      json: [
        "imported": .number(added.count), "unchanged": .number(unchanged),
        "record_ids": .array(added.map { .string($0.hex) }), "watch_only": .number(watchOnly),
        "same_name": namesakes.json,
      ], ofChange: "\(added.count) \(noun) were imported all the same")
    unlock.output(world).warn(namesakes)
    unlock.output(world).warn(
      publicOnly: watchOnly, partly: spending.count { $0 == .partly }, of: spending.count)
    if isElectrumToo { unlock.output(world).noteElectrumToo() }
    if watchOnly < spending.count { unlock.output(world).note(secretStaysIn: file) }
    return .success
  }

  /// The wallets of the file; `spending` receives what each can spend, and `isElectrumToo` whether
  /// its words are also an Electrum seed.
  private func entries(
    _ network: WalletNetwork, _ world: World, _ spending: inout [WalletSpending],
    _ isElectrumToo: inout Bool
  ) throws(UserMessage) -> NewEntries {
    do {
      var entries = NewEntries()
      let now = UInt64(max(0, world.now()))
      if format == .descriptors {
        let text = try InputFile.readSecret(file, limit: DescriptorList.sizeLimit, world.streams)
        try OtherSecret.refuse(text, besides: .descriptor)
        let list = try DescriptorList(parsing: text)
        for index in 0..<list.count {
          let wallet = try list.wallet(index)
          if let keys = wallet.network { try WalletSecretOptions.check(keys, network) }
          let number = list.count > 1 ? " \(index + 1)" : ""
          var entry = NewWalletEntry(
            walletID: WalletID.random().description, kind: .descriptor, secret: wallet.text.copy(),
            metadata: metadata(
              network, number: number, type: wallet.spending == .watchOnly ? "Cold" : "Hot"))
          spending.append(wallet.spending)
          entry.descriptors = wallet.pair
          try Self.append(entry, now, to: &entries)
        }
        return entries
      }
      let prompter = unlock.common.prompter(world)
      // A compact SeedQR is bytes, not text.
      let (limit, what) = (Mnemonic.sizeLimit, format.rawValue)
      let input =
        if format == .seedqr {
          try InputFile.readSecret(file, limit: limit, asking: what, prompter)
        } else {
          try InputFile.readText(file, limit: limit, asking: what, prompter)
        }
      if format == .mnemonic { try OtherSecret.refuse(input, besides: .mnemonic) }
      let mnemonic =
        format == .seedqr
        ? try SeedQR.mnemonic(from: input) : try WalletSecretOptions.words(in: input)
      let checked = try CheckedSecret(mnemonic, passphrase, prompter)
      isElectrumToo = checked.isElectrumToo
      var metadata = metadata(network, number: "", type: checked.walletType)
      metadata.masterFingerprint = try checked.fingerprint(given: fingerprint)
      let entry = NewWalletEntry(
        walletID: WalletID.random().description, kind: .mnemonic, secret: checked.text.copy(),
        metadata: metadata)
      try Self.append(entry, now, to: &entries)
      spending.append(checked.spending)
      return entries
    } catch {
      throw UserMessage(any: error, in: "the new wallet's entry")
    }
  }

  private func metadata(
    _ network: WalletNetwork, number: String, type: String
  ) -> NewWalletEntry.Metadata {
    var metadata = NewWalletEntry.Metadata(name: name + number, network: network.csppName)
    metadata.walletType = type
    return metadata
  }

  /// Adds a new wallet's entry to those that are to be added.
  package static func append(
    _ entry: borrowing NewWalletEntry, _ now: UInt64, to entries: inout NewEntries
  ) throws {
    let bytes = try entry.encode(updatedAt: now)
    let parsed = try WalletEntry(parsing: bytes)
    guard let content = content(parsed, in: bytes) else { throw CSPPError.missingField("secret") }
    entries.append(bytes, parsed.recordID, content: content)
  }

  /// The digest that is equal for the same wallet: of secret and network.
  package static func content(_ entry: WalletEntry, in bytes: borrowing SecretBytes) -> Digest? {
    switch try? entry.secret(in: bytes) {
    case nil: return nil
    case .some(let secret):
      var writer = SecretWriter(capacity: secret.count + 256)
      writer.string(entry.secretKind.rawValue)
      writer.string(entry.network ?? "")
      secret.withBytes { writer.raw($0) }
      return writer.withBytes { Digest(of: $0) }
    }
  }
}

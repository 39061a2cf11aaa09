internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Numbers for the secrets in the versions of each wallet.
///
/// Versions of a wallet with equal numbers have the same secret. A stated fingerprint is only what
/// some program said. So it does not tell secrets apart.
struct SecretNumbers {
  private var known: [RecordID: [Digest: Int]] = [:]

  /// The number of a version's secret among those of its wallet, in the order of the calls.
  ///
  /// - Parameters:
  ///   - entry: the version.
  ///   - plaintext: its bytes.
  /// - Returns: 1 or more; nil for a version without a secret.
  mutating func number(of entry: WalletEntry, in plaintext: borrowing SecretBytes) -> Int? {
    guard let secret = entry.spendingSecret(in: plaintext) else { return nil }
    let next = (known[entry.recordID]?.count ?? 0) + 1
    let number = known[entry.recordID]?[secret] ?? next
    known[entry.recordID, default: [:]][secret] = number
    return number
  }
}

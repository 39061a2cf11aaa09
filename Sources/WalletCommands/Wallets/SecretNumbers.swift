internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Numbers for the secrets in the versions of wallets.
///
/// Versions with equal numbers have the same secret, whichever wallets they belong to. A stated
/// fingerprint is only what some program said. So it does not tell secrets apart.
struct SecretNumbers {
  private var known: [Digest: Int] = [:]

  /// The number of a version's secret, in the order of the calls.
  ///
  /// - Parameters:
  ///   - entry: the version.
  ///   - plaintext: its bytes.
  /// - Returns: 1 or more; nil for a version without a secret.
  mutating func number(of entry: WalletEntry, in plaintext: borrowing SecretBytes) -> Int? {
    guard let secret = entry.spendingSecret(in: plaintext) else { return nil }
    let number = known[secret] ?? known.count + 1
    known[secret] = number
    return number
  }
}

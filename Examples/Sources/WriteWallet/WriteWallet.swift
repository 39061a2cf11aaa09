import BackupFolder
import CSPP
import Glibc
import SecretMemory
import Surroundings
import WalletFormats

/// Adds a wallet to a backup.
///
///     write-wallet FOLDER STATE-FOLDER NAME
///
/// The PIN is the first line of standard input, the wallet's BIP-39 words are the second.
@main
struct WriteWallet {
  static func main() async { await program(run) }

  static func run() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else {
      tell("usage: write-wallet FOLDER STATE-FOLDER NAME")
      exit(64)
    }
    let pin = StandardInput.line()
    // Wrong words are found before the security key is touched.
    let entry = try entry(name: arguments[3], words: StandardInput.line(limit: Mnemonic.sizeLimit))

    let folder = try folder(at: arguments[1], stateFolder: arguments[2])
    var backup = try await open(folder, pin: pin, for: .writing)
    var batch = WalletBatch()
    let record = try entry.withBytes { try batch.append($0) }
    try backup.add(batch)
    // The wallet is in the backup now, on the disk and read back. The files for other CSPP
    // programs are made from it; the next run repairs what failed there.
    if let problem = backup.viewProblem { tell("\(problem)") }
    print(record.hex)
  }

  /// A wallet as CSPP stores it: its secret, and what other programs show of it.
  static func entry(name: String, words: consuming SecretBytes) throws -> SecretBytes {
    // Checks the words and the checksum.
    let mnemonic = try Mnemonic(checking: words)
    let master = try mnemonic.masterKey(passphrase: SecretBytes(zeroed: 0))
    var metadata = NewWalletEntry.Metadata(name: name, network: "Bitcoin")
    metadata.masterFingerprint = try master.fingerprint().description
    let wallet = NewWalletEntry(
      walletID: WalletID.random().description, kind: .mnemonic, secret: mnemonic.phrase.copy(),
      metadata: metadata)
    return try wallet.encode(updatedAt: UInt64(time(nil)))
  }
}

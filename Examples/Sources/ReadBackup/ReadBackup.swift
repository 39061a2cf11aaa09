import BackupFolder
import CSPP
import Glibc
import SecretMemory
import Surroundings

/// Lists the wallets of a backup.
///
///     read-backup FOLDER STATE-FOLDER
///
/// The PIN is the first line of standard input.
@main
struct ReadBackup {
  static func main() async { await program(run) }

  static func run() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      tell("usage: read-backup FOLDER STATE-FOLDER")
      exit(64)
    }
    let folder = try folder(at: arguments[1], stateFolder: arguments[2])
    var backup = try await open(folder, pin: StandardInput.line(), for: .reading)

    // Each wallet is lent for one call. Its bytes are wiped after it.
    let report = backup.forEachWallet { wallet, bytes in
      let entry = wallet.entry
      print(entry.name ?? "?", entry.network ?? "?", entry.secretKind, wallet.state, bytes.count)
    }

    // What could not be read is never left out silently.
    for finding in report.findings + backup.logFindings {
      tell("\(finding.file): \(finding.state): \(finding.reason)")
    }
    exit(report.findings.isEmpty && backup.logFindings.isEmpty ? 0 : 1)
  }
}

internal import BackupCommands
internal import CommandKit
internal import CommandTree
internal import Unlocking

/// The program `keybackup`.
@main
enum Main {
  static func main() {
    Program.main(
      KeyBackup.self, sharing: UnlockOptions.self, others: KeyBackup.otherPrograms,
      frontPage: FrontPage.verdict)
  }
}

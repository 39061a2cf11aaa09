internal import ArgumentParser
internal import CSPP
internal import GuardService

/// `keybackup-guard import`.
struct GuardImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import the accounts of an exported guard.",
    discussion: """
      The server key has to be there, and the database must have no accounts. Each account has \
      three tries at most, until its owner opens the backup and resets them.
      """)

  @OptionGroup var state: StateOptions

  @Argument(help: ArgumentHelp("The exported file.", valueName: "file"))
  var file: String

  @Flag(help: "Print one line of JSON.")
  var json = false

  func run() async throws {
    let folder = try state.madeFolder()
    let opened = try await OpenedGuard.open(state, folder: folder)
    let count: Int
    do throws(GuardStoreError) {
      count = try await opened.accounts.importAccounts(from: StateOptions.absolute(file))
    } catch {
      await opened.close()
      throw GuardToolError(error)
    }
    await opened.close()
    GuardStreams.result(
      json
        ? JSONText.object([("schema", "1"), ("accounts", "\(count)")])
        : "\(count == 1 ? "1 account was" : "\(count) accounts were") imported. Each has three tries at most "
          + "until its owner resets it.\n"
          + "Start the guard with its options: keybackup-guard serve\(state.words)")
  }
}

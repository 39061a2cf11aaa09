internal import ArgumentParser
internal import CSPP
internal import GuardService

/// `keybackup-guard export`.
struct GuardExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Stop the guard for good, and write its accounts into a file.",
    discussion: """
      Two guards with the same accounts would give twice the tries. So this one answers no more, \
      whatever becomes of the file. An interrupted export can be repeated, into another file. The \
      server key is not in the file: copy it too.
      """)

  @OptionGroup var state: StateOptions

  @Argument(help: ArgumentHelp("The file to make.", valueName: "file"))
  var file: String

  @Flag(help: "Print one line of JSON.")
  var json = false

  func run() async throws {
    let folder = try state.existingFolder()
    let store = try await OpenedGuard.database(state, folder: folder)
    let count: Int
    do throws(GuardStoreError) {
      count = try await store.export(to: StateOptions.absolute(file))
    } catch {
      await store.close()
      throw GuardToolError(error)
    }
    await store.close()
    GuardStreams.result(
      json
        ? JSONText.object([("schema", "1"), ("accounts", "\(count)")])
        : "\(count == 1 ? "1 account is" : "\(count) accounts are") in \(file). This guard answers no more.\n"
          + "Copy the file and the server key to the new computer: "
          + OpenedGuard.keyPath(state, folder: folder))
  }
}

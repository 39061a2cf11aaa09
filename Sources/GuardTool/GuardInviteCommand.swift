internal import ArgumentParser
internal import CSPP
internal import GuardService

/// `keybackup-guard invite`.
struct GuardInviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make invites, each for one account.",
    discussion: """
      A guard without --open takes new accounts with an invite only. Give the code to the person: \
      keybackup guard add --invite CODE. The guard keeps its hash.
      """)

  @OptionGroup var state: StateOptions

  @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "number"))
  var count = 1

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    guard (1...1000).contains(count) else { throw ValidationError("--count is 1 to 1000") }
  }

  func run() async throws {
    let folder = try state.existingFolder()
    let opened = try await OpenedGuard.open(state, folder: folder)
    var invites: [String] = []
    var failure: GuardStoreError?
    do throws(GuardStoreError) {
      for _ in 0..<count {
        let invite = try await opened.accounts.createInvite()
        // It is stored by now, and nobody can read it there.
        if json { invites.append(invite) } else { GuardStreams.result(invite) }
      }
    } catch {
      failure = error
    }
    await opened.close()
    // One document, also of the invites before an error.
    if json, failure == nil || !invites.isEmpty {
      let list = invites.map { JSONText.quoted($0) }.joined(separator: ",")
      GuardStreams.result(JSONText.object([("schema", "1"), ("invites", "[\(list)]")]))
    }
    if let failure { throw GuardToolError(failure) }
  }
}

internal import ArgumentParser
internal import CSPP
internal import GuardService

/// `keybackup-guard invite`.
struct GuardInviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make invites, each for one account.",
    discussion: """
      A guard without --open takes new accounts with an invite only. Give the code to the person: \
      keybackup guard add --invite CODE. The guard keeps its hash. A code that cannot be printed is \
      taken back. A run that is killed may leave hashes whose codes nobody knows: they let nobody in.
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
    let failure = await printInvites(of: opened.accounts)
    await opened.close()
    if let failure { throw failure }
  }

  /// Stores each invite, then prints it; a code that nobody could read is no invite any more.
  private func printInvites(of accounts: GuardAccountService) async -> GuardToolError? {
    var unprinted: [String] = []
    var failure: GuardToolError?
    do throws(GuardStoreError) {
      for _ in 0..<count {
        unprinted.append(try await accounts.createInvite())
        if json { continue }
        if let number = GuardStreams.result(unprinted[0]) {
          return await takeBack(unprinted, from: accounts, because: number)
        }
        unprinted = []
      }
    } catch {
      failure = GuardToolError(error)
    }
    // One document, also of the invites before an error.
    if json, failure == nil || !unprinted.isEmpty {
      let list = unprinted.map { JSONText.quoted($0) }.joined(separator: ",")
      let document = JSONText.object([("schema", "1"), ("invites", "[\(list)]")])
      if let number = GuardStreams.result(document) {
        return await takeBack(unprinted, from: accounts, because: number)
      }
    }
    return failure
  }

  private func takeBack(
    _ invites: [String], from accounts: GuardAccountService, because number: Int32
  ) async -> GuardToolError {
    let isOne = invites.count == 1
    let what = isOne ? "an invite" : "\(invites.count) invites"
    let why = GuardStreams.words(number)
    do throws(GuardStoreError) {
      try await accounts.takeBack(invites)
    } catch {
      return GuardToolError(
        .io, "\(what) could not be printed, nor taken back: \(why)",
        hint: "this does no harm, unless a part of the output was read by somebody")
    }
    return GuardToolError(
      .io, "\(what) could not be printed, so \(isOne ? "it was" : "they were") taken back: \(why)",
      hint: "look where the output goes, then make new ones: keybackup-guard invite")
  }
}

internal import ArgumentParser
internal import CSPP
internal import GuardService

/// `keybackup-guard clock`.
struct GuardClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Show whether the guard trusts its clock, or accept it.",
    discussion: """
      A guard stops answering when its clock jumps: a wrong one would give tries away. Set the \
      clock first, then accept it. Waits that lie later begin now, and pending releases end.
      """)

  @OptionGroup var state: StateOptions

  @Flag(help: "Accept the clock as it is now.")
  var accept = false

  @Flag(help: "Print one line of JSON.")
  var json = false

  func run() async throws {
    let folder = try state.existingFolder()
    let opened = try await OpenedGuard.open(state, folder: folder)
    if accept {
      do throws(GuardStoreError) { _ = try await opened.accounts.acceptClock() } catch {
        await opened.close()
        throw GuardToolError(error)
      }
    }
    let now = await opened.accounts.state()
    await opened.close()
    guard now.isDatabaseUp else {
      throw GuardToolError(GuardStoreError.unavailable("it does not answer"))
    }
    if json {
      GuardStreams.result(
        JSONText.object([("schema", "1"), ("halted", "\(now.isClockHalted)")]))
    } else if !now.isClockHalted {
      GuardStreams.result("The guard trusts its clock.")
    }
    if now.isClockHalted {
      throw GuardToolError(
        .busy, "the guard waits, because its clock jumped",
        hint: "set the computer's clock, then run: keybackup-guard clock --accept")
    }
  }
}

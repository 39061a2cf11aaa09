import Testing

/// Lets system calls fail once, at some point of `derive`, by strace.
///
/// Whichever call it is, the command ends by itself, and any result is the right one.
@Suite struct InjectedSystemCallTests {
  struct Call: Sendable, CustomTestStringConvertible {
    let name: String
    let error: String
    let first: Int
    var testDescription: String { "\(name) \(error)" }
  }

  /// The first calls of each name are the loader's, before any of ours.
  static let calls = [
    Call(name: "read", error: "EIO", first: 12), Call(name: "read", error: "ENODEV", first: 13),
    Call(name: "write", error: "EIO", first: 1), Call(name: "write", error: "EAGAIN", first: 2),
    Call(name: "ppoll", error: "EINTR", first: 1), Call(name: "poll", error: "EIO", first: 1),
    Call(name: "ioctl", error: "EIO", first: 1), Call(name: "flock", error: "EIO", first: 1),
    Call(name: "openat", error: "EMFILE", first: 14),
    Call(name: "getrandom", error: "EINTR", first: 1),
  ]

  @Test(arguments: calls)
  func `One system call that fails gives no wrong output`(_ call: Call) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let right = try await box.keybackup(Sandbox.derive)
    for place in stride(from: call.first, to: call.first + 40, by: 5) {
      let inject = "inject=\(call.name):error=\(call.error):when=\(place)"
      let outcome = try await box.keybackup(
        Sandbox.derive + ["--timeout", "2"],
        wrapper: Tracing.wrapper(["-e", inject]), expecting: nil)
      // A signal would be 128 and more; 127 is the loader's.
      #expect(outcome.code < 128, "\(inject): \(outcome.text)")
      // Swift's runtime reads the arguments from a file; without any there is help.
      if outcome.code == 0, !outcome.out.hasPrefix("Back up wallets") {
        #expect(outcome.out == right.out, "\(inject)")
      }
    }
  }
}

import PRFDevice
import TestSupport
import Testing
import VirtualKey

/// Operations that end early, and the handle afterwards.
///
/// An operation that is cancelled and waits all the same ends with another error, or never.
@Suite struct EndingTests {
  private let request = PRFRequest(rpID: "keybackup:", first: .webAuthn([]))

  /// A key with one credential, whose owner acts as `touch` says.
  private func bench(_ touch: TouchPolicy, faults: [String] = []) async throws -> Bench {
    let first = try Bench()
    _ = try await first.open().createCredential(.test(), pin: pin())
    var bench = try Bench(faults: faults, store: first.store) { $0.touch = touch }
    bench.options.touchTimeout = Backstop.duration
    return bench
  }

  /// Waits until the key waits for its touch.
  private func waiting(_ bench: Bench) async throws {
    try await waitUntil("the key waits for a touch") {
      bench.plugged.trace.lines.contains("WAITING") ? nil : "\(bench.plugged.trace.lines)"
    }
  }

  @Test(arguments: [0, 1, 20, 200, 700])
  func `Cancelling the task frees the key at once`(milliseconds: Int) async throws {
    let bench = try await bench(.never)
    let authenticator = try await bench.open()
    let task = Task { try await authenticator.evaluate(request, pin: pin()) }
    try await Task.sleep(for: .milliseconds(milliseconds))
    task.cancel()
    let error = await failure { _ = try await task.value }
    #expect(error == .cancelled)
    // The same handle continues to work.
    #expect(try await authenticator.pinRetries() == 8)
    let again = Task { try await authenticator.evaluate(request, pin: pin()) }
    try await Task.sleep(for: .milliseconds(100))
    again.cancel()
    let second = await failure { _ = try await again.value }
    #expect(second == .cancelled, "\(bench.plugged.trace.lines)")
  }

  /// Whichever comes first, the touch or the cancellation, the handle continues to work.
  @Test(arguments: 0..<12)
  func `A cancellation at the moment of the touch ends one operation only`(
    round: Int
  ) async throws {
    let bench = try await bench(.at(.after(milliseconds: 60)))
    let authenticator = try await bench.open()
    let task = Task { try await authenticator.evaluate(request, pin: pin()) }
    try await Task.sleep(for: .milliseconds(40 + 5 * round))
    task.cancel()
    task.cancel()
    let error = await failure { _ = try await task.value }
    #expect(error == nil || error == .cancelled)
    // After the end: nothing left to cancel.
    task.cancel()
    #expect(try await authenticator.evaluate(request, pin: pin()).count == 1)
    #expect(try await authenticator.pinRetries() == 8)
  }

  @Test func `An operation that was cancelled before sends nothing`() async throws {
    let bench = try await bench(.automatic)
    let authenticator = try await bench.open()
    let before = bench.commands.count
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await authenticator.evaluate(request, pin: pin())
    }
    task.cancel()
    #expect(await failure { try await task.value } == .cancelled)
    #expect(bench.commands.count == before)
  }

  @Test func `A touch that nobody gives ends in time, and frees the key`() async throws {
    var bench = try await bench(.never)
    // It begins before the PIN is sent.
    bench.options.touchTimeout = .seconds(8)
    let authenticator = try await bench.open()
    let start = ContinuousClock.now
    let error = await failure { _ = try await authenticator.evaluate(request, pin: pin()) }
    #expect(error == .touchTimeout)
    #expect(ContinuousClock.now - start >= .seconds(8))
    #expect(bench.plugged.trace.lines.contains("CANCEL"))
    #expect(try await authenticator.pinRetries() == 8)
  }

  @Test func `Unplugging while it waits for a touch is noticed at once`() async throws {
    let bench = try await bench(.never)
    let authenticator = try await bench.open()
    let task = Task { try await authenticator.evaluate(request, pin: pin()) }
    try await waiting(bench)
    bench.plugged.unplug()
    #expect(await failure { _ = try await task.value } == .authenticatorLost)
    // Lost it stays.
    #expect(await failure { _ = try await authenticator.pinRetries() } == .authenticatorLost)
  }

  @Test func `Nobody is to touch a key that does not list its credentials`() async throws {
    var bench = try await bench(.automatic, faults: ["silent:credentialManagementPreview"])
    bench.options.touchTimeout = .milliseconds(200)
    let authenticator = try await bench.open()
    #expect(await failure { _ = try await authenticator.credentials(pin: pin()) } == .noAnswer)
  }

  @Test func `An operation that waits behind another is cancelled at once`() async throws {
    let bench = try await bench(.never)
    let authenticator = try await bench.open()
    let first = Task { try await authenticator.evaluate(request, pin: pin()) }
    try await waiting(bench)
    let second = Task { try await authenticator.pinRetries() }
    try await Task.sleep(for: .milliseconds(50))
    second.cancel()
    #expect(await failure { _ = try await second.value } == .cancelled)
    first.cancel()
    #expect(await failure { _ = try await first.value } == .cancelled)
  }

  @Test func `Opening is cancelled, too`() async throws {
    var bench = try await bench(.automatic, faults: ["silent:getInfo"])
    bench.options.answerTimeout = Backstop.duration
    let silent = bench
    let task = Task { _ = try await silent.open() }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    #expect(await failure { try await task.value } == .cancelled)
  }

  @Test func `Opening a key that is gone says so`() async throws {
    let bench = try await bench(.automatic)
    bench.plugged.unplug()
    #expect(await failure { _ = try await bench.open() } == .authenticatorLost)
  }

  @Test func `A key that works for another program is busy`() async {
    // CTAPHID's ERR_CHANNEL_BUSY, as a key answers while a browser uses it.
    let error = await failure {
      _ = try await Authenticator.open(over: ScriptedTransport(error: 0x06))
    }
    #expect(error == .busy)
  }
}

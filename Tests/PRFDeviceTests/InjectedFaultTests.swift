import DeviceSuite
import Foundation
import PRFDevice
import Synchronization
import TestSupport
import Testing
import VirtualKey

/// A good transport to a good key, with one call that fails.
private final class InjectingTransport: HIDTransport {
  enum Fault: String, CaseIterable, Sendable {
    /// The call fails, as when the key is gone.
    case fails
    /// The call takes its time.
    case late
    /// Other bytes are read or written.
    case junk
    /// A report to be read never came, or a written one never arrives.
    case lost
  }

  private let key: SimulatedKey
  private let fault: Fault?
  private let call: Int
  private let state: Mutex<(calls: Int, isOpen: Bool, generator: SeededGenerator)>

  init(_ key: InProcessKey, _ fault: Fault?, at call: Int, seed: UInt64) {
    self.key = SimulatedKey(key)
    self.fault = fault
    self.call = call
    state = Mutex((0, false, SeededGenerator(seed: seed)))
  }

  var calls: Int { state.withLock { $0.calls } }
  /// Opened, and not closed since: a device's file descriptor would be left behind.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Always false, so that no failure is waited for.
  var isConnected: Bool { false }
  func open() -> Bool {
    guard next() != .fails, key.open() else { return false }
    state.withLock { $0.isOpen = true }
    return true
  }
  func close() {
    key.close()
    state.withLock { $0.isOpen = false }
  }

  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    let fault = next()
    if fault == .fails { return false }
    if fault == .late { usleep(60_000) }
    guard key.read(into: &report, milliseconds: patience(milliseconds)) else { return false }
    if fault == .lost { return key.read(into: &report, milliseconds: patience(milliseconds)) }
    if fault == .junk {
      for (offset, byte) in junk().enumerated() {
        report.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      }
    }
    return true
  }

  func write(_ report: RawSpan) -> Bool {
    switch next() {
    case .fails: return false
    case .lost: return true
    case .late: usleep(60_000)
    case .junk:
      let bytes = junk()
      return key.write(unsafe bytes.span.bytes)
    case nil: break
    }
    return key.write(report)
  }

  /// The time for a report: after what was lost none may come at all, and that is not waited for.
  private func patience(_ milliseconds: Int32) -> Int32 {
    fault == nil || fault == .late ? milliseconds : min(milliseconds, 150)
  }

  private func next() -> Fault? {
    state.withLock { state in
      state.calls += 1
      return state.calls == call ? fault : nil
    }
  }

  private func junk() -> [UInt8] { state.withLock { $0.generator.bytes(64) } }
}

/// Every single call to the transport fails once, in every operation.
///
/// The operation must give a result or an error, and the same key must serve the next one.
@Suite struct InjectedFaultTests {
  private static let seed = TestSeed.given ?? 20
  /// Runs of one use that wait side by side.
  private static let sideBySide = 12

  private func run(
    _ use: MisbehaviourTests.Use, _ fault: InjectingTransport.Fault?, at call: Int
  ) async throws -> (calls: Int, error: PRFDeviceError?) {
    let (store, id) = try MisbehaviourTests.store(hasPIN: use != .setPIN)
    var configuration = KeyConfiguration()
    // Else the key waits a minute for a packet that was lost.
    if fault == .lost || fault == .junk { configuration.packetTimeoutMilliseconds = 500 }
    let key = try InProcessKey(configuration, store: store)
    var options = Authenticator.Options()
    (options.touchTimeout, options.answerTimeout) = (Backstop.duration, Backstop.duration)
    let transport = InjectingTransport(key, fault, at: call, seed: Self.seed)
    var failure: PRFDeviceError?
    do throws(PRFDeviceError) {
      let authenticator = try await Authenticator.open(over: transport, options: options)
      try await MisbehaviourTests.use(authenticator, for: use, id)
      await authenticator.close()
    } catch {
      // Not always: a key waits half a second for a packet that was lost.
      if call % 5 == 0 { try await reopen(key, options) }
      failure = error
    }
    try await waitUntil("the device is closed", every: .milliseconds(10)) {
      transport.isOpen ? "it is left open after a fault at call \(call)" : nil
    }
    return (transport.calls, failure)
  }

  /// Waits until the key answers again.
  ///
  /// It does so at the latest when it has given up the message of which a packet is missing (CTAP
  /// 2.1, section 11.2.5.2).
  private func reopen(_ key: InProcessKey, _ options: Authenticator.Options) async throws {
    try await waitUntil("the key answers", every: .milliseconds(100)) {
      do throws(PRFDeviceError) {
        let again = try await Authenticator.open(over: SimulatedKey(key), options: options)
        _ = try await again.info()
        await again.close()
        return nil
      } catch .busy {
        return "the key stays busy"
      } catch {
        throw error
      }
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: MisbehaviourTests.Use.allCases)
  func `Each call fails once, in turn`(use: MisbehaviourTests.Use) async throws {
    let good = try await run(use, nil, at: 0)
    #expect(good.error == nil)
    // Each run has a key of its own, and spends its time waiting.
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      for call in 1...good.calls {
        for fault in InjectingTransport.Fault.allCases {
          if running == Self.sideBySide { try await group.next() } else { running += 1 }
          group.addTask { try await expectAnswer(use, fault, at: call) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func expectAnswer(
    _ use: MisbehaviourTests.Use, _ fault: InjectingTransport.Fault, at call: Int
  ) async throws {
    let (_, error) = try await run(use, fault, at: call)
    let what: Comment = "\(fault) at call \(call), KEYBACKUP_TEST_SEED=\(Self.seed)"
    switch fault {
    case .fails: #expect(error != nil, what)
    case .late: #expect(error == nil, what)
    case .junk, .lost: break
    }
    switch error {
    case .closed, .cancelled, .invalidInput, .permissionDenied, .system:
      Issue.record("\(String(describing: error)): \(what)")
    default: break
    }
  }
}

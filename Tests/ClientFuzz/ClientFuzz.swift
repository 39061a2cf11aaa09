import CFido2
import CFuzzCounters
import FoundationEssentials
public import PRFDevice
import SecretMemory
import VirtualKey

/// Runs one input of the fuzzer through everything that the product does with a security key.
///
/// Byte 0 is the use. Its highest bits say who answers (``ReplayedKey``), and whether libfido2's
/// log counts as coverage. Byte 1 is the kind of key, byte 2 its fault. The rest edits its answers
/// one after the other (``AnswerEditor``).
public enum ClientFuzz {
  /// Runs one input to its end, on the calling thread.
  ///
  /// - Returns: the error that ended it; nil for none.
  @discardableResult
  public static func run(_ bytes: [UInt8]) -> PRFDeviceError? {
    var input = InputReader(bytes)
    let first = input.byte()
    let use = Use(rawValue: (first & 0x3F) % UInt8(Use.allCases.count)) ?? .evaluate
    let kind = KeyKind(rawValue: input.byte())
    let fault = Int(input.byte()) % faults.count
    let make = { MessageKey(kind.configuration(faults[fault]), store: kind.store) }
    // The highest bit: answers come from memory, without a key that computes them.
    let key: any AnsweringKey =
      first & 0x80 == 0
      ? make()
      : ReplayedKey(
        kind: kind.rawValue, fault: UInt8(fault), use: use.rawValue, make: make)
    let editor = AnswerEditor(key, input)
    var options = Authenticator.Options()
    options.readsPINRetries = kind.contains(.retriesRead)
    let settings = options
    return InlineExecutor.shared.run {
      do throws(PRFDeviceError) {
        let authenticator = try await open(editor, kind, settings, countsLog: first & 0x40 == 0)
        try await use.perform(with: authenticator, pin: kind.pin)
        // The first use must not spoil the next one.
        try await Use.holds.perform(with: authenticator, pin: kind.pin)
        await authenticator.close()
        return nil
      } catch {
        check(error)
        return error
      }
    }
  }

  private static func open(
    _ editor: AnswerEditor, _ kind: KeyKind, _ options: Authenticator.Options,
    countsLog: Bool
  ) async throws(PRFDeviceError) -> Authenticator {
    let executor = InlineExecutor.shared
    let prepareLog = countsLog ? countLog : dropLog
    if kind.contains(.card) {
      return try await Authenticator.open(
        over: EditedCard(editor, onOpen: prepareLog), options: options, on: executor)
    }
    return try await Authenticator.open(
      over: EditedHID(editor, onOpen: prepareLog), options: options, on: executor)
  }

  /// Counts libfido2's log, which names what it rejected, as coverage.
  private static func countLog() {
    fido_init(FIDO_DEBUG | FIDO_DISABLE_U2F_FALLBACK)
    unsafe fido_set_log_handler { line in
      if let line = unsafe line { unsafe fuzz_count_log_line(line) }
    }
  }

  /// Drops libfido2's log, which makes it faster.
  private static func dropLog() {
    fido_init(FIDO_DISABLE_U2F_FALLBACK)
    unsafe fido_set_log_handler { _ in }
  }

  /// Stops at errors that mean a mistake of ours, not of the key.
  private static func check(_ error: PRFDeviceError) {
    switch error {
    case .closed, .cancelled, .invalidInput, .permissionDenied, .system:
      preconditionFailure("\(error)")
    default: break
    }
  }

  /// Faults beneath the encryption, which no editing from outside can cause.
  private static let faults: [Fault?] =
    [nil]
    + [
      "hmac-secret-missing", "hmac-secret-plain", "hmac-secret-zero", "hmac-secret-echo",
      "hmac-secret-length=0", "hmac-secret-length=16", "hmac-secret-length=64",
      "hmac-secret-length=128", "pin-token-random", "pin-token-length=16", "pin-token-length=48",
      "pin-token-length=0", "assertions=3", "info-more", "info-less", "created-id-differs",
    ].map { Fault($0) }
}

import OpenSSLCrypto

/// The end of a wait for a touch.
enum TouchOutcome {
  case touched
  case denied
  case timedOut
  case cancelled
  case aborted
  case unplugged
}

/// The service that the authenticator needs from its transport.
protocol UserPresence: AnyObject {
  /// Blinks until the wait ends; the transport keeps answering in the meantime.
  func waitForTouch() -> TouchOutcome
}

/// The commands of CTAP 2.1: bytes in, bytes out.
///
/// It runs on one thread, from power-up to unplugging. Data that outlive that are in its
/// `KeyStore`.
final class Authenticator {
  let configuration: KeyConfiguration
  let store: KeyStore
  let trace: Trace
  weak var presence: (any UserPresence)?

  var protocols: [PINProtocol]
  /// The number of wrong PINs since power-up: three block PIN entry until the next one.
  var wrongPINs = 0
  /// Whether the correct PIN was entered since power-up.
  var hasSeenPIN = false
  /// The number of fingerprint readings since power-up.
  var fingerprintReadings = 0
  var assertions: PendingAssertions?
  var enumeration: CredentialEnumeration?
  private var occurrences: [CTAPCommand: Int] = [:]
  /// The faults of the current command.
  private(set) var active: [Fault.Kind] = []
  private let poweredUp = ContinuousClock.now

  init(configuration: KeyConfiguration, store: KeyStore, trace: Trace) {
    self.configuration = configuration
    self.store = store
    self.trace = trace
    protocols = configuration.pinProtocols.map(PINProtocol.init(number:))
  }

  /// Answers one CTAP2 request (command byte and CBOR); nil for no answer.
  ///
  /// - Throws: only `.aborted` and `.unplugged`, which no answer can express.
  func respond(to request: [UInt8]) throws(CommandFailure) -> [UInt8]? {
    guard let number = request.first else { return [CTAPStatus.invalidLength.rawValue] }
    guard request.count <= configuration.maximumMessageSize ?? 1024 else {
      trace.write("STATUS \(CTAPStatus.requestTooLarge.rawValue.hexadecimal)")
      return [CTAPStatus.requestTooLarge.rawValue]
    }
    guard let command = CTAPCommand(rawValue: number), isEnabled(command) else {
      trace.write("CBOR \(number.hexadecimal) unknown")
      trace.write("STATUS \(CTAPStatus.invalidCommand.rawValue.hexadecimal)")
      return [CTAPStatus.invalidCommand.rawValue]
    }
    let response: [UInt8]?
    do throws(CommandFailure) {
      let parameters = Array(request.dropFirst())
      trace.write("CBOR \(number.hexadecimal) \(describe(command, parameters))")
      response = try faulty(command, parameters)
    } catch {
      guard case .status(let status) = error else { throw error }
      response = [status.rawValue]
    }
    trace.write("STATUS \(response?.first?.hexadecimal ?? "none")")
    return response
  }

  private func isEnabled(_ command: CTAPCommand) -> Bool {
    switch command {
    case .clientPIN: configuration.clientPIN || configuration.hmacSecret
    case .credentialManagement: configuration.credentialManagement
    case .credentialManagementPreview:
      configuration.credentialManagement && configuration.credentialManagementPreview
    case .selection: configuration.versions.contains("FIDO_2_1")
    default: true
    }
  }

  /// The command's name, and the subcommand's if it has one.
  private func describe(_ command: CTAPCommand, _ parameters: [UInt8]) -> String {
    let fields = try? CBOR(decoding: parameters)
    switch command {
    case .clientPIN:
      let number = fields?[2]?.integer ?? 0
      return "clientPIN " + (PINSubcommand(rawValue: number).map { "\($0)" } ?? "\(number)")
    case .credentialManagement, .credentialManagementPreview:
      let number = fields?[1]?.integer ?? 0
      return "credentialManagement "
        + (ManagementSubcommand(rawValue: number).map { "\($0)" } ?? "\(number)")
    case .getAssertion:
      let preflight = fields?[5]?["up"]?.boolean == false
      return "getAssertion" + (preflight ? " up=false" : "")
    default:
      return "\(command)"
    }
  }

  /// 200 bytes that look random and are the same in every run, so that a failure can be repeated.
  ///
  /// Bytes that are drawn anew are valid CBOR now and then.
  private static let nonsense = (0..<200).map { OpenSSL.sha256([$0])[0] }

  /// Answers a command with its faults applied.
  private func faulty(
    _ command: CTAPCommand, _ parameters: [UInt8]
  ) throws(CommandFailure) -> [UInt8]? {
    let count = occurrences[command, default: 0] + 1
    occurrences[command] = count
    active = configuration.faults.filter { fault in
      (fault.occurrence ?? count) == count && (fault.command ?? command) == command
    }.map(\.kind)
    for kind in active {
      switch kind {
      case .unplug: throw .unplugged
      case .error(_, let code): return [code]
      case .delivery(.silent, _): return nil
      case .delivery(.garbage, _): return [CTAPStatus.success.rawValue, 0xA1, 0x01, 0x5F, 0xFF]
      case .delivery(.random, _): return [CTAPStatus.success.rawValue] + Self.nonsense
      default: continue
      }
    }
    let answer = try perform(command, parameters)
    for case .delivery(let fault, _) in active {
      switch fault {
      case .truncated: return Array(answer.prefix(1 + answer.count / 2))
      case .oversized: return answer + .random(CTAPHIDPacket.maximumMessageLength - answer.count)
      default: continue
      }
    }
    return answer
  }

  private func perform(
    _ command: CTAPCommand, _ parameters: [UInt8]
  ) throws(CommandFailure) -> [UInt8] {
    let result: CBOR?
    // State that spans several commands ends at another command in between.
    if command != .getNextAssertion { assertions = nil }
    if command != .credentialManagement, command != .credentialManagementPreview {
      enumeration = nil
    }
    switch command {
    case .makeCredential: result = try makeCredential(decode(parameters).map)
    case .getAssertion: result = try getAssertion(decode(parameters).map)
    case .getNextAssertion: result = try getNextAssertion()
    case .getInfo: result = information
    case .clientPIN: result = try clientPIN(decode(parameters).map)
    case .reset: result = try reset()
    case .selection: result = try selection()
    case .credentialManagement, .credentialManagementPreview:
      let (map, raw) = try decode(parameters)
      result = try manageCredentials(map, rawParameters: raw[2] ?? [])
    }
    let told =
      active.isEmpty
      ? result
      : result.map { truth in
        lie(command, try? CBOR(decoding: parameters), truth)
      }
    return [CTAPStatus.success.rawValue] + (told?.encoded ?? [])
  }

  private func decode(
    _ parameters: [UInt8]
  ) throws(CommandFailure) -> (map: CBOR, raw: [Int: [UInt8]]) {
    do throws(CBOR.DecodingError) {
      return try CBOR.mapWithRawValues(decoding: parameters)
    } catch {
      throw .status(.invalidCBOR)
    }
  }

  // MARK: - The needs of every command

  /// Reads a parameter that must be present and of the right type.
  func required<Value>(
    _ item: CBOR?, _ read: (CBOR) -> Value?
  ) throws(CommandFailure) -> Value {
    guard let item else { throw .status(.missingParameter) }
    guard let value = read(item) else { throw .status(.cborUnexpectedType) }
    return value
  }

  /// Waits for the user; returns only after a touch.
  func requireTouch() throws(CommandFailure) {
    if has(.unplugOnTouch) {
      trace.write("TOUCH unplugged")
      throw .unplugged
    }
    let outcome = presence?.waitForTouch() ?? .touched
    trace.write(outcome == .touched ? "TOUCH" : "TOUCH \(outcome)")
    switch outcome {
    case .touched: return
    case .denied: throw .status(.operationDenied)
    case .timedOut:
      throw .status(
        configuration.deniesAfterTouchTimeout ? .operationDenied : .userActionTimeout)
    case .cancelled: throw .status(.keepaliveCancel)
    case .aborted: throw .aborted
    case .unplugged: throw .unplugged
    }
  }

  func has(_ kind: Fault.Kind) -> Bool { active.contains(kind) }

  func update<Result: Sendable>(
    _ change: (inout KeyState) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(VirtualKeyError) {
      return try store.update(change)
    } catch {
      throw .status(.other)
    }
  }

  // MARK: - The short commands

  /// The authenticatorSelection command: a touch that identifies the key.
  private func selection() throws(CommandFailure) -> CBOR? {
    try requireTouch()
    return nil
  }

  /// authenticatorReset: erases everything, soon after power-up and with a touch.
  private func reset() throws(CommandFailure) -> CBOR? {
    let age = ContinuousClock.now - poweredUp
    guard age <= .milliseconds(configuration.resetWindowMilliseconds) else {
      throw .status(.notAllowed)
    }
    try requireTouch()
    try update { $0 = KeyState() }
    wrongPINs = 0
    enumeration = nil
    protocols = configuration.pinProtocols.map(PINProtocol.init(number:))
    return nil
  }

  /// Whether a silent query is answered with a placeholder.
  var isHiding: Bool { configuration.hidesUntilPIN && !hasSeenPIN }

  /// The answer to getInfo (CTAP 2.1 section 6.4).
  private var information: CBOR {
    let state = store.snapshot
    let newer = configuration.versions.contains("FIDO_2_1")
    let verifies = configuration.clientPIN || configuration.builtInVerification
    var extensions: [CBOR] = []
    if configuration.credProtect { extensions.append(.text("credProtect")) }
    if configuration.hmacSecret { extensions.append(.text("hmac-secret")) }
    let options: [(String, Bool?)] = [
      ("rk", configuration.residentKeys),
      ("up", true),
      ("uv", configuration.builtInVerification ? true : nil),
      ("plat", false),
      ("alwaysUv", newer ? configuration.alwaysVerify || isHiding : nil),
      ("credMgmt", configuration.credentialManagement ? true : nil),
      ("clientPin", configuration.clientPIN ? state.pinHash != nil : nil),
      ("pinUvAuthToken", configuration.pinUvAuthToken && verifies ? true : nil),
      (
        "makeCredUvNotRqd",
        newer
          ? configuration.makeCredentialWithoutVerification && !configuration.alwaysVerify : nil
      ),
      ("credentialMgmtPreview", isEnabled(.credentialManagementPreview) ? true : nil),
    ]
    return .fields([
      (0x01, .array(configuration.versions.map(CBOR.text))),
      (0x02, extensions.isEmpty ? nil : .array(extensions)),
      (0x03, .bytes(configuration.aaguid)),
      (0x04, .named(options.map { name, value in (name, value.map(CBOR.boolean)) })),
      (0x05, configuration.maximumMessageSize.map(CBOR.integer)),
      (
        0x06,
        configuration.pinProtocols.isEmpty
          ? nil : .array(configuration.pinProtocols.map(CBOR.integer))
      ),
      (0x07, .integer(configuration.maximumCredentialCountInList)),
      (0x08, .integer(configuration.maximumCredentialIDLength)),
      (0x09, .array(configuration.transports.map(CBOR.text))),
      (0x0A, .array([.named([("alg", .integer(-7)), ("type", .text("public-key"))])])),
      (0x0C, newer ? .boolean(state.mustChangePIN) : nil),
      (0x0D, newer ? .integer(configuration.minimumPINLength) : nil),
      (0x0E, newer ? .integer(configuration.firmwareVersion) : nil),
      (
        0x14,
        newer
          ? .integer(max(0, configuration.discoverableCapacity - state.credentials.count)) : nil
      ),
    ])
  }
}

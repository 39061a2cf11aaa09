/// The capabilities of a simulated key, which determine the answer to getInfo and the behaviour of
/// commands.
///
/// The defaults describe an ordinary CTAP 2.1 USB key.
public struct KeyConfiguration: Sendable {
  /// CTAP versions in the order that getInfo lists them.
  public var versions = ["FIDO_2_0", "FIDO_2_1_PRE", "FIDO_2_1"]
  /// The model's identifier, 16 bytes.
  public var aaguid: [UInt8] = Array("virtualkey 2026!".utf8)
  /// PIN/UV auth protocols in the order of preference; 1 and 2 are supported.
  public var pinProtocols = [2, 1]
  /// Whether the hmac-secret extension exists.
  public var hmacSecret = true
  /// Whether the credProtect extension exists.
  public var credProtect = true
  /// Whether discoverable credentials can be stored.
  public var residentKeys = true
  /// Whether a PIN can be set.
  public var clientPIN = true
  /// Whether credential management (0x0A and 0x41) exists.
  public var credentialManagement = true
  /// Whether it also has the command number used before CTAP 2.1 (0x41).
  public var credentialManagementPreview = true
  /// Whether tokens with permissions (CTAP 2.1) exist; otherwise only getPinToken.
  public var pinUvAuthToken = true
  /// Whether non-discoverable credentials may be created without the PIN.
  public var makeCredentialWithoutVerification = false
  /// Whether every operation with a touch also requires user verification.
  public var alwaysVerify = false
  /// Whether there is a fingerprint reader, which accepts any touch except the misses below.
  public var builtInVerification = false
  /// The number of fingerprint readings after power-up that do not match.
  public var fingerprintMisses = 0
  /// The shortest PIN accepted, in Unicode code points.
  public var minimumPINLength = 4
  /// The most credential IDs in one allow or exclude list.
  public var maximumCredentialCountInList = 8
  /// The longest credential ID accepted in a list, in bytes.
  public var maximumCredentialIDLength = 128
  /// The largest message accepted, in bytes; if nil it is not stated, and is 1024.
  public var maximumMessageSize: Int? = 1200
  /// The number of discoverable credentials that fit.
  public var discoverableCapacity = 25
  /// The firmware version in getInfo.
  public var firmwareVersion = 1
  /// The milliseconds after which a message with a missing packet is dropped.
  ///
  /// CTAP 2.1 (section 11.2.5.2) specifies half a second; a busy machine may not run the client for
  /// far longer.
  public var packetTimeoutMilliseconds = 60_000
  /// The milliseconds after which a missing touch ends the command.
  public var touchTimeoutMilliseconds = 30_000
  /// Whether it then answers "denied", as if the user had refused.
  public var deniesAfterTouchTimeout = false
  /// Whether a PIN that must be changed is answered with "policy violation" instead of "invalid".
  public var answersPINChangeWithPolicy = false
  /// Whether silent queries are answered with a placeholder until the PIN was entered after
  /// power-up.
  ///
  /// The placeholder is an unknown credential with a constant signature. Until then getInfo states
  /// alwaysUv.
  public var hidesUntilPIN = false
  /// The milliseconds after power-up in which a reset is accepted.
  public var resetWindowMilliseconds = 10_000
  /// The milliseconds between two answers of one assertion with several accounts.
  public var nextAssertionWindowMilliseconds = 30_000
  /// The transports in getInfo.
  public var transports = ["usb"]
  /// The simulated user's reaction when the key blinks.
  public var touch = TouchPolicy.automatic
  /// The touch that the user does not give, counted from 1 since power-up; nil for none.
  public var untouched: Int?
  /// The faults, for tests.
  public var faults: [Fault] = []

  /// Whether the key signs nothing and keeps one key for the key agreement, for a fuzzer that
  /// ignores signatures.
  public var sparesCurves = false

  /// Creates an ordinary CTAP 2.1 key that is touched at once.
  public init() {}
}

/// The simulated user's reaction when the key asks for a touch.
public enum TouchPolicy: Sendable, Equatable {
  /// Touches at once.
  case automatic
  /// Never touches: the command waits for a cancel or its timeout.
  case never
  /// Refuses at once, as on a key with a deny button.
  case deny
  /// Touches at this moment.
  case at(Moment)

  /// Parses "auto", "never", "deny" or a moment; nil otherwise.
  public init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "never": self = .never
    case "deny": self = .deny
    default:
      guard let moment = Moment(text) else { return nil }
      self = .at(moment)
    }
  }
}

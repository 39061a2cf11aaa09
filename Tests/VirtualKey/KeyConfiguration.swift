/// What a simulated key is able to do: it shapes the answer to getInfo and how the
/// commands behave.
///
/// The defaults describe an ordinary CTAP 2.1 USB key.
public struct KeyConfiguration: Sendable {
  /// CTAP versions in the order that getInfo lists them.
  public var versions = ["FIDO_2_0", "FIDO_2_1_PRE", "FIDO_2_1"]
  /// The model's identifier, 16 bytes.
  public var aaguid: [UInt8] = Array("virtualkey 2026!".utf8)
  /// PIN/UV auth protocols in the order of preference; 1 and 2 are known.
  public var pinProtocols = [2, 1]
  /// Whether the hmac-secret extension exists.
  public var hmacSecret = true
  /// Whether the credProtect extension exists.
  public var credProtect = true
  /// Whether discoverable credentials can be stored.
  public var residentKeys = true
  /// Whether a PIN can be set at all.
  public var clientPIN = true
  /// Whether credential management (0x0A and 0x41) exists.
  public var credentialManagement = true
  /// Whether it also has the number that it had before CTAP 2.1 (0x41).
  public var credentialManagementPreview = true
  /// Whether tokens with permissions (CTAP 2.1) exist; without, only getPinToken.
  public var pinUvAuthToken = true
  /// Whether non-discoverable credentials may be created without the PIN.
  public var makeCredentialWithoutVerification = false
  /// Whether every operation with a touch also wants user verification.
  public var alwaysVerify = false
  /// Whether there is a fingerprint reader that accepts whoever touches it, but for the
  /// misses below.
  public var builtInVerification = false
  /// How many readings of a fingerprint after power-up do not match.
  public var fingerprintMisses = 0
  /// The shortest PIN accepted, in Unicode code points.
  public var minimumPINLength = 4
  /// The most credential IDs in one allow or exclude list.
  public var maximumCredentialCountInList = 8
  /// The longest credential ID accepted in a list, in bytes.
  public var maximumCredentialIDLength = 128
  /// The largest message accepted, in bytes; nil: it is not told, and 1024.
  public var maximumMessageSize: Int? = 1200
  /// The number of discoverable credentials that fit.
  public var discoverableCapacity = 25
  /// The firmware version that getInfo tells.
  public var firmwareVersion = 1
  /// Milliseconds after which a message is given up of which a packet is missing.
  ///
  /// CTAP 2.1 (section 11.2.5.2) has half a second; a busy machine
  /// may not run the client for so long.
  public var packetTimeoutMilliseconds = 3000
  /// Milliseconds after which a touch that nobody gave ends the command.
  public var touchTimeoutMilliseconds = 30_000
  /// Whether it then says "denied", as if somebody had refused.
  public var deniesAfterTouchTimeout = false
  /// Whether a PIN that must be changed is answered "policy violation", not "invalid".
  public var answersPINChangeWithPolicy = false
  /// Whether each silent look is answered with a placeholder, an unknown credential and
  /// a constant signature, until the PIN was entered after power-up; meanwhile getInfo
  /// tells alwaysUv.
  public var hidesUntilPIN = false
  /// Milliseconds after power-up in which a reset is accepted.
  public var resetWindowMilliseconds = 10_000
  /// Milliseconds between two answers of one assertion with several accounts.
  public var nextAssertionWindowMilliseconds = 30_000
  /// The transports that getInfo tells.
  public var transports = ["usb"]
  /// What the simulated person does when the key blinks.
  public var touch = TouchPolicy.automatic
  /// The touch that the person does not give, counted from 1 since power-up; nil: none.
  public var untouched: Int?
  /// What goes wrong, for tests.
  public var faults: [Fault] = []

  /// Signs nothing and keeps one key for the key agreement: for a fuzzer, of
  /// which nobody looks at a signature.
  public var sparesCurves = false

  /// An ordinary CTAP 2.1 key that is touched at once.
  public init() {}
}

/// What the simulated person does when the key asks for a touch.
public enum TouchPolicy: Sendable, Equatable {
  /// Touches at once.
  case automatic
  /// Never touches: the command waits for a cancel or its timeout.
  case never
  /// Refuses at once, as on a key with a deny button.
  case deny
  /// Touches after so many milliseconds.
  case after(milliseconds: Int)

  /// Reads "auto", "never", "deny" or a number of milliseconds; nil otherwise.
  public init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "never": self = .never
    case "deny": self = .deny
    default:
      guard let milliseconds = Int(text), milliseconds >= 0 else { return nil }
      self = .after(milliseconds: milliseconds)
    }
  }
}

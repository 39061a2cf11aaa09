/// The text description of one key, for the command line of `virtual-key` and for tests that plug
/// in the same key.
public struct KeySettings: Sendable {
  /// The file of the key's memory; if nil, the memory ends with the process.
  public var statePath: String?
  /// The key's capabilities.
  public var configuration = KeyConfiguration()
  /// The PIN of a key with new memory.
  public var pin: String?
  /// The number of wrong PINs that a key with new memory still accepts; nil for all.
  public var pinRetries: Int?
  /// The files that describe credentials to import.
  public var imports: [String] = []
  /// The credentials to import.
  public var credentials: [ImportedCredential] = []
  /// The moment when the key is unplugged; nil for never.
  public var unplugs: Moment?
  /// The moment when the key is plugged in; nil if it is from the start.
  public var plugs: Moment?
  /// Whether the PIN is accepted only for a change.
  public var mustChangePIN = false
  /// The manufacturer's name, where the bus states one.
  public var manufacturer = "Simulated"
  /// The product's name, where the bus states one.
  public var product = "Virtual Key"

  /// Whether it is on an NFC reader; nil to follow the bus.
  public var isOnReader: Bool?
  /// The behaviour of the card, on a reader.
  public var card = CardConfiguration()

  /// Creates an ordinary new key without a PIN.
  public init() {}

  /// Creates a key from settings of the form NAME or NAME=VALUE.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  public init(_ settings: [String]) throws {
    for setting in settings { try apply(setting[...]) }
  }

  /// The list of settings.
  public static let help = """
    pin=PIN, pin-retries=N, touch=auto|never|deny|WHEN, untouched=N, pin-protocols=N[+N], fault=FAULT, import-credential=FILE, \
    credential=RPID/CREDRANDOM[/PROTECTION], unplug-after-ms=WHEN, plug-after-ms=WHEN, touch-timeout-ms=MS, reset-window-ms=MS, \
    manufacturer=NAME, product=NAME, aaguid=HEX, versions=V[+V], capacity=N, max-credentials-in-list=N, \
    max-credential-id-length=N, max-msg-size=N, min-pin-length=N, always-uv, built-in-uv, \
    fingerprint-misses=N, make-cred-uv-not-required, force-pin-change, force-pin-change-by-policy, \
    touch-timeout-denies, placeholder-until-pin, no-hmac-secret, no-cred-protect, no-cred-mgmt, \
    no-cred-mgmt-preview, no-pin-uv-auth-token, no-client-pin, no-rk, \
    bus=usb|pcsc; on a reader: select=U2F_V2|FIDO_2_0, no-fido, piece-size=N, no-waiting, \
    pull-after-apdus=N, return-after-ms=WHEN; WHEN is a number of milliseconds, or a file that is waited for
    """

  /// Applies NAME or NAME=VALUE.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  public mutating func apply(_ setting: Substring) throws {
    let parts = setting.split(separator: "=", maxSplits: 1)
    try apply(parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Applies one setting.
  ///
  /// - Throws: `SettingError` for an invalid setting.
  public mutating func apply(_ name: String, _ value: String?) throws {
    guard let value else {
      try applyFlag(name)
      return
    }
    switch name {
    case "pin": pin = value
    case "pin-retries": pinRetries = try number(name, value)
    case "manufacturer": manufacturer = value
    case "product": product = value
    case "import-credential": imports.append(value)
    case "credential":
      credentials.append(try read(name, value) { ImportedCredential(setting: $0) })
    case "bus":
      isOnReader = try read(name, value) { ["usb": false, "pcsc": true][$0] }
    case "select": card.selectAnswer = value
    case "piece-size": card.pieceSize = max(1, try number(name, value))
    case "pull-after-apdus": card.pullAfterCommands = try number(name, value)
    case "return-after-ms": card.returns = try read(name, value) { Moment($0) }
    case "versions": configuration.versions = value.split(separator: "+").map(String.init)
    case "untouched": configuration.untouched = try number(name, value)
    case "touch": configuration.touch = try read(name, value) { TouchPolicy($0) }
    case "fault": configuration.faults.append(try read(name, value) { Fault($0) })
    case "unplug-after-ms": unplugs = try read(name, value) { Moment($0) }
    case "plug-after-ms": plugs = try read(name, value) { Moment($0) }
    case "touch-timeout-ms": configuration.touchTimeoutMilliseconds = try number(name, value)
    case "fingerprint-misses": configuration.fingerprintMisses = try number(name, value)
    case "reset-window-ms": configuration.resetWindowMilliseconds = try number(name, value)
    case "capacity": configuration.discoverableCapacity = try number(name, value)
    case "max-credentials-in-list":
      configuration.maximumCredentialCountInList = try number(name, value)
    case "max-credential-id-length":
      configuration.maximumCredentialIDLength = try number(name, value)
    case "max-msg-size": configuration.maximumMessageSize = try number(name, value)
    case "min-pin-length": configuration.minimumPINLength = try number(name, value)
    case "pin-protocols":
      configuration.pinProtocols = try value.split { $0 == "," || $0 == "+" }.map { part in
        try read(name, String(part)) { text in Int(text).flatMap { (1...2).contains($0) ? $0 : nil }
        }
      }
    case "aaguid":
      configuration.aaguid = try read(name, value) { text in
        [UInt8](hexadecimal: text).flatMap { $0.count == 16 ? $0 : nil }
      }
    default: throw SettingError("unknown setting: \(name)=\(value)")
    }
  }

  private mutating func applyFlag(_ name: String) throws {
    switch name {
    case "always-uv": configuration.alwaysVerify = true
    case "built-in-uv": configuration.builtInVerification = true
    case "make-cred-uv-not-required": configuration.makeCredentialWithoutVerification = true
    case "force-pin-change": mustChangePIN = true
    case "force-pin-change-by-policy":
      mustChangePIN = true
      configuration.answersPINChangeWithPolicy = true
    case "touch-timeout-denies": configuration.deniesAfterTouchTimeout = true
    case "placeholder-until-pin": configuration.hidesUntilPIN = true
    case "no-hmac-secret": configuration.hmacSecret = false
    case "no-cred-protect": configuration.credProtect = false
    case "no-cred-mgmt": configuration.credentialManagement = false
    case "no-cred-mgmt-preview": configuration.credentialManagementPreview = false
    case "no-pin-uv-auth-token": configuration.pinUvAuthToken = false
    case "no-client-pin": configuration.clientPIN = false
    case "no-fido": card.hasApplet = false
    case "no-waiting": card.reportsWaiting = false
    case "no-rk": configuration.residentKeys = false
    default: throw SettingError("unknown setting: \(name)")
    }
  }

  /// Whether the key may be connected or disconnected while the program runs.
  public var movesAbout: Bool {
    plugs != nil || unplugs != nil
      || configuration.faults.contains { $0.unplugs }
  }

  /// The key's memory, with the PIN set and the credentials imported.
  ///
  /// - Throws: `VirtualKeyError` when it cannot be read or written.
  public func makeStore() throws -> KeyStore {
    let store = try statePath.map { path in try KeyStore(path: path) } ?? KeyStore()
    if store.isNew {
      if let pin { try store.setPIN(pin) }
      if let pinRetries { try store.setPINRetries(pinRetries) }
    }
    if mustChangePIN { try store.requirePINChange() }
    for path in imports { try store.add(ImportedCredential(path: path)) }
    for credential in credentials { try store.add(credential) }
    return store
  }

  private func number(_ name: String, _ value: String) throws -> Int {
    try read(name, value) { text in Int(text).flatMap { $0 >= 0 ? $0 : nil } }
  }

  private func read<Value>(
    _ name: String, _ value: String, _ reading: (String) -> Value?
  ) throws -> Value {
    guard let result = reading(value) else {
      throw SettingError("not understood: \(name)=\(value)")
    }
    return result
  }
}

/// An invalid setting.
public struct SettingError: Error, CustomStringConvertible {
  /// The problem in words.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The identifier of an authenticator model, 16 bytes.
public struct AAGUID: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, 16 of them.
  public let bytes: [UInt8]

  /// - Parameter bytes: 16 bytes; anything else gives `nil`.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The usual form, 8-4-4-4-12 lower-case hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append("-") }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}

/// The capabilities that an authenticator states (authenticatorGetInfo).
public struct AuthenticatorInfo: Equatable, Sendable {
  /// The model.
  public let aaguid: AAGUID
  /// The versions, such as `FIDO_2_0`, `FIDO_2_1`, `U2F_V2`.
  public let versions: [String]
  /// The extensions, such as `hmac-secret`, `credProtect`.
  public let extensions: [String]
  /// The transports, such as `usb`, `nfc`.
  public let transports: [String]
  /// The options that the key states, with their values.
  public let options: [String: Bool]
  /// PIN protocols, in the key's order of preference.
  public let pinProtocols: [Int]
  /// The firmware version; 0 when unknown.
  public let firmwareVersion: UInt64
  /// The shortest PIN that the key accepts, in code points.
  public let minimumPINLength: Int
  /// The longest credential ID that the key creates and accepts, in bytes, if stated.
  public let maximumCredentialIDLength: Int?
  /// The number of discoverable credentials that still fit, if stated.
  public let remainingDiscoverableCredentials: Int?
  /// Whether the key requires a PIN change before anything else.
  public let needsPINChange: Bool

  /// Whether the key can evaluate a PRF.
  public var supportsPRF: Bool { extensions.contains("hmac-secret") }
  /// Whether the key can have a PIN.
  public var supportsPIN: Bool { options["clientPin"] != nil }
  /// Whether a PIN is set.
  public var isPINSet: Bool { options["clientPin"] == true }
  /// Whether the key verifies its user itself and is set up for it.
  public var hasBuiltInUserVerification: Bool { options["uv"] == true }
  /// Whether the key requires user verification for everything.
  public var alwaysVerifiesUser: Bool { options["alwaysUv"] == true }
  /// Whether discoverable credentials can be created.
  public var supportsDiscoverableCredentials: Bool { options["rk"] == true }
  /// Whether credentials can be listed and deleted.
  public var supportsCredentialManagement: Bool {
    options["credMgmt"] == true || options["credentialMgmtPreview"] == true
  }
  /// Whether credentials can be given a ``CredentialProtection``.
  public var supportsCredentialProtection: Bool { extensions.contains("credProtect") }
}

/// The credential ID that makeCredential returned: opaque bytes, no secret.
public struct CredentialID: Hashable, Sendable {
  /// The most bytes that an ID has, 1023 (WebAuthn Level 3, section 4).
  public static let maximumSize = 1023

  /// The bytes, at least one.
  public let bytes: [UInt8]

  /// Takes the bytes as they are.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether a key can have made it.
  var isPossible: Bool { (1...Self.maximumSize).contains(bytes.count) }
}

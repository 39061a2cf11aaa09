/// The credential ID that makeCredential returned: opaque bytes, not secret.
public struct CredentialID: Hashable, Sendable {
  /// The most bytes of an ID, 1023 (WebAuthn Level 3, section 4).
  public static let maximumSize = 1023

  /// The bytes, at least one.
  public let bytes: [UInt8]

  /// Wraps the bytes unchanged.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether a key can have created it.
  var isPossible: Bool { (1...Self.maximumSize).contains(bytes.count) }
}

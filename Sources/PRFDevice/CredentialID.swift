/// The credential ID that makeCredential returned: opaque bytes, no secret.
public struct CredentialID: Hashable, Sendable {
  /// The bytes, at least one.
  public let bytes: [UInt8]

  /// Takes the bytes as they are.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

internal import SecretMemory

/// base64url without padding (RFC 7515, section 2).
enum Base64URL {
  /// The bytes that a text stands for; nil for any other text.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    unsafe Base64.decode(Array(text.utf8).span.bytes, .url)
  }
}

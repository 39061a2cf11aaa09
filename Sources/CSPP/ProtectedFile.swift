internal import SecretMemory

/// The shape of our own files: a JSON header that is authenticated in the very
/// characters that are stored, beside a sealed body.
struct ProtectedFile: Equatable, Sendable {
  /// The header as stored: base64url, the associated data.
  let protected: [UInt8]
  /// The header's JSON.
  let header: [UInt8]
  let nonce: [UInt8]
  let ciphertext: [UInt8]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - format: what `format` must say.
  ///   - limit: largest size in bytes.
  /// - Throws: what concerns bytes and fields.
  init(parsing file: Span<UInt8>, format: StaticString, limit: Int) throws(CSPPError) {
    try SizeLimits.check(file.count, limit)
    let text = unsafe file.bytes
    let object = try JSONObject(parsing: text, duplicates: .refused)
    guard let stated = try object.value("format", in: text), stated.equals(format, in: text) else {
      throw .otherFormat
    }
    guard try object.required("version", in: text).integer("version", in: text) == 1 else {
      throw .unsupportedVersion
    }
    let value = try object.required("protected", in: text)
    guard !value.hasEscapes else { throw .invalidField("protected") }
    header = try value.base64("protected", in: text, .url)
    protected = value.range.map { text.byte($0) }
    nonce = try object.required("nonce", in: text)
      .hex("nonce", in: text, count: ChaCha20Poly1305.nonceSize)
    ciphertext = try object.required("ciphertext", in: text)
      .base64("ciphertext", in: text, .standard)
    guard ciphertext.count >= ChaCha20Poly1305.tagSize else { throw .invalidField("ciphertext") }
  }

  func open(key: borrowing SecretBytes, into plaintext: inout SecretBytes) throws(CSPPError) {
    try AEAD.open(ciphertext, key: key, nonce: nonce, associatedData: protected, into: &plaintext)
  }

  /// Seals a body under a header.
  static func seal(
    _ plaintext: RawSpan, header: String, format: String, key: borrowing SecretBytes
  ) throws(CSPPError) -> [UInt8] {
    let protected = unsafe Base64.encode(Array(header.utf8).span.bytes, .url)
    let nonce = Randomness.bytes(count: ChaCha20Poly1305.nonceSize)
    let ciphertext = try AEAD.seal(plaintext, key: key, nonce: nonce, associatedData: protected)
    var file = Array("{\"format\":\"\(format)\",\"version\":1,\"protected\":\"".utf8)
    file += protected
    file += Array("\",\"nonce\":\"\(Hex.string(nonce))\",\"ciphertext\":\"".utf8)
    unsafe file += Base64.encode(ciphertext.span.bytes, .standard)
    file += Array("\"}".utf8)
    return file
  }
}

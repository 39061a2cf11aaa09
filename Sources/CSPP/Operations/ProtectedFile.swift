internal import SecretMemory

/// The shape of our own files: a JSON header beside a sealed body.
///
/// The header is authenticated in exactly the characters that are stored.
struct ProtectedFile: Equatable, Sendable {
  /// The header as stored in base64url: the associated data.
  let protected: [UInt8]
  /// The header's JSON.
  let header: [UInt8]
  let nonce: [UInt8]
  /// The range of the sealed body, in valid base64; a copy would be as large as all wallets of an
  /// import.
  let ciphertext: Range<Int>

  /// Parses a file.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - format: the required value of `format`.
  ///   - limit: the largest size in bytes.
  /// - Throws: errors about bytes and fields.
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
    let sealed = try object.required("ciphertext", in: text)
    guard sealed.kind == .string, Base64.isValid(text.extracting(sealed.range), .standard),
      sealed.range.count >= Base64.encodedSize(ChaCha20Poly1305.tagSize, .standard)
    else { throw .invalidField("ciphertext") }
    ciphertext = sealed.range
  }

  /// The digest of the same file as ``seal(_:header:format:key:)`` spells it; nil if it is spelled
  /// so.
  ///
  /// - Parameters:
  ///   - file: the bytes that were parsed.
  ///   - format: the format as it was parsed.
  /// - Returns: the digest.
  func digest(of file: Span<UInt8>, format: StaticString) -> Digest? {
    let head = Self.head(format.description, protected: protected, nonce: nonce)
    let count = head.count + ciphertext.count + Self.tail.count
    if file.count == count, ciphertext.lowerBound == head.count,
      head.indices.allSatisfy({ file[$0] == head[$0] }),
      Self.tail.indices.allSatisfy({ file[ciphertext.upperBound + $0] == Self.tail[$0] })
    {
      return nil
    }
    var spelled: [UInt8] = []
    spelled.reserveCapacity(count)
    spelled += head
    for place in ciphertext { spelled.append(file[place]) }
    spelled += Self.tail
    return Digest(of: spelled.span)
  }

  private static func head(_ format: String, protected: [UInt8], nonce: [UInt8]) -> [UInt8] {
    Array("{\"format\":\"\(format)\",\"version\":1,\"protected\":\"".utf8) + protected
      + Array("\",\"nonce\":\"\(Hex.string(nonce))\",\"ciphertext\":\"".utf8)
  }

  private static let tail = Array("\"}".utf8)

  /// Decrypts the body in the file's own memory.
  ///
  /// One buffer holds first the text, then the ciphertext, then the plaintext.
  ///
  /// - Parameters:
  ///   - file: the bytes that were parsed; afterwards the body's plaintext, or empty after an
  ///     error.
  ///   - key: 32 bytes.
  /// - Throws: ``CSPPError/authenticationFailed``.
  func open(inPlace file: inout SecretBytes, key: borrowing SecretBytes) throws(CSPPError) {
    guard ciphertext.upperBound <= file.count,
      Base64.decode(inPlace: &file, ciphertext, .standard)
    else {
      file.resize(to: 0)
      throw .invalidField("ciphertext")
    }
    try AEAD.open(inPlace: &file, key: key, nonce: nonce, associatedData: protected)
  }

  /// Seals a body under a header, in the body's own memory if the file fits there.
  static func seal(
    _ body: consuming SecretBytes, header: String, format: String, key: borrowing SecretBytes
  ) throws(CSPPError) -> SecretBytes {
    let protected = unsafe Base64.encode(Array(header.utf8).span.bytes, .url)
    let nonce = Randomness.bytes(count: ChaCha20Poly1305.nonceSize)
    try AEAD.seal(inPlace: &body, key: key, nonce: nonce, associatedData: protected)
    let head = head(format, protected: protected, nonce: nonce)
    Base64.encode(inPlace: &body, .standard, at: head.count)
    let end = body.count
    body.reserve(end + tail.count)
    body.resize(to: end + tail.count)
    unsafe body.withUnsafeMutableBytes { file in
      unsafe file.copyBytes(from: head)
      unsafe UnsafeMutableRawBufferPointer(rebasing: file[end...]).copyBytes(from: tail)
    }
    return body
  }
}

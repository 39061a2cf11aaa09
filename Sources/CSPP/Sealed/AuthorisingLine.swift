internal import SecretMemory

/// The reason why an authorising line is refused; it repeats nothing of the line.
public enum AuthorisingLineMistake: Error, Equatable, Sendable {
  /// The text is no line of this kind: it does not begin with its prefix.
  case otherKind
  /// Something was mistyped or left out.
  case mistyped
  /// A newer program made the line.
  case unsupportedVersion
  /// The contents are wrong; the text names the part.
  case invalid(String)
  /// The answer is for another request.
  case otherRequest
}

/// Bytes as one line of text that can be copied between computers: Bech32m.
enum AuthorisingLine {
  /// The most characters without white space, as far as the checksum notices any three wrong ones.
  static let maximumSize = 1023
  /// The first byte of each line's bytes.
  static let version: UInt8 = 1

  static func encode(_ bytes: [UInt8], prefix: String) -> String {
    let values = Bech32.values(of: unsafe SecretBytes(copying: bytes.span.bytes))
    let text = Bech32.encode(prefix: prefix, values: values, .bech32m)
    return unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a line, after their version.
  ///
  /// White space is ignored, because a terminal breaks long lines.
  static func decode(
    _ line: String, prefix: String
  ) throws(AuthorisingLineMistake) -> [UInt8] {
    let text = line.utf8.filter { $0 != UInt8(ascii: " ") && !(9...13).contains($0) }
    let start = text.prefix(prefix.utf8.count + 1).map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
    guard start.elementsEqual((prefix + "1").utf8) else { throw .otherKind }
    var bytes: [UInt8] = []
    do throws(Bech32.Mistake) {
      let decoded = try unsafe Bech32.decode(
        text.span.bytes, .bech32m, maximumSize: maximumSize)
      if decoded.prefix == prefix {
        let joined = try Bech32.bytes(of: decoded.values)
        bytes = unsafe joined.withUnsafeBytes { unsafe Array($0) }
      }
    } catch {
      throw .mistyped
    }
    if bytes.isEmpty { throw .mistyped }
    guard bytes.first == version else { throw .unsupportedVersion }
    return bytes
  }

  /// Sixteen characters to compare, in groups of four: the first 80 bits of a digest.
  static func fingerprint(_ topic: String, _ bytes: [UInt8]) -> String {
    let digest = Digest(of: (Array(topic.utf8) + [0] + bytes).span).bytes
    var text = ""
    for place in 0..<16 {
      let bits = UInt16(digest[place * 5 / 8]) << 8 | UInt16(digest[place * 5 / 8 + 1])
      let value = bits >> UInt16(11 - place * 5 % 8) & 31
      if place > 0, place % 4 == 0 { text += "-" }
      text.unicodeScalars.append(Unicode.Scalar(CrockfordBase32.lowerCase[Int(value)]))
    }
    return text
  }
}

internal import HTTPTypes

/// The rules of HTTP about where a request goes, where its body ends, and what its headers say.
///
/// A proxy before the guard may read an unclear request another way. So it is read no further.
enum RequestFraming {
  /// Whether a request names one host, has a body of one clear length, and headers of text.
  static func isClear(_ request: HTTPRequest) -> Bool {
    let headers = request.headerFields
    let lengths = headers[values: .contentLength]
    let codings = headers[values: .transferEncoding]
    // The first Host is the authority already.
    return request.authority.map(isHost) ?? false
      && !headers.contains { $0.name.canonicalName == "host" }
      && codings.allSatisfy { $0.lowercased() == "chunked" } && codings.count + lengths.count <= 1
      // Bytes that are no UTF-8 were replaced.
      && !headers.contains { $0.value.unicodeScalars.contains("\u{FFFD}") }
  }

  /// Whether a text may be a host, perhaps with a port (RFC 3986, section 3.2).
  private static func isHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~%:[]!$&'()*+;=".utf8.contains(byte)
        }
      }
  }
}

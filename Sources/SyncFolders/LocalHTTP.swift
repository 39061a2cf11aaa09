internal import FoundationEssentials

/// A program on this computer with an HTTP interface that returns JSON.
struct LocalHTTP: Sendable {
  let address: LocalAddress
  /// The names and values of header fields.
  var headers: [(String, String)] = []
  /// The time limit of one answer, in seconds.
  var seconds: Double

  /// The size limit, larger than any requested answer: a listing of 100,000 files.
  private static let limit = 64 << 20

  /// Sends a request and reads the answer.
  ///
  /// It uses HTTP/1.0: the answer then ends with the connection and has one piece.
  ///
  /// - Parameters:
  ///   - method: "GET" or "POST".
  ///   - path: the encoded path, from "/".
  /// - Returns: status and body; nil when no answer comes in time.
  func ask(_ method: String, _ path: String) -> (status: Int, body: [UInt8])? {
    guard var connection = LocalConnection(to: address, seconds: seconds) else { return nil }
    var request = "\(method) \(path) HTTP/1.0\r\nHost: \(host)\r\n"
    for (name, value) in headers {
      // No character may end the line early.
      guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
      request += "\(name): \(value)\r\n"
    }
    if method == "POST" { request += "Content-Length: 0\r\n" }
    guard connection.send(request + "\r\n"), let answer = connection.rest(limit: Self.limit),
      let end = answer.firstRange(of: Array("\r\n\r\n".utf8)),
      let first = String(decoding: answer.prefix(64), as: UTF8.self).split(separator: "\r").first
    else { return nil }
    let words = first.split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
      return nil
    }
    return (status, Array(answer[end.upperBound...]))
  }

  /// The JSON at a path; nil for anything else.
  func json<Value: Decodable>(
    _ type: Value.Type, _ path: String, method: String = "GET"
  ) -> Value? {
    guard let (status, body) = ask(method, path), status == 200 else { return nil }
    return try? JSONDecoder().decode(type, from: Data(body))
  }

  private var host: String {
    switch address {
    case .tcp(let port, let isIPv6): "\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)"
    case .unix: "localhost"
    }
  }

  /// Encodes text for a query.
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }
}

internal import FoundationEssentials

/// A program on this computer that answers HTTP with JSON.
struct LocalHTTP: Sendable {
  let address: LocalAddress
  /// Name and value of header fields.
  var headers: [(String, String)] = []
  /// How long one answer may take.
  var seconds: Double

  /// More than what is asked for can have: 100,000 files of a listing.
  private static let limit = 64 << 20

  /// Asks.
  ///
  /// HTTP/1.0: the answer then ends with the connection and comes in one piece.
  ///
  /// - Parameters:
  ///   - method: "GET", "POST".
  ///   - path: from "/", encoded.
  /// - Returns: status and body; nil when there is no answer in time.
  func ask(_ method: String, _ path: String) -> (status: Int, body: [UInt8])? {
    guard var connection = LocalConnection(to: address, seconds: seconds) else { return nil }
    var request = "\(method) \(path) HTTP/1.0\r\nHost: \(host)\r\n"
    for (name, value) in headers {
      // Nothing may end the line early.
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

  /// The JSON that a path gives; nil for anything else.
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

  /// Text as it may stand in a query.
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

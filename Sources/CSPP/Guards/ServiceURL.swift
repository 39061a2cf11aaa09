/// The address of a guard or of an issuer of logins, as a header has it.
///
/// A header may be planted, so there is one way to read an address: `https://`, a host, perhaps a
/// port and a path. There is no user, query or fragment. Only a loopback address may have `http://`.
/// The program that asks guards reads addresses by this rule, too. A name has no underscore, as
/// RFC 1123 wants it of hosts.
public struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes of an address.
  public static let maximumSize = 512

  /// The whole address; two that differ in one byte are two addresses.
  public let text: String
  /// The host, and the port if there is one, to be shown to a person.
  public let host: String

  /// Checks an address; nil for anything that is not of this form.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maximumSize else { return nil }
    let isPlain = text.hasPrefix("http://")
    guard isPlain || text.hasPrefix("https://") else { return nil }
    let rest = text.utf8.dropFirst(isPlain ? 7 : 8)
    let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    let authority = String(decoding: rest[..<end], as: UTF8.self)
    guard let host = Host(authority), !isPlain || host.isLoopback,
      Self.isPath(Array(rest[end...]))
    else { return nil }
    self.text = text
    self.host = authority
  }

  /// The whole address.
  public var description: String { text }

  /// Whether bytes are a path of RFC 3986, without segments that a server would resolve.
  private static func isPath(_ path: [UInt8]) -> Bool {
    let segments = path.split(separator: UInt8(ascii: "/"))
    if segments.contains(where: isDots) { return false }
    var place = 0
    while place < path.count {
      if path[place] == UInt8(ascii: "%") {
        guard path.count - place > 2, isHexDigit(path[place + 1]), isHexDigit(path[place + 2])
        else { return false }
        place += 3
      } else {
        guard isLetterOrDigit(path[place]) || "-._~!$&'()*+,;=:@/".utf8.contains(path[place])
        else { return false }
        place += 1
      }
    }
    return true
  }

  /// Whether a segment leads nowhere or upwards, also with its dots percent-encoded.
  private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: segment, as: UTF8.self).lowercased()
    return [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"].contains(text)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  fileprivate static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

extension ServiceURL {
  /// A host with its port.
  private struct Host {
    let isLoopback: Bool

    /// Checks `HOST` or `HOST:PORT`; the host is a name, IPv4, or IPv6 in brackets.
    init?(_ authority: String) {
      let bytes = Array(authority.utf8)
      let name: ArraySlice<UInt8>
      let rest: ArraySlice<UInt8>
      if bytes.first == UInt8(ascii: "[") {
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        name = bytes[1..<close]
        rest = bytes[(close + 1)...]
        let digits = "0123456789abcdef:.".utf8
        guard (2...45).contains(name.count), name.allSatisfy({ digits.contains($0) }),
          name.contains(UInt8(ascii: ":"))
        else { return nil }
        isLoopback = name.elementsEqual("::1".utf8)
      } else {
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        name = bytes[..<colon]
        rest = bytes[colon...]
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(name.count),
          name.allSatisfy({
            ServiceURL.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
          }),
          labels.allSatisfy({ Self.isLabel($0) })
        else { return nil }
        // 127.1 and 0x7f000001 are addresses to the C library: only four numbers are here.
        let isNumeric = labels.last?.first.map { (0x30...0x39).contains($0) } ?? false
        guard !isNumeric || Self.isIPv4(labels) else { return nil }
        isLoopback =
          name.elementsEqual("localhost".utf8)
          || (isNumeric && labels[0].elementsEqual("127".utf8))
      }
      if rest.isEmpty { return }
      guard let port = Self.number(rest.dropFirst(), upTo: 65_535), port > 0 else { return nil }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
      let hyphen = UInt8(ascii: "-")
      return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
    }

    private static func isIPv4(_ labels: [ArraySlice<UInt8>]) -> Bool {
      labels.count == 4 && labels.allSatisfy { number($0, upTo: 255) != nil }
    }

    /// A number in decimal digits without leading zeros.
    private static func number(_ digits: ArraySlice<UInt8>, upTo limit: Int) -> Int? {
      guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
        digits.count == 1 || digits.first != 0x30
      else { return nil }
      let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return value <= limit ? value : nil
    }
  }
}

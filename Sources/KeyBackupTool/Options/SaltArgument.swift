internal import FoundationEssentials
internal import Glibc

/// A salt as the person gives it: text, or with a prefix that says how it is
/// encoded or where it is.
///
/// A salt is public.
struct SaltArgument: Sendable {
  /// The bytes.
  let bytes: [UInt8]

  /// Largest salt that is read from a file or standard input, 1 MiB.
  static let limit = 1 << 20

  /// Decodes an argument.
  ///
  /// - Parameters:
  ///   - argument: text, `hex:…`, `base64:…`, `file:PATH` or `-`.
  ///   - raw: whether it goes to the key as it is: then exactly 32 bytes.
  /// - Throws: `usage` for a wrong encoding or length, `no-input`, `io`.
  init(_ argument: String, raw: Bool) throws(UserMessage) {
    bytes = try Self.decode(argument)
    guard !raw || bytes.count == 32 else {
      throw UserMessage(
        .usage, "a raw salt has exactly 32 bytes, this one has \(bytes.count)",
        hint: "give 64 hex digits as hex:..., or leave out --raw-salt")
    }
  }

  private static func decode(_ argument: String) throws(UserMessage) -> [UInt8] {
    if argument == "-" { return try InputFile.read("-", limit: limit) }
    if let path = argument.dropping(prefix: "file:") {
      return try InputFile.read(String(path), limit: limit)
    }
    if let digits = argument.dropping(prefix: "hex:") {
      guard let bytes = Hexadecimal.decode(digits) else {
        throw UserMessage(.usage, "the salt after hex: is not hexadecimal", hint: "use 0-9, a-f")
      }
      return bytes
    }
    if let text = argument.dropping(prefix: "base64:") {
      guard let bytes = CredentialIDArgument.decodeBase64(text) else {
        throw UserMessage(.usage, "the salt after base64: is not base64")
      }
      return bytes
    }
    return Array(argument.utf8)
  }
}

/// A credential ID as the person gives it: base64url, base64 or hex.
enum CredentialIDArgument {
  /// The possible readings of `argument`, hex first: hex digits are base64url
  /// characters too, so both readings go into the allow-list and the key
  /// decides which one it made.
  ///
  /// - Throws: `usage` when it is neither.
  static func candidates(_ argument: String) throws(UserMessage) -> [[UInt8]] {
    let readings = [Hexadecimal.decode(argument), decodeBase64(argument)]
    let ids = readings.compactMap { $0 }.filter { (1...1023).contains($0.count) }
    guard !ids.isEmpty else {
      throw UserMessage(
        .usage, "the credential ID is neither base64url nor hex",
        hint: "keybackup credential list prints it")
    }
    return ids
  }

  /// Base64 or base64url, with or without padding.
  static func decodeBase64(_ text: some StringProtocol) -> [UInt8]? {
    var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    while standard.hasSuffix("=") { standard.removeLast() }
    standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Data(base64Encoded: standard).map { Array($0) }
  }

  /// Base64url without padding, as the format and JSON print IDs.
  static func encode(_ id: [UInt8]) -> String {
    var text = Data(id).base64EncodedString()
    while text.hasSuffix("=") { text.removeLast() }
    return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }
}

/// Hexadecimal, for values that are no secret.
enum Hexadecimal {
  /// The bytes, or nil when a character is no digit or their number is odd.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map { character -> UInt8? in
      switch character {
      case 48...57: character - 48
      case 65...70: character - 55
      case 97...102: character - 87
      default: nil
      }
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension String {
  /// What follows `prefix`, or nil when the text does not start with it.
  func dropping(prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}

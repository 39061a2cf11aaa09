internal import SecretMemory

/// A salt as the person gives it: text, or with a prefix that says how it is
/// encoded or where it is.
///
/// A salt is public.
package struct SaltArgument: Sendable {
  /// The bytes.
  package let bytes: [UInt8]

  /// Largest salt that is read from a file or standard input, 1 MiB.
  package static let limit = 1 << 20

  /// Decodes an argument.
  ///
  /// - Parameters:
  ///   - argument: text, `hex:…`, `base64:…`, `file:PATH` or `-`.
  ///   - raw: whether it goes to the key as it is: then exactly 32 bytes.
  ///   - streams: where `-` is read from.
  /// - Throws: `usage` for a wrong encoding or length, or none at all, `no-input`, `io`.
  package init(_ argument: String, raw: Bool, _ streams: Streams) throws(UserMessage) {
    bytes = try Self.decode(argument, streams)
    // WebAuthn allows it. Here it is a variable that is not set, or the output of
    // a command that failed: every such mistake would give one and the same secret.
    // Who means it says so in one way.
    guard !bytes.isEmpty || argument == "hex:" else {
      throw UserMessage(
        .usage, "the salt is empty",
        hint: "is a variable not set, or a file empty? The empty PRF input is written hex:")
    }
    guard !raw || bytes.count == 32 else {
      throw UserMessage(
        .usage, "a raw salt has exactly 32 bytes, this one has \(bytes.count)",
        hint: "give 64 hex digits as hex:..., or leave out --raw-salt")
    }
  }

  private static func decode(_ argument: String, _ streams: Streams) throws(UserMessage) -> [UInt8]
  {
    if argument == "-" { return try InputFile.read("-", limit: limit, streams) }
    if let path = argument.dropping(prefix: "file:") {
      return try InputFile.readFile(String(path), limit: limit)
    }
    if let digits = argument.dropping(prefix: "hex:") {
      guard let bytes = LenientDecoding.hex(digits) else {
        throw UserMessage(.usage, "the salt after hex: is not hexadecimal", hint: "use 0-9, a-f")
      }
      return bytes
    }
    if let text = argument.dropping(prefix: "base64:") {
      guard let bytes = LenientDecoding.base64(text) else {
        throw UserMessage(.usage, "the salt after base64: is not base64")
      }
      return bytes
    }
    return Array(argument.utf8)
  }
}

package import CommandKit
internal import CommandSupport
package import SecretMemory

/// A file that is a recovery kit's second secret; every byte of it counts.
package enum SecondSecretFile {
  /// The most bytes of such a file.
  private static let limit = 1 << 20

  /// The contents of a new file: 32 random bytes as a line of text, which can be copied by hand.
  package static func random() -> SecretBytes {
    var text = SecretText()
    text.append(SecretBytes.random(count: 32), as: .hex)
    return text.finish()
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - streams: where `-` is read from.
  /// - Returns: its bytes.
  /// - Throws: `data-invalid` when it is empty or larger than 1 MiB, `no-input`,
  ///   `permission-denied`.
  package static func read(_ path: String, _ streams: Streams) throws(UserMessage) -> SecretBytes {
    let bytes = try InputFile.readSecret(path, limit: limit, streams)
    guard bytes.count > 0 else {
      throw UserMessage(
        .dataInvalid, "the second secret \(ShellWord.quoted(path)) is empty",
        hint: "check that it is the right file")
    }
    return bytes
  }
}

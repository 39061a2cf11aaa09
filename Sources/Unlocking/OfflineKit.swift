package import CSPP
package import CommandKit
internal import CommandSupport
internal import SecretMemory

/// The file of an offline recovery kit: the code's own file of `keys/`, as in the folder, or typed
/// from the printed page.
package enum OfflineKit {
  /// The number of the file's characters in a printed line.
  ///
  /// The capacity of a QR code, 2331 bytes, gives 31 lines, which fit on the page below it.
  static let lineLength = 76
  /// The number of hex digits in a printed line's checksum.
  private static let checksumLength = 4

  /// Reads the file of a kit.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - streams: where `-` is read from.
  /// - Returns: its contents, not opened yet.
  /// - Throws: `no-input`, `data-invalid`.
  package static func read(_ path: String, _ streams: Streams) throws(UserMessage) -> KeyWrapper {
    var bytes = try InputFile.read(path, limit: 2 * SizeLimits.standard.wrapper, streams)
    if bytes.first(where: { !isSpace($0) }) != UInt8(ascii: "{") {
      bytes = try parse(lines: bytes, path)
    }
    let kit: KeyWrapper
    do throws(CSPPError) {
      kit = try KeyWrapper(parsing: bytes.span, at: nil)
    } catch {
      throw UserMessage(
        .dataInvalid, "the recovery kit \(ShellWord.quoted(path)) \(error)",
        hint: "give the file that recovery-kit create --offline wrote, or the lines of its page")
    }
    guard case .recoveryCode = kit.header.kind else {
      throw UserMessage(
        .dataInvalid,
        "this version of keybackup knows no recovery kit like \(ShellWord.quoted(path))",
        hint: "a newer keybackup may know it")
    }
    return kit
  }

  // MARK: The printed lines

  /// Splits the file into lines for the page, each with its number before and a checksum after it.
  ///
  /// The checksum is the first digits of the SHA-256 of number and text.
  package static func lines(of file: [UInt8]) -> [(number: String, text: String, checksum: String)]
  {
    stride(from: 0, to: file.count, by: lineLength).enumerated().map { index, start in
      let text = String(
        decoding: file[start..<min(start + lineLength, file.count)], as: UTF8.self)
      let number = number(index + 1)
      return (number, text, checksum(number, text))
    }
  }

  /// A line's number as it is printed, with two digits or more.
  private static func number(_ line: Int) -> String { line < 10 ? "0\(line)" : "\(line)" }

  /// The first digits of the SHA-256 of `NN text`.
  private static func checksum(_ number: String, _ text: String) -> String {
    let digest = Digest(of: Array("\(number) \(text)".utf8).span)
    return String(digest.hex.prefix(checksumLength))
  }

  /// Joins printed lines.
  private static func parse(lines bytes: [UInt8], _ path: String) throws(UserMessage) -> [UInt8] {
    var file: [UInt8] = []
    var expected = 1
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      // No space is part of the text: anyone who types may leave them out, or add some.
      var typed = line.filter { !$0.isWhitespace }
      if typed.isEmpty { continue }
      let number = Self.number(expected)
      if number.hasPrefix("0"), !typed.hasPrefix("0") { typed = "0" + typed }
      guard typed.hasPrefix(number), typed.count > number.count + checksumLength else {
        throw UserMessage(
          .dataInvalid,
          "line \(expected) of the recovery kit \(ShellWord.quoted(path)) is missing or not whole",
          hint: "each line has its number, the text, and \(checksumLength) digits")
      }
      let text = String(typed.dropFirst(number.count).dropLast(checksumLength))
      guard checksum(number, text) == typed.suffix(checksumLength).lowercased() else {
        throw UserMessage(
          .dataInvalid,
          "line \(expected) of the recovery kit \(ShellWord.quoted(path)) is mistyped",
          hint: "compare it with the page: capital and small letters differ")
      }
      file += Array(text.utf8)
      expected += 1
    }
    return file
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

internal import CSPP
internal import CommandSupport
package import SecretMemory

/// A secret of a fixed size that people and programs write as text, on one line.
package struct EncodedSecret {
  /// Its name in messages.
  package let what: String
  /// Its size in bytes.
  package let size: Int
  /// Whether it may be written in base64 too.
  package var takesBase64 = false

  /// Longer than any spelling of a secret.
  private static let lineLimit = 256

  package init(what: String, size: Int, takesBase64: Bool = false) {
    self.what = what
    self.size = size
    self.takesBase64 = takesBase64
  }

  /// Reads it from where options name it, else from the person.
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor, or nil.
  ///   - file: a path, `-` for standard input, or nil.
  ///   - option: the option that names the file.
  ///   - prompter: the person.
  ///   - nobody: what to do where nobody can be asked.
  /// - Returns: the bytes.
  /// - Throws: as ``SecretLine``; `config` where nobody can be asked; `data-invalid`.
  package func read(
    descriptor: Int32? = nil, file: String?, option: String, _ prompter: Prompter, nobody: String
  ) throws(UserMessage) -> SecretBytes {
    let given = try SecretLine.read(
      descriptor: descriptor, orFile: file, orInput: prompter.output.streams.input, what: what,
      option: option, limit: Self.lineLimit)
    if let given { return try decode(given, in: descriptor == nil ? file : nil) }
    return try decode(
      TwiceTyped.read(
        what, prompt: "\(what), \(form)", prompter, twice: false, limit: Self.lineLimit,
        nobody: nobody))
  }

  /// The bytes that a line encodes; white space around it does not matter.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - file: where it was read, for messages; nil, and `-`: in no file.
  /// - Returns: the bytes.
  /// - Throws: `data-invalid`.
  package func decode(
    _ line: borrowing SecretBytes, in file: String? = nil
  ) throws(UserMessage) -> SecretBytes {
    var bytes = SecretBytes(zeroed: size)
    let isRead = line.withBytes { line in
      let text = line.extracting(Self.trimmed(line))
      if text.byteCount == 2 * size { return Hex.decode(text, upperCase: true, into: &bytes) }
      return takesBase64 && Base64.decode(text, .standard, into: &bytes)
    }
    guard isRead, bytes.count == size else {
      throw UserMessage(
        .dataInvalid, "the \(what)\(Self.place(file)) has to be \(form)",
        hint: "put nothing but the \(what) on the line")
    }
    return bytes
  }

  private static func place(_ file: String?) -> String {
    guard let file, file != "-" else { return "" }
    return " in \(ShellWord.quoted(file))"
  }

  private var form: String {
    "\(2 * size) hex digits" + (takesBase64 ? " or base64 of \(size) bytes" : "")
  }

  private static func trimmed(_ text: RawSpan) -> Range<Int> {
    func isSpace(_ place: Int) -> Bool {
      [9, 10, 13, 32].contains(unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self))
    }
    var range = 0..<text.byteCount
    while let first = range.first, isSpace(first) { range.removeFirst() }
    while let last = range.last, isSpace(last) { range.removeLast() }
    return range
  }
}

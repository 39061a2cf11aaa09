/// Text as one word of a shell's command line.
enum ShellWord {
  /// The text itself, or in quotes where a shell would take it apart.
  static func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }
    return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

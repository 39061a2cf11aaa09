internal import CSPP
internal import LogState
internal import SecretMemory

/// Writes a text that ends with a list of changes.
struct ChangeWriter: ~Copyable {
  private var writer: SecretWriter
  private(set) var count = 0
  private var hasFile = false

  /// Starts a text whose members before the changes are `fields`.
  init(_ fields: String, size: Int) {
    writer = SecretWriter(capacity: size)
    writer.raw("{\(fields),\"changes\":[")
  }

  mutating func start(_ kind: ChangeKind, _ fields: String) {
    writer.raw((count == 0 ? "{\"" : ",{\"") + kind.rawValue + "\":{" + fields)
    count += 1
  }

  mutating func add(_ kind: ChangeKind, _ fields: String) {
    start(kind, fields)
    writer.raw("}}")
  }

  /// Adds a change whose last field is bytes in hexadecimal.
  mutating func hex(_ kind: ChangeKind, _ fields: String, _ bytes: RawSpan, _ rest: String = "") {
    start(kind, fields)
    writer.hex(bytes)
    writer.raw("\"\(rest)}}")
  }

  mutating func put(_ record: RecordID, _ entry: RawSpan) {
    hex(.put, "\"record_id\":\"\(record)\",\"entry\":\"", entry)
  }

  mutating func put(_ file: FileID, _ version: RawSpan, _ rest: String = "") {
    hex(.filePut, "\"file_id\":\"\(file)\",\"version\":\"", version, rest)
    hasFile = true
  }

  mutating func raw(_ text: String) { writer.raw(text) }
  mutating func hex(_ bytes: RawSpan) { writer.hex(bytes) }

  /// The size of the text with its end and padding.
  ///
  /// The size of one with a file would tell that of the file.
  var paddedSize: Int { padded(writer.count + 2) }

  private func padded(_ size: Int) -> Int {
    hasFile ? Int(Padding.padme(UInt64(size))) : size
  }

  /// Ends the text, and pads it with blanks.
  consuming func finish() -> SecretBytes {
    let size = paddedSize
    return finish { _ in size }
  }

  /// Ends the text, and pads it with blanks to the size that is given for its own.
  consuming func finish(_ padded: (Int) -> Int) -> SecretBytes {
    writer.raw("]}")
    let blanks = padded(writer.count) - writer.count
    if blanks > 0 {
      unsafe writer.grow(blanks) { target in
        unsafe target.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "))
      }
    }
    return writer.finish()
  }
}

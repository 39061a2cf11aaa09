internal import SecretMemory

/// Where the two members of a SealVault zip file lie, and that there is nothing else in it.
///
/// libzip reads the members and compares their checksums. It leaves out much of what says nothing
/// about them. Here every byte is looked at: local headers, members, the list of both, the end.
/// What one place could change unseen has to be the same in another.
struct SealVaultLayout {
  /// A member.
  struct Member {
    /// Its place in the list.
    let index: Int
    let name: String
    /// Its size in bytes.
    let count: Int
  }

  let members: [Member]

  private static let local = 30
  private static let listed = 46
  private static let end = 22

  /// - Throws: `damaged`, `otherKind`, `empty`, `cutOff`, `unsupported`.
  init(_ zip: borrowing SecretBytes) throws(ForeignBackupError) {
    members = try zip.withBytes { bytes throws(ForeignBackupError) in try Self.members(bytes) }
  }

  /// Throws unless a zip file begins here and ends here.
  private static func checkKind(_ bytes: RawSpan) throws(ForeignBackupError) {
    guard bytes.byteCount > 0 else { throw .empty(part: "the zip file") }
    func hasMark(_ mark: Int, at start: Int) -> Bool {
      guard start >= 0, start + 4 <= bytes.byteCount else { return false }
      return Fields(bytes, start).number(0, 4) == mark
    }
    let ends = hasMark(0x0605_4B50, at: bytes.byteCount - end)
    // One byte that was changed makes it no other kind of file.
    guard ends || hasMark(0x0403_4B50, at: 0) else { throw .otherKind("zip file") }
    guard ends, bytes.byteCount >= 2 * (local + listed) + end else {
      throw .cutOff(part: "the end of the zip file")
    }
  }

  private static func members(_ bytes: RawSpan) throws(ForeignBackupError) -> [Member] {
    let last = ForeignBackupError.damaged(part: "the end of the zip file")
    let list = ForeignBackupError.damaged(part: "the list in the zip file")
    try checkKind(bytes)
    let tail = Fields(bytes, bytes.byteCount - end)
    // Neither several disks nor a comment.
    guard tail.number(4, 4) == 0, tail.number(20, 2) == 0,
      tail.number(8, 2) == tail.number(10, 2)
    else { throw last }
    guard tail.number(8, 2) == 2 else { throw .damaged(part: "the number of members") }
    let start = tail.number(16, 4)
    guard start + tail.number(12, 4) + end == bytes.byteCount else { throw last }

    var members: [Member] = []
    var position = start
    // Where the next member's header has to be.
    var next = 0
    for index in 0..<2 {
      guard position + listed <= bytes.byteCount - end else { throw list }
      let entry = Fields(bytes, position)
      let nameSize = entry.number(28, 2)
      guard entry.number(0, 4) == 0x0201_4B50, entry.number(30, 4) == 0, entry.number(34, 2) == 0,
        position + listed + nameSize <= bytes.byteCount - end, nameSize <= 64
      else { throw list }
      let name = entry.text(listed, nameSize)
      guard ["backup.sqlite3.encrypted", SealVaultMetadata.member].contains(name),
        members.first?.name != name
      else { throw .damaged(part: "the name of a member") }
      if index == 1 {
        // One program wrote both in one way: version, system and attributes.
        let first = Fields(bytes, start)
        guard first.bytes(4, 4) == entry.bytes(4, 4), first.bytes(36, 6) == entry.bytes(36, 6)
        else { throw list }
      }
      guard entry.number(10, 2) == 0, entry.number(20, 4) == entry.number(24, 4) else {
        throw .unsupported(part: "\(name), which is compressed,")
      }
      guard entry.number(8, 2) & ~0x0800 == 0 else {
        throw .unsupported(part: "\(name), which is encrypted or streamed,")
      }
      let count = entry.number(24, 4)
      let header = ForeignBackupError.damaged(part: "the header of \(name)")
      guard entry.number(42, 4) == next, next + local + nameSize + count <= start else {
        throw header
      }
      let own = Fields(bytes, next)
      // Everything that the list repeats, and no further fields.
      guard own.number(0, 4) == 0x0403_4B50, own.bytes(4, 24) == entry.bytes(6, 24),
        own.number(28, 2) == 0, own.text(local, nameSize) == name
      else { throw header }
      members.append(Member(index: index, name: name, count: count))
      next += local + nameSize + count
      position += listed + nameSize
    }
    guard next == start, position == bytes.byteCount - end else { throw list }
    return members
  }
}

/// The fields of a record in a zip file.
private struct Fields {
  /// The longest record is one of the list, with a name of 64 bytes.
  private static let limit = 46 + 64

  private let record: [UInt8]

  /// - Parameters:
  ///   - bytes: the zip file.
  ///   - start: where the record begins, at least one of its fixed fields before the end.
  init(_ bytes: RawSpan, _ start: Int) {
    record = (start..<min(start + Self.limit, bytes.byteCount)).map {
      unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
    }
  }

  /// The bytes of a field.
  func bytes(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> { record[offset..<offset + count] }

  /// A number, the lowest byte first.
  func number(_ offset: Int, _ count: Int) -> Int {
    bytes(offset, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func text(_ offset: Int, _ count: Int) -> String {
    String(decoding: bytes(offset, count), as: UTF8.self)
  }
}

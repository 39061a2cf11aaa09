internal import CArchive
internal import Glibc
internal import SecretMemory

/// A file of a tar archive: its name, and where its contents lie in the archive.
struct TarEntry: Equatable, Sendable {
  /// The name as it stands in the archive, which may be anything.
  let name: String
  /// The bytes of the archive that are the contents.
  let range: Range<Int>
}

extension TarEntry {
  /// Lists the files of an archive in their order, by libarchive.
  ///
  /// libarchive is given the whole archive, and gives back addresses in it. It copies headers and
  /// names, nothing of the contents.
  ///
  /// - Parameters:
  ///   - archive: all of it, with the zeroes at its end.
  ///   - limit: the most entries.
  ///   - sizeLimit: the most bytes of one.
  /// - Returns: the files. No link, folder or device is among them.
  /// - Throws: ``ForeignBackupError/damaged(part:)``, ``ForeignBackupError/tooLarge(part:limit:)``,
  ///   ``ForeignBackupError/libraryMissing(name:package:)``.
  static func list(
    _ archive: borrowing SecretBytes, limit: Int, sizeLimit: Int
  ) throws(ForeignBackupError) -> [TarEntry] {
    let library = try TarLibrary.functions()
    let entries = try unsafe archive.withUnsafeBytes { (bytes) throws(ForeignBackupError) in
      let reader = try unsafe TarReader.open(bytes, library)
      var entries: [TarEntry] = []
      while let entry = try reader.next(number: entries.count + 1, sizeLimit) {
        guard entries.count < limit else {
          throw ForeignBackupError.tooLarge(part: "the number of entries", limit: limit)
        }
        entries.append(entry)
      }
      return entries
    }
    try checkEnd(of: archive, after: entries.last?.range.upperBound ?? 0)
    return entries
  }

  /// Throws unless nothing but zeroes follows the last file, two blocks of 512 at least.
  private static func checkEnd(
    of archive: borrowing SecretBytes, after last: Int
  ) throws(ForeignBackupError) {
    let start = (last + 511) / 512 * 512
    guard archive.count % 512 == 0, archive.count - start >= 1024 else {
      throw .damaged(part: "the end of the archive (tar)")
    }
    let isEmpty = unsafe archive.withUnsafeBytes { bytes in
      guard let rest = unsafe bytes.baseAddress?.advanced(by: last) else { return false }
      // Each byte is like the one before it, and the first is zero.
      return unsafe rest.load(as: UInt8.self) == 0
        && memcmp(rest, rest + 1, bytes.count - last - 1) == 0
    }
    guard isEmpty else { throw .damaged(part: "the end of the archive (tar)") }
  }
}

/// libarchive's reader of one archive.
@safe
private struct TarReader: ~Copyable {
  private let library: keybackup_archive
  private let bytes: UnsafeRawBufferPointer
  private let handle: OpaquePointer

  private init(
    _ library: keybackup_archive, _ bytes: UnsafeRawBufferPointer, _ handle: OpaquePointer
  ) {
    self.library = library
    unsafe self.bytes = bytes
    unsafe self.handle = handle
  }

  /// Starts to read an archive, which has to stay where it is.
  static func open(
    _ bytes: UnsafeRawBufferPointer, _ library: keybackup_archive
  ) throws(ForeignBackupError) -> TarReader {
    guard let handle = library.archive_read_new() else {
      throw .damaged(part: "the archive (tar)")
    }
    let reader = unsafe TarReader(library, bytes, handle)
    guard unsafe library.archive_read_support_format_tar(handle) == ARCHIVE_OK,
      unsafe library.archive_read_open_memory(handle, bytes.baseAddress, bytes.count) == ARCHIVE_OK
    else { throw .damaged(part: "the archive (tar)") }
    return reader
  }

  deinit { unsafe _ = library.archive_read_free(handle) }

  /// The next file; nil after the last.
  func next(number: Int, _ sizeLimit: Int) throws(ForeignBackupError) -> TarEntry? {
    var entry: OpaquePointer?
    let result = unsafe library.archive_read_next_header(handle, &entry)
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK, let entry = unsafe entry else {
      throw .damaged(part: "the header of entry \(number) of the archive (tar)")
    }
    guard unsafe library.archive_entry_filetype(entry) == S_IFREG,
      unsafe library.archive_entry_hardlink(entry) == nil
    else { throw .damaged(part: "entry \(number) of the archive, a link or a folder,") }
    guard
      let name = unsafe library.archive_entry_pathname(entry).flatMap({
        unsafe String(validatingCString: $0)
      })
    else { throw .damaged(part: "the name of entry \(number) of the archive (tar)") }
    return TarEntry(name: name, range: try contents(number, sizeLimit))
  }

  /// Where the contents of the current file lie.
  private func contents(_ number: Int, _ sizeLimit: Int) throws(ForeignBackupError) -> Range<Int> {
    let damaged = ForeignBackupError.damaged(part: "entry \(number) of the archive (tar)")
    var range: Range<Int>?
    while true {
      var start: UnsafeRawPointer?
      var count = 0
      var offset: Int64 = 0
      let result = unsafe library.archive_read_data_block(handle, &start, &count, &offset)
      if result == ARCHIVE_EOF { break }
      // One piece of this very archive after the other. Sparse files have holes.
      guard result == ARCHIVE_OK, count >= 0, offset == Int64(range?.count ?? 0) else {
        throw damaged
      }
      guard count > 0 else { continue }
      guard let base = unsafe bytes.baseAddress, let start = unsafe start else { throw damaged }
      let position = unsafe base.distance(to: start)
      guard position >= 0, unsafe count <= bytes.count - position,
        position == range?.upperBound ?? position
      else { throw damaged }
      range = (range?.lowerBound ?? position)..<position + count
    }
    guard let range else {
      throw .damaged(part: "entry \(number) of the archive, which is empty,")
    }
    guard range.count <= sizeLimit else {
      throw .tooLarge(part: "entry \(number) of the archive, in bytes,", limit: sizeLimit)
    }
    return range
  }
}

private enum TarLibrary {
  static func functions() throws(ForeignBackupError) -> keybackup_archive {
    guard let loaded else {
      throw .libraryMissing(name: "libarchive", package: "libarchive-dev")
    }
    return loaded
  }

  private static let loaded: keybackup_archive? = {
    var functions = keybackup_archive()
    return unsafe keybackup_open_archive("libarchive.so.13", &functions) == 1 ? functions : nil
  }()
}

// This folder is for libraries that are opened when they are first used, and for the calls into
// them. The formats of this module use it. No format is known here.

internal import CZip
internal import Glibc
internal import SecretMemory

/// libzip: archives in memory, read and written.
enum ZipLibrary {
  /// A member of an archive.
  struct Member: ~Copyable {
    let name: String
    let bytes: SecretBytes
  }

  private static let loaded = open("libzip.so.4") ?? open("libzip.so.5")

  /// Finds the functions in a library; nil if it is missing or lacks one of them.
  static func open(_ library: String) -> keybackup_zip? {
    var functions = keybackup_zip()
    return unsafe keybackup_open_zip(library, &functions) == 1 ? functions : nil
  }

  private static func functions() throws(ForeignBackupError) -> keybackup_zip {
    guard let found = loaded else {
      throw .libraryMissing(name: "libzip", package: "libzip-dev")
    }
    return found
  }

  /// Reads a member that is stored, not compressed.
  ///
  /// - Parameters:
  ///   - index: its place in the archive.
  ///   - name: its name.
  ///   - count: its size in bytes, which was checked.
  ///   - archive: the whole archive.
  /// - Returns: its bytes.
  /// - Throws: `damaged` where libzip refuses the archive or the member's checksum fails.
  static func read(
    _ index: Int, _ name: String, count: Int, in archive: borrowing SecretBytes
  ) throws(ForeignBackupError) -> SecretBytes {
    let zip = try functions()
    let flags = ZIP_RDONLY | ZIP_CHECKCONS
    return try unsafe archive.withUnsafeBytes { bytes throws(ForeignBackupError) in
      guard
        let source = unsafe zip.zip_source_buffer_create(
          bytes.baseAddress, UInt64(bytes.count), 0, nil)
      else { throw .unusable(part: "the zip file", reason: "no memory") }
      guard let open = unsafe zip.zip_open_from_source(source, flags, nil) else {
        unsafe zip.zip_source_free(source)
        throw .damaged(part: "the zip file's structure")
      }
      // Closes the source too.
      defer { unsafe zip.zip_discard(open) }
      guard let file = unsafe zip.zip_fopen_index(open, UInt64(index), 0) else {
        throw .damaged(part: name)
      }
      defer { _ = unsafe zip.zip_fclose(file) }
      // One byte more than there may be: the checksum is compared at the end.
      var contents = SecretBytes(zeroed: count + 1)
      var filled = 0
      while true {
        let read: Int64 = unsafe contents.withUnsafeMutableBytes { target in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
          // Newer headers say that there has to be a place.
          guard let start = rest.baseAddress else { return -1 }
          return unsafe zip.zip_fread(file, start, UInt64(rest.count))
        }
        guard read >= 0, filled + Int(read) <= count else { throw .damaged(part: name) }
        if read == 0 { break }
        filled += Int(read)
      }
      guard filled == count else { throw .damaged(part: name) }
      contents.resize(to: count)
      return contents
    }
  }

  /// An archive of two members, stored.
  ///
  /// - Throws: `unusable` without memory.
  static func archive(
    _ first: borrowing Member, _ second: borrowing Member
  ) throws(ForeignBackupError) -> [UInt8] {
    let zip = try functions()
    let failed = ForeignBackupError.unusable(part: "the zip file", reason: "it cannot be made")
    guard let target = zip.zip_source_buffer_create(nil, 0, 0, nil) else { throw failed }
    // Once for the archive, which gives its own up at the end, and once for what reads it.
    unsafe zip.zip_source_keep(target)
    defer { unsafe zip.zip_source_free(target) }
    guard let open = unsafe zip.zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, nil)
    else {
      unsafe zip.zip_source_free(target)
      throw failed
    }
    // The bytes are read when the archive is closed.
    try unsafe first.bytes.withUnsafeBytes { one throws(ForeignBackupError) in
      try unsafe second.bytes.withUnsafeBytes { two throws(ForeignBackupError) in
        guard unsafe add(one, first.name, to: open, zip),
          unsafe add(two, second.name, to: open, zip),
          unsafe zip.zip_close(open) == 0
        else {
          unsafe zip.zip_discard(open)
          throw failed
        }
      }
    }
    guard unsafe zip.zip_source_open(target) == 0 else { throw failed }
    defer { _ = unsafe zip.zip_source_close(target) }
    guard unsafe zip.zip_source_seek(target, 0, SEEK_END) == 0 else { throw failed }
    let size = unsafe zip.zip_source_tell(target)
    guard size > 0, unsafe zip.zip_source_seek(target, 0, SEEK_SET) == 0 else { throw failed }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let read: Int64 = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe zip.zip_source_read(target, start, UInt64(bytes.count))
    }
    guard read == size else { throw failed }
    return bytes
  }

  private static func add(
    _ bytes: UnsafeRawBufferPointer, _ name: String, to archive: OpaquePointer,
    _ zip: keybackup_zip
  ) -> Bool {
    guard
      let source = unsafe zip.zip_source_buffer(
        archive, bytes.baseAddress, UInt64(bytes.count), 0)
    else { return false }
    let index = unsafe zip.zip_file_add(archive, name, source, 0)
    guard index >= 0 else {
      unsafe zip.zip_source_free(source)
      return false
    }
    return unsafe zip.zip_set_file_compression(archive, UInt64(index), ZIP_CM_STORE, 0) == 0
  }
}

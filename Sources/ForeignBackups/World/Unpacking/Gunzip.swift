// This folder is for the containers of an archive: gzip, tar, CBOR. Everything is read where it
// lies in guarded memory. Nothing is known here of what an archive means.

internal import CZlib
internal import SecretMemory

/// gzip (RFC 1952) from guarded memory into guarded memory.
///
/// zlib's state and window, which hold pieces of the text, are guarded and wiped too.
enum Gunzip {
  /// More than zlib and its successors take for one stream, in bytes.
  private static let workspaceSize = 256 << 10

  /// Unpacks one member that is all of the input.
  ///
  /// - Parameters:
  ///   - input: a header, the deflated text, its checksum and its size.
  ///   - limit: the most bytes that may come out. The size that the input states is the memory
  ///     that is allocated, and not one byte more is written.
  /// - Returns: the text.
  /// - Throws: ``ForeignBackupError/damaged(part:)``, ``ForeignBackupError/tooLarge(part:limit:)``,
  ///   ``ForeignBackupError/libraryMissing(name:package:)``.
  static func unpack(
    _ input: borrowing SecretBytes, limit: Int
  ) throws(ForeignBackupError) -> SecretBytes {
    let damaged = ForeignBackupError.damaged(part: "the compressed archive (gzip)")
    guard input.count >= 18, input.count <= limit else { throw damaged }
    let end = input.count
    let stated = input.withBytes { input in
      (1...4).reduce(0) { size, place in
        unsafe size << 8 | Int(input.unsafeLoad(fromByteOffset: end - place, as: UInt8.self))
      }
    }
    guard stated > 0 else { throw damaged }
    guard stated <= limit else {
      throw .tooLarge(part: "the unpacked archive, in bytes,", limit: limit)
    }
    let library = try functions()
    var output = SecretBytes(zeroed: stated)
    var workspace = SecretBytes(zeroed: workspaceSize)
    let isWhole = unsafe input.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { output in
        unsafe workspace.withUnsafeMutableBytes { workspace in
          var room = unsafe keybackup_zlib_room(
            start: workspace.baseAddress?.assumingMemoryBound(to: UInt8.self),
            size: workspace.count, used: 0)
          return unsafe withUnsafePointer(to: library) { library in
            unsafe keybackup_gunzip(
              library, &room, input.baseAddress?.assumingMemoryBound(to: UInt8.self),
              UInt32(input.count), output.baseAddress?.assumingMemoryBound(to: UInt8.self),
              UInt32(output.count)) == 1
          }
        }
      }
    }
    guard isWhole else { throw damaged }
    return output
  }

  private static func functions() throws(ForeignBackupError) -> keybackup_zlib {
    guard let loaded else {
      throw .libraryMissing(name: "zlib", package: "zlib1g")
    }
    return loaded
  }

  private static let loaded: keybackup_zlib? = {
    var functions = keybackup_zlib()
    return unsafe keybackup_open_zlib("libz.so.1", &functions) == 1 ? functions : nil
  }()
}

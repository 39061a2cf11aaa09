// This folder is for the contents of files: where they come from, and the objects in which they lie
// encrypted. Objects are written and read piece by piece. Which version names an object is not
// known here.

internal import CLinux
internal import CSPP
internal import Glibc
public import SecretMemory

/// The contents of a file that is to be backed up, which are read twice.
public struct FileContents: ~Copyable {
  private let descriptor: Int32
  private let bytes: SecretBytes?
  /// The time of the last change in Unix seconds.
  public let modified: UInt64
  /// The permission bits.
  public let mode: UInt16
  /// The size in bytes, as far as is known.
  public let size: UInt64

  /// Takes the contents from an open file.
  ///
  /// - Parameter descriptor: a regular file, opened for reading; the caller closes it afterwards.
  /// - Throws: ``BackupFolderError/notRegular(path:)``; system errors.
  public init(descriptor: Int32) throws(BackupFolderError) {
    fatalError()
  }

  /// Takes contents that are in memory.
  public init(bytes: consuming SecretBytes, modified: UInt64, mode: UInt16) {
    descriptor = -1
    size = UInt64(bytes.count)
    self.bytes = consume bytes
    self.modified = modified
    self.mode = mode
  }
}

// This folder is for files that the backup keeps: opening one to be added, choosing one by its
// name, showing one as a row, and writing one back. Commands use it. How a backup is opened is not
// known here.

internal import BackupFolder
internal import CLinux
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import Glibc
package import SecretMemory

/// The contents of standard input, or of another program's backup, which are read only once.
///
/// They stay in guarded memory: a program may print its secrets.
package final class HeldInput: Sendable {
  /// The most bytes taken.
  package static let limit = 16 * 1024 * 1024

  private let bytes: SecretBytes
  /// Whether they came out of a database that another program has open.
  private let isInUse: Bool

  /// Reads all of standard input.
  ///
  /// - Throws: `no-input` where it is empty; as ``InputFile/readSecret(_:limit:_:)``.
  package init(_ streams: Streams) throws(UserMessage) {
    let read = try InputFile.readSecret("-", limit: Self.limit, streams)
    // The program that should have written into the pipe failed.
    guard read.count > 0 else {
      throw UserMessage(
        .noInput, "standard input was empty, so nothing was added",
        hint: "check the program that writes to it")
    }
    bytes = read
    isInUse = CopyCheck.isInUse(streams.input)
  }

  /// Takes contents that came out of something else.
  package init(_ contents: consuming SecretBytes) {
    bytes = contents
    isInUse = false
  }

  package var size: UInt64 { UInt64(bytes.count) }

  package func copy() -> SecretBytes { bytes.copy() }

  /// The advice about the contents.
  ///
  /// - Parameter name: their name in the backup.
  /// - Returns: nil where nothing speaks against a copy.
  func advice(_ name: String) -> CopyAdvice? {
    CopyCheck.advice(name, isInUse: isInUse) { memory, offset, count in
      let part = offset < 0 ? 0 : max(0, min(count, self.bytes.count - offset))
      unsafe self.bytes.withUnsafeBytes { source in
        unsafe memory.withUnsafeMutableBytes { target in
          guard part > 0, let from = source.baseAddress else { return }
          unsafe target.baseAddress?.copyMemory(from: from + offset, byteCount: part)
        }
      }
      return part
    }
  }
}

/// A file that is to be added: opened, so that nobody can exchange it under its path.
final class FileSource {
  /// The name in the backup.
  let name: PathComponent
  /// The path as the person gave it; `-` for contents that were read before.
  let path: String
  /// The size in bytes.
  let size: UInt64
  /// The status of the file when it was opened; zeros for standard input.
  let status: stat
  /// A reason why the copy may be of no use; it is made.
  let caution: CopyAdvice?
  /// The open file; -1 for standard input.
  private let descriptor: Int32
  private let input: HeldInput?
  private let now: UInt64

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the path, or `-` for contents that were read before.
  ///   - name: the name in the backup; nil for the last part of the path.
  ///   - input: contents that were read before; nil for a file.
  ///   - world: the clock.
  /// - Throws: `no-input`, `permission-denied`, `usage` for what is no file or has no name,
  ///   `data-invalid` for what is too large, the error of ``CopyAdvice/message(_:)`` for what must not
  ///   be copied.
  init(
    _ path: String, as name: String?, input: HeldInput?, _ world: World
  ) throws(UserMessage) {
    self.path = path
    self.input = input
    now = UInt64(max(0, world.now()))
    if input == nil, FileCheck.isFolder(path) { throw Self.noFile(path, isFolder: true) }
    self.name = try Self.name(name ?? Self.lastPart(of: path))
    // A link to such a file is one, too.
    let target = input == nil ? FileCheck.absolute(path).map(Self.lastPart) : nil
    for name in [self.name.text, target].compactMap(\.self) {
      if let advice = CopyCheck.advice(name: name) { throw advice.message(path) }
    }
    if let input {
      descriptor = -1
      size = input.size
      status = stat()
      caution = input.advice(self.name.text)
      if let caution, caution.weight != .caution { throw caution.message(self.name.text) }
      return
    }
    descriptor = try Self.open(path)
    var status = stat()
    _ = unsafe fstat(descriptor, &status)
    self.status = status
    size = UInt64(max(0, status.st_size))
    caution = CopyCheck.advice(path, descriptor)
    guard status.st_mode & S_IFMT == S_IFREG else { throw Self.noFile(path, isFolder: false) }
    if let caution, caution.weight != .caution { throw caution.message(path) }
    // Before any key is asked for.
    guard size <= SizeLimits.file else {
      throw UserMessage(.tooLarge(path: FolderLayout.objectFolder, limit: Int(SizeLimits.file)))
    }
  }

  /// The contents to be written.
  ///
  /// - Throws: as ``FileContents/init(descriptor:)``.
  func contents() throws(BackupFolderError) -> FileContents {
    if let input { return FileContents(bytes: input.copy(), modified: now, mode: 0o600) }
    return try FileContents(descriptor: descriptor, path: path)
  }

  /// Whether the file is empty, or all zero bytes, as a crash of its file system leaves it.
  var isBlank: Bool {
    guard descriptor >= 0 else { return size == 0 }
    var bytes = SecretBytes(zeroed: 64 << 10)
    var offset = 0
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      }
      guard count > 0 else { return count == 0 }
      let isZero = bytes.withBytes { bytes in
        (0..<count).allSatisfy {
          unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 0
        }
      }
      if !isZero { return false }
      offset += count
    }
  }

  private static func noFile(_ path: String, isFolder: Bool) -> UserMessage {
    UserMessage(
      .usage,
      "\(ShellWord.quoted(path)) is \(isFolder ? "a folder" : "no regular file"), so it was not added",
      hint: isFolder
        ? "name its files, or pipe an archive: tar -c FOLDER | keybackup file add - --name NAME"
        : "to add what a program prints, pipe it: keybackup file add - --name NAME")
  }

  private static func open(_ path: String) throws(UserMessage) -> Int32 {
    // Opening a FIFO without a writer must not block.
    let descriptor = unsafe keybackup_openat(
      AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0)
    guard descriptor >= 0 else {
      let reason = errno
      throw UserMessage(
        reason == EACCES ? .permissionDenied : .noInput,
        "\(ShellWord.quoted(path)) could not be opened: \(systemText(reason))",
        hint: FileCheck.unexpanded(path) ?? "check the path")
    }
    return descriptor
  }

  private static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func name(_ text: String) throws(UserMessage) -> PathComponent {
    guard let name = PathComponent(text) else {
      throw UserMessage(
        .usage, "\(ShellWord.quoted(text)) cannot be the name of a file in the backup",
        hint: "give it another one: --name NAME\n"
          + "a name has 1 to 255 bytes, no / and no control character")
    }
    return name
  }
}

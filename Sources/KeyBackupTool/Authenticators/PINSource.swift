internal import CLinux
internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// Where a PIN comes from when no person types it.
///
/// The order is the contract's: a descriptor, a file, the service manager's
/// credential; only then is a person asked.
enum PINSource: Sendable {
  case descriptor(Int32)
  case file(String)

  /// The source's word in an event.
  var word: String {
    switch self {
    case .descriptor: "descriptor"
    case .file: "file"
    }
  }

  /// Longest line that is kept: what a PIN may be as typed, one byte that shows
  /// that it is too long, and a carriage return.
  ///
  /// Never less: a PIN cut short would be sent, and cost a try.
  static let limit = PIN.maximumTypedBytes + 2

  /// Reads the first line, without its newline.
  ///
  /// - Throws: `config` when others can read the file, `no-input` when it is
  ///   not there or empty, `io`.
  func read() throws(UserMessage) -> SecretBytes {
    switch self {
    case .descriptor(let descriptor):
      return try Self.readLine(from: descriptor, name: "descriptor \(descriptor)")
    case .file(let path):
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw UserMessage(
          errno == EACCES ? .permissionDenied : .noInput,
          "the PIN file \(path) could not be opened: \(systemText(errno))",
          hint: "check the path given with --pin-file")
      }
      defer { close(descriptor) }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else {
        throw UserMessage(.io, "the PIN file could not be read: \(systemText(errno))")
      }
      let isFile = status.st_mode & S_IFMT == S_IFREG
      if isFile, status.st_mode & 0o077 != 0 {
        throw UserMessage(
          .config, "others can read the PIN file \(path)",
          hint: "run: chmod 600 \(path)")
      }
      return try Self.readLine(from: descriptor, name: path)
    }
  }

  private static func readLine(
    from descriptor: Int32, name: String
  ) throws(UserMessage) -> SecretBytes {
    var line = SecretBytes(zeroed: limit)
    var filled = 0
    var byte: UInt8 = 0
    reading: while true {
      try Interruption.waitToRead(descriptor)
      let count = unsafe Glibc.read(descriptor, &byte, 1)
      switch count {
      case 1 where byte == 10: break reading
      case 1:
        if filled < limit {
          line.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self) }
          filled += 1
        }
      case 0: break reading
      default:
        if errno == EINTR || errno == EAGAIN { continue }
        throw UserMessage(
          errno == EBADF ? .usage : .io,
          "the PIN could not be read from \(name): \(systemText(errno))",
          hint: "check the descriptor or file that holds the PIN")
      }
    }
    byte = 0
    line.resize(to: filled)
    // A file written on another system may end its line with CR LF.
    let endsInReturn = line.withBytes { bytes in
      guard filled > 0 else { return false }
      return unsafe bytes.unsafeLoad(fromByteOffset: filled - 1, as: UInt8.self) == 13
    }
    if endsInReturn { line.resize(to: filled - 1) }
    guard line.count > 0 else {
      throw UserMessage(
        .noInput, "no PIN in \(name)", hint: "put the PIN on its first line")
    }
    return line
  }
}

package import CLinux
internal import CommandSupport
internal import Glibc
package import SecretMemory

/// Reads the first line of a descriptor or a private file directly into guarded memory, which is
/// how programs give a PIN or a passphrase.
package enum SecretLine {
  /// The number of bytes in which the line must end: a device may never end one.
  private static let mostBytes = 64 << 10

  /// The tenths of a second for which somebody is waited for who opens a FIFO to write to it.
  private static let fifoPatience = 100

  /// Reads from a file that only its owner may read.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - what: the secret's name in messages.
  ///   - option: the option that named the file; nil: `--<what>-file`.
  ///   - setting: what named the file of a PIN. If it cannot be opened, its path is not repeated:
  ///     it may be the PIN itself.
  ///   - isRegular: whether it has to be a regular one: a FIFO would be empty the next time.
  ///   - isWhole: whether the lines after the first are read too.
  ///   - limit: bytes that are kept; more are dropped unseen, so that the caller
  ///     takes a full line for one that is too long.
  /// - Returns: the line without its end; it may be empty.
  /// - Throws: `config` when others can read the file or it belongs to another user than this one
  ///   or root. `data-invalid` when the line does not end or is in quotes, `usage` for a folder.
  ///   `permission-denied`, `io`, and `no-input`, also for a FIFO that nobody writes to.
  package static func read(
    file path: String, what: String, option: String? = nil, named setting: String? = nil,
    isRegular: Bool = false, isWhole: Bool = false, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = errno
      if let setting {
        let isMissing = reason == ENOENT || reason == ENOTDIR
        throw UserMessage(
          reason == EACCES ? .permissionDenied : .noInput,
          "the \(what) file that \(setting) names "
            + (isMissing ? "is not there" : "could not be opened: \(systemText(reason))"),
          hint: "check \(setting): a path belongs there, and never the \(what) itself")
      }
      throw unopened(path, what, option, reason)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw UserMessage(.io, "the \(what) file could not be read: \(systemText(errno))")
    }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    if !isFile, isRegular {
      throw UserMessage(
        .config, "the \(what) file \(ShellWord.quoted(path)) is no regular file",
        hint: setting.map { "check \($0)" })
    }
    try requireNoFolder(status, path, what)
    try requirePrivate(status, path, what)
    let name = ShellWord.quoted(path)
    let line = try read(
      from: descriptor, name: name, what: what, limit: limit,
      isFIFO: status.st_mode & S_IFMT == S_IFIFO, isWhole: isWhole)
    // As in a file of settings, where they are no part of the value. A descriptor has what was typed.
    guard !line.isInQuotes else {
      throw UserMessage(
        .dataInvalid, "the \(what) in \(name) is in quotes",
        hint:
          "nothing was tried with it; remove the quotes; one that has them is typed at the prompt"
      )
    }
    return line
  }

  /// Refuses a file that could not be read, before a person is asked for anything.
  ///
  /// - Parameters:
  ///   - path: its path; nil, and `-`, which is standard input, are not looked at.
  ///   - what: the secret's name in messages.
  ///   - option: the option that named the file; nil: `--<what>-file`.
  /// - Throws: as ``read(file:what:option:named:isRegular:isWhole:limit:)``; reading checks again.
  package static func requireUsable(
    _ path: String?, what: String, option: String? = nil
  ) throws(UserMessage) {
    guard let path, path != "-" else { return }
    var status = stat()
    guard unsafe access(path, R_OK) == 0, unsafe stat(path, &status) == 0 else {
      throw unopened(path, what, option, errno)
    }
    try requireNoFolder(status, path, what)
    try requirePrivate(status, path, what)
  }

  private static func requireNoFolder(
    _ status: stat, _ path: String, _ what: String
  ) throws(UserMessage) {
    guard status.st_mode & S_IFMT == S_IFDIR else { return }
    throw UserMessage(
      .usage, "\(ShellWord.quoted(path)) is a folder, and the \(what) is in a file",
      hint: "name a file in it")
  }

  private static func unopened(
    _ path: String, _ what: String, _ option: String?, _ reason: Int32
  ) -> UserMessage {
    UserMessage(
      reason == EACCES ? .permissionDenied : .noInput,
      "the \(what) file \(ShellWord.quoted(path)) could not be opened: \(systemText(reason))",
      hint: "check the path given with \(option ?? "--\(what.lowercased())-file")")
  }

  /// Refuses a regular file that others can read, or that another user could change.
  ///
  /// - Parameters:
  ///   - status: of the open file.
  ///   - path: its path.
  ///   - what: the secret's name in messages.
  /// - Throws: `config`.
  package static func requirePrivate(
    _ status: stat, _ path: String, _ what: String
  ) throws(UserMessage) {
    guard status.st_mode & S_IFMT == S_IFREG else { return }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw UserMessage(
        .config, "the \(what) file \(ShellWord.quoted(path)) belongs to somebody else",
        hint: "look at it; then write a file of your own with chmod 600")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw UserMessage(
        .config, "others can read the \(what) file \(ShellWord.quoted(path))",
        hint: KeptPermissions.advice(path))
    }
  }

  /// Reads from the source in the options: a descriptor takes precedence over a file.
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor, or nil.
  ///   - file: a path, or nil.
  ///   - what: the secret's name in messages.
  ///   - option: the option that named the file; nil for `--<what>-file`.
  ///   - limit: as for ``read(file:what:option:limit:)``.
  /// - Returns: the line; nil where neither is given.
  /// - Throws: as ``read(file:what:option:limit:)``.
  package static func read(
    descriptor: Int32?, orFile file: String?, what: String, option: String? = nil, limit: Int
  ) throws(UserMessage) -> SecretBytes? {
    if let descriptor { return try read(descriptor: descriptor, what: what, limit: limit) }
    guard let file else { return nil }
    return try read(file: file, what: what, option: option, limit: limit)
  }

  /// Reads from the source in the options, where `-` as the file stands for standard input.
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor, or nil.
  ///   - file: a path, `-`, or nil.
  ///   - input: the descriptor of standard input.
  ///   - what: the secret's name in messages.
  ///   - option: the option that named the file; nil for `--<what>-file`.
  ///   - limit: as for ``read(file:what:option:limit:)``.
  /// - Returns: the line; nil where none is given, and where standard input is a terminal: a person
  ///   types it with echo off.
  /// - Throws: as ``read(file:what:option:limit:)``.
  package static func read(
    descriptor: Int32?, orFile file: String?, orInput input: Int32, what: String,
    option: String? = nil, limit: Int
  ) throws(UserMessage) -> SecretBytes? {
    guard file == "-" else {
      return try read(
        descriptor: descriptor, orFile: file, what: what, option: option, limit: limit)
    }
    return isatty(input) == 1 ? nil : try read(descriptor: input, what: what, limit: limit)
  }

  /// Reads from an open descriptor; see ``read(file:what:option:limit:)``.
  package static func read(
    descriptor: Int32, what: String, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    try read(from: descriptor, name: "the descriptor", what: what, limit: limit)
  }

  private static func read(
    from descriptor: Int32, name: String, what: String, limit: Int, isFIFO: Bool = false,
    isWhole: Bool = false
  ) throws(UserMessage) -> SecretBytes {
    let room = limit + SecretBytes.byteOrderMark.count
    var line = SecretBytes(zeroed: room)
    var filled = 0
    var taken = 0
    var byte: UInt8 = 0
    var idle = 0
    reading: while true {
      let isReady = try Interruption.canRead(descriptor)
      if !isReady, !isFIFO { continue }
      let count = unsafe Glibc.read(descriptor, &byte, 1)
      switch count {
      case 1 where byte == 10 && !isWhole: break reading
      case 1:
        taken += 1
        guard taken <= mostBytes else {
          throw UserMessage(
            .dataInvalid, "the \(what) in \(name) is too long: its line has more than 64 KiB",
            hint: "put nothing but the \(what) on it")
        }
        if filled < room {
          line.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self) }
          filled += 1
        }
      case 0 where !isReady:
        // Nobody has opened the FIFO yet: a writer that came and went makes it ready.
        idle += 1
        guard idle < fifoPatience else {
          throw UserMessage(
            .noInput, "nobody writes to the FIFO \(name), which is to give the \(what)",
            hint: "start the program that writes to it first, or name a file")
        }
      case 0: break reading
      default:
        if errno == EINTR || errno == EAGAIN { continue }
        throw UserMessage(
          errno == EBADF ? .usage : .io,
          "the \(what) could not be read from \(name): \(systemText(errno))",
          hint: "check the descriptor or file that holds the \(what)")
      }
    }
    byte = 0
    line.resize(to: filled)
    line = try line.unmarked(what, in: name)
    filled = min(line.count, limit)
    line.resize(to: filled)
    // A file from another system may end its line with CR LF.
    let endsInReturn = line.withBytes { bytes in
      guard filled > 0 else { return false }
      return unsafe bytes.unsafeLoad(fromByteOffset: filled - 1, as: UInt8.self) == 13
    }
    if endsInReturn { line.resize(to: filled - 1) }
    return line
  }
}

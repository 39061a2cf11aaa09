// This folder is for files and lines that the user names, read into guarded memory or written once
// and never over an existing file. Later rooms use it for every secret that goes in or out. The use
// of the secret is not known here.

internal import CLinux
internal import CommandSupport
internal import Glibc
package import SecretMemory

/// Reads the input that the user names on the command line: a path, or `-` for standard input.
package enum InputFile {
  /// The bytes of an input that is not secret.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - limit: the most bytes accepted.
  ///   - streams: where `-` is read from.
  /// - Returns: the bytes.
  /// - Throws: `no-input`, `permission-denied`, `data-invalid`, `io`.
  package static func read(
    _ path: String, limit: Int, _ streams: Streams
  ) throws(UserMessage) -> [UInt8] {
    let secret = try readSecret(path, limit: limit, streams)
    return unsafe secret.withUnsafeBytes { unsafe Array($0) }
  }

  /// The bytes of a file that is not secret.
  ///
  /// - Throws: as ``read(_:limit:_:)``.
  package static func readFile(_ path: String, limit: Int) throws(UserMessage) -> [UInt8] {
    let secret: SecretBytes = try readFile(path, in: AT_FDCWD, limit: limit)
    return unsafe secret.withUnsafeBytes { unsafe Array($0) }
  }

  /// The bytes of a wallet secret, read directly into guarded memory.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - limit: the most bytes accepted.
  ///   - streams: where `-` is read from.
  /// - Returns: the bytes.
  /// - Throws: `no-input`, `permission-denied`, `data-invalid`, `io`.
  package static func readSecret(
    _ path: String, limit: Int, _ streams: Streams
  ) throws(UserMessage) -> SecretBytes {
    path == "-"
      ? try read(from: streams.input, name: "the standard input", limit: limit)
      : try readFile(path, in: AT_FDCWD, limit: limit)
  }

  /// The bytes of a wallet secret's file, read directly into guarded memory.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - folder: the descriptor of the folder to which `path` is relative.
  ///   - limit: the most bytes accepted.
  /// - Returns: the bytes.
  /// - Throws: `no-input`, `permission-denied`, `data-invalid`, `io`.
  package static func readFile(
    _ path: String, in folder: Int32, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    let descriptor = try open(path, in: folder)
    defer { close(descriptor) }
    return try read(from: descriptor, name: ShellWord.quoted(path), limit: limit)
  }

  /// The text of a secret that only its owner may read, or of standard input.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - what: the secret's name in messages.
  ///   - limit: the most bytes accepted.
  ///   - streams: where `-` is read from.
  /// - Returns: the text, without a byte order mark.
  /// - Throws: as ``readSecret(_:limit:_:)``; `config` where others can read the file or could
  ///   change it.
  package static func readPrivate(
    _ path: String, what: String, limit: Int, _ streams: Streams
  ) throws(UserMessage) -> SecretBytes {
    guard path != "-" else {
      return try readSecret(path, limit: limit, streams).unmarked(what, in: "the standard input")
    }
    let descriptor = try open(path, in: AT_FDCWD)
    defer { close(descriptor) }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0 {
      try SecretLine.requirePrivate(status, path, what)
    }
    let name = ShellWord.quoted(path)
    return try read(from: descriptor, name: name, limit: limit).unmarked(what, in: name)
  }

  private static func read(
    from descriptor: Int32, name: String, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    // A regular file is read at once, a pipe with doubling buffers: guarded memory is expensive,
    // and most inputs are short.
    var status = stat()
    let size = unsafe fstat(descriptor, &status) == 0 ? max(Int(status.st_size), 0) : 0
    var bytes = SecretBytes(zeroed: min(limit, max(size, 4095)) + 1)
    var filled = 0
    while true {
      if filled == bytes.count {
        guard filled <= limit else {
          throw UserMessage(
            .dataInvalid, "\(name) is larger than \(limit) bytes",
            hint: "check that it is the right file")
        }
        let larger = min(limit + 1, filled * 2)
        bytes.reserve(larger)
        bytes.resize(to: larger)
      }
      try Interruption.waitToRead(descriptor)
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(
          descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).baseAddress,
          buffer.count - filled)
      }
      if count > 0 {
        filled += count
      } else if count == 0 {
        break
      } else if errno != EINTR, errno != EAGAIN {
        throw UserMessage(.io, "\(name) could not be read: \(systemText(errno))")
      }
    }
    bytes.resize(to: filled)
    return bytes
  }

  /// The text of a wallet secret; at a terminal, `-` asks for it with echo off.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - limit: the most bytes accepted.
  ///   - what: the name of the requested secret.
  ///   - prompter: asks the user.
  /// - Returns: the text, without a byte order mark.
  /// - Throws: as ``readSecret(_:limit:asking:_:)``; `data-invalid` for UTF-16.
  package static func readText(
    _ path: String, limit: Int, asking what: String, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    try readSecret(path, limit: limit, asking: what, prompter)
      .unmarked(what, in: path == "-" ? "the standard input" : ShellWord.quoted(path))
  }

  /// The bytes of a wallet secret; at a terminal, `-` asks for it with echo off.
  ///
  /// - Parameters:
  ///   - path: a path or `-`.
  ///   - limit: the most bytes accepted.
  ///   - what: the name of the requested secret.
  ///   - prompter: asks the user.
  /// - Returns: the bytes.
  /// - Throws: as ``readSecret(_:limit:_:)``; `config` when `--no-input` forbids asking.
  package static func readSecret(
    _ path: String, limit: Int, asking what: String, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    let streams = prompter.output.streams
    guard path == "-", isatty(streams.input) == 1 else {
      return try readSecret(path, limit: limit, streams)
    }
    // A terminal delivers lines of at most 4095 bytes.
    guard
      let typed = try prompter.secret(
        "Type the \(what) (hidden): ", limit: min(limit, 4095), allowsTabs: true)
    else {
      throw UserMessage(
        .config, "the \(what) is needed and nobody can be asked",
        hint: "pipe it in, or name a file")
    }
    return typed
  }

  private static func open(_ path: String, in folder: Int32) throws(UserMessage) -> Int32 {
    // Opening a FIFO without a writer must not block: the wait for its bytes can be interrupted,
    // the opening cannot.
    let descriptor = unsafe openat(
      folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = errno
      throw UserMessage(
        reason == EACCES ? .permissionDenied : .noInput,
        "\(ShellWord.quoted(path)) could not be opened: \(systemText(reason))",
        hint: FileCheck.unexpanded(path) ?? "check the path")
    }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw UserMessage(
        .usage, "\(ShellWord.quoted(path)) is a folder, and a file is needed",
        hint: "name a file in it")
    }
    return descriptor
  }
}

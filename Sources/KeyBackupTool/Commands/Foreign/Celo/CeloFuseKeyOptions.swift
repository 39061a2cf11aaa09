internal import ArgumentParser
internal import ForeignBackups
internal import SecretMemory

/// Where the fuse key of a Celo file comes from: itself, or the key that unwraps it.
struct CeloFuseKeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the fuse key from this open descriptor.", valueName: "n"))
  var fuseKeyFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the fuse key: 32 hex digits, or base64.", valueName: "path"))
  var fuseKeyFile: String?

  @Option(
    help: ArgumentHelp(
      "The circuit breaker's RSA key, a PEM file.",
      valueName: "path"))
  var breakerKey: String?

  mutating func validate() throws {
    try DescriptorCheck.check(fuseKeyFd, "--fuse-key-fd")
    let given = [fuseKeyFd != nil, fuseKeyFile != nil, breakerKey != nil].count { $0 }
    if given > 1 { throw ValidationError("the fuse key comes from one place") }
  }

  /// Whether an option names a place.
  var isGiven: Bool { fuseKeyFd != nil || fuseKeyFile != nil || breakerKey != nil }

  /// `-` for each that comes from standard input.
  var inputs: [String?] { [fuseKeyFd == 0 ? "-" : nil, breakerKey] }

  /// The fuse key; empty where the file has none.
  ///
  /// - Throws: `usage` where one is given and the file has none, `config` where nobody can be asked,
  ///   `data-invalid`, `wrong-key`.
  func read(
    _ backup: CeloBackup, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    guard let wrapped = backup.encryptedFuseKey else {
      guard !isGiven else {
        throw UserMessage(
          .usage, "this file has no encryptedFuseKey, so no fuse key opens it",
          hint: "leave the fuse key out; if you know that there was one, the file was changed")
      }
      return SecretBytes(zeroed: 0)
    }
    if let breakerKey {
      let pem = try InputFile.readSecret(
        breakerKey, limit: CircuitBreakerKey.sizeLimit, prompter.output.streams)
      do throws(ForeignBackupError) {
        return try CircuitBreakerKey(pem: pem).unwrap(wrapped)
      } catch {
        throw UserMessage(error)
      }
    }
    return try CeloSecretLine.read(
      "fuse key", size: CeloBackup.fuseKeySize, descriptor: fuseKeyFd, file: fuseKeyFile,
      option: "--fuse-key-file", prompter,
      nobody: "give it with --fuse-key-file, or the circuit breaker's key with --breaker-key. "
        + "Celo's circuit breaker was a service of Valora, and it is gone")
  }
}

/// A secret of a fixed size on one line, in hex or base64.
enum CeloSecretLine {
  /// Reads it from where options name it, else from the person.
  ///
  /// - Parameters:
  ///   - what: its name.
  ///   - size: its bytes.
  ///   - descriptor: an open descriptor, or nil.
  ///   - file: a path, or nil.
  ///   - option: the option that names the file.
  ///   - prompter: the person.
  ///   - nobody: what to do where nobody can be asked.
  /// - Returns: the bytes.
  /// - Throws: `config`, `data-invalid`; as ``SecretLine``.
  static func read(
    _ what: String, size: Int, descriptor: Int32?, file: String?, option: String,
    _ prompter: Prompter, nobody: String
  ) throws(UserMessage) -> SecretBytes {
    let given = try SecretLine.read(
      descriptor: descriptor, orFile: file, what: what, option: option, limit: limit)
    if let given { return try bytes(given, what, size) }
    return try bytes(
      TwiceTyped.read(what, prompter, twice: false, limit: limit, nobody: nobody), what, size)
  }

  /// The bytes that a line encodes.
  ///
  /// - Throws: `data-invalid`.
  static func bytes(
    _ line: borrowing SecretBytes, _ what: String, _ size: Int
  ) throws(UserMessage) -> SecretBytes {
    var bytes = SecretBytes(zeroed: size)
    let isRead: Bool
    if line.count == 2 * size {
      let digits = lowerCase(line)
      isRead = digits.withBytes { Hex.decode($0, into: &bytes) }
    } else {
      isRead = line.withBytes { Base64.decode($0, .standard, into: &bytes) }
    }
    guard isRead, bytes.count == size else {
      throw UserMessage(
        .dataInvalid,
        "the \(what) is neither \(2 * size) hex digits nor base64 of \(size) bytes",
        hint: "put nothing but the \(what) on the line")
    }
    return bytes
  }

  /// The same hex digits in small letters.
  private static func lowerCase(_ digits: borrowing SecretBytes) -> SecretBytes {
    var lower = digits.copy()
    lower.withMutableBytes { digits in
      for place in 0..<digits.byteCount {
        let digit = unsafe digits.bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        guard (0x41...0x46).contains(digit) else { continue }
        digits.storeBytes(of: digit | 0x20, toByteOffset: place, as: UInt8.self)
      }
    }
    return lower
  }

  private static let limit = 256
}

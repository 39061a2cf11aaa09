internal import ArgumentParser
internal import CommandKit
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
  var inputs: [String?] { [fuseKeyFd == 0 ? "-" : fuseKeyFile, breakerKey] }

  /// Refuses files that could not be read, before a person is asked for anything.
  ///
  /// - Throws: `config` where others can read one, `no-input`, `permission-denied`.
  func requireUsable() throws(UserMessage) {
    try SecretLine.requireUsable(fuseKeyFile, what: "fuse key", option: "--fuse-key-file")
    try SecretLine.requireUsable(
      breakerKey, what: "circuit breaker's key", option: "--breaker-key")
  }

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
      return try Self.unwrap(wrapped, breakerKey, prompter.output.streams)
    }
    let secret = EncodedSecret(what: "fuse key", size: CeloBackup.fuseKeySize, takesBase64: true)
    return try secret.read(
      descriptor: fuseKeyFd, file: fuseKeyFile, option: "--fuse-key-file", prompter,
      nobody: "give it with --fuse-key-file, or the circuit breaker's key with --breaker-key. "
        + "Celo's circuit breaker was a service of Valora, and it is gone")
  }

  private static func unwrap(
    _ wrapped: [UInt8], _ path: String, _ streams: Streams
  ) throws(UserMessage) -> SecretBytes {
    let pem = try InputFile.readPrivate(
      path, what: "circuit breaker's key", limit: CircuitBreakerKey.sizeLimit, streams)
    let key: CircuitBreakerKey
    do throws(ForeignBackupError) {
      key = try CircuitBreakerKey(pem: pem)
    } catch {
      throw UserMessage(error, in: path)
    }
    do throws(ForeignBackupError) {
      return try key.unwrap(wrapped)
    } catch {
      throw UserMessage(error)
    }
  }
}

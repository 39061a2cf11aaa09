internal import ArgumentParser
internal import ForeignBackups
internal import SecretMemory

/// The file that a command is about.
struct CeloFileArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The JSON file, or -.", valueName: "file"))
  var file: String

  /// Reads and checks it.
  ///
  /// - Throws: `no-input`, `permission-denied`, `io`, `data-invalid`.
  func read(_ world: World) throws(UserMessage) -> CeloBackup {
    let bytes = try InputFile.read(file, limit: CeloBackup.sizeLimit, world.streams)
    do throws(ForeignBackupError) {
      return try unsafe CeloBackup(parsing: bytes.span.bytes)
    } catch {
      throw UserMessage(error, in: file)
    }
  }
}

/// Where the password of a Celo file comes from.
struct CeloPasswordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the password from this open descriptor.", valueName: "n"))
  var passwordFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the password from this file, yours alone.", valueName: "path"))
  var passwordFile: String?

  mutating func validate() throws {
    try DescriptorCheck.check(passwordFd, "--password-fd")
    if passwordFd != nil, passwordFile != nil {
      throw ValidationError("the password comes from one place")
    }
  }

  /// `-` when it comes from standard input.
  var input: String? { passwordFd == 0 ? "-" : nil }

  private static let limit = 4094

  /// The password or PIN, as UTF-8.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  /// - Returns: the bytes.
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  func read(_ prompter: Prompter, twice: Bool) throws(UserMessage) -> SecretBytes {
    let given = try SecretLine.read(
      descriptor: passwordFd, orFile: passwordFile, what: "password", limit: Self.limit + 1)
    let password =
      if let given {
        given
      } else {
        try TwiceTyped.read(
          "password or PIN of the backup", prompter, twice: twice, limit: Self.limit,
          nobody: "give it with --password-file or --password-fd")
      }
    guard password.count <= Self.limit else {
      throw UserMessage(.dataInvalid, "the password is longer than \(Self.limit) bytes")
    }
    return password
  }
}

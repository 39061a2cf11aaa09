internal import ArgumentParser
internal import SecretMemory

/// `--password-fd` and `--password-file`: where the password of another program's file comes from.
struct PasswordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the password from this open descriptor.", valueName: "n"))
  var passwordFd: Int32?

  @Option(
    help: ArgumentHelp("Read the password from this file; only you may read it.", valueName: "path")
  )
  var passwordFile: String?

  mutating func validate() throws {
    try DescriptorCheck.check(passwordFd, "--password-fd")
    if passwordFd != nil, passwordFile != nil {
      throw ValidationError("the password comes from one place")
    }
  }

  /// Whether an option names a place.
  var isGiven: Bool { passwordFd != nil || passwordFile != nil }

  /// `-` when it comes from standard input.
  var input: String? { passwordFd == 0 || passwordFile == "-" ? "-" : nil }

  /// The password, as it was given.
  ///
  /// - Parameters:
  ///   - what: what a person is asked for.
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  ///   - limit: the most bytes that a password has.
  /// - Returns: the bytes; one more than `limit` where it is longer, so that the caller refuses it.
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  func read(
    _ what: String, _ prompter: Prompter, twice: Bool, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    let given = try SecretLine.read(
      descriptor: passwordFile == "-" ? prompter.output.streams.input : passwordFd,
      orFile: passwordFile, what: "password", limit: limit + 1)
    if let given { return given }
    return try TwiceTyped.read(
      what, prompter, twice: twice, limit: limit + 1,
      nobody: "give it with --password-file or --password-fd")
  }
}

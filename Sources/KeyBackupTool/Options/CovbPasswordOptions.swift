internal import ArgumentParser
internal import SecretMemory
internal import WalletFormats

/// Where the password of a `.covb` file comes from.
struct CovbPasswordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the file's password from this open descriptor.", valueName: "n"))
  var passwordFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the file's password from this file; only you may read it.", valueName: "path"))
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
  var input: String? { passwordFd == 0 ? "-" : nil }

  /// The password.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  /// - Returns: the password, cleaned.
  /// - Throws: `config` where nobody can be asked or others can read the file,
  ///   `data-invalid` for what is no password.
  func read(_ prompter: Prompter, twice: Bool) throws(UserMessage) -> CovbPassword {
    // One more: a password that is cut off would be another one.
    let limit = CovbPassword.sizeLimit + 1
    let given = try SecretLine.read(
      descriptor: passwordFd, orFile: passwordFile, what: "password", limit: limit)
    if let given { return try Self.clean(given) }
    return try Self.clean(
      TwiceTyped.read(
        "password of the .covb file", prompter, twice: twice, limit: limit,
        nobody: "give it with --password-file or --password-fd"))
  }

  /// The password in a text.
  static func clean(_ text: borrowing SecretBytes) throws(UserMessage) -> CovbPassword {
    do throws(WalletFormatError) {
      return try CovbPassword(cleaning: text)
    } catch {
      throw UserMessage(error)
    }
  }
}

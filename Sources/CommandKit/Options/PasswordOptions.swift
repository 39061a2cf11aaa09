package import ArgumentParser
internal import Glibc
package import SecretMemory

/// `--password-fd` and `--password-file`: where the password of another program's file comes from.
package struct PasswordOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the password from this open descriptor.", valueName: "n"))
  var passwordFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the password from this file, yours alone, or -.", valueName: "path"))
  package var passwordFile: String?

  package init() {}

  package mutating func validate() throws {
    try DescriptorCheck.check(passwordFd, "--password-fd")
    if passwordFd != nil, passwordFile != nil {
      throw ValidationError("the password comes from one place")
    }
  }

  /// Whether an option names a place.
  package var isGiven: Bool { passwordFd != nil || passwordFile != nil }

  /// Whether a person types it.
  ///
  /// - Parameter streams: standard input may be a terminal.
  /// - Returns: whether neither a descriptor nor a file gives it.
  package func isTyped(_ streams: Streams) -> Bool {
    passwordFd == nil && (passwordFile == nil || passwordFile == "-" && isatty(streams.input) == 1)
  }

  /// `-` when it comes from standard input.
  package var input: String? { passwordFd == 0 || passwordFile == "-" ? "-" : nil }

  /// Refuses a file that could not be read, before a person is asked for anything.
  ///
  /// - Throws: `config` where others can read it, `no-input`, `permission-denied`.
  package func requireUsable() throws(UserMessage) {
    try SecretLine.requireUsable(passwordFile, what: "password")
  }

  /// The password, as it was given.
  ///
  /// - Parameters:
  ///   - what: what a person is asked for.
  ///   - prompter: the person.
  ///   - twice: whether a person types it twice.
  ///   - limit: the most bytes that a password has.
  /// - Returns: the bytes; one more than `limit` where it is longer, so that the caller refuses it.
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  package func read(
    _ what: String, _ prompter: Prompter, twice: Bool, limit: Int
  ) throws(UserMessage) -> SecretBytes {
    let given = try SecretLine.read(
      descriptor: passwordFd, orFile: passwordFile, orInput: prompter.output.streams.input,
      what: "password", limit: limit + 1)
    if let given { return given }
    return try TwiceTyped.read(
      what, prompter, twice: twice, limit: limit + 1,
      nobody: "give it with --password-file or --password-fd")
  }
}

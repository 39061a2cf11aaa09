internal import ArgumentParser
internal import CommandSupport
internal import Glibc

/// The program that runs a command line in this one's place.
///
/// It keeps the process: terminal, streams, descriptors, signals and the exit code are its own.
struct OtherProgram {
  private let group: any OtherProgramGroup.Type
  /// The arguments of the program.
  let arguments: [String]

  /// Nil for the commands that the running program has itself.
  ///
  /// Every start comes here. So it takes the groups: to ask each command for what it conforms to is slow.
  ///
  /// - Parameters:
  ///   - groups: what other programs run.
  ///   - arguments: without the program's name.
  init?(_ groups: [any OtherProgramGroup.Type], _ arguments: [String]) {
    let isHelp = arguments.first == "help"
    var words = isHelp ? arguments.dropFirst().filter { !$0.hasPrefix("-") } : arguments
    guard let word = words.first,
      let group = groups.first(where: { $0.configuration.commandName == word })
    else { return nil }
    words.removeFirst()
    self.group = group
    self.arguments =
      isHelp ? words + ["--help"] + arguments.filter { $0.hasPrefix("-") } : words
  }

  /// Replaces the running program.
  ///
  /// It returns only where that is not possible.
  ///
  /// - Returns: why not.
  func run() -> UserMessage {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) }
    var unusable: String?
    for file in SiblingProgram.found(group.program, path: path) {
      var words = unsafe ([file] + arguments).map { unsafe strdup($0) }
      unsafe words.append(nil)
      unsafe execv(file, words)
      let reason = systemText(errno)
      for index in unsafe words.indices { unsafe free(words[index]) }
      // Another place may have one that runs.
      unusable = unusable ?? "the program \(ShellWord.quoted(file)) cannot be run: \(reason)"
    }
    return UserMessage(
      .noAuthenticator, word: Self.word,
      unusable ?? "the program \(group.program) is not installed",
      hint: advice)
  }

  private static let word = "program-missing"

  private var advice: String {
    "install the Debian package \(group.debianPackage)\n"
      + "or put \(group.program) into the folder where keybackup is"
  }
}

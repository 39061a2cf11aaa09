internal import ArgumentParser
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import SecurityKeys
internal import Unlocking

/// Options for the invites and the PIN of a new way in with guards.
struct NewGuardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "An operator's invite, for all guards or for one.",
      valueName: "code|url=code"))
  var invite: [String] = []

  @Flag(help: "Choose the PIN yourself instead of a random one.")
  var choose = false

  @Option(help: ArgumentHelp("Digits of the random PIN, 6 to 9 (default: 6).", valueName: "n"))
  var digits: Int?

  @Option(
    help: ArgumentHelp(
      "Read your own PIN or password from this file.",
      valueName: "path"))
  var newGuardPinFile: String?

  @Option(
    help: ArgumentHelp(
      "Read it from this open descriptor.", valueName: "n"))
  var newGuardPinFd: Int32?

  @Option(
    help: ArgumentHelp("Write the random PIN to this new file.", valueName: "file"))
  var pinOut: String?

  @Flag(help: "Print the PIN also with --pin-out, or to a pipe.")
  var reveal = false

  @Flag(help: "Give up an unfinished way in, and begin again.")
  var restart = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  mutating func validate() throws {
    try DescriptorCheck.check(newGuardPinFd, "--new-guard-pin-fd")
    if newGuardPinFd != nil, newGuardPinFile != nil {
      throw ValidationError("give one of --new-guard-pin-fd and --new-guard-pin-file")
    }
    if let digits, !NewGuardPIN.digits.contains(digits) {
      throw ValidationError("a random PIN has 6 to 9 digits")
    }
    if isOwn, digits != nil || pinOut != nil || reveal {
      throw ValidationError("--digits, --pin-out and --reveal are for a random PIN")
    }
    if pinOut == "" || pinOut == "-" { throw ValidationError("--pin-out names a file") }
    for text in invite {
      let code = text.split(separator: "=").last ?? ""
      guard (1...64).contains(code.utf8.count),
        code.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw ValidationError("an invite has 1 to 64 visible characters") }
    }
  }

  /// Those that were given and are about a new way in.
  var given: GivenOptions {
    GivenOptions([
      "--invite": !invite.isEmpty, "--choose": choose, "--digits": digits != nil,
      "--new-guard-pin-file": newGuardPinFile != nil, "--new-guard-pin-fd": newGuardPinFd != nil,
      "--pin-out": pinOut != nil, "--reveal": reveal, "--restart": restart,
    ])
  }

  /// Whether the person chooses the PIN.
  var isOwn: Bool { choose || newGuardPinFd != nil || newGuardPinFile != nil }

  /// The invite for a guard.
  ///
  /// An address may hold `=` only in its path, so the last one ends it.
  func invite(for url: ServiceURL) -> String? {
    var common: String?
    for text in invite {
      guard let split = text.lastIndex(of: "="), text.hasPrefix("http") else {
        common = text
        continue
      }
      if text[..<split] == url.text { return String(text[text.index(after: split)...]) }
    }
    return common
  }

  /// Reads the person's own PIN, or asks for it twice, until the blocklist accepts it.
  ///
  /// - Parameters:
  ///   - isPassword: whether it is a password.
  ///   - common: the options of output.
  ///   - world: the environment of the process.
  /// - Returns: UTF-8.
  /// - Throws: `data-invalid` for one that is easily guessed, `config` when nobody can be asked.
  func ownPIN(
    isPassword: Bool, _ common: CommonOptions, _ world: World
  ) throws(UserMessage) -> SecretBytes {
    let what = isPassword ? "password" : "PIN"
    let given = try SecretLine.read(
      descriptor: newGuardPinFd, orFile: newGuardPinFile, what: what,
      option: "--new-guard-pin-file", limit: GuardPINAsker.limit)
    if let given {
      try Self.check(given, isPassword)
      return given
    }
    let prompter = common.prompter(world)
    let asker = PINPrograms(world, try SettingsFile.load(world)).asker(prompter)
    var first = PINQuestion(subject: "New \(what) for the guards", what: what)
    let second = PINQuestion(subject: "The same \(what) again", what: what)
    for round in 1... {
      guard let typed = try asker.ask(first, prompter), let again = try asker.ask(second, prompter)
      else {
        throw UserMessage(
          .config, "a new \(what) is needed and nobody can be asked",
          hint: "give it with --new-guard-pin-fd or --new-guard-pin-file")
      }
      do throws(UserMessage) {
        guard typed.isEqual(to: again) else {
          throw UserMessage(
            .dataInvalid, "the two are not the same", hint: "give the same \(what) twice")
        }
        try Self.check(typed, isPassword)
        return typed
      } catch {
        if asker.isProgram, round == 5 { throw error }
        first.complaint = error.sentence
      }
    }
    throw .interrupted
  }

  private static func check(
    _ pin: borrowing SecretBytes, _ isPassword: Bool
  ) throws(UserMessage) {
    let what = isPassword ? "password" : "PIN"
    if let obstacle = PINBlocklist.obstacle(to: pin) {
      throw UserMessage(
        .dataInvalid, "the new \(what) cannot be typed alike everywhere: \(obstacle)",
        hint: "leave these characters out")
    }
    guard let objection = PINBlocklist.objection(to: pin, isPassword: isPassword) else { return }
    throw UserMessage(
      .dataInvalid,
      "the new \(what) would be guessed early: \(objection)",
      hint: isPassword
        ? "take several words that do not belong together"
        : "a random PIN is safer: leave out --choose")
  }
}

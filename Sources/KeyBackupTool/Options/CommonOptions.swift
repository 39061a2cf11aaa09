// This folder is for groups of options that several commands take, and the types of their
// values. Later rooms and commands declare them. No command is known here, and no backup is
// opened.

internal import ArgumentParser
internal import PRFDevice

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print the result or error as one JSON object.")
  var json = false

  @Flag(name: [.short, .long], help: "Say more about what happens.")
  var verbose = false

  @Flag(help: "Print no notes, only the result.")
  var quiet = false

  @Flag(help: "Never ask; fail instead.")
  var noInput = false

  @Option(
    help: ArgumentHelp(
      "Write events for a calling program to this open descriptor, as JSON lines.",
      valueName: "n"))
  var eventsFd: Int32?

  mutating func validate() throws {
    if let eventsFd, let obstacle = Events.obstacle(eventsFd) {
      throw ValidationError("--events-fd cannot be used: \(obstacle)")
    }
  }

  /// The streams these options ask for.
  func output(_ world: World) -> Output { Output(json: json, quiet: quiet, world) }

  /// The person, or nobody with `--no-input`.
  func prompter(_ world: World) -> Prompter {
    Prompter(output: output(world), noInput: noInput, events: events, world)
  }

  /// The calling program, or nobody.
  var events: Events { Events(descriptor: eventsFd) }
}

/// The options of commands that use an authenticator.
struct DeviceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use the security key at this path.", valueName: "path"))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "Wait this long for a security key (default: 30 on a terminal, else 0).",
      valueName: "seconds"))
  var wait: Int?

  @Option(help: ArgumentHelp("Wait this long for a touch (default: 60).", valueName: "seconds"))
  var timeout: Int?

  /// Seconds to wait for a touch where nothing says otherwise.
  static let standardTimeout = 60

  /// Those that were given.
  var given: GivenOptions {
    GivenOptions([
      "--device": device != nil, "--wait": wait != nil, "--timeout": timeout != nil,
      "--trace": trace,
    ])
  }

  @Flag(help: "Show the traffic with the key on standard error. It reveals salts and IDs.")
  var trace = false

  mutating func validate() throws {
    if let wait, !(0...86_400).contains(wait) {
      throw ValidationError("--wait takes 0 to 86400 seconds")
    }
    if let timeout, !(1...600).contains(timeout) {
      throw ValidationError("--timeout takes 1 to 600 seconds")
    }
  }
}

/// Where a PIN comes from.
struct PINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the PIN from this open descriptor: one line for each key.",
      valueName: "n"))
  var pinFd: Int32?

  @Option(
    help: ArgumentHelp("Read the PIN from this file; only you may read it.", valueName: "path"))
  var pinFile: String?

  @Flag(help: "Try the PIN even when 2 or fewer tries are left.")
  var allowLastTries = false

  /// Those that were given.
  var given: GivenOptions {
    GivenOptions([
      "--pin-fd": pinFd != nil, "--pin-file": pinFile != nil,
      "--allow-last-tries": allowLastTries,
    ])
  }

  mutating func validate() throws { try DescriptorCheck.check(pinFd, "--pin-fd") }

  /// Decides where a PIN comes from, by these options and this computer's settings.
  ///
  /// - Parameters:
  ///   - world: the environment.
  ///   - settings: keybackup.conf.
  ///   - use: which key the PIN is for.
  /// - Returns: where the PIN comes from.
  /// - Throws: `config` when a variable cannot be used.
  func policy(
    _ world: World, _ settings: SettingsFile, for use: PINPolicy.Use = .firstKey
  ) throws(UserMessage) -> PINPolicy {
    var policy = PINPolicy(
      programs: PINPrograms(world, settings), allowsLastTries: allowLastTries)
    let setting = try setting(world, settings)
    // A variable and keybackup.conf are there all the time and name one key's PIN: sent to a
    // second key of the same command, it would cost that one a try.
    if use == .secondKey, setting?.isAlwaysThere == true {
      policy.withheld = setting
      policy.source = world.pinCredential.map(PINSource.setting)
    } else {
      policy.source = pinFd.map { .descriptor($0) } ?? setting.map(PINSource.setting)
    }
    return policy
  }

  /// The file that holds the PIN, where it is named and no descriptor is.
  ///
  /// - Throws: `config` when a variable cannot be used.
  func setting(_ world: World, _ settings: SettingsFile) throws(UserMessage) -> Setting? {
    if pinFd != nil { return nil }
    if let pinFile { return Setting(name: .pinFile, value: pinFile, origin: .option("--pin-file")) }
    if let setting = try world.pinFileVariable() { return setting }
    return world.pinCredential ?? settings[.pinFile]
  }

  /// Refuses to read the PIN from standard input where another input is read.
  ///
  /// - Parameter inputs: where those come from, `-` for standard input.
  /// - Throws: a usage error.
  func requireOtherInput(than inputs: String?...) throws {
    if pinFd == 0, inputs.contains("-") {
      throw ValidationError("the PIN and another input cannot both come from standard input")
    }
  }
}

/// How a PIN is got and when it is not tried.
struct PINPolicy: Sendable {
  /// Where it is read from; nil: a person is asked.
  var source: PINSource?
  /// The programs that may ask a person instead of the terminal.
  var programs = PINPrograms()
  /// Try it with 2 or fewer tries left.
  var allowsLastTries = false
  /// How many more the command needs from the same source, for other keys.
  var furtherPINs = 0
  /// In which order their keys are asked.
  var order = "first the one that opens the backup"
  /// A file whose PIN is another key's.
  var withheld: Setting?

  /// Which key of a command a PIN is for.
  enum Use: Sendable {
    /// The only one, or the one that opens the backup.
    case firstKey
    /// Another one: that is enrolled, or is the second secret of a recovery kit.
    case secondKey
  }
}

/// Which backup is meant.
struct FolderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The synced folder (default: $KEYBACKUP_FOLDER, else the one of init).",
      valueName: "path"))
  var folder: String?

  @Option(help: ArgumentHelp("The namespace, if the folder holds several.", valueName: "id"))
  var namespace: String?

  /// Those that were given.
  var given: GivenOptions {
    GivenOptions(["--folder": folder != nil, "--namespace": namespace != nil])
  }

  mutating func validate() throws {
    if folder == "" { throw ValidationError("--folder names a folder") }
    if let folder { SuggestedCommands.folder = folder }
  }
}

/// The relying party ID of a backup's credentials.
struct BackupRelyingPartyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Relying party ID (covebitcoinwallet.com opens Cove's backups).",
      valueName: "id"))
  var rpId: String?

  /// The option, if it was given.
  var given: GivenOptions { GivenOptions(["--rp-id": rpId != nil]) }

  mutating func validate() throws {
    let limit = PRFRequest.maximumRelyingPartyIDBytes
    if let rpId, !(1...limit).contains(rpId.utf8.count) {
      throw ValidationError("a relying party ID has 1 to \(limit) bytes")
    }
  }

  /// The ID for new credentials.
  ///
  /// Like OpenSSH's `ssh:` it is no valid host name, so no web page can ever
  /// ask a key for this secret.
  static let standard = "keybackup:"
}

package import ArgumentParser
package import CommandKit

/// Where a PIN comes from.
package struct PINOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the PIN from this open descriptor: one line for each key.",
      valueName: "n"))
  package var pinFd: Int32?

  @Option(
    help: ArgumentHelp("Read the PIN from this file; only you may read it.", valueName: "path"))
  package var pinFile: String?

  @Flag(help: "Try the PIN even when 2 or fewer tries are left.")
  var allowLastTries = false

  package init() {}

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions([
      "--pin-fd": pinFd != nil, "--pin-file": pinFile != nil,
      "--allow-last-tries": allowLastTries,
    ])
  }

  package mutating func validate() throws { try DescriptorCheck.check(pinFd, "--pin-fd") }

  /// Decides where a PIN comes from, by these options and this computer's settings.
  ///
  /// - Parameters:
  ///   - world: the environment.
  ///   - settings: keybackup.conf.
  ///   - use: which key the PIN is for.
  /// - Returns: where the PIN comes from.
  /// - Throws: `config` when a variable cannot be used.
  package func policy(
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
  package func setting(_ world: World, _ settings: SettingsFile) throws(UserMessage) -> Setting? {
    if pinFd != nil { return nil }
    if let pinFile { return Setting(name: .pinFile, value: pinFile, origin: .option("--pin-file")) }
    if let setting = try world.pinFileVariable() { return setting }
    return world.pinCredential ?? settings[.pinFile]
  }

  /// Refuses to read the PIN from standard input where another input is read.
  ///
  /// - Parameter inputs: where those come from, `-` for standard input.
  /// - Throws: a usage error.
  package func requireOtherInput(than inputs: String?...) throws {
    if pinFd == 0, inputs.contains("-") {
      throw ValidationError("the PIN and another input cannot both come from standard input")
    }
  }
}

/// How a PIN is got and when it is not tried.
package struct PINPolicy: Sendable {
  /// Where it is read from; nil: a person is asked.
  package var source: PINSource?
  /// The programs that may ask a person instead of the terminal.
  var programs = PINPrograms()
  /// Try it with 2 or fewer tries left.
  var allowsLastTries = false
  /// How many more the command needs from the same source, for other keys.
  package var furtherPINs = 0
  /// In which order their keys are asked.
  package var order = "first the one that opens the backup"
  /// A file whose PIN is another key's.
  package var withheld: Setting?

  /// Which key of a command a PIN is for.
  package enum Use: Sendable {
    /// The only one, or the one that opens the backup.
    case firstKey
    /// Another one: that is enrolled, or is the second secret of a recovery kit.
    case secondKey
  }

  package init(
    source: PINSource? = nil, programs: PINPrograms = PINPrograms(), allowsLastTries: Bool = false,
    furtherPINs: Int = 0, order: String = "first the one that opens the backup",
    withheld: Setting? = nil
  ) {
    self.source = source
    self.programs = programs
    self.allowsLastTries = allowsLastTries
    self.furtherPINs = furtherPINs
    self.order = order
    self.withheld = withheld
  }
}

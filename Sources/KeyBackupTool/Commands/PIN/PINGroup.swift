internal import ArgumentParser
internal import Glibc
internal import PRFDevice
internal import SecretMemory

/// `keybackup pin`: the security key's PIN.
struct PINGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Set or change a security key's PIN.",
    subcommands: [PINSetCommand.self, PINChangeCommand.self])
}

/// Where the new PIN comes from.
struct NewPINOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the new PIN from this open descriptor.", valueName: "n"))
  var newPinFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the new PIN from this file, which only you may read.", valueName: "path"))
  var newPinFile: String?

  /// The new PIN: from the options, or typed twice.
  ///
  /// - Throws: `config` when nobody can be asked, `data-invalid` when the PIN
  ///   breaks CTAP's rules.
  func read(_ prompter: Prompter) throws(UserMessage) -> PIN {
    let typed: SecretBytes
    if let newPinFd {
      typed = try PINSource.descriptor(newPinFd).read()
    } else if let newPinFile {
      typed = try PINSource.file(newPinFile).read()
    } else {
      typed = try Self.ask(prompter)
    }
    do throws(PRFDeviceError) {
      return try PIN(typed)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Asks the person at the terminal, twice.
  static func ask(_ prompter: Prompter) throws(UserMessage) -> SecretBytes {
    let missing = UserMessage(
      .config, "a new PIN is needed and nobody can be asked",
      hint: "give it with --new-pin-fd or --new-pin-file")
    while true {
      guard let first = try prompter.secret("New PIN: ", limit: PIN.maximumTypedBytes),
        let second = try prompter.secret("The same PIN again: ", limit: PIN.maximumTypedBytes)
      else { throw missing }
      if first.isEqual(to: second) { return first }
      prompter.tell("The two are not the same.")
    }
  }
}

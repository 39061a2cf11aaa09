internal import CSPP
package import CommandKit
internal import GuardProtocol
package import SecretMemory
internal import SecurityKeys

/// Obtains the PIN for guards from a person or a program.
package struct GuardPINAsker {
  private let options: GuardOptions
  private let prompter: Prompter
  private let asker: PINAsker

  /// The longest line that is kept: the longest PIN, and one byte that shows that it is too long.
  package static let limit = PINStretching.pinSize.upperBound + 1

  package init(_ options: GuardOptions, _ common: CommonOptions, _ world: World) throws(UserMessage)
  {
    self.options = options
    prompter = common.prompter(world)
    asker = PINPrograms(world, try SettingsFile.load(world)).asker(prompter)
  }

  /// Reads the PIN from the file or descriptor in the options, or otherwise asks for it.
  ///
  /// - Parameters:
  ///   - what: "PIN" or "password".
  ///   - servers: the guards that will be asked.
  ///   - left: the tries that are left.
  /// - Returns: UTF-8.
  /// - Throws: `no-input` for an empty one, `config` when nobody can be asked, and the errors of the
  ///   sources.
  package func pin(
    _ what: String, for servers: [AskedGuard], triesLeft left: Int
  ) throws(UserMessage) -> SecretBytes {
    prompter.events.send(
      .guardPIN(hosts: servers.map(\.name), triesLeft: left, source: source))
    let pin: SecretBytes
    if let given = try given() { pin = given } else { pin = try ask(what, servers, left) }
    guard pin.count > 0 else {
      throw UserMessage(
        .noInput, "the \(what) for the guards is empty", hint: "no try was spent; try again")
    }
    if let flaw = pin.pinFlaw() {
      throw UserMessage(
        .dataInvalid, "the \(what) for the guards \(flaw.words)",
        hint: "no try was spent; give it again")
    }
    if source == "file", pin.hasSpaceAtEdge {
      throw UserMessage(
        .dataInvalid, "the \(what) for the guards begins or ends with a space",
        hint: "no try was spent; remove the space, or type a \(what) that has one at the prompt")
    }
    return pin
  }

  private var source: String {
    options.guardPinFd != nil ? "descriptor" : options.guardPinFile != nil ? "file" : asker.word
  }

  private func given() throws(UserMessage) -> SecretBytes? {
    try SecretLine.read(
      descriptor: options.guardPinFd, orFile: options.guardPinFile,
      orInput: prompter.output.streams.input, what: "PIN", option: "--guard-pin-file",
      limit: Self.limit)
  }

  private func ask(
    _ what: String, _ servers: [AskedGuard], _ left: Int
  ) throws(UserMessage) -> SecretBytes {
    let question = PINQuestion(
      subject: "\(what == PINQuestion.pin ? what : "Password") for the guards \(servers.names)",
      note: "\(UserMessage.tries(left)) left", what: what)
    guard let typed = try asker.ask(question, prompter) else {
      throw UserMessage(
        .config, "the \(what) for the guards is needed and nobody can be asked",
        hint: "use --guard-pin-file or --guard-pin-fd")
    }
    return typed
  }
}

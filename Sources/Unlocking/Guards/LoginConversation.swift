package import CSPP
package import CommandKit
internal import Glibc
internal import GuardProtocol

/// The login at an OpenID provider, in a browser here or on another device.
package struct LoginConversation {
  package let issuer: ServiceURL
  package let clientID: String
  package let keyID: KeyID
  package let isPasted: Bool
  package let common: CommonOptions
  package let world: World

  /// The time for a login in milliseconds.
  private static let timeout: Int64 = 300_000

  package init(
    issuer: ServiceURL, clientID: String, keyID: KeyID, isPasted: Bool, common: CommonOptions,
    world: World
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.keyID = keyID
    self.isPasted = isPasted
    self.common = common
    self.world = world
  }

  /// Logs in.
  ///
  /// - Parameters:
  ///   - sessionKey: the key to which the ID token is tied.
  ///   - caller: has the program that opens connections.
  /// - Returns: the ID token.
  /// - Throws: `denied`, `login-timeout`, `login-failed`; `config` where nobody can log in.
  package func token(
    for sessionKey: X25519Key, _ caller: GuardCaller
  ) throws(UserMessage) -> String {
    try requirePerson()
    let prompter = common.prompter(world)
    let program = caller.login
    let id = program.nextID()
    try program.send(
      GuardLine.Login(
        id: id, issuer: issuer, clientID: clientID,
        nonce: LoginNonce.text(keyID: keyID, sessionKey: sessionKey), isPasted: isPasted,
        timeout: Self.timeout
      ).text)
    let deadline = HelperProgram.now() + Self.timeout + GuardProgram.slack
    var pasted: String?
    while let reply = try program.receive(until: deadline) {
      guard reply.id == id else { continue }
      switch reply.content {
      case .authorize(let address):
        let seconds = Int((deadline - HelperProgram.now()) / 1000)
        common.events(world).send(.login(issuer: issuer.host, url: address, secondsLeft: seconds))
        // It comes again after an address that does not belong to this login.
        if let pasted { prompter.tell(Self.complaint(pasted)) }
        try show(address, prompter)
        guard isPasted else { continue }
        guard let typed = try prompter.line("The address at which the browser ended: "),
          !typed.isEmpty
        else {
          try program.send(GuardLine.cancel(id))
          throw UserMessage(.denied, "no address was given, so the login was given up")
        }
        try program.send(GuardLine.redirect(typed, of: id))
        pasted = typed
      case .token(let token): return token
      case .failure(let reason, let detail): throw failure(reason, detail)
      case .answer: throw .guardProgramGone
      }
    }
    throw failure("timeout", "")
  }

  /// Throws where nobody can log in, before anything is begun or forgotten.
  ///
  /// A calling program that reads events gets the address, and brings a person to it.
  ///
  /// - Throws: `config`.
  func requirePerson() throws(UserMessage) {
    if isPasted, !common.prompter(world).canAsk {
      throw UserMessage(
        .config, "--paste-login needs a terminal, and there is none",
        hint: "leave it out where this computer has a browser")
    }
    if common.noInput, common.eventsFd == nil {
      throw UserMessage(
        .config, "a login at \(issuer.host) is needed, and --no-input asks nobody",
        hint: "leave out --no-input, or read the address with --events-fd")
    }
  }

  /// Why a pasted address is not taken.
  package static func complaint(_ address: String) -> String {
    for mark in ["?error=", "&error="] {
      guard let parts = address.firstRange(of: mark) else { continue }
      let word = address[parts.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
      if (1...40).contains(word.count) {
        return "The provider refused: \(word)."
      }
    }
    return "This address has no login in it, or that of another run. Paste the address at which "
      + "the browser ends."
  }

  private func show(_ address: String, _ prompter: Prompter) throws(UserMessage) {
    guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
      throw .guardProgramGone
    }
    let isOpened = !isPasted && openBrowser(address)
    prompter.tell(
      isOpened
        ? "A browser opens for the login at \(issuer.host). If it does not, open this address:"
        : "Open this address in a browser, and log in at \(issuer.host):")
    prompter.tell(address)
    if isPasted {
      prompter.tell(
        "After the login the browser shows an address that it cannot reach, which begins with "
          + "http://127.0.0.1. Copy all of it.")
    }
  }

  /// Opens the address where there is a display.
  ///
  /// - Returns: whether a program was started for it.
  private func openBrowser(_ address: String) -> Bool {
    let hasDisplay = world.variable("DISPLAY") != nil || world.variable("WAYLAND_DISPLAY") != nil
    guard hasDisplay, HelperProgram.exists("xdg-open", world.environment) else { return false }
    let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return false }
    defer { close(null) }
    var process: pid_t = 0
    // It ends soon, and leaves the browser running.
    signal(SIGCHLD, SIG_DFL)
    guard HelperProgram.spawn(&process, ["xdg-open", address], null, null) == 0 else {
      return false
    }
    for _ in 0..<300 {
      var status: Int32 = 0
      let ended = unsafe waitpid(process, &status, WNOHANG)
      if ended != 0 { return ended == process && status == 0 }
      usleep(10_000)
    }
    return true
  }

  private func failure(_ reason: String, _ detail: String) -> UserMessage {
    let why = PrintableText.name(detail, limit: 200)
    switch reason {
    case "denied":
      return UserMessage(
        .denied, "the login at \(issuer.host) was refused" + (why.isEmpty ? "" : ": \(why)"),
        hint: "run the command again to log in")
    case "timeout":
      return UserMessage(
        .touchTimeout, word: "login-timeout", "nobody logged in at \(issuer.host) in time",
        hint: "run the command again; with a browser on another device, add --paste-login")
    case "login":
      // The provider answered, and a new login is another one.
      return UserMessage(
        .noAuthenticator, word: "login-failed",
        "the login at \(issuer.host) failed" + (why.isEmpty ? "" : ": \(why)"),
        hint: "run the command again, or use another way in")
    default:
      return UserMessage(
        .noAuthenticator, word: "login-failed",
        "the login at \(issuer.host) failed" + (why.isEmpty ? "" : ": \(why)"),
        hint: "check the connection, then try again or use another way in")
    }
  }
}

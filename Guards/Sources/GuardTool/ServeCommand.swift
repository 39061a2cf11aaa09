internal import ArgumentParser
internal import CSPP
internal import FoundationEssentials
internal import GuardService

/// `keybackup-guard serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server.",
    discussion: """
      Without options it listens on this computer alone, with a certificate and a database that it \
      makes in its state folder. Stop it with SIGTERM; SIGHUP reads the certificate again.
      """)

  @OptionGroup var state: StateOptions
  @OptionGroup var network: NetworkOptions
  @OptionGroup var login: LoginOptions

  @Flag(help: "Let everybody create accounts, without an invite.")
  var open = false

  @Flag(help: "Do not log requests.")
  var quiet = false

  @Flag(help: "Print one line of JSON when the server listens.")
  var json = false

  func run() async throws {
    let folder = try state.madeFolder()
    let settings = try network.settings(folder: folder, isQuiet: quiet)
    let verifier = try login.verifier()
    try ServeLock.take(state, folder: folder)
    let opened = try await OpenedGuard.open(
      state, folder: folder, isFirst: true, verifier: verifier,
      GuardAccountService.Options(
        urls: network.urls, issuers: verifier.issuers, wantsInvites: !open))
    if let key = opened.newServerKey {
      GuardStreams.note(
        "A server key was made: \(key)\nhint: Copy it to another place than the database's backup. "
          + "Without it, every account is lost.")
    }
    if await opened.accounts.state().isStopped {
      GuardStreams.note(
        "warning: This guard was exported. It helps no client, and tells each that it moved.\n"
          + "hint: Run the guard that imported its accounts, and stop this one.")
    }
    if opened.hasLostDatabase {
      GuardStreams.note(
        "warning: the server key was there, and the database is new: it knows no account\n"
          + "hint: If this guard had accounts, stop it and put its database in place.")
    }
    let guardID = opened.accounts.guardID.hex
    do throws(GuardServerError) {
      let server = try GuardServer(settings, service: opened.accounts)
      try await server.run(environment: ProcessInfo.processInfo.environment) { listening in
        tell(listening, guardID: guardID)
      }
    } catch {
      await opened.close()
      throw GuardToolError(error)
    }
    await opened.close()
  }

  private func tell(_ listening: GuardServer.Listening, guardID: String) {
    let url = network.urls.first ?? Self.url(listening, isPlain: network.plain)
    guard json else {
      GuardStreams.result(
        "Guard \(guardID) listens on \(listening.address.text)"
          + (url.map { ", URL \($0)" } ?? ""))
      if let authority = listening.authority {
        GuardStreams.result("Clients of this computer need: --guard-ca \(authority)")
      }
      return
    }
    GuardStreams.result(
      JSONText.object([
        ("schema", "1"), ("listening", JSONText.quoted(listening.address.text)),
        ("guard_id", JSONText.quoted(guardID)), ("url", url.map { JSONText.quoted($0) }),
        ("ca", listening.authority.map { JSONText.quoted($0) }),
      ]))
  }

  /// The address as a URL; nil for a Unix socket.
  private static func url(_ listening: GuardServer.Listening, isPlain: Bool) -> String? {
    guard case .network = listening.address else { return nil }
    return (isPlain ? "http://" : "https://") + listening.address.text
  }
}

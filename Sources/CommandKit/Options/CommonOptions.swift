// This folder is for groups of options that several commands take, and the types of their
// values. Later rooms and commands declare them. No command is known here, and no backup is
// opened.

package import ArgumentParser
internal import PRFDevice

/// The options of every command.
package struct CommonOptions: ParsableArguments {
  @Flag(help: "Print the result or error as one JSON object.")
  package var json = false

  @Flag(name: [.short, .long], help: "Say more about what happens.")
  package var verbose = false

  @Flag(help: "Print no notes, only the result.")
  package var quiet = false

  @Flag(help: "Never ask; fail instead.")
  package var noInput = false

  @Option(
    help: ArgumentHelp(
      "Write events for a calling program to this open descriptor, as JSON lines.",
      valueName: "n"))
  package var eventsFd: Int32?

  package init() {}

  package mutating func validate() throws {
    if let eventsFd, let obstacle = Events.obstacle(eventsFd) {
      throw ValidationError("--events-fd cannot be used: \(obstacle)")
    }
  }

  /// The streams these options ask for.
  package func output(_ world: World) -> Output { Output(json: json, quiet: quiet, world) }

  /// The person, or nobody with `--no-input`.
  package func prompter(_ world: World) -> Prompter {
    Prompter(output: output(world), noInput: noInput, events: events(world), world)
  }

  /// The calling program, or nobody.
  package func events(_ world: World) -> Events { Events(descriptor: eventsFd, world.run) }
}

/// The options of commands that use an authenticator.
package struct DeviceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use the security key at this path.", valueName: "path"))
  package var device: String?

  @Option(
    help: ArgumentHelp(
      "Wait this long for a security key (default: 30 on a terminal, else 0).",
      valueName: "seconds"))
  package var wait: Int?

  @Option(help: ArgumentHelp("Wait this long for a touch (default: 60).", valueName: "seconds"))
  package var timeout: Int?

  /// Seconds to wait for a touch where nothing says otherwise.
  package static let standardTimeout = 60

  package init() {}

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions([
      "--device": device != nil, "--wait": wait != nil, "--timeout": timeout != nil,
      "--trace": trace,
    ])
  }

  /// Those that were given and matter only where a touch is waited for.
  package var givenForTouch: GivenOptions { GivenOptions(["--timeout": timeout != nil]) }

  @Flag(help: "Show the traffic with the key on standard error. It reveals salts and IDs.")
  package var trace = false

  package mutating func validate() throws {
    if let wait, !(0...86_400).contains(wait) {
      throw ValidationError("--wait takes 0 to 86400 seconds")
    }
    if let timeout, !(1...600).contains(timeout) {
      throw ValidationError("--timeout takes 1 to 600 seconds")
    }
  }
}

/// Which backup is meant.
package struct FolderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The synced folder (default: $KEYBACKUP_FOLDER, else the one of init).",
      valueName: "path"))
  package var folder: String?

  @Option(help: ArgumentHelp("The namespace, if the folder holds several.", valueName: "id"))
  package var namespace: String?

  package init() {}

  /// Those that were given.
  package var given: GivenOptions {
    GivenOptions(["--folder": folder != nil, "--namespace": namespace != nil])
  }

  /// Refuses to name a backup where all backups of the folder are looked at, or none.
  ///
  /// - Throws: a usage error.
  package func refuseNamespace() throws {
    try GivenOptions(["--namespace": namespace != nil])
      .refuse(without: "a command that uses one backup")
  }

  package mutating func validate() throws {
    if folder == "" { throw ValidationError("--folder names a folder") }
  }
}

/// The relying party ID of a backup's credentials.
package struct BackupRelyingPartyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Relying party ID (covebitcoinwallet.com opens Cove's backups).",
      valueName: "id"))
  package var rpId: String?

  /// The option, if it was given.
  package var given: GivenOptions { GivenOptions(["--rp-id": rpId != nil]) }

  package init() {}

  package mutating func validate() throws {
    let limit = PRFRequest.maximumRelyingPartyIDBytes
    if let rpId, !(1...limit).contains(rpId.utf8.count) {
      throw ValidationError("a relying party ID has 1 to \(limit) bytes")
    }
  }

  /// The ID for new credentials.
  ///
  /// Like OpenSSH's `ssh:` it is no valid host name, so no web page can ever
  /// ask a key for this secret.
  package static let standard = "keybackup:"
}

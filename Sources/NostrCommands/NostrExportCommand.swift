package import ArgumentParser
package import CommandKit
internal import CommandSupport
internal import Nostr
internal import SecretMemory
internal import SecurityKeys
internal import SyncFolders

/// `keybackup nostr export`: an identity's secret key, only when asked for twice.
package struct NostrExportCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the nsec of an identity.",
    discussion: """
      Anyone who has the nsec is that identity, for good. Prefer keybackup nostr sign.
      """)

  @OptionGroup var keys: NostrKeyOptions
  @OptionGroup var identity: IdentityOptions
  @OptionGroup var secret: RevealOptions

  package init() {}

  package mutating func validate() throws {
    try keys.pins.requireOtherInput(than: identity.passphrase.input)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    try secret.check(keys.common, world, folder: keys.folder.folder)
    let input = try identity.input(keys.common, world)
    var npub = ""
    var exported = SecretBytes(zeroed: 0)
    try await NostrKeys(keys, world).derive([input], expecting: identity, world) {
      _, key throws(UserMessage) in
      npub = NIP19.npub(key.publicKey)
      exported = secret.text(key)
    }
    try secret.write(exported, keys.common, world, json: ["npub": .string(npub)])
    return .success
  }
}

/// How a secret key leaves the program, if at all.
struct RevealOptions: ParsableArguments {
  @Flag(help: "Print the secret key.")
  var reveal = false

  @Option(
    help: ArgumentHelp("Write it to this new file, which only you may read.", valueName: "file"))
  var out: String?

  @Flag(help: "As 64 hex digits instead of an nsec.")
  var hex = false

  @OptionGroup var place: SyncedFolderOption

  /// Those that were given.
  var given: GivenOptions {
    GivenOptions(["--reveal": reveal, "--out": out != nil, "--hex": hex]) + place.given
  }

  mutating func validate() throws {
    if out == "" || out == "-" { throw ValidationError("--out names a file; --reveal prints") }
    if reveal, out != nil { throw ValidationError("--reveal prints, --out writes: choose one") }
  }

  /// Refuses to go on where the secret could not be given.
  ///
  /// - Parameters:
  ///   - common: where results go.
  ///   - world: where sync programs keep their settings.
  ///   - folder: the backup's folder, where the command names one.
  /// - Throws: `usage` without either option, `cannot-create`.
  func check(
    _ common: CommonOptions, _ world: World, folder: String? = nil
  ) throws(UserMessage) {
    guard reveal || out != nil else {
      throw UserMessage(
        .usage, "a secret key is printed only with --reveal",
        hint: "or write it to a file with --out FILE")
    }
    try OutputFile.requireFree(out)
    try place.requirePrivate(
      out, printed: out == nil ? common.output(world).resultFile : nil, besides: folder, world)
  }

  /// The key's text without a line end.
  func text(_ key: borrowing NostrSecretKey) -> SecretBytes {
    guard hex else { return NIP19.nsec(key) }
    return SecretBytes(count: 64) { digits in
      unsafe digits.withUnsafeMutableBytes { digits in
        key.withBytes { unsafe Hex.encode($0, into: digits) }
      }
    }
  }

  /// Prints or writes a key's text.
  func write(
    _ key: consuming SecretBytes, _ common: CommonOptions, _ world: World, json: JSONOutput
  ) throws(UserMessage) {
    if let out {
      var line = SecretText()
      line.append(text: key)
      line.append("\n")
      try OutputFile.write(line.finish(), to: out, world.run)
      if common.json {
        try common.output(world).result(
          json: json, ofChange: "\(ShellWord.quoted(out)) was written all the same")
      }
      return
    }
    var text = SecretText()
    if common.json {
      var members = json
      members["schema"] = 1
      // The secret joins them in guarded memory: `}` gives way to it.
      text.append(String(members.text.dropLast()) + ",\"secret_key\":\"")
      text.append(text: key)
      text.append("\"}\n")
    } else {
      text.append(text: key)
      text.append("\n")
    }
    try common.output(world).result(secret: text.finish())
  }
}

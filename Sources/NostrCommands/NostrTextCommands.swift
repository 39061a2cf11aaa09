package import ArgumentParser
package import CommandKit
internal import Nostr
internal import SecretMemory

/// `keybackup nostr encode`: hex digits to an npub or nsec, without a security key.
package struct NostrEncodeCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "encode", abstract: "Turn a public key's hex digits into an npub (NIP-19).",
    discussion: """
      With --secret, a secret key comes from a file or standard input, never from the \
      command line.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("64 hex digits of a public key.", valueName: "hex"))
  var hex: String?

  @Option(
    help: ArgumentHelp(
      "Read a secret key from this file, or - for standard input.", valueName: "file"))
  var secret: String?

  @OptionGroup var reveal: RevealOptions

  package init() {}

  package mutating func validate() throws {
    guard (hex == nil) != (secret == nil) else {
      throw ValidationError("give a public key's hex digits, or --secret FILE")
    }
    if secret == nil { try reveal.given.refuse(without: "--secret") }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if let secret {
      try reveal.check(common, world)
      let key = try NostrText.secretKey(NostrText.read(secret, common.prompter(world)))
      try reveal.write(
        reveal.text(key), common, world, json: ["npub": .string(NIP19.npub(key.publicKey))])
      return .success
    }
    try common.output(world).result(try NostrText.publicKey(hex ?? ""), npub: true)
    return .success
  }
}

/// `keybackup nostr decode`: an npub or nsec to hex digits, without a security key.
package struct NostrDecodeCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Turn an npub into hex digits (NIP-19).",
    discussion: """
      With --secret, an nsec comes from a file or standard input, never from the command \
      line.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("An npub.", valueName: "npub"))
  var npub: String?

  @Option(
    help: ArgumentHelp("Read an nsec from this file, or - for standard input.", valueName: "file"))
  var secret: String?

  @OptionGroup var reveal: RevealOptions

  package init() {}

  package mutating func validate() throws {
    guard (npub == nil) != (secret == nil) else {
      throw ValidationError("give an npub, or --secret FILE")
    }
    if secret == nil { try reveal.given.refuse(without: "--secret") }
    if npub?.lowercased().contains("nsec1") == true {
      throw ValidationError("an nsec is a secret: give it with --secret FILE or --secret -")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    if let secret {
      try reveal.check(common, world)
      let key = try NostrText.secretKey(NostrText.read(secret, common.prompter(world)))
      var digits = reveal
      digits.hex = true
      try digits.write(
        digits.text(key), common, world, json: ["npub": .string(NIP19.npub(key.publicKey))])
      return .success
    }
    try common.output(world).result(try NostrText.publicKey(npub ?? ""), npub: false)
    return .success
  }
}

/// `keybackup nostr validate`: is this a key? Needs no key and prints none.
package struct NostrValidateCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Check an npub, an nsec or hex digits, and say what it is.")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("An npub or hex digits; - reads from standard input.", valueName: "text"))
  var text: String

  package init() {}

  package mutating func validate() throws {
    if text.lowercased().contains("nsec1") {
      throw ValidationError("an nsec is a secret: give it on standard input, with -")
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    guard text == "-" else {
      try report(try NostrText.publicKey(text), kind: "public-key", world)
      return .success
    }
    let found = try NostrText.examine(NostrText.read("-", common.prompter(world)))
    try report(found.publicKey, kind: found.kind, world)
    return .success
  }

  private func report(_ key: NostrPublicKey?, kind: String, _ world: World) throws(UserMessage) {
    if common.json {
      try common.output(world).result(json: [
        "valid": true, "kind": .string(kind), "npub": .optional(key.map(NIP19.npub)),
      ])
    } else {
      let words =
        kind == "either" ? "a public or a secret key" : "a " + kind.replacing("-", with: " ")
      try common.output(world).result("valid: \(words)" + (key.map { ", \(NIP19.npub($0))" } ?? ""))
    }
  }
}

extension Output {
  /// Prints a public key.
  fileprivate func result(_ key: NostrPublicKey, npub: Bool) throws(UserMessage) {
    if json {
      try result(json: ["npub": .string(NIP19.npub(key)), "public_key": .string(key.hex)])
    } else {
      try result(npub ? NIP19.npub(key) : key.hex)
    }
  }
}

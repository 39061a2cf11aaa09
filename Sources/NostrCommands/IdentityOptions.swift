internal import ArgumentParser
internal import CommandKit
internal import Nostr
internal import SecretMemory

/// The options that select one identity.
struct IdentityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The identity with this number (default: the one without).", valueName: "n"))
  var index: UInt32?

  @OptionGroup var passphrase: PassphraseOptions

  @Option(
    help: ArgumentHelp("Refuse any other identity than this one.", valueName: "npub"))
  var expect: String?

  mutating func validate() throws {
    if index != nil, passphrase.isGiven {
      throw ValidationError("an identity has a number or a passphrase")
    }
    try IndexCheck.check(index)
    if let expect, (try? NostrText.publicKey(expect)) == nil {
      throw ValidationError("--expect takes an npub or 64 hex digits")
    }
  }

  /// The identity's input.
  ///
  /// A mistyped passphrase gives another identity, so it is requested twice unless a public key is
  /// expected.
  func input(_ common: CommonOptions, _ world: World) throws(UserMessage) -> IdentityInput {
    if let index { return .index(index) }
    guard passphrase.isGiven else { return .standard }
    return .passphrase(try passphrase.read(common, world, twice: expect == nil))
  }

  /// Throws if an identity is not the expected one.
  func check(_ key: NostrPublicKey) throws(UserMessage) {
    guard let expect else { return }
    let expected = try NostrText.publicKey(expect)
    guard key == expected else {
      throw UserMessage(
        .wrongKey, "the key gives another identity than \(NIP19.npub(expected))",
        hint: passphrase.isGiven
          ? "check the passphrase and the security key"
          : "check --index, --credential and the security key")
    }
  }
}

/// The limits of an identity's index.
enum IndexCheck {
  /// Throws if an index is too high.
  static func check(_ index: UInt32?) throws {
    if let index, index > IdentityInput.maximumIndex {
      throw ValidationError("--index takes 0 to \(IdentityInput.maximumIndex)")
    }
  }
}

/// The options for the source of a passphrase.
struct PassphraseOptions: ParsableArguments {
  @Flag(help: "Ask for a passphrase: another identity. It is never stored.")
  var passphrase = false

  @Option(help: ArgumentHelp("Read the passphrase from this open descriptor.", valueName: "n"))
  var passphraseFd: Int32?

  @Option(
    help: ArgumentHelp(
      "Read the passphrase from this file; only you may read it.", valueName: "path"))
  var passphraseFile: String?

  mutating func validate() throws {
    try DescriptorCheck.check(passphraseFd, "--passphrase-fd")
    if passphraseFd != nil, passphraseFile != nil {
      throw ValidationError("the passphrase comes from one place")
    }
  }

  /// `-` if the passphrase comes from standard input.
  var input: String? { passphraseFd == 0 || passphraseFile == "-" ? "-" : nil }

  /// Whether an identity with a passphrase is selected.
  var isGiven: Bool { passphrase || passphraseFd != nil || passphraseFile != nil }

  /// One byte more than the longest passphrase: a truncated one would give another identity.
  private static let limit = 4096

  /// The passphrase, which may be empty.
  ///
  /// - Parameters:
  ///   - common: asks the user.
  ///   - world: where the user is.
  ///   - twice: whether the user types it twice.
  /// - Returns: its bytes.
  /// - Throws: `config` when nobody can be asked or others can read the file, `data-invalid` when
  ///   it is too long or the two differ.
  func read(_ common: CommonOptions, _ world: World, twice: Bool) throws(UserMessage) -> SecretBytes
  {
    let given = try SecretLine.read(
      descriptor: passphraseFd, orFile: passphraseFile, what: "passphrase", limit: Self.limit)
    let phrase =
      if let given { given } else { try ask(common.prompter(world), twice: twice) }
    guard phrase.count < Self.limit else {
      throw UserMessage(
        .dataInvalid, "the passphrase is too long", hint: "it has at most \(Self.limit - 1) bytes")
    }
    if phrase.count == 0 {
      common.output(world).warn(
        "keybackup: the passphrase is empty; that is an identity of its own")
    }
    return phrase
  }

  private func ask(_ prompter: Prompter, twice: Bool) throws(UserMessage) -> SecretBytes {
    try TwiceTyped.read(
      "passphrase", prompt: "Passphrase", prompter, twice: twice, limit: Self.limit - 1,
      nobody: "give it with --passphrase-fd or --passphrase-file",
      onSlip: "another passphrase is another identity: type it again with care")
  }
}

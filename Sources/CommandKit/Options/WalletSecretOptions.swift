package import ArgumentParser
package import CSPP
internal import CommandSupport
package import SecretMemory
package import WalletFormats

/// The secret of a new wallet: one of four kinds, from a file or `-`.
package struct WalletSecretOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read BIP-39 words from this file or -.", valueName: "file"))
  package var mnemonic: String?

  @Option(
    help: ArgumentHelp("Read an extended private key from this file or -.", valueName: "file"))
  package var xprv: String?

  @Option(help: ArgumentHelp("Read an output descriptor from this file or -.", valueName: "file"))
  package var descriptor: String?

  @Option(
    help: ArgumentHelp(
      "Read an extended public key: a watch-only wallet.", valueName: "file"))
  package var xpub: String?

  @OptionGroup package var passphrase: WalletPassphraseOption

  @Option(help: ArgumentHelp("Read BIP-329 labels from this file or -.", valueName: "file"))
  package var labels: String?

  package init() {}

  package mutating func validate() throws {
    let given = [mnemonic, xprv, descriptor, xpub].compactMap { $0 }
    guard given.count <= 1 else {
      throw ValidationError("give exactly one of --mnemonic, --xprv, --descriptor and --xpub")
    }
    if passphrase.isGiven, mnemonic == nil, !given.isEmpty {
      throw ValidationError("--passphrase goes with --mnemonic")
    }
    if labels == "-", given == ["-"] {
      throw ValidationError("only one input can come from standard input")
    }
  }

  /// The file that the secret comes from, or `-`; nil: the person.
  package var source: String? { mnemonic ?? xprv ?? descriptor ?? xpub }

  /// Reads and checks the secret.
  ///
  /// - Parameters:
  ///   - network: the wallet's; a key of another one is refused.
  ///   - prompter: asked at a terminal where the secret shall come from `-`.
  /// - Returns: the secret, normalised.
  /// - Throws: `data-invalid` when it does not parse or its checksum fails.
  package func read(
    network: WalletNetwork, _ prompter: Prompter
  ) throws(UserMessage) -> CheckedSecret {
    do {
      if let mnemonic {
        let input = try Self.text(in: mnemonic, OtherSecret.mnemonic, asking: "mnemonic", prompter)
        try OtherSecret.refuse(input, besides: .mnemonic)
        return try CheckedSecret(Self.words(in: input), passphrase, prompter)
      }
      if let xprv {
        let key = try Self.key(xprv, .privateKey, "extended private key", network, prompter)
        return CheckedSecret(
          kind: .xprv, text: key.plainText(), spending: .full,
          fingerprint: try? key.masterFingerprint())
      }
      if let xpub {
        let key = try Self.key(xpub, .publicKey, "extended public key", network, prompter)
        return CheckedSecret(
          kind: .watchOnly, text: key.text.copy(), spending: .watchOnly,
          fingerprint: try? key.masterFingerprint())
      }
      if let descriptor {
        return try Self.descriptor(
          InputFile.readSecret(
            descriptor, limit: DescriptorList.sizeLimit, asking: "descriptor", prompter), network)
      }
      if prompter.canAsk,
        let typed = try prompter.secret(
          "BIP-39 words (hidden): ", limit: Mnemonic.sizeLimit - 1, allowsTabs: true)
      {
        return try CheckedSecret(Self.words(typed: typed), passphrase, prompter)
      }
    } catch {
      throw UserMessage(any: error, in: "the wallet's secret")
    }
    throw UserMessage(
      .usage, "no secret was given, and nobody can be asked",
      hint: "give exactly one of --mnemonic, --xprv, --descriptor and --xpub")
  }

  /// The text of a file, which may be larger than any secret: a wallet program's own is named.
  private static func text(
    in path: String, _ wanted: OtherSecret, asking name: String, _ prompter: Prompter
  ) throws(UserMessage) -> SecretBytes {
    let input = try InputFile.readSecret(
      path, limit: DescriptorList.sizeLimit, asking: name, prompter)
    if let known = KnownInput(recognising: input) {
      throw UserMessage(known, insteadOf: wanted.words)
    }
    return try input.unmarked(
      name, in: path == "-" ? "the standard input" : ShellWord.quoted(path))
  }

  /// The mnemonic in a file.
  ///
  /// - Throws: `data-invalid`; where there is more than words, with what belongs there.
  package static func words(in input: borrowing SecretBytes) throws(UserMessage) -> Mnemonic {
    do throws(WalletFormatError) {
      return try Mnemonic(checking: input)
    } catch .invalidCharacter(let position) {
      throw UserMessage(
        .dataInvalid, UserMessage(WalletFormatError.invalidCharacter(position: position)).message,
        hint: "keep only the words, with spaces or line ends between them: no numbers, no commas")
    } catch {
      throw UserMessage(error)
    }
  }

  /// The mnemonic that a person typed at the prompt.
  ///
  /// - Throws: `data-invalid`, with what to type instead: there is no file to look into.
  private static func words(typed: borrowing SecretBytes) throws(UserMessage) -> Mnemonic {
    do throws(WalletFormatError) {
      return try Mnemonic(checking: typed)
    } catch .empty {
      throw UserMessage(.dataInvalid, "nothing was typed", hint: wordsOnly)
    } catch {
      if let other = OtherSecret.allCases.first(where: { $0 != .mnemonic && $0.fits(typed) }) {
        throw UserMessage(
          .dataInvalid, "this is \(other.words), not a mnemonic",
          hint: "run the command again with --\(other.rawValue) - and type it when asked")
      }
      if let seed = OtherSeed(recognising: typed) { throw UserMessage(seed) }
      if let known = KnownInput(recognising: typed) {
        throw UserMessage(known, insteadOf: OtherSecret.mnemonic.words)
      }
      if case .mnemonicWordCount(let count) = error, count < 12 {
        throw UserMessage(error).adding(hint: "type all words on one line")
      }
      if case .invalidCharacter = error {
        throw UserMessage(.dataInvalid, UserMessage(error).message, hint: wordsOnly)
      }
      throw UserMessage(error)
    }
  }

  private static let wordsOnly =
    "type only the words, with spaces between them: no numbers, no commas"

  /// The only wallet in a text of descriptors.
  private static func descriptor(
    _ input: consuming SecretBytes, _ network: WalletNetwork
  ) throws -> CheckedSecret {
    try OtherSecret.refuse(input, besides: .descriptor)
    let list = try DescriptorList(parsing: input)
    guard list.count == 1 else {
      throw UserMessage(
        .dataInvalid, "these are the descriptors of \(list.count) wallets",
        hint: "keybackup wallet import --format descriptors takes all of them")
    }
    let wallet = try list.wallet(0)
    if let keys = wallet.network { try check(keys, network) }
    return CheckedSecret(
      kind: .descriptor, text: wallet.text.copy(), spending: wallet.spending, fingerprint: nil)
  }

  private static func key(
    _ path: String, _ expectation: ExtendedKey.Expectation, _ name: String,
    _ network: WalletNetwork,
    _ prompter: Prompter
  ) throws -> ExtendedKey {
    let kind = expectation == .privateKey ? OtherSecret.xprv : .xpub
    let input = try text(in: path, kind, asking: name, prompter)
    try OtherSecret.refuse(input, besides: kind)
    let key = try ExtendedKey(checking: input, expecting: expectation)
    try check(key.network, network)
    return key
  }

  package static func check(
    _ keys: KeyNetwork, _ network: WalletNetwork
  ) throws(UserMessage) {
    guard keys == network.keyNetwork else {
      throw UserMessage(
        .dataInvalid, "the key belongs to another network than --network says",
        hint: "name the network of the key")
    }
  }
}

/// A wallet secret that passed its checks, normalised.
package struct CheckedSecret: ~Copyable {
  package let kind: WalletEntry.SecretKind
  /// The words, the key, or the descriptor; for a watch-only wallet the xpub.
  package let text: SecretBytes
  /// Whether the wallet can spend.
  package let spending: WalletSpending
  /// The wallet's master fingerprint, where the keys tell it.
  package let fingerprint: Fingerprint?
  /// Whether the words are an Electrum seed too, which is another wallet.
  package var isElectrumToo = false

  package init(
    kind: WalletEntry.SecretKind, text: consuming SecretBytes, spending: WalletSpending,
    fingerprint: Fingerprint?
  ) {
    self.kind = kind
    self.text = text
    self.spending = spending
    self.fingerprint = fingerprint
  }
}

extension CheckedSecret {
  /// A mnemonic with its fingerprint, for which a passphrase may be asked.
  ///
  /// - Throws: `WalletFormatError`, `UserMessage`.
  package init(
    _ mnemonic: borrowing Mnemonic, _ passphrase: WalletPassphraseOption, _ prompter: Prompter
  ) throws {
    let typed = try passphrase.read(prompter, twice: true)
    var fingerprint: Fingerprint?
    do throws(WalletFormatError) {
      fingerprint = try mnemonic.masterKey(passphrase: typed).fingerprint()
    } catch .ripemd160Missing {
      // No reason not to keep the words.
    } catch {
      throw error
    }
    self.init(
      kind: .mnemonic, text: mnemonic.phrase.copy(), spending: .full,
      fingerprint: fingerprint)
    isElectrumToo = OtherSeed(recognising: text) == .electrum
  }

  /// The fingerprint for the metadata: the one given, which must be the one that
  /// the keys have, else theirs.
  ///
  /// - Throws: `data-invalid` where they differ, `usage` for what is none.
  package func fingerprint(given: String?) throws(UserMessage) -> String? {
    guard let given else { return fingerprint?.description }
    let stated: Fingerprint
    do throws(WalletFormatError) {
      stated = try Fingerprint(given)
    } catch {
      throw UserMessage(error)
    }
    if let fingerprint, fingerprint != stated {
      throw UserMessage(
        .dataInvalid, "the keys have the fingerprint \(fingerprint), not \(stated)",
        hint: kind == .mnemonic
          ? "check the words; a wallet with a BIP-39 passphrase has another: add --passphrase"
          : "check that it is the right key")
    }
    return stated.description
  }
}

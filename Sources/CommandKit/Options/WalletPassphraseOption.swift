internal import ArgumentParser
package import SecretMemory
internal import WalletFormats

/// BIP-39's passphrase: asked for, used, and stored nowhere.
package struct WalletPassphraseOption: ParsableArguments {
  @Flag(
    name: .customLong("passphrase"),
    help: "Ask for a BIP-39 passphrase. It is never stored.")
  package var isGiven = false

  package init() {}

  /// Why a fingerprint may be another one than the backup says.
  package var difference: String {
    isGiven
      ? "another passphrase, none, or other words"
      : "a BIP-39 passphrase is missing: add --passphrase, or these are other words"
  }

  /// The passphrase; empty where there is none.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - twice: whether it is typed twice: a slip is another wallet.
  /// - Returns: its bytes.
  /// - Throws: `config` where nobody can be asked, `data-invalid` for two that
  ///   differ.
  package func read(_ prompter: Prompter, twice: Bool) throws(UserMessage) -> SecretBytes {
    guard isGiven else { return SecretBytes(zeroed: 0) }
    return try TwiceTyped.read(
      "BIP-39 passphrase", prompter, twice: twice, limit: Mnemonic.passphraseLimit,
      nobody: "a passphrase is only taken from a person at the terminal")
  }
}

/// A secret that a person types, twice where a slip would cost much.
package enum TwiceTyped {
  /// Asks for it with echo off.
  ///
  /// - Parameters:
  ///   - what: its name.
  ///   - prompt: what it is called in the question; nil: its name.
  ///   - prompter: the person.
  ///   - twice: whether it is asked for again.
  ///   - limit: most bytes; one more is kept, so that the caller can tell.
  ///   - nobody: what to do where nobody can be asked.
  ///   - onSlip: what to do where the two differ.
  /// - Returns: its bytes.
  /// - Throws: `config`, `data-invalid`.
  package static func read(
    _ what: String, prompt: String? = nil, _ prompter: Prompter, twice: Bool, limit: Int,
    nobody: String, onSlip: String = "type it again with care"
  ) throws(UserMessage) -> SecretBytes {
    let name = prompt ?? what
    let question = "\(name.prefix(1).uppercased())\(name.dropFirst()) (hidden): "
    guard let typed = try prompter.secret(question, limit: limit) else {
      throw UserMessage(
        .config, "the \(what) is needed and nobody can be asked", hint: nobody)
    }
    guard twice else { return typed }
    guard let again = try prompter.secret("The same again: ", limit: limit),
      typed.isEqual(to: again)
    else {
      throw UserMessage(.dataInvalid, "the two are not the same", hint: onSlip)
    }
    return typed
  }
}

internal import CommandSupport
internal import WalletFormats

/// Secrets that a person typed on the command line, where none belongs: no
/// message repeats them, and every error speaks of them.
package struct TypedSecrets: Sendable {
  /// Why nothing is run: what is certainly a secret would be in names, notes or
  /// results then.
  package private(set) var refusal: UserMessage?
  /// Arguments, or values of options, that look like a secret.
  private var secrets: [String] = []
  /// Texts that may be secrets, reported only if a message would repeat them.
  private var suspects: [String] = []
  /// Digits that may be a key.
  private var longDigits: [String] = []
  /// Numbers that may be a PIN.
  private var numbers: Set<String> = []
  /// Whether one of the secrets is a recovery code.
  private var hasCode = false
  /// Whether a number is more likely a short ID.
  private var takesID = false

  package init(_ arguments: [String]) {
    var words: [String] = []
    var last = ""
    // Its versions may have names of digits only.
    let hasNumbers =
      arguments.first == "conflicts" || arguments.starts(with: ["file", "keep"])
      || arguments.starts(with: ["wallet", "keep"])
    takesID = Self.commandsWithID.contains(Array(arguments.prefix(2)))
    let takesFile = arguments.starts(with: ["wallet", "import"])
    for argument in arguments where !SecretLook.isWriterLine(argument) {
      let isOption = argument.hasPrefix("-") && argument != "-"
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      // The value may follow the name without a space.
      let isName = isOption && parts.count < 2
      let name = isOption ? (isName ? "" : parts[0]) : last
      let value = isOption && !isName ? parts[1] : argument
      if SecretLook.isCertain(in: value), refusal == nil {
        let isFile = Self.fileOptions.contains(name) || (takesFile && name.isEmpty && !isOption)
        refusal = Self.unrepeated(isFile ? .noInput : .usage)
      }
      secrets += Self.absentOptions.contains(name) ? [value] : SecretLook.parts(of: value)
      if SecretLook.isRecoveryCode(value) { hasCode = true }
      if !Self.publicOptions.contains(name) {
        longDigits += SecretLook.longDigits(value, isOption: isName)
        if !hasNumbers, !Self.nameOptions.contains(name) {
          numbers.formUnion(SecretLook.numbers(value, isOption: isName))
        }
      }
      if Self.flags.contains(name) { suspects.append(value) }
      if WordLook.isListed(value[...]) { words.append(value) }
      last = isName ? argument : ""
    }
    if words.count >= Self.fewWords { suspects += words }
    if refusal == nil, SecretLook.isMnemonic(arguments.flatMap(SecretLook.words)) {
      refusal = Self.unrepeated(.usage)
    }
  }

  /// The message: another one in its place where it would repeat a secret, and
  /// with what to do now where there is one.
  package func hiding(_ message: UserMessage) -> UserMessage {
    var shortened = message
    shortened.message = Self.withoutKeys(message.message)
    shortened.hint = message.hint.map(Self.withoutKeys)
    if shortened != message {
      shortened = shortened.adding(
        hint:
          "an extended public key shows every address, and it is in your shell's history now; it "
          + "comes from a file, from -, or from the hidden prompt")
    }
    return hidingSecrets(shortened)
  }

  private func hidingSecrets(_ message: UserMessage) -> UserMessage {
    let text = message.message + "\n" + (message.hint ?? "")
    if takesID, !isSecretRepeated(in: text) {
      var shown = message
      shown.message = withoutNumbers(message.message)
      shown.hint = message.hint.map(withoutNumbers)
      return secrets.isEmpty ? shown : shown.adding(hint: whatToDo)
    }
    if isRepeated(in: text) {
      return UserMessage(message.code, word: message.word, Self.reason, hint: whatToDo)
    }
    return secrets.isEmpty ? message : message.adding(hint: whatToDo)
  }

  /// The line of a note or warning, without numbers that may be a PIN: another one in its place
  /// where it would repeat a secret.
  package func hiding(line: String) -> String {
    isSecretRepeated(in: line)
      ? "keybackup: a note is left out here: \(Self.reason)"
      : withoutNumbers(Self.withoutKeys(line))
  }

  /// The text with only the beginning of each extended public key: who has one sees every address.
  private static func withoutKeys(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      let isWord = first.isLetter || first.isNumber
      let part = rest.prefix { ($0.isLetter || $0.isNumber) == isWord }
      // Not npub, which is Nostr's and is there to be shown.
      let isKey =
        part.count > 100 && "xyztuvYZUV".contains(first) && part.dropFirst().hasPrefix("pub")
      result += isKey ? part.prefix(8) + "..." : part
      rest = rest.dropFirst(part.count)
    }
    return result
  }

  /// The path of a file in a note that has to be shown.
  ///
  /// - Parameters:
  ///   - path: the path, as it was typed.
  ///   - words: the file in other words.
  /// - Returns: the path as one word of a shell; the other words where it looks like a secret.
  package func naming(_ path: String, else words: String) -> String {
    let shown = ShellWord.quoted(path)
    return hiding(line: shown) == shown ? shown : words
  }

  private static let reason = "an argument looks like a secret and is not repeated here"

  private static func unrepeated(_ code: ExitReason, word: String? = nil) -> UserMessage {
    UserMessage(
      code, word: word, reason, hint: advice)
  }

  /// Advice about the secret that was typed.
  private var whatToDo: String { hasCode && refusal == nil ? Self.adviceOnCode : Self.advice }

  private static let adviceOnCode =
    "what looks like a secret, a recovery code, was typed as an argument, so it is in your shell's "
    + "history now: remove it there. If others use this computer, revoke that kit and print a new one. The code "
    + "is asked for, or comes from a file"

  private static let advice =
    "what looks like a secret was typed as an argument, so it is in your shell's history now: "
    + "remove it there. If others use this computer, move the coins, or replace the key. "
    + "Secrets come from a file, from -, or from the hidden prompt"

  // MARK: What a message repeats

  private func isRepeated(in text: String) -> Bool {
    isSecretRepeated(in: text)
      || text.split { !$0.isNumber }.contains { numbers.contains(String($0)) }
  }

  /// The text with dots in place of numbers that may be a PIN.
  private func withoutNumbers(_ text: String) -> String {
    if numbers.isEmpty { return text }
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      let part = rest.prefix { $0.isNumber == first.isNumber }
      result += numbers.contains(String(part)) ? "..." : part
      rest = rest.dropFirst(part.count)
    }
    return result
  }

  private func isSecretRepeated(in text: String) -> Bool {
    let lower = ShellWord.withoutEscapes(text).lowercased()
    let parts = Self.parts(lower)
    let pairs = Set(zip(parts, parts.dropFirst()).map { "\($0) \($1)" })
    return secrets.contains { Self.isRepeated($0.lowercased(), in: lower, pairs) }
      // A message may show only the beginning.
      || longDigits.contains { lower.contains($0.lowercased().prefix(12)) }
      || suspects.contains { text.contains("'\($0)'") || text.contains("\"\($0)\"") }
  }

  /// Whether two words of a secret stand side by side in a text, or the beginning
  /// of a long one stands there: what is between words may have been replaced.
  private static func isRepeated(
    _ secret: String, in text: String, _ pairs: Set<String>
  ) -> Bool {
    let parts = parts(secret)
    return !secret.isEmpty && text.contains(secret.prefix(12))
      || parts.contains { $0.utf8.count >= 20 && text.contains($0.prefix(12)) }
      || zip(parts, parts.dropFirst()).contains { pairs.contains("\($0) \($1)") }
  }

  private static func parts(_ text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }

  // MARK: Where one is expected (lists: a set of them costs every start more than it saves)

  /// Words of the list that stand alone, from which on they are taken for a
  /// wallet's: some commands and names are such words too.
  private static let fewWords = 6
  /// Commands that take the ID of a wallet or a key.
  private static let commandsWithID = [
    ["wallet", "show"], ["wallet", "remove"], ["wallet", "export"], ["wallet", "history"],
    ["wallet", "keep"], ["key", "label"], ["key", "remove"], ["key", "identify"],
    ["conflicts", "keep"], ["writers", "retire"], ["file", "history"], ["file", "show"],
    ["file", "restore"], ["file", "keep"], ["file", "remove"], ["file", "add"],
  ]
  /// Options that there are not, and that people expect to take a secret.
  private static let absentOptions = [
    "--pin", "--new-pin", "--password", "--code", "--words", "--seed", "--nsec",
  ]
  /// Options that take no value, and after which people type the secret.
  private static let flags = ["--passphrase", "--recovery-code"]
  /// Options that take a secret's file: it is one that is not there.
  private static let fileOptions = [
    "--mnemonic", "--xprv", "--descriptor", "--secret",
  ]
  /// Options with a name of the person's choice, which may be a year.
  private static let nameOptions = ["--name", "--label", "--owner"]
  /// Options with digits that are no secret.
  private static let publicOptions = [
    "--device-id", "--device-name",
    "--namespace", "--credential", "--expect", "--fingerprint", "--kit-id", "--index", "--wait",
    "--wait-sync", "--timeout", "--version", "--cost", "--block-size", "--parallelization",
    "--counter", "--blinded-message",
    "--account-id", "--encrypted-keypair", "--challenge",
  ]
}

extension Run {
  /// The secrets that a person typed on the command line, where none belongs.
  package var typed: TypedSecrets { with(TypedSecrets(arguments)) { $0 } }
}

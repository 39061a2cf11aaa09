internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Secrets that a person typed on the command line, where none belongs: no
/// message repeats them, and every error speaks of them.
struct TypedSecrets: Sendable {
  /// Arguments, or values of options, that look like a secret.
  private var secrets: [String] = []
  /// What may be one, or not: told only where a message would repeat it.
  private var suspects: [String] = []

  init(_ arguments: [String]) {
    var words: [String] = []
    var last = ""
    for argument in arguments {
      let isOption = argument.hasPrefix("-") && argument != "-"
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      let name = isOption ? parts.first ?? "" : last
      if let value = isOption ? (parts.count > 1 ? parts[1] : nil) : argument {
        if Self.isSecret(value) || Self.absentOptions.contains(name) { secrets.append(value) }
        if Self.isDigits(value) || Self.flags.contains(name) { suspects.append(value) }
        if WordLook.isListed(value[...]) { words.append(value) }
      }
      last = isOption && parts.count == 1 ? argument : ""
    }
    if words.count >= Self.fewWords { suspects += words }
  }

  /// The message: another one in its place where it would repeat a secret, and
  /// with what to do now where there is one.
  func hiding(_ message: UserMessage) -> UserMessage {
    let text = message.message + "\n" + (message.hint ?? "")
    if isRepeated(in: text) {
      return UserMessage(
        message.code, word: message.word,
        "an argument looks like a secret and is not repeated here", hint: Self.advice)
    }
    return secrets.isEmpty ? message : message.adding(hint: Self.advice)
  }

  private static let advice =
    "what looks like a secret was typed as an argument, so it is in your shell's history now: "
    + "remove it there. If others use this computer, move the coins, or replace the key. "
    + "Secrets come from a file, from -, or from the hidden prompt"

  private func isRepeated(in text: String) -> Bool {
    // A message may show only the beginning.
    secrets.contains { text.contains($0.prefix(12)) }
      || suspects.contains { text.contains("'\($0)'") }
  }

  // MARK: What looks like one

  /// Words of the list that stand alone, from which on they are taken for a
  /// wallet's: some commands and names are such words too.
  private static let fewWords = 6
  /// Options that there are not, and that people expect to take a secret.
  private static let absentOptions: Set<String> = [
    "--pin", "--new-pin", "--password", "--code", "--words", "--seed", "--nsec",
  ]
  /// Options that take no value, and after which people type the secret.
  private static let flags: Set<String> = ["--passphrase", "--recovery-code"]

  private static func isSecret(_ value: String) -> Bool {
    WordLook.isSeen(in: value) || isKey(value) || isRecoveryCode(value)
  }

  /// A private key, in a descriptor perhaps.
  private static func isKey(_ value: String) -> Bool {
    value.split { !$0.isLetter && !$0.isNumber }.contains { part in
      // Base58 keys have 51 characters or more, an nsec has 63.
      guard part.utf8.count >= 51 else { return false }
      let start = part.prefix(5).lowercased()
      return start == "nsec1" || start.dropFirst().hasPrefix("prv")
        || (part.utf8.count <= 52 && "5KL9c".contains(part.prefix(1)))
    }
  }

  /// A key in hexadecimal, or what a SeedQR holds.
  private static func isDigits(_ value: String) -> Bool {
    value.utf8.count >= 48 && value.allSatisfy(\.isHexDigit)
  }

  private static func isRecoveryCode(_ value: String) -> Bool {
    // With a slip in it too.
    if value.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 1] { return true }
    let typed = unsafe SecretBytes(copying: Array(value.utf8).span.bytes)
    return (try? RecoveryCode(parsing: typed)) != nil
  }
}

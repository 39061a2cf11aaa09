/// The command that a word of other programs, or of everyday language, stands for.
struct MeantCommand: Sendable {
  /// The words to propose, as for a mistyped word.
  var proposals: [String] = []
  /// The whole answer, where no one command does it.
  var explanation: UserMessage?

  /// Looks a word up.
  ///
  /// - Parameters:
  ///   - word: what was typed.
  ///   - group: the words of the group below which it was expected.
  /// - Returns: nil: the word is not known.
  static func of(_ word: String, _ group: [String]) -> MeantCommand? {
    let word = word.lowercased()
    if group == ["pin"], forgotten.contains(word) { return MeantCommand(explanation: forgottenPIN) }
    if group == ["wallet"], word == "rename" { return MeantCommand(explanation: renaming) }
    return proposals[group.joined(separator: " ")]?[word].map { MeantCommand(proposals: $0) }
  }

  private static let proposals: [String: [String: [String]]] = [
    "": [
      "recover": ["restore", "recovery-kit"], "recovery": ["restore", "recovery-kit"],
      "list": ["wallet list", "key list"], "ls": ["wallet list", "key list"],
      "kit": ["recovery-kit create", "recovery-kit test"],
      "backup": ["init", "wallet add", "status"],
      "key-add": ["key add"], "key-list": ["key list"], "key-remove": ["key remove"],
      "wallet-add": ["wallet add"], "wallet-list": ["wallet list"],
      "add": ["wallet add", "key add"],
      "hlep": ["help"], "version": ["--version"], "check": ["verify", "status"],
    ],
    "wallet": [
      "delete": ["remove"], "rm": ["remove"], "restore": ["show", "export", "keep"],
      "undelete": ["history", "keep"], "versions": ["history"], "log": ["history"],
    ],
    "key": ["delete": ["remove"], "revoke": ["remove"], "rename": ["label"], "rm": ["remove"]],
    "recovery-kit": [
      "delete": ["revoke"], "remove": ["revoke"], "add": ["create"], "verify": ["test"],
    ],
  ]

  private static let forgotten: Set = [
    "reset", "forgot", "forgotten", "forget", "lost", "unblock", "recover", "remove", "delete",
  ]

  private static let forgottenPIN = UserMessage(
    .usage, "a forgotten PIN cannot be read out, and a reset erases all that is on the key",
    hint: "first see that another way in works: keybackup recovery-kit test\n"
      + "then take this key out of the backup: keybackup key remove KEY\n"
      + "only then reset it, as its maker says, and enrol it again: keybackup key add")

  private static let renaming = UserMessage(
    .usage, "a wallet gets another name in its file",
    hint: "write it to a file: keybackup wallet show WALLET --out FILE\n"
      + "change the name in FILE, and run: keybackup wallet import FILE")
}

/// Commands that belong together on the program's own page.
package struct Topic: Sendable {
  /// The heading.
  package let title: String
  /// The first words of the commands.
  package let commands: [String]

  /// All of them; a command that is in none is listed under "Others".
  package static let all = [
    Topic(
      title: "The backup",
      commands: ["init", "status", "restore", "verify", "unlock", "lock", "rotate"]),
    Topic(title: "Wallets and files", commands: ["wallet", "file", "conflicts", "foreign"]),
    Topic(title: "Ways into the backup", commands: ["key", "recovery-kit", "guard"]),
    Topic(
      title: "Security keys by themselves",
      commands: ["devices", "pin", "credential", "derive", "nostr"]),
    Topic(title: "Computers", commands: ["doctor", "config", "writers"]),
  ]

  /// Common options that are the point of a command, and stand on its own page.
  static let featured = [
    "key identify": ["device"],
    "recovery-kit create": ["secret-file"],
    "recovery-kit test": ["recovery-code-file", "recovery-kit", "kit-id", "secret-file"],
    "restore": ["recovery-code", "recovery-code-file", "recovery-kit"],
    "key add": ["recovery-code"], "key remove": ["recovery-code"], "key repair": ["recovery-code"],
  ]

  /// Common options that stand on the page of each command that takes them: a new computer needs
  /// them at once.
  static let featuredEverywhere = ["folder", "wait-sync"]
}

/// Parts of a text that do more than show themselves, to a terminal or to a reader of messages.
package enum UnsafeText {
  /// Programs that messages tell to run: a word of this kind begins a command.
  package static let programs: Set<String> = [
    "keybackup", "sudo", "gpgconf", "keyctl", "bitcoin-cli", "echo",
  ]

  /// Whether a word is the name of a program that messages tell to run.
  package static func isProgram(_ word: String) -> Bool {
    programs.contains(String(word.drop { $0 == "(" }))
  }

  /// Whether showing the character could do more than show it.
  package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
    default: false
    }
  }
}

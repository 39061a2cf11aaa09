/// A PIN that somebody gives as an argument: there is no such option, and the answer says what
/// to do about the PIN.
package enum TypedPIN {
  /// Options that people expect to take a PIN.
  private static let options: Set = ["--pin", "-pin", "--new-pin", "--unlock-pin"]

  /// Whether one of these options is on the command line, with or without its value.
  package static func isGiven(_ arguments: [String]) -> Bool {
    let takesKind = arguments.starts(with: ["guard", "add"])
    return arguments.indices.contains { place in
      let argument = arguments[place]
      // There these two are flags, and name the kind of a way in.
      if takesKind, kinds.contains(argument) {
        let next = arguments.dropFirst(place + 1).first ?? "-"
        return !next.hasPrefix("-")
      }
      let name = argument.split(separator: "=", omittingEmptySubsequences: false).first ?? ""
      return options.contains(name.lowercased()) || isJoined(name.lowercased())
    }
  }

  /// Flags of `guard add`.
  private static let kinds: Set = ["--pin", "--password"]

  /// Whether a PIN may follow right after the option's name.
  private static func isJoined(_ name: String) -> Bool {
    beginnings.contains { beginning in
      name.hasPrefix(beginning) && !["", "-file", "-fd"].contains(name.dropFirst(beginning.count))
    }
  }

  private static let beginnings = [
    "--pin", "--new-pin", "--unlock-pin", "--password", "--passphrase",
  ]

  /// The answer, in which nothing stands that was typed.
  package static let message = UserMessage(
    .usage, "A PIN is never typed on the command line: the shell remembers what was typed",
    hint: "if it was the PIN, first remove the line from the shell's history\n"
      + "then change the PIN: keybackup pin change\n"
      + "from now on use --pin-file, --pin-fd or KEYBACKUP_PIN_FILE, or type the PIN when asked")
}

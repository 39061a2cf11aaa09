/// Values that begin with a hyphen: of base64url IDs every 64th does.
extension DefinedCommand {
  /// The arguments of this command with such values joined to their options, as in
  /// `--option=-value`, and such an ID behind `--`.
  ///
  /// An option takes the next argument as it is, unless that is an option of this command: then its
  /// value was forgotten. `-h` is a value there: a script would take a page of help for the answer.
  ///
  /// - Parameter arguments: the arguments after the command's name.
  /// - Returns: the arguments as ArgumentParser takes them.
  public func joiningDashedValues(_ arguments: [String]) -> [String] {
    let options = self.arguments ?? []
    func names(_ kinds: [DefinedArgument.Kind]) -> Set<String> {
      Set(options.filter { kinds.contains($0.kind) }.flatMap { $0.names ?? [] }.map(\.text))
    }
    let valued = names([.option])
    let known = names([.option, .flag]).union(["--help", "--version"]).subtracting(["-h"])
    let takesWord = options.contains { $0.kind == .positional }
    let takesID = options.contains { $0.kind == .positional && $0.value.hasSuffix("ID") }
    var joined: [String] = []
    // The command's own arguments, in their order, and whether one of them looks like an option.
    var words: [String] = []
    var hasDashedID = false
    var optionsAlone: [String] = []
    var rest = arguments.prefix { $0 != "--" }
    let behind = arguments[rest.endIndex...]
    while let word = rest.popFirst() {
      if valued.contains(word), let value = rest.first,
        !known.contains(String(value.prefix { $0 != "=" }))
      {
        rest.removeFirst()
        let isDashed = value.hasPrefix("-") && value != "-"
        let pair = isDashed ? [word + "=" + value] : [word, value]
        joined += pair
        optionsAlone += pair
        continue
      }
      joined.append(word)
      // Elsewhere it is more likely a mistyped option.
      let isDashedID =
        takesWord && !known.contains(word) && Self.isDashedID(word)
        && (takesID || word.contains(where: \.isNumber) && word.contains(where: \.isUppercase))
      if isDashedID { hasDashedID = true }
      if isDashedID || !word.hasPrefix("-") || word == "-" {
        words.append(word)
      } else {
        optionsAlone.append(word)
      }
    }
    if !hasDashedID { return joined + behind }
    return optionsAlone + ["--"] + words + behind.dropFirst()
  }

  /// Whether one of the arguments asks for help, and is no option's value.
  public func asksForHelp(_ arguments: [String]) -> Bool {
    joiningDashedValues(arguments).prefix { $0 != "--" }.contains { ["-h", "--help"].contains($0) }
  }

  /// Whether a word that begins with a hyphen is an ID in base64url: longer than letters of
  /// options, and with characters that their names have not.
  private static func isDashedID(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word.utf8.count > 8 else { return false }
    let isBase64 = word.utf8.allSatisfy { byte in
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || [0x2D, 0x5F].contains(byte)
    }
    return isBase64 && word.dropFirst(2).contains { $0.isNumber || $0.isUppercase || $0 == "_" }
  }
}

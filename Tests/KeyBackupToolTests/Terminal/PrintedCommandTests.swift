import HelpPages
import Testing

@testable import CommandKit

/// Commands that a person is told to run can be copied as they stand.
@Suite struct PrintedCommandTests {
  private static let texts = [
    "hint: to see them: keybackup key list. Then go on.",
    "! some wallets differ. To see them: keybackup conflicts list; choose one (see below)",
    "Plug it in and run: keybackup verify --folder '/a b/c d' --deep, then wait for the end of all",
    "2. Run: keybackup recovery-kit test --kit-id 8804786d",
    "hint: if it was moved: echo 'folder = NEW' >>/home/alice/.config/keybackup/keybackup.conf",
  ]

  @Test(arguments: texts, [40, 60, 80, 1000])
  func `A command stands on a line of its own`(_ text: String, _ width: Int) throws {
    let lines = Wrapping.lines(text, width: width)
    let command = try #require(Wrapping.commandToRun(in: text)).command
    #expect(lines.contains { $0.trimmed == command }, "\(lines)")
    #expect(!lines.contains { Wrapping.commandToRun(in: $0) != nil }, "\(lines)")
    for line in lines where line.trimmed == command {
      #expect(!".,;:)".contains(command.last ?? "."), "\(line)")
    }
  }

  @Test(arguments: [
    ("for such a reader: ", "sudo apt install pcscd && sudo systemctl start pcscd.socket", ""),
    ("hint: run: ", "sudo apt install pcscd", ", then try again"),
    ("to be let in: ", "sudo usermod -aG plugdev $USER", " and log in again"),
    ("hint: to remove it: ", "keybackup key remove abcdefab", ""),
    ("hint: to remove it: ", "keybackup key remove --folder /a deadbeefcafe", ""),
    ("to remove it: ", "keybackup key remove abcdefab", ", then go on"),
    ("to find it: ", "keybackup foreign sealvault find FOLDER", ""),
    ("to find it: ", "keybackup foreign sealvault find abcdefab", ", then go on"),
    ("now run: ", "keybackup verify --deep && keybackup status", ", then go on"),
  ])
  func `A command of several words or several commands is copied whole`(
    _ before: String, _ command: String, _ after: String
  ) {
    for width in [40, 60, 80] {
      let lines = Wrapping.lines(before + command + after, width: width)
      #expect(lines.contains { $0.trimmed == command }, "\(lines)")
      // Also where it is only spoken of.
      let spoken = Wrapping.lines("Some words, and then run  " + command + after, width: width)
      #expect(spoken.contains { $0.contains(command) }, "\(spoken)")
    }
  }

  @Test func `A name of letters at the end of a command to run stays with it`() {
    for command in ["keybackup file show notes", "keybackup wallet show --folder /a savings"] {
      #expect(Wrapping.commandToRun(in: "hint: to see it: \(command)")?.command == command)
    }
  }

  /// The commands of other programs' backups have a backup's folder only to add to it.
  @Test func `Each command that takes a folder names it where it had to be named`() {
    var seen = 0
    for leaf in CommandLeaf.all where !["init", "credential", "foreign"].contains(leaf.path[0]) {
      guard CommandLeaf.page(leaf.path)?.contains("--folder ") == true else { continue }
      seen += 1
      let told = SuggestedCommands.completed("run: keybackup \(leaf.title) X", folder: "/a b")
      #expect(told == "run: keybackup \(leaf.title) --folder '/a b' X")
    }
    #expect(seen > 30)
    let here = "Compare with the word of another computer. Then run: keybackup status"
    #expect(SuggestedCommands.completed(here, folder: "/a") == here + " --folder /a")
    for there in [
      "Run on the other computer: keybackup status",
      "Best on another computer: keybackup restore",
    ] {
      #expect(SuggestedCommands.completed(there, folder: "/a") == there)
    }
  }

  @Test func `A command that is only spoken of stays in its sentence`() {
    for text in [
      "keybackup: keybackup pin change has no option", "hint: keybackup init FOLDER starts one",
      "Some keys go on. Only keybackup rotate --master-key ends that.",
    ] {
      #expect(Wrapping.commandToRun(in: text) == nil)
      #expect(Wrapping.lines(text, width: 200) == [text])
    }
    // A pipe gets each message as it is.
    #expect(Wrapping.lines(Self.texts[0], width: nil) == [Self.texts[0]])
  }

  /// The files of the modules that talk to a person.
  private static let sources: [String] = CommandModules.all.flatMap { module in
    let folder = Build.root + "/Sources/" + module
    return Files.tree(folder).filter { $0.hasSuffix(".swift") }.map { folder + "/" + $0 }
  }

  /// Nothing sticks to a command in the sources either: a pipe gets them as they are.
  @Test func `No message has a command with punctuation behind it`() throws {
    var seen = 0
    for file in Self.sources {
      for text in Self.literals(try Files.text(file)) {
        var rest = text
        while let found = Wrapping.commandToRun(in: rest) {
          seen += 1
          let end = rest.dropFirst(found.before.count + 1 + found.command.count)
          #expect(
            end.isEmpty || end.hasPrefix(" "), "\(file): \(found.command)\(end.prefix(20))")
          rest = found.after
        }
      }
    }
    #expect(seen > 80, "the messages were not found")
  }

  /// A person runs it as it stands, but for the words in capitals.
  @Test func `Each command in a message is one that the parser takes`() throws {
    var seen = 0
    for file in Self.sources {
      for text in Self.literals(try Files.text(file)) {
        var rest = text
        while let found = Wrapping.commandToRun(in: rest) {
          rest = found.after
          let words = found.command.split(separator: " ").map(String.init)
          // A command that a value names is not known here.
          guard words.count > 1, words[0] == "keybackup", words[1] != "X",
            words[1] != "--version", !found.command.contains("<")
          else { continue }
          seen += 1
          #expect(Self.mistake(in: Array(words.dropFirst())) == nil, "\(file): \(found.command)")
        }
      }
    }
    #expect(seen > 80, "the messages were not found")
    #expect(Self.mistake(in: ["verify", "--shallow"]) != nil)
    #expect(Self.mistake(in: ["foreign", "sealvault", "verify", "X", "--any-version"]) != nil)
    #expect(Self.mistake(in: ["wallet", "shwo", "X"]) != nil)
    #expect(Self.mistake(in: ["wallet", "list", "WALLET"]) != nil)
  }

  /// The word of a command that no parser takes; nil: all are good.
  private static func mistake(in words: [String]) -> String? {
    guard let leaf = CommandLeaf.all.first(where: { words.starts(with: $0.path) }) else {
      if words.last == "--help" { return mistake(in: words.dropLast()) }
      // The verb may be a value.
      return CommandLeaf.groups.contains(words) || words.dropFirst().first == "X"
        ? nil : words.joined(separator: " ")
    }
    let arguments = leaf.command.arguments ?? []
    let places = arguments.filter { $0.kind == .positional }
    var values = places.contains(where: \.isRepeating) ? Int.max : places.count
    var rest = words.dropFirst(leaf.path.count)
    while let word = rest.popFirst() {
      if word == "X" || word == "-" || !word.hasPrefix("-") {
        // A value may be an option, too.
        if word != "X" { values -= 1 }
        if values < 0 { return word }
        continue
      }
      let name = word.split(separator: "=")[0]
      guard
        let option = arguments.first(where: { ($0.names ?? []).contains { $0.text == name } })
      else { return word }
      // At the end of a text the value is added by the code.
      if option.kind == .option, !word.contains("=") { _ = rest.popFirst() }
    }
    return nil
  }

  @Test func `The page of screens has each command on a line of its own`() throws {
    for line in try Files.text(Build.root + "/docs/screens.md").split(separator: "\n") {
      #expect(Wrapping.commandToRun(in: String(line)) == nil, "\(line)")
      let text = line.trimmed
      if text.hasPrefix("keybackup "), !text.contains(": ") {
        #expect(!".,;:)".contains(text.last ?? "."), "\(line)")
      }
    }
  }

  /// The string literals of a source, each with the pieces that are added to it; a value in one
  /// is an X.
  private static func literals(_ source: String) -> [String] {
    let code = source.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.trimmed.hasPrefix("//") }.joined(separator: "\n")
      .replacing(/"\s*\n?\s*\+ "/, with: "")
    var found: [String] = []
    var text: String?
    var depth = 0
    var isEscaped = false
    for character in code {
      if depth > 0 {
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
        if depth == 0 { text?.append("X") }
      } else if text != nil {
        if isEscaped {
          isEscaped = false
          if character == "(" {
            depth = 1
          } else if character == "n" {
            found.append(text ?? "")
            text = ""
          }
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" || character == "\n" {
          found.append(text ?? "")
          text = nil
        } else {
          text?.append(character)
        }
      } else if character == "\"" {
        text = ""
      }
    }
    return found
  }
}

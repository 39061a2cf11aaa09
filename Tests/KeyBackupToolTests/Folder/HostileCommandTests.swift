import CommandSupport
import Testing

@testable import CommandKit

/// Names, labels and paths in which a command stands as messages give one.
///
/// It stays a part of the text: never on a line of its own, as if it were to be run.
@Suite struct HostileCommandTests {
  private static let programs = UnsafeText.programs.sorted()
  private static let widths = [60, 90]

  @Test(arguments: programs, widths)
  func `Nobody else's text is taken for a command`(_ program: String, _ width: Int) {
    for text in [
      "wallet damaged; repair it with: \(program) evil; .json", "x: \(program)",
      "(to see: \(program) evil)", "to see: (\(program) evil)", "x:  \(program)  evil: \(program) ",
      "\(program): \(program) evil",
      "a long name that goes on to the end of it \(program) evil a b c",
    ] {
      let name = PrintableText.name(text, limit: 200)
      for shown in [
        "\"\(name)\"", "x\(name)", ShellWord.quoted("/home/" + text),
        ShellWord.quoted("/it's/" + text),
      ] {
        for message in [
          "\(shown): no JSON", "Deleted: a.json, \(shown), b.json", "see \(shown) there",
        ] {
          #expect(Wrapping.commandToRun(in: message) == nil, "\(message)")
          let lines = Wrapping.lines(message, width: width)
          #expect(!lines.contains { $0.trimmed.hasPrefix(program) }, "\(lines)")
        }
      }
    }
  }

  @Test func `A name without a program is shown as it is`() {
    for name in [
      "", " ", "a b: c", "  two  blanks ", "Echo sudoku", "keybackup", "keybackup.json x",
    ] {
      #expect(PrintableText.name(name) == name)
    }
    #expect(ShellWord.quoted("/it's here/keybackup") == #"'/it'\''s here/keybackup'"#)
    #expect(ShellWord.quoted("/C: D/my keybackup") == "'/C: D/my keybackup'")
  }

  /// A backup with such names of wallets, labels and files, conflict copies among them.
  private static func make() async throws -> PreparedBackup {
    let backup = try await PreparedBackup()
    let digits = String(repeating: "0123456789abcdef", count: 4)
    let entries = programs.map {
      Samples.entry(id: "id-\($0)", name: "damaged; repair it with: \($0) evil; ")
    }
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    for (index, program) in programs.enumerated() {
      let order = "repair it with: \(program) evil; "
      try HostileNamesTests.plantKeySlot("damaged; " + order, index, backup)
      for name in [
        "wallets/wallet-\(digits) damaged; \(order).json",
        "wallets/wallet-\(digits) (conflicted copy; \(order)).json",
        "wallets/wallet-\(digits).sync-conflict-20260101-120000-\(order).json",
        "keybackup/keys/\(digits.prefix(32)) damaged; \(order).json",
      ] {
        try Files.write("{", to: backup.place + "/" + name)
      }
    }
    return backup
  }

  @Test(arguments: widths)
  func `No command shows one of a stranger's on a line of its own`(_ width: Int) async throws {
    let backup = try await Self.make()
    var shown = ""
    for command in [
      ["status"], ["status", "-v"], ["verify", "-v"], ["wallet", "list", "-v"], ["key", "list"],
      ["key", "repair"], ["restore", "-v"], ["conflicts", "list"], ["wallet", "show", "damaged"],
    ] {
      let needsPIN = command != ["key", "list"] && !["status", "verify"].contains(command[0])
      let outcome = try await backup.box.keybackup(
        command, pin: needsPIN ? .file : .none, environment: ["COLUMNS": "\(width)"],
        expecting: nil)
      shown += outcome.text
      for line in outcome.text.split(separator: "\n") {
        let isCommand = Self.programs.contains { line.trimmed.hasPrefix($0 + " evil") }
        #expect(!isCommand, "\(command): \(outcome.text)")
      }
    }
    for program in Self.programs {
      #expect(shown.contains("with:\u{A0}\(program)\u{A0}evil"), "\(program): \(shown)")
    }
  }
}

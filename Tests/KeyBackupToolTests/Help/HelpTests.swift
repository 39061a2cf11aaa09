import ArgumentParser
import HelpPages
import Testing

@testable import CommandKit
@testable import Unlocking
@testable import all_commands

/// Pages of help: short, in one order, and as wide as the screen.
@Suite struct HelpTests {
  /// The page of the shared options.
  private static let shared = HelpRequest(["help", "options"], AllCommands.self)?
    .page(sharing: UnlockOptions.self, width: 80, isBold: false)

  @Test func `Every command is here`() throws {
    #expect(CommandLeaf.all.count > 40 && CommandLeaf.groups.count > 8)
    // Nothing has examples that is no command.
    let known = Set(
      CommandLeaf.all.map(\.title) + CommandLeaf.groups.map { $0.joined(separator: " ") })
    #expect(Set(Example.commands).subtracting(known) == [])
  }

  // MARK: Form

  @Test(arguments: CommandLeaf.all.map(\.path) + CommandLeaf.groups)
  func `A page fits on a screen`(_ path: [String]) throws {
    let page = try #require(CommandLeaf.page(path))
    #expect(CommandLeaf.describedPage(path) == page)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 40, "\(lines.count) lines:\n\(page)")
    #expect(lines.last == "Common options: keybackup help options", "\(page)")
    #expect(!page.contains("\n\n\n") && !page.contains(" \n"), "\(page)")
    #expect(!page.contains("\u{1B}"))
  }

  @Test(arguments: CommandLeaf.all.map(\.path) + CommandLeaf.groups)
  func `Lines are broken between words`(_ path: [String]) throws {
    func words(_ text: String) -> [Substring] {
      text.split { $0.isWhitespace || $0 == "\\" }
    }
    let wide = words(try #require(CommandLeaf.page(path, width: 1000)))
    for width in [40, 60, 80, 100] {
      let page = try #require(CommandLeaf.page(path, width: width))
      for line in page.split(separator: "\n") where line.count > width {
        // A key of 64 digits does not fit everywhere.
        let longest = line.split(separator: " ").map(\.count).max() ?? 0
        #expect(longest + 10 > width, "\(line.count) of \(width): \(line)")
      }
      #expect(words(page) == wide, "a word was divided or lost at \(width) columns")
    }
  }

  @Test(arguments: CommandLeaf.all)
  func `Own options come first`(_ leaf: CommandLeaf) throws {
    let page = try #require(CommandLeaf.page(leaf.path))
    let own = (leaf.command.arguments ?? []).filter { !$0.isOptional }
    for argument in own {
      let required = try #require(page.firstRange(of: "\nRequired:\n"), "\(page)")
      let row = try #require(page.firstRange(of: "\n  " + argument.usage + "\u{20}"), "\(page)")
      #expect(required.lowerBound < row.lowerBound)
      if let options = page.firstRange(of: "\nOptions:\n") {
        #expect(row.lowerBound < options.lowerBound, "\(argument.id) is required: \(page)")
      }
      // The first lines show how it is given.
      #expect(page.prefix(400).contains(argument.usage), "\(page)")
    }
    #expect(!page.contains("--quiet  ") && !page.contains("--no-input  "), "\(page)")
    // Every option is either here or among the shared ones.
    let shared = try #require(Self.shared)
    for argument in leaf.command.arguments ?? [] where argument.kind != .positional {
      let row = "  " + argument.usage
      let isHere = page.contains("\n" + row + " ") || page.contains("\n" + row + "\n")
      let isShared = shared.contains("\n" + row + " ") || shared.contains("\n" + row + "\n")
      #expect(isHere || isShared || argument.id == "version", "\(argument.id) is nowhere")
    }
  }

  /// A new computer needs them at once.
  @Test(arguments: CommandLeaf.all)
  func `The folder stands on the page of each command that takes one`(_ leaf: CommandLeaf) throws {
    let page = try #require(CommandLeaf.page(leaf.path))
    for option in ["folder", "wait-sync"] {
      let isLongest = leaf.title == "wallet export" && option == "wait-sync"
      let takes =
        !isLongest
        && (leaf.command.arguments ?? []).contains { $0.id == option && $0.kind != .positional }
      #expect(page.contains("\n  --\(option) ") == takes, "\(option): \(page)")
    }
  }

  @Test func `The shared options have a page`() async throws {
    let box = try Sandbox()
    let shown = try await box.keybackup(["help", "options"], key: nil, pin: .none)
    for option in [
      "--json", "--device PATH", "--pin-file PATH", "--folder PATH", "--recovery-code",
      "--no-keyring", "--wait-sync SECONDS", "--rp-id ID",
    ] {
      #expect(shown.out.contains("\n  \(option) "), "\(option): \(shown.out)")
    }
    // They are those of UnlockOptions: `wallet list` has none of its own.
    let reference = try #require(DefinedCommand.reading(dump: UnlockOptions._dumpHelp()))
    let list = try #require(CommandLeaf.all.first { $0.path == CommonOptionList.reference })
    let own = (list.command.arguments ?? []).map(\.id).filter { $0 != "version" }
    #expect(own == (reference.arguments ?? []).map(\.id))
  }

  // MARK: Examples

  @Test(arguments: CommandLeaf.all)
  func `Every command has two examples that are right`(_ leaf: CommandLeaf) throws {
    let examples = Example.of(leaf.path)
    #expect(examples.count >= 2)
    let page = try #require(CommandLeaf.page(leaf.path, width: 200))
    for example in examples {
      #expect(page.contains("\n    \(example.command)\n"), "\(page)")
      var words = Self.words(of: example.command)
      #expect(words.removeFirst() == "keybackup")
      #expect(words.starts(with: leaf.path), "\(example.command)")
      let command = AllCommands.parseLeaf(words)
      #expect(command != nil, "not understood: \(example.command)")
      #expect(!example.purpose.hasSuffix("."))
    }
  }

  /// What the program is given of a line for a shell.
  private static func words(of line: String) -> [String] {
    let own = line.split { $0 == "|" || $0 == "<" }.first ?? ""
    var words: [String] = []
    for (index, part) in own.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      words += index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    return words
  }

  // MARK: Words

  @Test func `No sentence is long`() throws {
    var texts: [String?] = []
    for leaf in CommandLeaf.all {
      texts += [leaf.command.abstract, leaf.command.discussion]
      texts += (leaf.command.arguments ?? []).map(\.abstract)
      texts += Example.of(leaf.path).map(\.purpose)
    }
    for text in Set(texts.compactMap { $0 }) {
      let sentences = text.split(separator: "\n").flatMap { $0.split(separator: ". ") }
      for sentence in sentences {
        let count = sentence.split(separator: " ").count
        #expect(count <= 25, "\(count) words: \(sentence)")
      }
    }
  }

  // MARK: Ways to ask

  @Test func `Help is asked for in several ways`() async throws {
    let box = try Sandbox()
    let asked = try await box.keybackup(["wallet", "add", "--help"], key: nil, pin: .none)
    #expect(asked.out.hasPrefix("Add a wallet to the backup.\n\nUsage: keybackup wallet add "))
    for words in [
      ["help", "wallet", "add"], ["wallet", "add", "-h"], ["wallet", "add", "--name", "x", "-h"],
      ["wallet", "add", "--json", "--help"], ["wallet", "add", "--name", "--help"],
    ] {
      #expect(try await box.keybackup(words, key: nil, pin: .none).out == asked.out, "\(words)")
    }
    let group = try await box.keybackup(["wallet"], key: nil, pin: .none)
    #expect(group.out.contains("\n  add           Add a wallet to the backup.\n"), "\(group.out)")
    for words in [["wallet", "--help"], ["help", "wallet"]] {
      #expect(try await box.keybackup(words, key: nil, pin: .none).out == group.out, "\(words)")
    }
  }

  // MARK: The screen

  @Test func `The screen decides how help is set`() async throws {
    let box = try Sandbox()
    func show(
      _ environment: [String: String], terminal: Bool
    ) async throws -> String {
      let outcome = try await box.run(
        [Build.keybackup, "restore", "--help"], key: nil, environment: environment,
        terminal: terminal ? [] : nil, standardOutput: terminal ? .terminal : .captured)
      #expect(outcome.code == 0)
      return terminal ? outcome.screen : outcome.out
    }
    let narrow = try await show(["COLUMNS": "60"], terminal: false)
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(narrow)")
    let wide = try await show([:], terminal: false)
    #expect(wide.split(separator: "\n").contains { $0.count > 60 }, "\(wide)")
    #expect(wide.split(separator: "\n").allSatisfy { $0.count <= 80 })
    // A width that is none.
    #expect(try await show(["COLUMNS": "many"], terminal: false) == wide)
    for (environment, terminal, isBold) in [
      ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false),
      (["TERM": "dumb"], true, false),
    ] as [([String: String], Bool, Bool)] {
      let page = try await show(environment, terminal: terminal)
      #expect(page.contains("\u{1B}[1mExamples:\u{1B}[0m") == isBold, "\(environment): \(page)")
      #expect(page.contains("\u{1B}") == isBold)
    }
  }
}

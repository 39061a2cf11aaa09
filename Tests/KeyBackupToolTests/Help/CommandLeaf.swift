import ArgumentParser
import HelpPages
import Testing

@testable import KeyBackupTool

/// A command that does something, with its words after `keybackup`.
struct CommandLeaf: Sendable, CustomTestStringConvertible {
  let path: [String]
  let command: DefinedCommand

  var title: String { path.joined(separator: " ") }
  var testDescription: String { title }

  /// What the parser says of the program.
  static let root = DefinedCommand.reading(dump: KeyBackup._dumpHelp())

  /// All of them.
  static let all: [CommandLeaf] = {
    func leaves(_ command: DefinedCommand, _ path: [String]) -> [CommandLeaf] {
      let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
      if below.isEmpty { return [CommandLeaf(path: path, command: command)] }
      return below.flatMap { leaves($0, path + [$0.commandName]) }
    }
    return root.map { leaves($0, []) } ?? []
  }()

  /// The words of the program and of every group.
  static let groups: [[String]] = {
    let groups = all.flatMap { leaf in
      (1..<max(1, leaf.path.count)).map { Array(leaf.path.prefix($0)) }
    }
    return [[]] + Set(groups).sorted { $0.lexicographicallyPrecedes($1) }
  }()

  /// The page of help of some words.
  static func page(_ words: [String], width: Int = 80, isBold: Bool = false) -> String? {
    HelpRequest(words + ["--help"], KeyBackup.self)?
      .page(KeyBackup.self, width: width, isBold: isBold)
  }
}

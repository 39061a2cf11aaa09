import ArgumentParser
import HelpPages
import Synchronization
import Testing

@testable import CommandKit
@testable import Unlocking
@testable import all_commands

/// A command that does something, with its words after `keybackup`.
struct CommandLeaf: Sendable, CustomTestStringConvertible {
  let path: [String]
  let command: DefinedCommand

  var title: String { path.joined(separator: " ") }
  var testDescription: String { title }

  /// What the parser says of the program.
  static let root = DefinedCommand.reading(dump: AllCommands._dumpHelp())

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

  /// The page of help of some words, set by the program.
  static func page(_ words: [String], width: Int = 80, isBold: Bool = false) -> String? {
    guard let request = HelpRequest(words + ["--help"], AllCommands.self) else { return nil }
    guard case .command(let path) = request, !path.isGroup else {
      return request.page(sharing: UnlockOptions.self, width: width, isBold: isBold)
    }
    return HelpPage(
      definition(of: path), at: path.names, common: common, width: width, isBold: isBold
    ).text
  }

  /// The same page, with the command described anew: that takes a while in a program that is not a release.
  static func describedPage(_ words: [String], width: Int = 80) -> String? {
    HelpRequest(words + ["--help"], AllCommands.self)?
      .page(sharing: UnlockOptions.self, width: width, isBold: false)
  }

  private static let definitions = Mutex<[[String]: DefinedCommand]>([:])
  private static let common = CommonOptionList(sharing: UnlockOptions.self)

  private static func definition(of path: CommandPath) -> DefinedCommand {
    if let known = definitions.withLock({ $0[path.names] }) { return known }
    let new = HelpRequest.definition(of: path.type)
    definitions.withLock { $0[path.names] = new }
    return new
  }
}

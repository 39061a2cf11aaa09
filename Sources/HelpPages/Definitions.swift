// This module is for what help pages say and how they are laid out. It knows no parser, no terminal
// and no backup.

internal import FoundationEssentials

/// A command as ArgumentParser describes it in `--experimental-dump-help`.
public struct DefinedCommand: Decodable, Sendable {
  /// The last word of the command, such as `add`.
  package var commandName: String
  /// One sentence.
  package var abstract: String?
  /// Further paragraphs: a help page shows the first, a manual page all of them.
  package var discussion: String?
  /// The commands below this one.
  package var subcommands: [DefinedCommand]?
  /// Options, flags and arguments, in the order of their declaration.
  package var arguments: [DefinedArgument]?

  /// Describes a command whose options are not asked for.
  package init(
    commandName: String, abstract: String?, discussion: String?, subcommands: [DefinedCommand]
  ) {
    self.commandName = commandName
    self.abstract = abstract
    self.discussion = discussion
    self.subcommands = subcommands
  }

  /// Reads ArgumentParser's description of one command and those below it.
  ///
  /// - Parameter dump: what `--experimental-dump-help` prints, or `_dumpHelp()` returns.
  /// - Returns: nil where it is not of that form.
  public static func reading(dump: String) -> DefinedCommand? {
    struct Dump: Decodable {
      var command: DefinedCommand
    }
    return try? JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
  }

  /// The paragraphs of the discussion.
  package var paragraphs: [String] {
    (discussion ?? "").split(separator: "\n").map(String.init).filter { !$0.isEmpty }
  }
}

/// An option, a flag or an argument.
package struct DefinedArgument: Decodable, Sendable {
  /// How it is written on a command line.
  package enum Kind: String, Decodable, Sendable {
    case positional, option, flag
  }

  /// One of its names.
  package struct Name: Decodable, Hashable, Sendable {
    /// `long` or `short`.
    package var kind: String
    /// The name without hyphens.
    package var name: String

    /// The name as it is typed.
    package var text: String { (kind == "long" ? "--" : "-") + name }
  }

  /// How it is written.
  package var kind: Kind
  /// Whether help shows it.
  package var shouldDisplay: Bool
  /// The title of the group that it is declared in.
  package var sectionTitle: String?
  /// Whether a command line may lack it.
  package var isOptional: Bool
  /// Whether it may be given several times.
  package var isRepeating: Bool
  /// Its names; none for a positional argument.
  package var names: [Name]?
  /// The name of its value.
  package var valueName: String?
  /// The value where none is given.
  package var defaultValue: String?
  /// The values that it can take.
  package var allValues: [String]?
  /// One or two sentences.
  package var abstract: String?

  /// The name without hyphens that identifies it.
  package var id: String {
    let long = names?.first { $0.kind == "long" } ?? names?.first
    return long?.name ?? valueName ?? ""
  }

  /// The value's name in capitals.
  package var value: String { (valueName ?? "value").uppercased() }

  /// Its names as a list shows them, such as `-y, --yes` or `--name NAME`.
  package var usage: String {
    switch kind {
    case .positional: return value
    case .flag, .option:
      let names = (names ?? []).sorted { $0.name.count < $1.name.count }
        .map(\.text).joined(separator: ", ")
      return kind == .flag ? names : names + " " + value
    }
  }

  /// Its purpose, with the values it takes and its default.
  package var explanation: String {
    var text = abstract ?? ""
    if let allValues, !allValues.isEmpty {
      text += " One of: " + allValues.joined(separator: ", ") + "."
    }
    if let defaultValue, !text.contains("default:") {
      text += " Default: \(defaultValue)" + (defaultValue.hasSuffix(":") ? "" : ".")
    }
    return text
  }
}

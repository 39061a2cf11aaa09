// This folder is for help and for mistakes on the command line. It runs only where help is
// asked for, or where a command line could not be read. The texts are in HelpPages; the list
// of commands is given to it.

package import ArgumentParser

/// How far the first words of a command line name a command.
package struct CommandPath {
  /// The command that they name, or the group.
  package private(set) var type: any ParsableCommand.Type
  /// These words.
  package private(set) var names: [String] = []
  /// The arguments after them.
  package private(set) var rest: ArraySlice<String>

  /// Follows the words from a command to those below it.
  ///
  /// - Parameters:
  ///   - root: the program itself.
  ///   - arguments: without the program's name.
  package init(_ root: any ParsableCommand.Type, _ arguments: [String]) {
    type = root
    rest = arguments[...]
    while let word = rest.first,
      let next = type.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      type = next
      names.append(word)
      rest.removeFirst()
    }
  }

  /// Whether there are commands below it.
  package var isGroup: Bool { !type.configuration.subcommands.isEmpty }

  /// The word where a command's name is expected, and that names none.
  package var unknownCommand: String? {
    guard isGroup, let word = rest.first, !word.hasPrefix("-") else { return nil }
    return word
  }

  /// The whole command as it is typed.
  var text: String { (["keybackup"] + names).joined(separator: " ") }
}

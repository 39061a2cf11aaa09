package import ArgumentParser
internal import HelpPages

extension ParsableCommand {
  /// Reads a command line whose first words name a command, by that command's own parser.
  ///
  /// ArgumentParser reads the options of every command in the list several times over; this is
  /// most of what a start costs (docs/performance.md).
  ///
  /// - Parameter arguments: without the program's name.
  /// - Returns: nil where anything is to be said about them, which the whole list's parser does.
  package static func parseLeaf(_ arguments: [String]) -> (any KeyBackupCommand)? {
    let path = CommandPath(self, arguments)
    let command: any ParsableCommand.Type = path.type
    guard command is any KeyBackupCommand.Type else { return nil }
    return (try? command.parseAsRoot(Array(path.rest))) as? any KeyBackupCommand
  }

  /// A command line with values that begin with a hyphen joined to their options.
  ///
  /// It is called for a command line that could not be read: describing a command takes a while.
  ///
  /// - Parameter arguments: without the program's name.
  /// - Returns: the arguments as they can be read.
  package static func joiningDashedValues(_ arguments: [String]) -> [String] {
    let path = CommandPath(self, arguments)
    guard !path.isGroup, path.rest.contains(where: { $0.hasPrefix("-") }) else { return arguments }
    return path.names + HelpRequest.definition(of: path.type).joiningDashedValues(Array(path.rest))
  }
}

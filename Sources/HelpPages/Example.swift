/// A command line that help and manual pages show.
package struct Example: Sendable {
  /// Its purpose, without a full stop.
  package let purpose: String
  /// The command line.
  package let command: String

  /// The examples of a command.
  ///
  /// - Parameter path: its words after `keybackup`.
  /// - Returns: none where there is no such command.
  package static func of(_ path: [String]) -> [Example] {
    all[path.joined(separator: " ")] ?? []
  }

  /// The commands that have examples.
  package static var commands: [String] { Array(all.keys) }

  init(_ purpose: String, _ command: String) {
    self.purpose = purpose
    self.command = command
  }

  private static let all = [
    backup, wallets, files, watching, waysIn, guards, securityKeys, nostr, foreign,
  ].reduce(into: [String: [Example]]()) { all, some in all.merge(some) { $1 } }
}

package import ArgumentParser

/// A group of commands that another program runs, in this one's place.
///
/// Only the names are known here: help for the group is the other program's too.
package protocol OtherProgramGroup: ParsableCommand {
  /// The program.
  static var program: String { get }
  /// The names right below the group.
  static var commands: [String] { get }
  /// The Debian package that has the program.
  static var debianPackage: String { get }
}

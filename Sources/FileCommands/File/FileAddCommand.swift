package import ArgumentParser
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup file add`: a version of one or more files.
package struct FileAddCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add files, or new versions of them.",
    discussion: """
      A computer that keybackup writers authorise has made a silent writer needs no key here. Any \
      other opens the backup.
      The name is the file's own, and tells a computer's files apart. Contents that have not changed \
      make no version.
      --keep does for these files what keybackup file prune does for all. It needs a key.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The files; - for standard input.", valueName: "path"))
  var paths: [String]

  @Option(help: ArgumentHelp("The name in the backup, with one path.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Then give up old versions of these files: newer ones that stay.", valueName: "n"))
  var keep: Int?

  @Flag(help: "Take the place of the file of that name that was added from another path.")
  var replace = false

  @Flag(help: "Add a version also of contents that have not changed.")
  var again = false

  @Option(
    help: ArgumentHelp(
      "Add a version of this file of the backup, by its ID, with one path.", valueName: "id"))
  var to: String?

  package init() {}

  package mutating func validate() throws {
    if to != nil, paths.count > 1 { throw ValidationError("--to goes with one path") }
    if let keep, !(1...1_000_000).contains(keep) {
      throw ValidationError("--keep takes 1 to 1000000")
    }
    if name != nil, paths.count > 1 { throw ValidationError("--name goes with one path") }
    if paths.contains("-"), name == nil {
      throw ValidationError("standard input has no name: add --name NAME")
    }
    try unlock.requireOtherInput(than: paths.contains("-") ? "-" : nil)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    // Everything that can be wrong with the files is found before the key is touched.
    let output = unlock.output(world)
    let files = try FileAddition.look(at: paths, name: name, world)
    for file in files {
      if let caution = file.caution {
        let shown = file.input == nil ? file.path : file.name.text
        output.warn(caution.message(shown).asCaution)
      }
    }
    let terms = FileAddition.Terms(keep: keep, to: to, replace: replace, again: again)
    let added = try await FileAddition.write(files, unlock, terms, world)
    try added.show(output)
    return added.exitCode
  }
}

extension UserMessage {
  /// The same about a file that is added all the same.
  fileprivate var asCaution: UserMessage {
    var caution = self
    caution.message = message.replacing(" is not backed up: ", with: " may be of no use: ")
    return caution
  }
}

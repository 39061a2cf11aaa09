internal import ArgumentParser
internal import BackupFolder
internal import CSPP

/// `keybackup file add`: a version of one or more files.
struct FileAddCommand: ParsableCommand, KeyBackupCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add files, or new versions of them.",
    discussion: """
      A computer that keybackup writers authorise has made a silent writer needs no key here. Any \
      other opens the backup.
      The name is the file's own, and tells a computer's files apart. Contents that have not changed \
      make no version.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The files; - for standard input.", valueName: "path"))
  var paths: [String]

  @Option(help: ArgumentHelp("The name in the backup, with one path.", valueName: "name"))
  var name: String?

  mutating func validate() throws {
    if name != nil, paths.count > 1 { throw ValidationError("--name goes with one path") }
    if paths.contains("-"), name == nil {
      throw ValidationError("standard input has no name: add --name NAME")
    }
    try unlock.requireOtherInput(than: paths.contains("-") ? "-" : nil)
  }

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    // Everything that can be wrong with the files is found before the key is touched.
    let output = unlock.output(world)
    let files = try FileAddition.look(at: paths, name: name, world)
    for file in files {
      if let caution = file.caution { output.warn(caution.message(file.path).asCaution) }
    }
    var added = AddedFiles(files, unlock.common, world)
    let folder = try Backup.folder(
      at: unlock.folder.path(world, output), world, unlock.common)
    if let writer = try FileAddition.silentWriter(folder, unlock.folder) {
      added.isSilent = true
      for place in files.indices {
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try folder.addSilently(contents, name: name, as: writer, progress: progress)
        }
      }
    } else {
      var opened = try await unlock.backup(world, for: .writing)
        .unlock(unlock, world, orElse: "nothing was added")
      let own = FileAddition.ownFiles(try opened.allFiles(), world)
      for place in files.indices {
        let known = try FileAddition.file(files[place].name, among: own)
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try opened.addFile(contents, name: name, to: known, progress: progress)
        }
      }
    }
    added.finish()
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

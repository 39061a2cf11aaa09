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

  @Option(
    help: ArgumentHelp(
      "Add a version of this file of the backup, by its ID, with one path.", valueName: "id"))
  var to: String?

  mutating func validate() throws {
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
    if let writer = try LocalWriterChoice.writer(folder, unlock.folder) {
      if keep != nil {
        throw UserMessage(
          .usage, "a computer that adds files without a touch gives no versions up",
          hint: "where your key is, run: keybackup file prune --keep N")
      }
      if to != nil {
        throw UserMessage(
          .usage, "a computer that adds files without a touch knows only its own files",
          hint: "where your key is, run: keybackup file add PATH --to ID")
      }
      added.isSilent = true
      var memory = writer.namespaceID.map { AddedFilesMemory($0, world) }
      for place in files.indices where !replace {
        try memory?.requireSame(
          files[place].path, files[place].name, as: writer.files[files[place].name])
      }
      for place in files.indices {
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try folder.addSilently(contents, name: name, as: writer, progress: progress)
        }
        if let file = added.file(place) { memory?.keep(file, from: files[place].path) }
      }
    } else {
      var opened = try await open(world)
      var memory = AddedFilesMemory(opened.id, world)
      let choice = FileAddition.Choice(try opened.allFiles(), opened.writers, memory, world)
      let known = try files.map { file throws(UserMessage) -> FileID? in
        if let to { return try FileSelector.only(choice.all, to).id }
        let known = try choice.file(file.name)
        if !replace { try memory.requireSame(file.path, file.name, as: known) }
        return known
      }
      for place in files.indices {
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try opened.addFile(contents, name: name, to: known[place], progress: progress)
        }
        if let file = added.file(place) { memory.keep(file, from: files[place].path) }
      }
      if let keep { added.prune(&opened, keeping: keep) }
      opened.rememberFiles(world)
    }
    added.finish()
    try added.show(output)
    return added.exitCode
  }

  private func open(_ world: World) async throws(UserMessage) -> OpenNamespace {
    let backup = try await unlock.backup(world, for: .writing)
    do throws(UserMessage) {
      return try await backup.unlock(unlock, world, orElse: "nothing was added")
    } catch  where error.code == .noAuthenticator {
      throw error.adding(
        hint: "to add files here without a key, begin with: keybackup writers request")
    }
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

internal import BackupFolder
internal import CSPP
internal import SecretMemory

extension FileAddition {
  /// Adds files that were looked at before: with a touch, or silently where this computer may.
  ///
  /// - Parameters:
  ///   - files: what is added.
  ///   - unlock: which backup, and what opens it.
  ///   - world: what surrounds the process.
  /// - Returns: what became of each; the caller shows it.
  /// - Throws: as ``AddedFiles/add(_:_:)``, and the errors of opening the backup.
  static func write(
    _ files: [Planned], _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> AddedFiles {
    let output = unlock.output(world)
    var added = AddedFiles(files, unlock.common, world)
    let folder = try Backup.folder(
      at: unlock.folder.path(world, output), world, unlock.common)
    if let writer = try silentWriter(folder, unlock.folder) {
      added.isSilent = true
      for place in files.indices {
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try folder.addSilently(contents, name: name, as: writer, progress: progress)
        }
      }
    } else {
      var opened = try await unlock.backup(world, for: .writing)
        .unlock(unlock, world, orElse: "nothing was added")
      let own = ownFiles(try opened.allFiles(), world)
      for place in files.indices {
        let known = try file(files[place].name, among: own)
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try opened.addFile(contents, name: name, to: known, progress: progress)
        }
      }
    }
    added.finish()
    return added
  }
}

extension FileAddition.Planned {
  /// A file that exists in memory only.
  ///
  /// - Parameters:
  ///   - contents: at least one byte.
  ///   - name: its name in the backup.
  /// - Throws: `usage` for what cannot be a name.
  init(_ contents: consuming SecretBytes, name: String) throws(UserMessage) {
    guard let component = PathComponent(name) else {
      throw UserMessage(
        .usage, "\(ShellWord.quoted(name)) cannot be the name of a file in the backup",
        hint: "a name has 1 to 255 bytes, no / and no control character")
    }
    let input = HeldInput(contents)
    self.init(path: name, name: component, size: input.size, caution: nil, input: input)
  }
}

internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
package import SecretMemory
package import Unlocking

extension FileAddition {
  /// A person's decisions about the files that get a new version.
  package struct Terms: Sendable {
    /// The newer versions that stay when old ones are given up; nil: none is.
    package var keep: Int?
    /// The ID of the file of the backup that gets the version.
    package var to: String?
    /// Whether a file of that name from another path is replaced.
    package var replace = false
    /// Whether contents that have not changed make a version.
    package var again = false
  }

  /// Adds files that were looked at before: with a touch, or silently where this computer may.
  ///
  /// - Parameters:
  ///   - files: what is added.
  ///   - unlock: which backup, and what opens it.
  ///   - terms: what a person decided.
  ///   - world: what surrounds the process.
  /// - Returns: what became of each; the caller shows it.
  /// - Throws: as ``AddedFiles/add(_:_:)``; `usage` for terms that go with a key only; `ambiguous`;
  ///   the errors of opening the backup.
  package static func write(
    _ files: [Planned], _ unlock: UnlockOptions, _ terms: Terms, _ world: World
  ) async throws(UserMessage) -> AddedFiles {
    let output = unlock.output(world)
    var added = AddedFiles(files, unlock.common, world)
    let folder = try unlock.folder.opened(world, output, unlock.common)
    if let writer = try LocalWriterChoice.writer(folder, unlock.folder, world) {
      if let mistake = (unlock.recovery.given + unlock.guards.given)
        .mistake(without: "a key that opens the backup")
      {
        throw UserMessage(
          .usage, "\(mistake); this computer adds files without one", hint: "leave it out")
      }
      try writeSilently(&added, terms, folder, writer, world)
    } else {
      try await write(&added, unlock, terms, world)
    }
    added.finish()
    return added
  }

  private static func writeSilently(
    _ added: inout AddedFiles, _ terms: Terms, _ folder: BackupFolder,
    _ writer: LocalSilentWriter, _ world: World
  ) throws(UserMessage) {
    if terms.keep != nil {
      throw UserMessage(
        .usage, "a computer that adds files without a touch gives no versions up",
        hint: "where your key is, run: keybackup file prune --keep N")
    }
    if terms.to != nil {
      throw UserMessage(
        .usage, "a computer that adds files without a touch knows only its own files",
        hint: "where your key is, run: keybackup file add PATH --to ID")
    }
    added.isSilent = true
    added.isBehind = writer.namespaceID.flatMap { folder.knownSuccessor(of: $0) } != nil
    let memory = AddedFilesMemory(world)
    added.unreadableMemory = memory.unreadable
    for file in added.files where !terms.replace {
      try memory.requireSame(file.path, file.name, as: writer.files[file.name])
    }
    for place in added.files.indices {
      let aside = StoredFilesMemory.putAside(
        added.files[place].name, writer, in: folder, world)
      // One that was removed is meant to come back. Beside a version that somebody chose since, it
      // would be a conflict with each run of a job.
      let isMeant = terms.again || aside?.isRemoved == true
      if aside != nil, !isMeant { added.putAside.insert(place) }
      if writer.files[added.files[place].name] == nil {
        added.earlier[place] = memory.file(at: added.files[place].path)
      }
      try addSilently(
        place, &added, again: isMeant, mayReplace: terms.replace, folder, writer, world)
    }
    added.uncounted = writer.uncounted(in: folder)
  }

  /// Adds one file, if no other run has taken its name for another file meanwhile.
  private static func addSilently(
    _ place: Int, _ added: inout AddedFiles, again: Bool, mayReplace: Bool, _ folder: BackupFolder,
    _ writer: LocalSilentWriter, _ world: World
  ) throws(UserMessage) {
    let file = added.files[place]
    var memory = AddedFilesMemory(world)
    var refusal: UserMessage?
    do throws(UserMessage) {
      try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
        try folder.addSilently(
          contents, name: name, as: writer, again: again
        ) { (known) throws(BackupFolderError) in
          if mayReplace { return }
          do throws(UserMessage) {
            memory = AddedFilesMemory(world)
            try memory.requireSame(file.path, name, as: known)
          } catch {
            refusal = error
            throw .interrupted
          }
        } kept: {
          memory.keep($0, from: file.path)
        } progress: {
          progress($0)
        }
      }
    } catch {
      throw refusal ?? error
    }
  }

  private static func write(
    _ added: inout AddedFiles, _ unlock: UnlockOptions, _ terms: Terms, _ world: World
  ) async throws(UserMessage) {
    var opened = try await open(unlock, world)
    var memory = AddedFilesMemory(world)
    added.unreadableMemory = memory.unreadable
    // A choice that a person has to make comes before anything is written.
    let choice = Choice(try opened.allFiles(), opened.writers, memory, world)
    for file in added.files { _ = try target(of: file, terms, memory, choice) }
    for place in added.files.indices {
      let file = added.files[place]
      try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
        // Another run may have added a file of this name.
        memory = AddedFilesMemory(world)
        let choice = Choice(try opened.allFiles(), opened.writers, memory, world)
        let known = try target(of: file, terms, memory, choice)
        try added.add(place) { (contents, name, progress) throws(BackupFolderError) in
          try opened.addFile(
            contents, name: name, to: known, again: terms.again, progress: progress)
        }
        if let id = added.file(place) { memory.keep(id, from: file.path) }
      }
    }
    if let keep = terms.keep { added.prune(&opened, keeping: keep) }
    opened.rememberFiles(world)
  }

  /// The file of the backup that gets a new version; nil: it is a new one.
  ///
  /// - Throws: as ``Choice/file(_:)`` and ``AddedFilesMemory/requireSame(_:_:as:mayReplace:)``.
  private static func target(
    of file: Planned, _ terms: Terms, _ memory: AddedFilesMemory, _ choice: Choice
  ) throws(UserMessage) -> FileID? {
    if let to = terms.to { return try FileSelector.only(choice.all, to).id }
    let known = try choice.file(file.name)
    if !terms.replace { try memory.requireSame(file.path, file.name, as: known) }
    return known
  }

  private static func open(
    _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> OpenNamespace {
    let backup = try await unlock.backup(world, for: .writing, using: UnlockOptions.ownKey)
    do throws(UserMessage) {
      return try await backup.unlock(unlock, world, orElse: "nothing was added")
    } catch  where error.code == .noAuthenticator {
      throw error.adding(
        hint: backup.folder.movedHint ?? backup.folder.lostPermission(for: .filePut, world)
          ?? "to add files here without a key, begin with: keybackup writers request")
    }
  }
}

extension FileAddition.Planned {
  /// A file that exists in memory only.
  ///
  /// - Parameters:
  ///   - contents: any bytes, also none.
  ///   - name: its name in the backup.
  /// - Throws: `usage` for what cannot be a name.
  package init(_ contents: consuming SecretBytes, name: String) throws(UserMessage) {
    guard let component = PathComponent(name) else {
      throw UserMessage(
        .usage, "\(ShellWord.quoted(name)) cannot be the name of a file in the backup",
        hint: "a name has 1 to 255 bytes, no / and no control character")
    }
    let input = HeldInput(contents)
    self.init(path: "-", name: component, size: input.size, caution: nil, input: input)
  }
}

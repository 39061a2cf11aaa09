internal import BackupFolder
internal import CSPP

/// The parts of adding files that write nothing.
enum FileAddition {
  /// A file that is to be added, looked at before any key is asked for.
  struct Planned: Sendable {
    let path: String
    let name: PathComponent
    let size: UInt64
    let caution: CopyAdvice?
    /// The contents of standard input, which can be read only once.
    let input: HeldInput?
  }

  /// Looks at every file.
  ///
  /// - Throws: as ``FileSource/init(_:as:_:)``; `usage` when two have one name.
  static func look(
    at paths: [String], name: String?, _ world: World
  ) throws(UserMessage) -> [Planned] {
    var planned: [Planned] = []
    for path in paths {
      let held = path == "-" ? try HeldInput(world.streams) : nil
      let source = try FileSource(path, as: name, input: held, world)
      if let other = planned.first(where: { $0.name == source.name }) {
        throw UserMessage(
          .usage,
          "\(ShellWord.quoted(other.path)) and \(ShellWord.quoted(path)) would have one name in the "
            + "backup",
          hint: "add each by itself, and give one another name: --name NAME")
      }
      planned.append(
        Planned(
          path: path, name: source.name, size: source.size, caution: source.caution, input: held))
    }
    return planned
  }

  /// The silent writer that this computer is for the backup; nil: it is none.
  ///
  /// - Throws: `ambiguous` where it is one for several backups of the folder.
  static func silentWriter(
    _ folder: BackupFolder, _ options: FolderOptions
  ) throws(UserMessage) -> LocalSilentWriter? {
    let writers: [LocalSilentWriter]
    do throws(BackupFolderError) {
      writers = try folder.localSilentWriters().filter {
        $0.namespaceID != nil && $0.may.contains(.filePut)
      }
    } catch {
      throw UserMessage(error)
    }
    if writers.isEmpty { return nil }
    if options.namespace != nil {
      let named = try options.namespaceID(in: folder)
      return writers.last { $0.namespaceID == named }
    }
    let backups = Set(writers.map(\.namespaceID))
    if backups.count == 1 { return writers.last }
    // After a rotation of the master key it may have been authorised for both.
    let settled = (try? folder.candidates())?.settled
    if let writer = writers.last(where: { $0.namespaceID == settled }) { return writer }
    throw UserMessage(
      .ambiguous, "this computer may write to \(backups.count) backups of the folder",
      hint: "name one with --namespace: " + NamespaceID.listed(backups.compactMap { $0 }.sorted()))
  }

  /// The files that were added on this computer with the backup open.
  static func ownFiles(_ files: [BackedUpFile], _ world: World) -> [BackedUpFile] {
    let label = PathComponent(world.hostName)
    return files.filter { file in
      file.newest.map { $0.by == nil && $0.label == label } ?? false
    }
  }

  /// The file that gets a new version; nil: it is a new one.
  ///
  /// - Throws: `ambiguous` where several have the name.
  static func file(
    _ name: PathComponent, among files: [BackedUpFile]
  ) throws(UserMessage) -> FileID? {
    let named = files.filter { $0.newest?.name == name }
    let present = named.filter { !$0.isRemoved }
    guard let first = present.first ?? named.first else { return nil }
    guard present.count < 2 else {
      throw UserMessage(
        .ambiguous, "\(present.count) files are called \"\(PrintableText.name(name.text))\"",
        hint: "remove one of them: keybackup file remove ID")
    }
    return first.id
  }
}

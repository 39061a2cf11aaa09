internal import CSPP
internal import SecretMemory

/// The folder with the states of this computer's silent writers, beside the other memory.
///
/// It has a lock and a tag of its own: a large file takes long, and nobody else may take what is
/// staged here for left-overs.
struct SilentFolder {
  static let name = "silent"
  let state: StateFolder

  /// All states.
  ///
  /// - Throws: ``BackupFolderError/memoryUnusable(path:isNewer:)``, so that nobody overwrites one.
  func states() throws(BackupFolderError) -> [SilentState] {
    var found: [SilentState] = []
    for id in try writers() {
      if let state = try self.state(of: id) { found.append(state) }
    }
    return found
  }

  /// The writers that have a state, in order.
  private func writers() throws(BackupFolderError) -> [WriterID] {
    try state.directory.names().sorted().compactMap { name in
      name.hasSuffix(".writer") ? WriterID(hex: String(name.dropLast(7))) : nil
    }
  }

  /// The states that cannot be used, in order.
  func unusable() throws(BackupFolderError) -> [BackupFolderError] {
    var problems: [BackupFolderError] = []
    for id in try writers() {
      do throws(BackupFolderError) {
        _ = try state(of: id)
      } catch {
        if error.isAboutMemory { problems.append(error) }
      }
    }
    return problems
  }

  /// The state of one writer; nil if there is none.
  func state(of id: WriterID) throws(BackupFolderError) -> SilentState? {
    let found = try state.read(
      SilentState.fileName(id), limit: SilentState.limit, header: SilentState.header
    ) { SilentState($0) }
    guard let found else { return nil }
    guard found.writerID == id else {
      let path = try state.directory.path
      throw .memoryUnusable(path: "\(path)/\(SilentState.fileName(id))", isNewer: false)
    }
    return found
  }
}

/// One run of a silent writer, from the lock to its release.
struct SilentRun: ~Copyable {
  let folder: SilentFolder
  let tag: String
  let backup: BackupFolder
  private let lock: FileLock

  /// Takes the lock.
  static func begin(_ backup: BackupFolder) throws(BackupFolderError) -> SilentRun {
    guard let folder = try backup.silentFolder(make: true) else {
      throw .internalError("the state folder")
    }
    let lock = try folder.state.lock()
    // A failure to remove them does not prevent writing.
    try? folder.state.removeStaleFiles()
    // It is for words only, and lies beside this folder.
    try? StateFolder(
      path: backup.settings.stateFolder, folder: backup.root, make: true
    ).rememberPath()
    let tag = try folder.state.temporaryTag()
    return SilentRun(folder: folder, tag: tag, backup: backup, lock: lock)
  }

  /// Saves a state durably.
  func save(_ state: SilentState) throws(BackupFolderError) {
    try state.bytes().withBytes { (bytes) throws(BackupFolderError) in
      try folder.state.replace(state.fileName, with: bytes)
    }
    try folder.state.directory.sync()
  }

  /// A writer that may make a change, with its chain in the folder.
  ///
  /// - Throws: ``BackupFolderError/silentWriter(_:)``; system errors.
  func chain(
    of id: WriterID, _ change: SilentWriter.Permissions
  ) throws(BackupFolderError) -> SilentChain {
    guard let state = try folder.state(of: id) else { throw .silentWriter(.noSuchWriter) }
    guard let grant = state.grant else { throw .silentWriter(.notAccepted) }
    guard grant.may.isSuperset(of: change) else { throw .silentWriter(.notPermitted) }
    guard let all = try backup.root.subdirectory(FolderLayout.namespaces),
      let directory = try all.subdirectory(grant.namespaceID.hex)
    else { throw .silentWriter(.noNamespace(grant.namespaceID)) }
    let namespace = Namespace(
      id: grant.namespaceID, directory: directory, settings: backup.settings, folder: backup.root)
    let sealed = try directory.makeSubdirectory(FolderLayout.ownFolder)
      .makeSubdirectory(FolderLayout.sealedFolder)
    return try SilentChain(state, grant, namespace: namespace, folder: try folder(id, in: sealed))
  }

  /// The folder of a chain.
  ///
  /// Another name does for readers too, where somebody put something else in its place.
  private func folder(
    _ id: WriterID, in sealed: Directory
  ) throws(BackupFolderError) -> Directory {
    let names = SilentChain.folderNames(id)
    do {
      return try sealed.makeSubdirectory(names[0])
    } catch .notAFolder {
      return try sealed.makeSubdirectory(names[1])
    }
  }
}

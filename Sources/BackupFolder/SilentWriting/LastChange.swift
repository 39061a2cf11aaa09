public import CSPP

extension BackupFolder {
  /// Whether the last change that this computer wrote as a silent writer is in the folder.
  ///
  /// It is not after a run that was interrupted, and where somebody removed it. The next run of the
  /// writer writes it again.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: true also if it has written nothing, or a person has accepted that it is missing;
  ///   false if its namespace is not here.
  /// - Throws: if a listing fails; ``BackupFolderError/interrupted``.
  public func holdsLastChange(of writer: LocalSilentWriter) throws(BackupFolderError) -> Bool {
    if writer.namespaceID == nil { return true }
    guard let namespace = try namespace(of: writer) else { return false }
    return try writer.last.map { (last) throws(BackupFolderError) in
      if try namespace.holds(sealed: last) {
        // When it goes again, that is told again.
        try? namespace.forgetAcceptedLoss(of: last.name)
        return true
      }
      return namespace.rememberedFiles.acceptedLosses.contains(last.name)
    } ?? true
  }

  /// Whether the versions that this computer wrote last of some files are in the folder, each with its
  /// contents by their size.
  ///
  /// - Parameters:
  ///   - writer: from ``localSilentWriters()``.
  ///   - names: the files' names; one that was never written counts as not there.
  /// - Returns: false if its namespace is not here, also where a person has accepted that something is
  ///   missing.
  /// - Throws: if a listing fails; ``BackupFolderError/interrupted``.
  public func holdsLastVersions(
    of writer: LocalSilentWriter, names: [PathComponent]
  ) throws(BackupFolderError) -> Bool {
    guard let namespace = try namespace(of: writer) else { return false }
    let objects = try namespace.objects()
    for name in names {
      guard let latest = writer.latest[name], try namespace.holds(latest, objects) else {
        return false
      }
    }
    return true
  }

  /// The files whose last version by this computer is not in the folder, or not all of it.
  ///
  /// A missing last change is left to ``holdsLastChange(of:)``. Contents of a version that another computer
  /// gave up are missing, too.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: their names, in order; none if its namespace is not here. A version that a person
  ///   accepted as missing is left out.
  /// - Throws: if a listing fails; ``BackupFolderError/interrupted``.
  public func filesWithoutLastVersion(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> [PathComponent] {
    guard !writer.latest.isEmpty, let namespace = try namespace(of: writer) else { return [] }
    let objects = try namespace.objects()
    let memory = namespace.rememberedFiles
    let accepted = memory.acceptedLosses.union(memory.acceptedVersions)
    var names: [PathComponent] = []
    for (name, latest) in writer.latest {
      if try namespace.holds(latest, objects) {
        // When it goes again, that is told again.
        try? namespace.forgetAcceptedLoss(of: latest.operation.name, andOfContents: true)
        continue
      }
      if accepted.contains(latest.operation.name) { continue }
      // Where the last operation is missing, that is told as such.
      if latest.operation == writer.last, try !namespace.holds(sealed: latest.operation) {
        continue
      }
      names.append(name)
    }
    return names.sorted { $0.text < $1.text }
  }

  /// Whether the operation that authorised a silent writer is in the folder.
  ///
  /// Without it nothing that the writer writes counts. Nothing keeps it from writing: the operation may
  /// still arrive.
  ///
  /// - Parameter writer: from ``localSilentWriters()``.
  /// - Returns: true also before an answer was accepted.
  /// - Throws: if a listing fails; ``BackupFolderError/interrupted``.
  public func holdsAuthorisation(of writer: LocalSilentWriter) throws(BackupFolderError) -> Bool {
    guard let operation = writer.authorised else { return true }
    return try namespace(of: writer)?.holds(logged: operation) ?? false
  }

  /// The namespace for which a silent writer was authorised; nil if it is not here.
  func namespace(
    of writer: LocalSilentWriter
  ) throws(BackupFolderError) -> Namespace? {
    guard let id = writer.namespaceID, let all = try root.subdirectory(FolderLayout.namespaces),
      let directory = try all.readableSubdirectory(id.hex)
    else { return nil }
    return Namespace(id: id, directory: directory, settings: settings, folder: root)
  }
}

extension Namespace {
  /// Whether the log has an operation with its bytes, also as a conflict copy, in its writer's folder.
  func holds(logged operation: Operation.Seen) throws(BackupFolderError) -> Bool {
    guard let folder = try logFolder() else { return false }
    let limit = settings.limits.operation
    let name = FolderLayout.operationFile(counter: operation.counter, digest: operation.digest)
    guard let chain = try folder.readableSubdirectory(operation.writerID.hex) else { return false }
    if try chain.holds(operation.digest, in: name, limit: limit) { return true }
    return try chain.holdsCopy(of: operation.name, limit: limit)
  }

  /// The last operations of this computer's silent writers for this namespace; none where they
  /// cannot be read.
  var lastSealedHere: [Operation.Seen] {
    let backup = BackupFolder(path: folder.path, root: folder, settings: settings)
    guard let writers = try? backup.localSilentWriters() else { return [] }
    return writers.filter { $0.namespaceID == id }.compactMap(\.last)
  }

  /// The operations of the last versions, and of the wallets, that this computer wrote without the key
  /// and that are not whole here.
  ///
  /// - Throws: if a listing fails.
  func lastVersionsNotHere() throws(BackupFolderError) -> [OperationName] {
    let backup = BackupFolder(path: folder.path, root: folder, settings: settings)
    let writers = ((try? backup.localSilentWriters()) ?? []).filter { $0.namespaceID == id }
    if writers.isEmpty { return [] }
    let objects = try objects()
    var found: [OperationName] = []
    for writer in writers {
      for version in writer.latest.values where try !holds(version, objects) {
        found.append(version.operation.name)
      }
      found += try walletsWithoutFile(of: writer).filter { !$0.isHere }.map(\.operation.name)
      found += try earlierWalletsWithoutFile(of: writer).map(\.name)
    }
    return found
  }

  /// Forgets that a person accepted the loss of a sealed operation, which is here again, or of its
  /// contents, too.
  func forgetAcceptedLoss(
    of name: OperationName, andOfContents areWhole: Bool = false
  ) throws(BackupFolderError) {
    let memory = rememberedFiles
    let isContents = areWhole && memory.acceptedVersions.contains(name)
    guard memory.acceptedLosses.contains(name) || isContents else { return }
    let state = try state(make: true)
    let lock = try state.lock()
    var files = try state.files(of: id)
    files.acceptedLosses = files.acceptedLosses.subtracting([name])
    if areWhole { files.acceptedVersions = files.acceptedVersions.subtracting([name]) }
    try state.save(files, of: id)
    _ = consume lock
  }

  /// Whether a version is here, and its object by its size.
  fileprivate func holds(
    _ latest: LatestVersion, _ objects: ObjectFolder?
  ) throws(BackupFolderError) -> Bool {
    guard try holds(sealed: latest.operation) else { return false }
    guard let object = latest.object else { return true }
    return objects?.holds(object, contents: latest.size) == true
  }

  /// Whether a sealed operation is here with its bytes, also as a conflict copy.
  func holds(sealed operation: Operation.Seen) throws(BackupFolderError) -> Bool {
    let name = FolderLayout.operationFile(counter: operation.counter, digest: operation.digest)
    let folder = try ownFolder(FolderLayout.sealedFolder)
    for chain in SilentChain.folderNames(operation.writerID) {
      guard let chain = try? folder?.readableSubdirectory(chain), chain.holds(name) else {
        continue
      }
      if try chain.holds(operation.digest, in: name, limit: settings.limits.sealedOperation) {
        return true
      }
    }
    return try holds(sealed: operation.name)
  }

  /// Whether a file of a sealed operation has the bytes that its name stands for, also a conflict copy.
  func holds(sealed name: OperationName) throws(BackupFolderError) -> Bool {
    let folder = try ownFolder(FolderLayout.sealedFolder)
    for chain in SilentChain.folderNames(name.writer) {
      guard let chain = try? folder?.readableSubdirectory(chain) else { continue }
      if try chain.holdsCopy(of: name, limit: settings.limits.sealedOperation) { return true }
    }
    return false
  }
}

extension Directory {
  /// Whether a file here that is called after an operation, as conflict copies and other spellings are,
  /// has its bytes.
  fileprivate func holdsCopy(
    of name: OperationName, limit: Int
  ) throws(BackupFolderError) -> Bool {
    // Behind the writer's ID.
    let stem = name.description.dropFirst(name.writer.hex.utf8.count + 1)
    let files = try names().filter { $0.contains(stem) }
    for file in files.sorted().prefix(Self.mostCopies) {
      let found = try digest(of: file, limit: limit).map {
        OperationName(writer: name.writer, counter: name.counter, digest: $0)
      }
      if found == name { return true }
    }
    return false
  }

  /// The most files of one operation that are read: anyone who writes to the folder can plant some.
  private static var mostCopies: Int { 16 }
}

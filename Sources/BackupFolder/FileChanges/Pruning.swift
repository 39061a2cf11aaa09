public import CSPP

extension OpenNamespace {
  /// The time for which a version was replaced before it may go, in seconds: seven days.
  private static var replacedFor: UInt64 { 7 * 24 * 3600 }

  /// Gives up versions of more than 64 KiB that have more than `kept` newer ones and were replaced
  /// for seven days by this computer's own count.
  ///
  /// An object is removed with the last version that names it. Newer versions are read first, as for
  /// a restore: one that is empty or all zero bytes, or whose contents are damaged or missing, makes no
  /// other one go. A thief of a silent computer can write such versions, and a full disk empties a file.
  ///
  /// - Parameters:
  ///   - kept: the number of newer versions that stay.
  ///   - files: the files whose versions may go; nil: all.
  ///   - despiteGaps: whether to go on while operations or versions are missing.
  /// - Returns: what was given up.
  /// - Throws: ``FileObstacle/historyIncomplete``; ``BackupFolderError/interrupted``; system errors.
  public mutating func pruneFiles(
    keeping kept: Int = 10, of files: Set<FileID>? = nil, despiteGaps: Bool = false
  ) throws(BackupFolderError) -> PrunedVersions {
    let run = try beginRun()
    if !hasFiles { return PrunedVersions() }
    try requireWhole(nil, despiteGaps)
    // Without this computer's count nothing goes.
    fileState.memory = try run.state.files(of: id)
    var pruned = PrunedVersions()
    var dropped: [FileID: [Digest]] = [:]
    var restorable: [Int: Bool] = [:]
    for (place, version) in fileState.versions.versions.enumerated()
    where files?.contains(version.put.fileID) != false && isReplacedForLong(place) {
      guard try hasRestorableNewer(place, than: kept, &restorable),
        try hasRestorableCopy(of: place, &restorable)
      else { continue }
      dropped[version.put.fileID, default: []].append(version.operation.digest)
      pruned.versions += 1
    }
    if !dropped.isEmpty {
      let staged = try stage(run: run) { operation in
        for (file, versions) in dropped.sorted(by: { $0.key < $1.key }) {
          operation.fileDrop(file, versions: versions)
        }
      }
      try publish(staged, run: run)
    }
    try removeObjects(&pruned)
    return pruned
  }

  /// Whether more than `count` versions that are newer and not empty can be restored.
  ///
  /// - Parameters:
  ///   - place: the version.
  ///   - count: the number of newer ones.
  ///   - restorable: the versions that were read before, each once.
  /// - Returns: whether there are so many.
  /// - Throws: ``BackupFolderError/interrupted``.
  private func hasRestorableNewer(
    _ place: Int, than count: Int, _ restorable: inout [Int: Bool]
  ) throws(BackupFolderError) -> Bool {
    let rules = fileState.versions
    var (next, visited) = ([Int32(place)], Set([Int32(place)]))
    var found: Set<Digest> = []
    while let target = next.popLast() {
      for other in rules.replacedBy[Int(target)] where visited.insert(other).inserted {
        let made = rules.versions[Int(other)].made
        let newer = rules.versions[Int(other)].put.version
        if made != rules.versions[place].made, !found.contains(made), newer.size > 0,
          try isRestorable(Int(other), &restorable), !BlankContents.have(newer.content, newer.size)
        {
          found.insert(made)
          if found.count > count { return true }
        }
        next.append(other)
      }
    }
    return false
  }

  /// Whether a version that counts, and has the contents of one that may go, can be restored without
  /// that.
  ///
  /// A choice has contents of its own, which may be damaged or not here yet.
  private func hasRestorableCopy(
    of place: Int, _ restorable: inout [Int: Bool]
  ) throws(BackupFolderError) -> Bool {
    let rules = fileState.versions
    let version = rules.versions[place]
    let copies = rules.live(version.put.fileID).filter { live in
      let other = rules.versions[live]
      return other.made == version.made
        || other.put.version.content == version.put.version.content
    }
    for copy in copies where try isRestorable(copy, &restorable) { return true }
    return copies.isEmpty
  }

  private func isRestorable(
    _ place: Int, _ known: inout [Int: Bool]
  ) throws(BackupFolderError) -> Bool {
    if let known = known[place] { return known }
    let version = fileState.versions.versions[place]
    let found = try canRead(version.operation.digest, version.put.fileID, in: version.namespace)
    known[place] = found
    return found
  }

  /// Whether a large version has been replaced for seven days.
  private func isReplacedForLong(_ place: Int) -> Bool {
    let rules = fileState.versions
    let version = rules.versions[place]
    guard rules.isDead[place], !rules.isDropped[place], version.namespace == nil,
      version.put.version.size > FileVersions.keptSize
    else { return false }
    let name = FileMemory.Version(operation: version.operation.digest, file: version.put.fileID)
    return fileState.memory.replaced[name].map { $0 >= Self.replacedFor } ?? false
  }

  /// Removes the objects that only given-up versions name, also those that a crash left.
  private func removeObjects(_ pruned: inout PrunedVersions) throws(BackupFolderError) {
    let gone = fileState.versions.spentObjects
    guard !gone.isEmpty, let objects = try namespace.objects() else { return }
    for name in gone.sorted() {
      let file = FolderLayout.objectFile(name)
      guard let size = objects.directory.size(of: file) else { continue }
      try objects.directory.unlink(file)
      pruned.objects += 1
      // Somebody may have put a file full of holes there, of any size.
      let (sum, isTooMuch) = pruned.bytes.addingReportingOverflow(size ?? 0)
      pruned.bytes = isTooMuch ? .max : sum
    }
    try objects.directory.sync()
  }
}

internal import CSPP

/// Sealed operations and objects have digests as names: whether they are whole shows without a key.
extension Namespace {
  /// Compares the sealed operations and the objects with the digests in their names.
  ///
  /// Reads every one of them, as a whole. Files with other names are left to a run with the key.
  ///
  /// - Returns: the files that are not what their names say, or cannot be read.
  /// - Throws: ``BackupFolderError/interrupted``.
  func checkSealed() throws(BackupFolderError) -> [FileFinding] {
    var findings: [FileFinding] = []
    do throws(BackupFolderError) {
      try checkSealedOperations(&findings)
    } catch {
      if error == .interrupted { throw error }
      findings.report(FileFinding(unlisted: SealedLog.path, error))
    }
    do throws(BackupFolderError) {
      try checkObjects(&findings)
    } catch {
      if error == .interrupted { throw error }
      findings.report(
        FileFinding(unlisted: "\(FolderLayout.ownFolder)/\(FolderLayout.objectFolder)", error))
    }
    return findings
  }

  private static let otherBytes = "its bytes are not those of its name"

  private func checkSealedOperations(
    _ findings: inout [FileFinding]
  ) throws(BackupFolderError) {
    guard let folder = try ownFolder(FolderLayout.sealedFolder) else { return }
    let listing = try LogListing(folder, isTolerant: true)
    for (name, error) in listing.unlisted {
      findings.report(FileFinding(unlisted: "\(SealedLog.path)/\(name)", error))
    }
    var files = LogFiles(folder)
    var buffer = FileBuffer()
    var problems = LogProblems(of: SealedLog.path)
    for file in listing.inOrder() {
      guard case .operation(let name) = file else { continue }
      if settings.watch.isInterrupted() { throw .interrupted }
      do throws(FileProblem) {
        try files.read(file, into: &buffer, limit: settings.limits.sealedOperation)
        let digest = buffer.withBytes { Digest(of: $0) }
        if name.digest == SIMD2(digest.words.x, digest.words.y) { continue }
        problems.note(file, in: &files, state: .unreadable, reason: Self.otherBytes)
      } catch {
        if error == .absent { continue }
        problems.note(file, in: &files, error)
      }
    }
    problems.judge(isHere: { (try? holds(sealed: $0)) == true })
    for finding in problems.findings { findings.report(finding) }
  }

  /// A finding about an object.
  ///
  /// One that no version names holds back nothing: nobody can read it.
  private func finding(
    _ path: String, _ state: WalletState, _ reason: String, _ owner: FileVersions.Version??
  ) -> FileFinding {
    guard let owner else {
      return FileFinding(file: path, recordID: nil, state: state, reason: reason)
    }
    guard let owner else {
      return FileFinding(
        file: path, recordID: nil, state: state == .unreadable ? .foreign : state,
        reason: reason + "; no version that is here names it")
    }
    let version = owner.operation.digest.hex.prefix(8)
    return FileFinding(
      file: path, recordID: nil, state: state,
      reason: reason + "; version \(version) of \"\(owner.put.name.text)\" is in it")
  }

  fileprivate func checkObjects(
    _ findings: inout [FileFinding], besides read: Set<Digest> = [],
    whose owners: [Digest: FileVersions.Version]? = nil
  ) throws(BackupFolderError) {
    guard let objects = try objects() else { return }
    for file in try objects.directory.names().sorted() {
      guard let name = Digest(hex: String(file.prefix(64))), FolderLayout.objectFile(name) == file,
        !read.contains(name)
      else { continue }
      var state: WalletState
      do throws(BackupFolderError) {
        if try objects.isWhole(name) { continue }
        state = objects.directory.size(of: file) == .some(0) ? .incomplete : .unreadable
      } catch .file(.contentsMissing) {
        continue
      } catch .interrupted {
        throw .interrupted
      } catch {
        state = .incomplete
      }
      var reason = state == .incomplete ? "it cannot be read as a whole" : Self.otherBytes
      if try objects.holdsWholeCopy(of: name) {
        state = .foreign
        reason += "; a copy beside it is whole"
      }
      let path = "\(FolderLayout.ownFolder)/\(FolderLayout.objectFolder)/\(file)"
      findings.report(finding(path, state, reason, owners.map { $0[name] }))
    }
  }
}

extension OpenNamespace {
  /// Compares the objects of versions that do not count with the digests in their names.
  ///
  /// Those that count are left out: a check of the backup decrypts them.
  ///
  /// - Returns: the objects that are damaged, or cannot be read; ``WalletState/foreign`` is the state of
  ///   one that no version names.
  /// - Throws: ``BackupFolderError/interrupted``.
  public func checkOtherObjects() throws(BackupFolderError) -> [FileFinding] {
    let rules = fileState.versions
    let live = rules.places.keys.flatMap { rules.live($0) }
    var owners: [Digest: FileVersions.Version] = [:]
    for version in rules.kept where version.namespace == nil {
      if let object = version.put.version.object { owners[object] = version }
    }
    var findings: [FileFinding] = []
    do throws(BackupFolderError) {
      try namespace.checkObjects(
        &findings, besides: Set(live.compactMap { rules.versions[$0].put.version.object }),
        whose: owners)
    } catch {
      // One that may not be listed is among the sealed findings.
      if error == .interrupted { throw error }
    }
    return findings
  }
}

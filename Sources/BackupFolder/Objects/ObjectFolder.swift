internal import CLinux
internal import CSPP
internal import Glibc
internal import SecretMemory

/// A version of a file that is ready to be written into an operation.
struct PreparedVersion: ~Copyable {
  /// Its description for the operation.
  let version: NewFileVersion
  /// Its object, which is on the disk and has no name yet; nil for contents in the operation.
  let object: (file: AtomicFile, name: Digest)?
}

/// The objects of a namespace.
struct ObjectFolder {
  let directory: Directory
  /// Whether to give up while an object is hashed or copied.
  var isInterrupted: @Sendable () -> Bool = { false }

  /// How often contents that change are read again.
  private static let tries = 3

  /// Puts contents on the disk in an object without a name, or takes them as they are if they are
  /// small.
  ///
  /// - Parameters:
  ///   - contents: the contents.
  ///   - found: their digest and size, as they were read first. What a file has grown by since is left
  ///     out.
  ///   - seed: a secret of this computer, or of the namespace.
  ///   - namespace: the namespace, whose folder of objects is created.
  ///   - tag: distinguishes this computer's temporary files.
  ///   - progress: receives the number of bytes sealed so far.
  /// - Returns: the version.
  /// - Throws: ``FileObstacle/changedWhileReading``; ``BackupFolderError/interrupted``; system errors.
  static func prepare(
    _ contents: borrowing FileContents, found: (digest: Digest, size: UInt64),
    hedge seed: borrowing SecretBytes,
    in namespace: Namespace, tag: String, progress: (UInt64) -> Void
  ) throws(BackupFolderError) -> PreparedVersion {
    var found = found
    for attempt in 1...tries {
      let isInterrupted = namespace.settings.watch.isInterrupted
      if attempt > 1 { found = try contents.digest(unless: isInterrupted) }
      do throws(BackupFolderError) {
        if let bytes = try contents.inline(upTo: found.size) {
          return try inline(bytes, found.digest, of: contents)
        }
        var staged = try StagedObject(
          in: namespace.makeObjects(), expecting: found.digest, hedge: seed, tag: tag)
        try contents.forEachPiece(upTo: found.size) { (piece) throws(BackupFolderError) in
          try staged.append(piece)
          progress(staged.count)
        }
        return try staged.finish(modified: contents.modified, mode: contents.mode)
      } catch .file(.changedWhileReading) {
        continue
      }
    }
    throw .file(.changedWhileReading)
  }

  /// Small contents, if they are the same as at the first reading.
  private static func inline(
    _ bytes: consuming SecretBytes, _ digest: Digest, of contents: borrowing FileContents
  ) throws(BackupFolderError) -> PreparedVersion {
    guard bytes.withBytes({ Digest(of: $0) }) == digest else { throw .file(.changedWhileReading) }
    do {
      return PreparedVersion(
        version: try NewFileVersion(
          inline: bytes, modified: contents.modified, mode: contents.mode), object: nil)
    } catch {
      throw .internalError("small contents: \(error)")
    }
  }

  /// Puts the contents of a version that is here on the disk once more, in an object of its own
  /// without a name.
  ///
  /// - Parameters:
  ///   - version: the version.
  ///   - seed: a secret of the namespace.
  ///   - namespace: the namespace, whose folder of objects is created.
  ///   - tag: distinguishes this computer's temporary files.
  ///   - read: passes the contents on in pieces.
  /// - Returns: the version.
  /// - Throws: ``FileObstacle/contentsDamaged``; what `read` throws; system errors.
  static func prepare(
    copyOf version: FileVersion, hedge seed: borrowing SecretBytes, in namespace: Namespace,
    tag: String,
    _ read: ((RawSpan) throws(BackupFolderError) -> Void) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) -> PreparedVersion {
    var staged = try StagedObject(
      in: namespace.makeObjects(), expecting: version.content, hedge: seed, tag: tag)
    try read { (piece) throws(BackupFolderError) in try staged.append(piece) }
    do throws(BackupFolderError) {
      return try staged.finish(modified: version.modified, mode: version.mode)
    } catch .file(.changedWhileReading) {
      throw .file(.contentsDamaged)
    }
  }

  /// Gives an object its name, durably.
  static func place(_ object: (file: AtomicFile, name: Digest)) throws(BackupFolderError) {
    // Its random key makes the name new; if it is taken, those are the same bytes.
    _ = try object.file.place(new: FolderLayout.objectFile(object.name))
    try object.file.directory.sync()
  }

  /// Copies an object, as it is, into a namespace; does nothing where it is whole already.
  ///
  /// Other bytes under its name belong to nobody, and are replaced once a whole copy is on the disk.
  /// What cannot be read stays: it may be whole.
  ///
  /// - Parameters:
  ///   - object: its name.
  ///   - size: the size of its contents in bytes.
  ///   - sources: the folders that may have it.
  ///   - namespace: the namespace, whose folder of objects is created.
  ///   - tag: distinguishes this computer's temporary files.
  ///   - progress: receives the number of bytes copied so far.
  /// - Throws: ``BackupFolderError/file(_:)`` if no source has it, or what has its name cannot be
  ///   read; ``BackupFolderError/interrupted``; system errors.
  static func copy(
    _ object: Digest, contents size: UInt64, from sources: [ObjectFolder],
    into namespace: Namespace, tag: String, progress: (UInt64) -> Void = { _ in }
  ) throws(BackupFolderError) {
    let target = try namespace.makeObjects()
    let folder = target.directory
    let state = target.state(of: object, contents: size)
    if state == .here, try target.isWhole(object) { return }
    var problem = FileObstacle.contentsMissing
    for source in sources where source.directory.path != folder.path {
      switch source.state(of: object, contents: size) {
      case .missing: continue
      case .wrongSize: problem = .contentsIncomplete
      case .here, .inline:
        do throws(BackupFolderError) {
          let file = FolderLayout.objectFile(object)
          let staged = try source.stage(copyOf: object, file, in: folder, tag: tag, progress)
          return try target.place(staged, object, isTaken: state != .missing)
        } catch .file(let obstacle) {
          problem = obstacle
        }
      }
    }
    // What a sync program put under another name may be the whole one.
    for source in sources {
      for file in source.conflictCopies(of: object, contents: size) {
        do throws(BackupFolderError) {
          let staged = try source.stage(copyOf: object, file, in: folder, tag: tag, progress)
          return try target.place(staged, object, isTaken: state != .missing)
        } catch .file {
          continue
        }
      }
    }
    throw .file(problem)
  }

  /// Gives a copy of an object its name, durably.
  private func place(
    _ copy: AtomicFile, _ object: Digest, isTaken: Bool
  ) throws(BackupFolderError) {
    let name = FolderLayout.objectFile(object)
    // A folder has its place. What is in it stays.
    directory.putFolderAside(name)
    if isTaken {
      try copy.place(overwriting: name)
    } else if try !copy.place(new: name) {
      guard try isWhole(object) else { throw .file(.contentsIncomplete) }
    }
    try directory.sync()
  }

  /// Puts a copy of an object, from a file of some name, on the disk without a name.
  ///
  /// - Throws: ``BackupFolderError/file(_:)`` if it cannot be read, or its bytes are not those of its
  ///   name; system errors of the writing.
  private func stage(
    copyOf object: Digest, _ file: String, in folder: Directory, tag: String,
    _ progress: (UInt64) -> Void
  ) throws(BackupFolderError) -> AtomicFile {
    let staged = try unsafe AtomicFile(staging: [UInt8]().span.bytes, in: folder, tag: tag)
    var failure: BackupFolderError?
    var done: UInt64 = 0
    try readable { () throws(BackupFolderError) in
      try forEachPiece(of: file) { (piece) throws(BackupFolderError) in
        if failure != nil { return }
        do throws(BackupFolderError) { try staged.append(piece) } catch { failure = error }
        done += UInt64(piece.byteCount)
        progress(done)
      }
    }
    if let failure { throw failure }
    var hash = SHA256()
    try staged.settle { hash.update($0) }
    guard Digest(hash) == object else { throw .file(.contentsDamaged) }
    return staged
  }

  /// Whether an object is here with the bytes of its name.
  ///
  /// - Throws: ``BackupFolderError/file(_:)`` if it cannot be read: it may be whole.
  func isWhole(_ object: Digest) throws(BackupFolderError) -> Bool {
    var found: Digest?
    try readable { () throws(BackupFolderError) in
      found = try digest(of: FolderLayout.objectFile(object))
    }
    return found == object
  }

  /// Turns the errors of a reading into ``FileObstacle/contentsIncomplete``.
  private func readable(
    _ body: () throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    do {
      try body()
    } catch .interrupted {
      throw .interrupted
    } catch .file(let obstacle) {
      throw .file(obstacle)
    } catch {
      throw .file(.contentsIncomplete)
    }
  }

  /// The digest of a file here; nil if it has a hole, as nothing sealed has.
  ///
  /// So a file of any size that has no contents costs nothing.
  func digest(of name: String) throws(BackupFolderError) -> Digest? {
    let (file, size) = try open(name)
    defer { close(file) }
    if FilePieces.hasHole(file, size: size) { return nil }
    var hash = SHA256()
    try forEachPiece(of: file, name) { (piece) throws(BackupFolderError) in hash.update(piece) }
    return Digest(hash)
  }

  private func forEachPiece(
    of name: String, _ body: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let file = try open(name).descriptor
    defer { close(file) }
    try forEachPiece(of: file, name, body)
  }

  private func forEachPiece(
    of file: Int32, _ name: String, _ body: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    try FilePieces.read(file, path: "\(directory.path)/\(name)") {
      (piece) throws(BackupFolderError) in
      if isInterrupted() { throw .interrupted }
      try body(piece)
    }
  }

  /// Opens a file here; the caller closes the descriptor.
  private func open(
    _ name: String
  ) throws(BackupFolderError) -> (descriptor: Int32, size: UInt64) {
    do throws(FileProblem) {
      return try directory.openFile(name)
    } catch {
      if error == .absent { throw .file(.contentsMissing) }
      throw error.error("\(directory.path)/\(name)")
    }
  }

  /// The state of an object, without reading it.
  func state(of object: Digest, contents size: UInt64) -> StoredVersion.ObjectState {
    state(of: FolderLayout.objectFile(object), contents: size)
  }

  /// The state of an object, or of a copy of one, in a file of some name.
  func state(of file: String, contents size: UInt64) -> StoredVersion.ObjectState {
    guard let found = directory.size(of: file) else { return .missing }
    guard let found else { return .here }
    return found == ObjectFormat.objectSize(of: size) ? .here : .wrongSize
  }

  /// Whether an object is here: it has its size, as far as that is known, and no hole.
  ///
  /// What is not written yet, or was emptied, has one where the file system tells.
  ///
  /// A copy that a sync program made of it does, too.
  func holds(_ object: Digest, contents size: UInt64?) -> Bool {
    if hasContents(FolderLayout.objectFile(object), size) { return true }
    guard let size else { return false }
    return conflictCopies(of: object, contents: size).contains { hasContents($0, size) }
  }

  private func hasContents(_ name: String, _ size: UInt64?) -> Bool {
    guard let found = directory.size(of: name) else { return false }
    if let size, state(of: name, contents: size) != .here { return false }
    // Where reading may block, nothing is opened.
    guard found != nil, let (file, bytes) = try? directory.openFile(name) else { return true }
    defer { close(file) }
    return !FilePieces.hasHole(file, size: bytes)
  }

  /// The most copies of one object that are tried: anyone who writes to the folder can plant some.
  private static let mostCopies = 16

  /// The objects of which other files are here that are called after them.
  func objectsWithConflictCopies() throws(BackupFolderError) -> Set<Digest> {
    Set(
      try directory.names().compactMap { name in
        Digest(ofCopy: name).flatMap { name == FolderLayout.objectFile($0) ? nil : $0 }
      })
  }

  /// The names of files that sync programs made of an object.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - size: the size of its contents: only files with the object's size count. Nil: all count.
  /// - Returns: the names, in order.
  func conflictCopies(of object: Digest, contents size: UInt64? = nil) -> [String] {
    let own = FolderLayout.objectFile(object)
    let all = (try? directory.names()) ?? []
    let copies = all.filter { name in
      name != own && Digest(ofCopy: name) == object
        && size.map { state(of: name, contents: $0) == .here } ?? true
    }
    return Array(copies.sorted().prefix(Self.mostCopies))
  }

  /// Removes a file that a sync program made of an object.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - tag: distinguishes this computer's temporary files.
  ///   - mayGo: whether bytes with this digest may be lost; nil for what no object can be.
  /// - Returns: whether it is gone. What cannot be read stays.
  /// - Throws: ``BackupFolderError/interrupted``; system errors.
  func removeCopy(
    _ name: String, tag: String, mayGo: (Digest?) -> Bool
  ) throws(BackupFolderError) -> Bool {
    func isSpare(_ name: String) throws(BackupFolderError) -> Bool {
      do throws(BackupFolderError) {
        return mayGo(try digest(of: name))
      } catch {
        if error == .interrupted { throw error }
        return false
      }
    }
    guard try isSpare(name) else { return directory.removeEmptySubdirectory(name) }
    // A sync program may put another file in its place meanwhile.
    let aside = "\(AtomicFile.temporaryPrefix)\(tag)-gone-\(Hex.string(Randomness.bytes(count: 8)))"
    let code = try directory.rename(name, to: aside, flags: 0)
    if code != 0 { throw .system(code, "\(directory.path)/\(name)") }
    if try isSpare(aside) {
      try directory.unlink(aside)
      return true
    }
    _ = try directory.rename(aside, to: name, flags: UInt32(RENAME_NOREPLACE))
    return false
  }

  /// Whether a file that a sync program made of an object has the bytes of the object's name.
  ///
  /// - Throws: ``BackupFolderError/interrupted``.
  func holdsWholeCopy(of object: Digest) throws(BackupFolderError) -> Bool {
    for file in conflictCopies(of: object) {
      do throws(BackupFolderError) {
        if try digest(of: file) == object { return true }
      } catch .interrupted {
        throw .interrupted
      } catch {
        continue
      }
    }
    return false
  }

  /// Decrypts an object piece by piece.
  ///
  /// - Parameters:
  ///   - name: the name of its file.
  ///   - opener: an opener for it.
  ///   - sink: receives the contents.
  /// - Throws: ``BackupFolderError/file(_:)``; what `sink` throws; system errors.
  func read(
    _ name: String, _ opener: consuming ObjectOpener,
    into sink: (RawSpan) throws(BackupFolderError) -> Void
  ) throws(BackupFolderError) {
    let path = "\(directory.path)/\(name)"
    let (file, size): (Int32, UInt64)
    do throws(FileProblem) {
      (file, size) = try directory.openFile(name)
    } catch {
      if error == .absent { throw .file(.contentsMissing) }
      throw error.error(path)
    }
    defer { close(file) }
    var opener = opener
    // What is too short may still be arriving.
    if size < opener.objectSize { throw .file(.contentsIncomplete) }
    if size > opener.objectSize { throw .file(.contentsDamaged) }
    var piece = SecretBytes(zeroed: 0)
    var contents = SecretBytes(zeroed: FilePieces.size)
    var offset: UInt64 = 0
    while opener.nextCount > 0 {
      if isInterrupted() { throw .interrupted }
      let count = opener.nextCount
      let got = try FilePieces.fill(&piece, count, from: file, at: offset, path: path)
      if got < count { throw .file(.contentsIncomplete) }
      do throws(CSPPError) {
        try piece.withBytes { (piece) throws(CSPPError) in
          try opener.open(piece, into: &contents)
        }
      } catch {
        throw .file(
          piece.withBytes { $0.hasHole } ? .contentsIncomplete : .contentsDamaged)
      }
      offset += UInt64(count)
      if contents.count > 0 {
        try contents.withBytes { (bytes) throws(BackupFolderError) in try sink(bytes) }
      }
    }
    do {
      try opener.finish()
    } catch {
      throw .file(.contentsDamaged)
    }
  }
}

extension Digest {
  /// The object of which a file may be a copy: one that is called after it in any way.
  fileprivate init?(ofCopy name: String) {
    guard let object = Digest(claimedBy: name) ?? Digest(hex: String(name.prefix(64))) else {
      return nil
    }
    self = object
  }

  /// The object of which a file is, by its name, its own or a copy that a sync program made.
  init?(claimedBy name: String) {
    let object = OwnName.find(in: name, suffix: ".bin") { text in
      OwnName.digits(64, of: text).flatMap { Digest(hex: $0) }
    }
    guard let object else { return nil }
    self = object
  }
}

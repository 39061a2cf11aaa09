internal import CSPP
internal import SecretMemory

/// Settles the files of the log and of silent writers that are of no use, where another file has the
/// operation of their name.
extension OpenNamespace {
  /// Writes operations in their own places where something else has these, and removes copies that hold
  /// nothing.
  ///
  /// Bytes go only if they are no operation, or one that another file has, too.
  mutating func settleLogFiles(run: borrowing WritingRun) throws(BackupFolderError) {
    try settleLog(run: run)
    try settleSealed(run: run)
  }

  private mutating func settleLog(run: borrowing WritingRun) throws(BackupFolderError) {
    let problems = log.problems
    guard !problems.superfluous.isEmpty, let folder = try namespace.logFolder() else { return }
    for (file, operation) in problems.superfluous {
      let source = log.elsewhere.first { $0.key.words.lowHalf == operation.digest }?.value
      let settling = LogFileSettling(
        file: file, operation: operation, source: source, folder: folder,
        limit: namespace.settings.limits.operation)
      let isSettled = try settling.run(tag: run.tag) { bytes in
        mayGo(logged: bytes, as: operation)
      }
      if isSettled { note(settled: settling, in: problems.folder) }
    }
  }

  private mutating func settleSealed(run: borrowing WritingRun) throws(BackupFolderError) {
    let sealed = fileState.sealed
    guard !sealed.problems.superfluous.isEmpty, let folder = sealed.folder else { return }
    for (file, operation) in sealed.problems.superfluous {
      let source = sealed.entries.first { $0.reference.name == operation }?.file
      let settling = LogFileSettling(
        file: file, operation: operation, source: source, folder: folder,
        limit: namespace.settings.limits.sealedOperation)
      let isSettled = try settling.run(tag: run.tag) { bytes in
        mayGo(sealed: bytes, as: operation)
      }
      if isSettled { note(settled: settling, in: sealed.problems.folder) }
    }
  }

  private mutating func note(settled settling: LogFileSettling, in folder: String) {
    let path = "\(folder)/\(settling.file.path)"
    if settling.isOwnPlace {
      slotFiles.repairs.written.append(path)
    } else {
      slotFiles.repairs.deleted.append(path)
    }
  }

  /// Whether bytes in the log under an operation's name may be lost while another file has that operation.
  private func mayGo(logged bytes: Span<UInt8>, as operation: OperationName) -> Bool {
    if Digest(of: bytes).words.lowHalf == operation.digest { return true }
    do throws(CSPPError) {
      let file = try OperationFile(
        parsing: bytes, at: id, limit: namespace.settings.limits.operation)
      // In another spelling it is the same operation.
      if file.name == operation { return true }
      var text = unsafe SecretBytes(copying: bytes.bytes)
      _ = try file.open(inPlace: &text, masterKey: masterKey)
      return (try? namespace.holds(logged: file.reference)) == true
    } catch {
      return error.isDamage || error.isCutOff
    }
  }

  /// The same, for a silent writer's operation.
  private func mayGo(sealed bytes: Span<UInt8>, as operation: OperationName) -> Bool {
    if Digest(of: bytes).words.lowHalf == operation.digest { return true }
    do throws(CSPPError) {
      let file = try SealedOperationFile(
        parsing: bytes, at: id, limit: namespace.settings.limits.sealedOperation)
      let writers = log.files.authorisations.map(\.writer.identity).filter {
        $0.writerID == file.header.writerID
      }
      // Nobody knows whose it is: it may still be authorised.
      if writers.isEmpty { return false }
      let isSigned = writers.contains { (try? file.verify(by: $0)) != nil }
      return !isSigned || (try? namespace.holds(sealed: file.reference)) == true
    } catch {
      return error.isDamage || error.isCutOff
    }
  }
}

/// One file that is of no use, while another file has the operation of its name.
private struct LogFileSettling {
  let file: LogFile
  let operation: OperationName
  /// The file that has the operation, if that is not in its own place.
  let source: LogFile?
  /// The folder of all writers.
  let folder: Directory
  /// The most bytes of an operation.
  let limit: Int

  private var own: LogFile { .operation(operation) }
  /// Whether the file has the operation's own place.
  var isOwnPlace: Bool { file == own }

  /// Settles the file.
  ///
  /// - Parameters:
  ///   - tag: distinguishes this computer's temporary files.
  ///   - mayGo: whether the file's bytes may be lost.
  /// - Returns: whether it was settled.
  /// - Throws: system errors.
  func run(tag: String, mayGo: (Span<UInt8>) -> Bool) throws(BackupFolderError) -> Bool {
    guard let place = try folder.readableSubdirectory(file.folder) else { return false }
    return isOwnPlace
      ? try putBack(in: place, tag: tag, mayGo: mayGo)
      : try remove(from: place, tag: tag, mayGo: mayGo)
  }

  /// Writes the operation in its own place.
  private func putBack(
    in place: Directory, tag: String, mayGo: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    guard let source, let bytes = try bytes(of: source) else { return false }
    // A folder has the place. What is in it stays.
    place.putFolderAside(file.file)
    let staged = try unsafe AtomicFile(staging: bytes.span.bytes, in: place, tag: tag)
    var buffer = FileBuffer()
    try staged.settle(buffer: &buffer) { Digest(of: $0) == Digest(of: bytes.span) }
    if try !staged.place(new: file.file) {
      guard
        try staged.place(replacing: file.file, buffer: &buffer, limit: limit, mayGo: mayGo)
      else { return false }
    }
    try place.sync()
    return true
  }

  /// Removes a copy whose operation is in its own place.
  private func remove(
    from place: Directory, tag: String, mayGo: (Span<UInt8>) -> Bool
  ) throws(BackupFolderError) -> Bool {
    // A sync program removes its own placeholders and half downloads.
    if SyncPlaceholder.awaited(file.file) != nil { return false }
    guard try bytes(of: own) != nil else { return false }
    var buffer = FileBuffer()
    guard
      try place.remove(file.file, tag: tag, buffer: &buffer, limit: limit, mayGo: mayGo)
    else { return false }
    try place.sync()
    return true
  }

  /// The bytes of the operation in one of its files; nil if it does not have them.
  private func bytes(of file: LogFile) throws(BackupFolderError) -> [UInt8]? {
    guard let place = try folder.readableSubdirectory(file.folder) else { return nil }
    var buffer = FileBuffer()
    guard (try? buffer.read(file.file, in: place, limit: limit)) != nil else { return nil }
    return buffer.withBytes { bytes in
      guard Digest(of: bytes).words.lowHalf == operation.digest else { return nil }
      return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }
}

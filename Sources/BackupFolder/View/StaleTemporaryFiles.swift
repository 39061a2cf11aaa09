internal import CSPP

/// The files of key slots that a log names, as far as they say what may be removed.
struct LoggedKeySlots {
  /// The files of key slots, and the CSPP envelope.
  var files: [[UInt8]] = []
  /// The removed key slots.
  var removed: Set<KeyID> = []

  /// Whether a file that was moved aside may be removed: the log has its bytes, or they are a removed
  /// slot's, or nobody's.
  ///
  /// - Parameters:
  ///   - bytes: of the file.
  ///   - keyID: the key slot that they name.
  /// - Returns: false for somebody else's file.
  fileprivate func covers(
    _ bytes: Span<UInt8>, keyID: (Span<UInt8>) throws(CSPPError) -> KeyID?
  ) -> Bool {
    // A crash may have cut off what was about to be written, or left zeros of it.
    if bytes.indices.allSatisfy({ bytes[$0] == 0 }) { return true }
    if files.contains(where: { Self.begins($0.span, with: bytes) }) { return true }
    do throws(CSPPError) {
      return try keyID(bytes).map { removed.contains($0) } ?? false
    } catch {
      return error.isDamage
    }
  }

  private static func begins(_ file: Span<UInt8>, with bytes: Span<UInt8>) -> Bool {
    bytes.count <= file.count && bytes.indices.allSatisfy { file[$0] == bytes[$0] }
  }
}

extension CSPPError {
  /// Whether bytes with this error cannot be anyone's whole file: neither one that is still
  /// arriving nor one of a newer program.
  var isDamage: Bool {
    switch self {
    case .empty, .truncated, .tooLarge, .otherFormat, .unsupportedVersion, .contradictsPlace: false
    default: true
    }
  }
}

/// Temporary files that a crash left beside the key slots and in the logs.
///
/// Those in `wallets/` are ``ViewSurvey/leftOver``, since an exchange may have put a wallet's only
/// copy there. Beside the key slots, the tag tells which ones may be somebody else's, as
/// ``AtomicFile/displacedTag(_:)`` says. Each of the others was never placed. Another computer's file
/// stays, since that computer may be writing it.
extension Namespace {
  /// Removes this computer's temporary files.
  ///
  /// - Parameters:
  ///   - tag: this computer's tag, see ``StateFolder/temporaryTag()``.
  ///   - areInLogs: whether any was listed in a log.
  ///   - logged: what the log names.
  /// - Throws: system errors.
  func removeStaleTemporaryFiles(
    tag: String, areInLogs: Bool, logged: LoggedKeySlots
  ) throws(BackupFolderError) {
    let displaced = AtomicFile.displacedTag(tag)
    if let keys = try keyFolder() {
      try keys.removeTemporaryFiles(tag: displaced) { bytes in
        logged.covers(bytes) { (bytes) throws(CSPPError) in
          try KeyWrapper(parsing: bytes, at: nil).header.keyID
        }
      }
      try keys.removeTemporaryFiles(tag: tag, except: displaced)
    }
    if let objects = try ownFolder(FolderLayout.objectFolder) {
      try objects.removeStaged(tag: tag)
    }
    if let envelopes = try directory.readableSubdirectory(FolderLayout.masterKeyFolder) {
      try envelopes.removeTemporaryFiles(tag: displaced) { bytes in
        logged.covers(bytes) { (bytes) throws(CSPPError) in
          try MasterKeyEnvelope(parsing: bytes, at: nil).keyReference?.keyID
        }
      }
      try envelopes.removeTemporaryFiles(tag: tag, except: displaced)
    }
    guard areInLogs, let logs = try logFolder() else { return }
    for name in try logs.names() {
      guard let writer = try logs.readableSubdirectory(name) else { continue }
      if try writer.removeTemporaryFiles(tag: tag) {
        // Removes the folder of a writer whose first operation was never published.
        logs.removeEmptySubdirectory(name)
      }
    }
  }
}

extension Directory {
  /// Removes temporary files with a tag whose bytes may be lost.
  ///
  /// - Parameters:
  ///   - tag: their tag.
  ///   - other: a tag that begins with it, whose files stay.
  ///   - mayGo: whether bytes may be lost.
  /// - Returns: whether there were any.
  /// - Throws: system errors.
  @discardableResult
  fileprivate func removeTemporaryFiles(
    tag: String, except other: String? = nil, mayGo: (Span<UInt8>) -> Bool = { _ in true }
  ) throws(BackupFolderError) -> Bool {
    let found = try temporaryFiles(tag: tag).filter { name in
      other.map { !name.hasPrefix("\(AtomicFile.temporaryPrefix)\($0)-") } ?? true
    }
    if found.isEmpty { return false }
    var buffer = FileBuffer()
    for name in found
    where fileMayGo(name, buffer: &buffer, limit: SizeLimits.standard.operation, mayGo: mayGo) {
      try unlink(name)
    }
    return true
  }
}

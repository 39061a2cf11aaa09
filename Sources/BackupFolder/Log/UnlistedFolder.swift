internal import CSPP

/// A folder of a namespace that cannot be listed: reading continues with the other folders and
/// reports it; writing stops.
extension FileFinding {
  /// Creates the finding for such a folder.
  ///
  /// - Parameters:
  ///   - path: the folder's path relative to the namespace folder.
  ///   - error: the reason why it cannot be listed.
  init(unlisted path: String, _ error: BackupFolderError) {
    switch error {
    case .permissionDenied:
      self.init(
        file: path, recordID: nil, state: .unreadable, reason: "you may not read this folder")
      isForbidden = true
    case .unreachable(let code, _):
      self.init(
        file: path, recordID: nil, state: .incomplete,
        reason: "the folder cannot be read now (\(SystemCall.text(code)))")
    case .io(let code, _):
      self.init(
        file: path, recordID: nil, state: .unreadable,
        reason: "the folder cannot be read (\(SystemCall.text(code)))")
    default:
      self.init(
        file: path, recordID: nil, state: .incomplete, reason: "the folder cannot be read now")
    }
  }
}

extension Namespace {
  /// The log folder for tolerant reading.
  ///
  /// - Returns: `nil` when there is none; a finding instead when it cannot be opened.
  /// - Throws: ``BackupFolderError/interrupted``.
  func readableLogFolder() throws(BackupFolderError) -> (Directory?, FileFinding?) {
    do {
      return (try logFolder(), nil)
    } catch .interrupted {
      throw .interrupted
    } catch {
      return (nil, FileFinding(unlisted: LogProblems.path, error))
    }
  }
}

extension LogProblems {
  static let path = "\(FolderLayout.ownFolder)/\(FolderLayout.logFolder)"

  /// Reports folders that could not be listed.
  mutating func report(unlisted: [(folder: String, error: BackupFolderError)]) {
    for (folder, error) in unlisted {
      unlistedWriters.insert(folder)
      report(FileFinding(unlisted: "\(Self.path)/\(folder)", error))
    }
  }

  /// Reports that no log could be listed.
  mutating func report(unlisted finding: FileFinding) {
    isUnlisted = true
    report(finding)
  }
}

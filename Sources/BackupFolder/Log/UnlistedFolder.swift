internal import CSPP

/// A folder of a namespace that cannot be listed: reading goes on with what the
/// other folders hold, and says so; writing does not.
extension FileFinding {
  /// What to say about such a folder.
  ///
  /// - Parameters:
  ///   - path: the folder's, below the namespace folder.
  ///   - error: why it cannot be listed.
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
  /// The log folder, for reading what can be read.
  ///
  /// - Returns: `nil` when there is none; the finding in its stead when it cannot
  ///   be opened.
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

  /// Notes folders that could not be listed.
  mutating func report(unlisted: [(folder: String, error: BackupFolderError)]) {
    for (folder, error) in unlisted {
      unlistedWriters.insert(folder)
      report(FileFinding(unlisted: "\(Self.path)/\(folder)", error))
    }
  }

  /// Notes that no log could be listed.
  mutating func report(unlisted finding: FileFinding) {
    isUnlisted = true
    report(finding)
  }
}

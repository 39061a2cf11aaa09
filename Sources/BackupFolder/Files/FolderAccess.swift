internal import CReadingProcess
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// Reads one backup folder where reading may block (docs/decisions/0015).
///
/// It waits for a file that is being downloaded and does not retry what is not here again and
/// again. One instance serves a folder and everything below it while a command runs. A local disk
/// has none.
final class FolderAccess: Sendable {
  /// How long one file or listing is waited for at first.
  ///
  /// It is halved after each wait without an answer, down to ``leastPatience``.
  static let patience = Duration.seconds(30)
  static let leastPatience = Duration.seconds(2)
  /// The time after which the user is told about the wait.
  static let silence = Duration.seconds(2)
  /// The number of consecutive failures that ends the tries in a folder, if they took longer than
  /// ``cheapFailures``.
  static let failures = 3
  static let cheapFailures = Duration.seconds(2)
  /// A failure that took longer than this is not retried.
  static let cheapFailure = Duration.seconds(1)

  fileprivate struct Row {
    var failures = 0
    var lasted = Duration.zero
  }

  fileprivate struct State {
    var process: ReadingProcess?
    var patience = FolderAccess.patience
    /// The consecutive failures, by folder.
    var rows: [String: Row] = [:]
    /// The paths that failed slowly: files, and folders in which nothing more is tried.
    var givenUp: Set<String> = []
  }

  private let watch: ReadingWatch
  // The process is a class that is used only under the lock.
  private let state = Mutex(State())

  init(_ watch: ReadingWatch) {
    self.watch = watch
  }

  /// Forgets failures, so that everything is tried again.
  func tryAgain() {
    state.withLock { state in
      state.rows = [:]
      state.givenUp = []
      state.patience = Self.patience
    }
  }

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - name: its path, or its name in `folder`.
  ///   - folder: its parent folder.
  ///   - path: for messages.
  /// - Returns: a descriptor, or an `errno`.
  /// - Throws: ``BackupFolderError/unreachable(errno:path:)`` when no answer comes,
  ///   ``BackupFolderError/interrupted``.
  func openFolder(
    _ name: String, in folder: Directory?, path: String
  ) throws(BackupFolderError) -> (descriptor: Int32, error: Int32) {
    do {
      return try perform(path, in: folder?.path) {
        process, patient throws(ReadingProcess.Silence) in
        let result = try process.openFolder(name, in: folder?.descriptor, while: patient)
        return (result, result.error)
      }
    } catch {
      throw error.error(path)
    }
  }

  /// Whether something in a folder has that name; true where this cannot be determined.
  func holds(_ name: String, in folder: Directory) -> Bool {
    let code = try? perform("\(folder.path)/\(name)", in: folder.path) {
      process, patient throws(ReadingProcess.Silence) in
      let code = try process.look(for: name, in: folder.descriptor, while: patient)
      return (code, code)
    }
    return code != ENOENT
  }

  /// Opens a file, which its caller reads piece by piece.
  ///
  /// Only opening has a time limit.
  ///
  /// - Returns: a descriptor, or an `errno`.
  /// - Throws: the reason why no answer came.
  func openFile(
    _ name: String, in folder: Directory
  ) throws(FileProblem) -> (descriptor: Int32, error: Int32) {
    try perform("\(folder.path)/\(name)", in: folder.path) {
      process, patient throws(ReadingProcess.Silence) in
      let result = try process.openFile(name, in: folder.descriptor, while: patient)
      return (result, result.error)
    }
  }

  /// The names in a folder, each with a zero byte after it.
  func names(in folder: Directory) throws(BackupFolderError) -> [UInt8] {
    do {
      let (names, code) = try perform(folder.path, in: nil) {
        process, patient throws(ReadingProcess.Silence) in
        let result = try process.list(folder.descriptor, while: patient)
        return (result, result.error)
      }
      if code != 0 { throw BackupFolderError.listing(code, folder.path) }
      return names
    } catch let error as FileProblem {
      throw error.error(folder.path)
    } catch let error as BackupFolderError {
      throw error
    } catch {
      throw .io(errno: EIO, path: folder.path)
    }
  }

  /// Reads a whole regular file.
  func read(
    _ name: String, in folder: Directory, limit: Int, into bytes: inout SecretBytes
  ) throws(FileProblem) {
    let path = "\(folder.path)/\(name)"
    var received = SecretBytes(zeroed: 0)
    swap(&received, &bytes)
    defer { swap(&received, &bytes) }
    let code = try perform(path, in: folder.path) {
      process, patient throws(ReadingProcess.Silence) in
      let code = try process.readFile(
        name, in: folder.descriptor, limit: limit, into: &received, while: patient)
      return (code, code)
    }
    switch code {
    case 0: return
    case Int32(KEYBACKUP_NOT_REGULAR): throw .notRegular
    case Int32(KEYBACKUP_TOO_LARGE): throw .tooLarge(limit: limit)
    case ENOENT: throw .absent
    default: throw .system(code)
    }
  }

  /// Runs one call in the reading process until its time is up.
  ///
  /// - Parameters:
  ///   - path: the file or folder that is opened, listed or read.
  ///   - folder: the folder whose consecutive failures count.
  ///   - call: the call, which returns its result and its `errno`.
  /// - Returns: the call's result.
  /// - Throws: the reason why no answer came.
  private func perform<R: Sendable>(
    _ path: String, in folder: String?,
    _ call: (ReadingProcess, () -> Bool) throws(ReadingProcess.Silence) -> (R, Int32)
  ) throws(FileProblem) -> R {
    let watch = watch
    if watch.isInterrupted() { throw .interrupted }
    return try state.withLock { (state) throws(FileProblem) in
      if state.givenUp.contains(path) || folder.map(state.givenUp.contains) == true {
        throw .notTried
      }
      if state.process == nil { state.process = ReadingProcess() }
      guard let process = state.process else { throw .system(EAGAIN) }
      let begun = ContinuousClock.now
      let patience = state.patience
      var hasTold = false
      do throws(ReadingProcess.Silence) {
        let (result, code) = try call(process) {
          let waited = ContinuousClock.now - begun
          if waited > Self.silence, !hasTold {
            hasTold = true
            watch.waits(path)
          }
          return waited < patience && !watch.isInterrupted()
        }
        state.judge(path, folder, code, after: .now - begun)
        return result
      } catch {
        state.process = nil
        if watch.isInterrupted() { throw .interrupted }
        state.judge(path, folder, ETIMEDOUT, after: .now - begun)
        if error == .late { state.patience = max(Self.leastPatience, patience / 2) }
        throw .system(error == .late ? ETIMEDOUT : EIO)
      }
    }
  }
}

extension FolderAccess.State {
  /// Records how a call ended.
  fileprivate mutating func judge(
    _ path: String, _ folder: String?, _ code: Int32, after lasted: Duration
  ) {
    guard SystemCall.meansNotHere(code) else {
      if let folder { rows[folder] = nil }
      if code == 0, lasted > FolderAccess.cheapFailure { patience = FolderAccess.patience }
      return
    }
    if lasted > FolderAccess.cheapFailure { givenUp.insert(path) }
    guard let folder else { return }
    rows[folder, default: .init()].failures += 1
    rows[folder, default: .init()].lasted += lasted
    if let row = rows[folder], row.failures >= FolderAccess.failures,
      row.lasted > FolderAccess.cheapFailures
    {
      givenUp.insert(folder)
    }
  }
}

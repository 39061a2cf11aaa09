internal import BackupFolder
internal import CLinux
package import CommandKit
internal import CommandSupport
internal import Glibc
internal import Synchronization

/// Tells everybody what a watcher does: the person, the service manager, a calling program, the
/// heartbeat file, and `status`.
package final class WatchReport: Sendable {
  /// The last news of a file.
  package enum Outcome: Sendable, Equatable {
    case saved
    case unchanged
    case missing
    case failed(UserMessage)
  }

  private struct State {
    var outcomes: [Outcome?]
    var failureCommand: FailureCommand?
    var lastAlive: Duration?
    var newest: Int64?
    var heartbeatFailed = false
  }

  private let files: [WatchedName]
  private var paths: [String] { files.map(\.path) }
  private let folder: String
  private let heartbeat: String?
  private let isOnce: Bool
  private let manager: ServiceManager
  private let common: CommonOptions
  private let output: Output
  private let world: World
  private let state: Mutex<State>

  /// The shortest time between two signs of life.
  private static let breath = Duration.seconds(1)

  package init(
    _ files: [WatchedName], folder: String, onFailure: String?, heartbeat: String?, isOnce: Bool,
    _ common: CommonOptions, _ world: World
  ) {
    self.files = files
    self.folder = folder
    self.heartbeat = heartbeat
    self.isOnce = isOnce
    self.common = common
    self.world = world
    output = common.output(world)
    manager = ServiceManager(world)
    state = Mutex(
      State(
        outcomes: Array(repeating: nil, count: files.count),
        failureCommand: onFailure.map { FailureCommand($0, world) }))
  }

  /// How often the watcher has to show that it is alive.
  var aliveEvery: Duration? {
    [manager.aliveEvery, heartbeat == nil ? nil : .seconds(60)].compactMap { $0 }.min()
  }

  /// The last news of each file; nil: none yet.
  var outcomes: [Outcome?] { state.withLock { $0.outcomes } }

  /// Takes news from the watcher.
  package func tell(_ news: FileWatcher.News) {
    switch news {
    case .crowded(let every): crowded(every)
    case .ready:
      if !isOnce { output.note("Watching \(counted(paths.count, "file")).") }
      manager.tellReady()
    case .missing(let file): missing(file)
    case .saved(let file, let isNew, let content): saved(file, isNew: isNew, content)
    case .complete: beat()
    case .failed(let file, let message, let first): failed(file, message, isFirst: first)
    case .alive(let isComplete): alive(isComplete: isComplete)
    }
    tellStatus()
  }

  /// The watcher is about to end.
  package func end() { manager.tellStopping() }

  private func crowded(_ every: Duration) {
    output.warn(
      "keybackup: the kernel has no room to tell of all changes, so files are looked at every "
        + "\(counted(Int(every.components.seconds), "second"))")
    output.warn(
      "hint: to have changes noticed at once, raise fs.inotify.max_user_watches with sysctl")
  }

  private func missing(_ file: Int) {
    state.withLock { $0.outcomes[file] = .missing }
    output.note(
      "\(ShellWord.quoted(paths[file])) is not there."
        + (isOnce ? "" : " It is backed up when it is."))
    common.events(world).send(.file(path: paths[file], outcome: "missing", message: nil))
  }

  private func saved(_ file: Int, isNew: Bool, _ content: WatchedState) {
    let path = paths[file]
    let now = world.now()
    let isSecondLook = state.withLock { state in
      if isNew { state.newest = now }
      // What a second look of the same run finds does not undo what the first one did.
      let isSecondLook = isOnce && state.outcomes[file] == .saved
      if !isSecondLook { state.outcomes[file] = isNew ? .saved : .unchanged }
      return isSecondLook
    }
    var record = WatchedFile.record(files[file], folder: folder, world)
    record.saved = WatchedFile.Saved(at: now, size: content.size, modified: content.modified)
    record.keep(world)
    if isNew {
      output.note("Saved \(ShellWord.quoted(path)).")
      if content.size == 0 || record.blank == true {
        output.warn(
          "keybackup: \(ShellWord.quoted(path)) "
            + (content.size == 0 ? "is empty now" : "holds only zero bytes now")
            + "; the backup keeps its earlier versions")
        output.warn(
          "hint: to see them, where your key is: keybackup file history "
            + ShellWord.quoted(files[file].stored))
      }
    } else if common.verbose || (isOnce && !isSecondLook) {
      output.note("\(ShellWord.quoted(path)) has not changed; nothing was written.")
    }
    common.events(world).send(
      .file(path: path, outcome: isNew ? "saved" : "unchanged", message: nil))
  }

  private func failed(_ file: Int, _ message: UserMessage, isFirst: Bool) {
    let path = paths[file]
    let isStarted = state.withLock { state in
      state.outcomes[file] = .failed(message)
      return isFirst ? state.failureCommand?.start(path, message) ?? true : true
    }
    if isFirst || common.verbose { output.warn(message) }
    if isFirst, !isOnce {
      output.note("\(ShellWord.quoted(path)) is tried again, and the newest content counts.")
    }
    if !isStarted { output.warn("keybackup: the command of --on-failure could not be started") }
    common.events(world).send(.file(path: path, outcome: "failed", message: message))
  }

  private func alive(isComplete: Bool) {
    let now = WatchPause.now()
    let isDue = state.withLock { state in
      if let last = state.lastAlive, now - last < Self.breath { return false }
      state.lastAlive = now
      state.failureCommand?.reap()
      return true
    }
    guard isDue else { return }
    manager.tellAlive()
    if isComplete { beat() }
  }

  /// Writes the heartbeat file: it is as old as the last moment at which all was well.
  private func beat() {
    guard let heartbeat else { return }
    let reason = Self.write("\(world.now())\n", to: heartbeat)
    let isWritten = reason == nil
    let isNew = state.withLock { state in
      defer { state.heartbeatFailed = !isWritten }
      return !isWritten && !state.heartbeatFailed
    }
    if isNew {
      output.warn(
        "keybackup: \(ShellWord.quoted(heartbeat)) could not be written: \(reason ?? "")")
    }
  }

  /// Replaces the contents of a small file.
  ///
  /// A link is not followed, and nothing but a file is written to: a FIFO would block.
  ///
  /// - Returns: why it was not written; nil: it was.
  private static func write(_ text: String, to path: String) -> String? {
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let file = unsafe open(path, flags, 0o644)
    guard file >= 0 else { return errno == ELOOP ? "it is a link" : systemText(errno) }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return "it is not a file"
    }
    let bytes = Array(text.utf8)
    let isWritten =
      unsafe ftruncate(file, 0) == 0 && Glibc.write(file, bytes, bytes.count) == bytes.count
    return isWritten ? nil : systemText(errno)
  }

  private func tellStatus() {
    let (outcomes, newest) = state.withLock { ($0.outcomes, $0.newest) }
    let problems = outcomes.compactMap { outcome -> String? in
      if case .failed(let message) = outcome { message.message } else { nil }
    }
    if let first = problems.first {
      manager.tell(status: "\(problems.count) of \(outcomes.count) not backed up: \(first)")
    } else {
      let last = newest.map { ", last change \(PrintableTime.minute(UInt64(max(0, $0))))" } ?? ""
      manager.tell(status: "\(counted(outcomes.count, "file")) watched\(last)")
    }
  }
}

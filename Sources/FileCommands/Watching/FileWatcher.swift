internal import BackupFolder
internal import CLinux
package import CommandKit
internal import CommandSupport
internal import Glibc
internal import PRFDevice

/// Watches files and has each change backed up.
package struct FileWatcher: Sendable {
  /// The work of a watcher.
  package struct Settings: Sendable {
    /// The files, as absolute paths.
    var paths: [String]
    /// The folder of the backup, whose return is noticed; nil: it is not watched for.
    package var folder: String?
    /// How often files are looked at where the kernel does not tell of changes, and everywhere if
    /// the person says so.
    var every = Duration.seconds(5)
    /// Whether files are looked at so often on every file system.
    var looksEverywhere = false
    /// Whether the watcher ends when each file was backed up or failed once.
    var isOnce = false
    /// The times of the schedule.
    package var terms = WatchSchedule.Terms()
    /// How often it shows that it is alive; nil: it need not.
    var aliveEvery: Duration?
    /// How often it looks at most whether the backup still has what was saved.
    var checkedEvery = Duration.seconds(55)
  }

  /// News for the one who started the watcher.
  package enum News: Sendable, Equatable {
    /// The kernel has no room to tell of all changes: files are looked at so often instead.
    case crowded(every: Duration)
    /// Watching has begun: every file was looked at once.
    case ready
    /// A file is not there.
    case missing(Int)
    /// The content of a file in this state is in the backup; `isNew` if it was not there before.
    case saved(Int, isNew: Bool, WatchedState)
    /// Every file is there, and its newest content is in the backup.
    case complete
    /// A file could not be backed up; `first` in a row of such failures.
    case failed(Int, UserMessage, first: Bool)
    /// The watcher is alive; `isComplete` as for ``complete``.
    case alive(isComplete: Bool)
  }

  /// The result of backing a file up.
  package enum Outcome: Sendable {
    /// The content that the file had in this state is in the backup; `isNew` if it was not there
    /// before.
    case saved(isNew: Bool, WatchedState)
    /// Trying again would end the same, until the file changes.
    case refused(UserMessage)
  }

  /// Backs a file up.
  ///
  /// It calls `alive` now and then while that takes long, and throws what may pass.
  package typealias Save =
    @Sendable (_ path: String, _ alive: () -> Void) throws(UserMessage) -> Outcome

  private let settings: Settings
  private let save: Save
  private let isKept: @Sendable () -> Bool
  private let tell: @Sendable (News) -> Void

  /// - Parameters:
  ///   - settings: what to watch.
  ///   - save: backs a file up.
  ///   - isKept: whether the backup still has what was saved; is asked only where the watcher has to
  ///     show that it is alive.
  ///   - tell: is told what happens.
  package init(
    _ settings: Settings, save: @escaping Save, isKept: @escaping @Sendable () -> Bool = { true },
    tell: @escaping @Sendable (News) -> Void
  ) {
    self.settings = settings
    self.save = save
    self.isKept = isKept
    self.tell = tell
  }

  /// Watches until the task is cancelled, or with `isOnce` until all is done.
  ///
  /// - Throws: `interrupted` when it was cancelled; `io` when nothing can be watched.
  package func run() async throws(UserMessage) {
    let pause = try WatchPause()
    let (settings, save, isKept, tell) = (settings, save, isKept, tell)
    let failure: UserMessage? = await withTaskCancellationHandler {
      await withCheckedContinuation { ending in
        // A thread of its own: its waits would keep the others' work waiting.
        do throws(PRFDeviceError) {
          try BackgroundThread.start {
            ending.resume(returning: Watch(settings, pause, save, isKept, tell).run())
          }
        } catch {
          ending.resume(returning: UserMessage(.io, "no thread can be started: too many run"))
        }
      }
    } onCancel: {
      pause.end()
    }
    if let failure { throw failure }
  }
}

/// The state of a running watcher.
private final class Watch {
  private let settings: FileWatcher.Settings
  private let save: FileWatcher.Save
  private let isKept: @Sendable () -> Bool
  private let tell: @Sendable (FileWatcher.News) -> Void
  private let pause: WatchPause
  private let notices: KernelNotices
  private var schedule: WatchSchedule
  /// The state in which each file was last seen; nil: it was not there.
  private var seen: [WatchedState?]
  /// Whether each file is there, and its newest content in the backup.
  private var isSaved: [Bool]
  /// The files that need looking at every so often.
  private var isPolled: [Bool]
  /// The files on the way to which a file system may not answer.
  private var isRemote: [Bool]
  /// The files whose file system did not answer when it was last asked.
  private var isSilent: [Bool]
  /// Which file systems owe an answer.
  private var answers = FolderAnswers()
  /// The files that were changed while they were saved, and are saved once more before the end.
  private var repeated: Set<Int> = []
  private var isCrowded = false
  private var nextLook: Duration?
  private var nextAlive: Duration?
  private var nextCheck: Duration?

  /// The kernel's notices are taken so often at most while a file is written.
  private static let breath = Duration.milliseconds(50)

  init(
    _ settings: FileWatcher.Settings, _ pause: WatchPause, _ save: @escaping FileWatcher.Save,
    _ isKept: @escaping @Sendable () -> Bool, _ tell: @escaping @Sendable (FileWatcher.News) -> Void
  ) {
    self.settings = settings
    self.save = save
    self.isKept = isKept
    self.tell = tell
    self.pause = pause
    notices = KernelNotices(settings.paths, folder: settings.folder)
    let count = settings.paths.count
    schedule = WatchSchedule(count: count, settings.terms)
    seen = Array(repeating: nil, count: count)
    isSaved = Array(repeating: false, count: count)
    isPolled = Array(repeating: true, count: count)
    isRemote = Array(repeating: false, count: count)
    isSilent = Array(repeating: false, count: count)
  }

  private var isComplete: Bool { isSaved.allSatisfy { $0 } }

  /// - Returns: why it ended; nil: all was done once.
  func run() -> UserMessage? {
    begin()
    tell(.ready)
    while true {
      let now = WatchPause.now()
      for file in schedule.takeDue(at: now) {
        back(up: file)
        if pause.isOver { return .interrupted }
      }
      if settings.isOnce, settings.paths.indices.allSatisfy(isDone) { return nil }
      showLife()
      let next = [schedule.next, nextLook, nextAlive].compactMap { $0 }.min()
      let reasons = pause.wait(until: next, notices: notices.descriptor)
      if reasons.isEnded { return .interrupted }
      if reasons.hasNotices { takeNotices() }
      if reasons.hasMounts {
        arrange()
        lookAtAll()
        schedule.retry(at: WatchPause.now())
      }
      if let due = nextLook, due <= WatchPause.now() { lookAtAll() }
    }
  }

  /// Looks at every file for the first time: each is a change, because nobody knows what happened
  /// before.
  private func begin() {
    arrange()
    let now = WatchPause.now()
    for file in settings.paths.indices where !isSilent[file] {
      seen[file] = WatchedState(settings.paths[file])
      guard let state = seen[file] else {
        miss(file)
        continue
      }
      // One that was written a while ago is complete.
      let isQuiet = state.age >= settings.terms.quiet
      schedule.changed(file, at: isQuiet ? now - settings.terms.quiet : now)
    }
    if settings.aliveEvery != nil { nextAlive = now }
    planLook()
  }

  /// Watches what is there now, and finds out where the kernel does not tell everything.
  private func arrange() {
    let mounts = MountTable.current()
    for file in settings.paths.indices where !isSilent[file] {
      isRemote[file] = mounts.remoteMount(onWayTo: settings.paths[file]) != nil
      if isRemote[file] { requireAnswer(file) }
    }
    let numbers = settings.paths.indices.filter { !isSilent[$0] }
    let gaps = notices.arrange(numbers, withFolder: settings.folder.map(isHeard) ?? false)
    for file in numbers {
      isPolled[file] = settings.looksEverywhere || isRemote[file] || gaps.files.contains(file)
    }
    if gaps.hasNoRoom, !isCrowded, !settings.isOnce {
      isCrowded = true
      tell(.crowded(every: settings.every))
    }
  }

  // MARK: File systems that do not answer

  /// So long a file system may take to answer: other files wait meanwhile, or nothing tries again.
  private var patience: Duration { settings.isOnce ? .seconds(10) : .seconds(2) }

  /// Whether the file system of a path answers: a thread that asks one that does not is stuck, and
  /// the program with it.
  private func isHeard(_ path: String) -> Bool {
    let end = WatchPause.now() + patience
    return answers.come(from: path) { [pause] in !pause.isOver && WatchPause.now() < end }
  }

  /// Whether a file's file system answers; if not, it is tried again like a failed backup.
  @discardableResult private func requireAnswer(_ file: Int) -> Bool {
    let path = settings.paths[file]
    isSilent[file] = !isHeard(path)
    if !isSilent[file] || pause.isOver { return !isSilent[file] }
    isSaved[file] = false
    fail(
      file, settings.isOnce ? .refused : .failed,
      UserMessage(
        .incomplete,
        "\(ShellWord.quoted(path)) cannot be looked at: its file system does not answer",
        hint: "check the network, or the program that mounted it"))
    return false
  }

  // MARK: Changes

  private func planLook() {
    nextLook = isPolled.contains(true) ? WatchPause.now() + settings.every : nil
  }

  private func takeNotices() {
    let news = notices.take()
    let now = WatchPause.now()
    for file in news.written where !isSilent[file] {
      seen[file] = WatchedState(settings.paths[file])
      note(changeOf: file, at: now)
    }
    if news.isRearranged {
      arrange()
      lookAtAll()
      // Perhaps the backup's folder is back.
      schedule.retry(at: now)
    }
    // A file may be written to thousands of times a second.
    usleep(UInt32(Self.breath.components.attoseconds / 1_000_000_000_000))
  }

  private func lookAtAll() {
    let now = WatchPause.now()
    for (file, path) in settings.paths.enumerated() where !isSilent[file] {
      if isRemote[file], !requireAnswer(file) { continue }
      let state = WatchedState(path)
      guard state != seen[file] else { continue }
      seen[file] = state
      if state == nil { miss(file) } else { note(changeOf: file, at: now) }
    }
    planLook()
  }

  private func note(changeOf file: Int, at time: Duration) {
    isSaved[file] = false
    schedule.changed(file, at: time)
  }

  private func miss(_ file: Int) {
    isSaved[file] = false
    let path = settings.paths[file]
    if !isSilent[file], let folder = WatchedState.deadFolder(onWayTo: path) {
      fail(
        file, settings.isOnce ? .refused : .failed,
        UserMessage(
          .noInput,
          "\(ShellWord.quoted(path)) is not there: its folder \(ShellWord.quoted(folder)) was deleted, "
            + "and only a mount still shows it",
          hint: Self.mountAdvice))
      return
    }
    schedule.vanished(file)
    tell(.missing(file))
  }

  private static let mountAdvice =
    "mount the folder again that is there now, or start the container again"

  /// Fails for a file that nothing writes to any more: what has its name elsewhere is another file.
  private func refuseDead(_ file: Int) {
    isSaved[file] = false
    fail(
      file, settings.isOnce ? .refused : .failed,
      UserMessage(
        .noInput,
        "\(ShellWord.quoted(settings.paths[file])) was replaced or deleted elsewhere, and only a mount "
          + "still shows the old file",
        hint: "mount its folder instead of the file alone\n" + Self.mountAdvice))
  }

  private func back(up file: Int) {
    let wasSilent = isSilent[file]
    guard requireAnswer(file) else { return }
    if wasSilent { arrange() }
    if isSilent[file] { return }
    let path = settings.paths[file]
    let state = WatchedState(path)
    let isChanged = state != seen[file]
    seen[file] = state
    guard let state else {
      miss(file)
      return
    }
    if state.isDead {
      refuseDead(file)
      return
    }
    if isChanged, isPolled[file] {
      // It changed after the last look, so it is not quiet yet. Notices would have said so.
      isSaved[file] = false
      if !settings.isOnce, schedule.putOff(file, at: WatchPause.now()) { return }
    }
    guard state.isRegular else {
      fail(
        file, .refused,
        UserMessage(.usage, "\(ShellWord.quoted(path)) is not a file", hint: "name the files in it")
      )
      return
    }
    do throws(UserMessage) {
      let isComplete = isComplete
      switch try save(path, { [tell] in tell(.alive(isComplete: isComplete)) }) {
      case .saved(let isNew, let saved):
        schedule.ended(file, .saved, at: WatchPause.now())
        isSaved[file] = true
        lookAgain(file, after: saved)
        tell(.saved(file, isNew: isNew, saved))
        if self.isComplete { tell(.complete) }
      case .refused(let message):
        fail(file, .refused, message)
      }
    } catch {
      if error.code == .interrupted { return }
      fail(file, settings.isOnce ? .refused : .failed, error)
    }
  }

  /// Notes a change that came while a file was saved.
  ///
  /// A file that changes all the time would never let ``FileWatcher/Settings/isOnce`` end, so there
  /// it is saved once more at most.
  private func lookAgain(_ file: Int, after saved: WatchedState) {
    let state = WatchedState(settings.paths[file])
    if let state, !state.mayDiffer(from: saved) { return }
    isSaved[file] = false
    // The next look tells of a file that is gone.
    guard let state else { return }
    seen[file] = state
    if settings.isOnce, !repeated.insert(file).inserted { return }
    schedule.changed(file, at: WatchPause.now())
  }

  private func fail(_ file: Int, _ ending: WatchSchedule.Ending, _ message: UserMessage) {
    let isFirst = schedule.failures(file) == 0
    schedule.ended(file, ending, at: WatchPause.now())
    tell(.failed(file, message, first: isFirst))
  }

  private func isDone(_ file: Int) -> Bool { !schedule.isPending(file) }

  /// Saves every file again where the backup has lost what was saved: then it is written once more, or
  /// the failure is told.
  private func checkBackup() {
    let now = WatchPause.now()
    nextCheck = now + settings.checkedEvery
    if isKept() { return }
    for file in settings.paths.indices where !isSilent[file] {
      isSaved[file] = false
      schedule.changed(file, at: now - settings.terms.quiet)
    }
  }

  private func showLife() {
    guard let every = settings.aliveEvery, let due = nextAlive else { return }
    let now = WatchPause.now()
    guard due <= now else { return }
    // No notice may have come, such as of a file that was replaced behind a mount.
    lookAtAll()
    if isComplete, nextCheck.map({ $0 <= now }) ?? true { checkBackup() }
    tell(.alive(isComplete: isComplete))
    nextAlive = now + every
  }
}

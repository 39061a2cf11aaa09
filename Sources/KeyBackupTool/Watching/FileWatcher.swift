internal import BackupFolder
internal import CLinux
internal import Glibc
internal import PRFDevice

/// Watches files and has each change backed up.
struct FileWatcher: Sendable {
  /// The work of a watcher.
  struct Settings: Sendable {
    /// The files, as absolute paths.
    var paths: [String]
    /// The folder of the backup, whose return is noticed; nil: it is not watched for.
    var folder: String?
    /// How often files are looked at where the kernel does not tell of changes, and everywhere if
    /// the person says so.
    var every = Duration.seconds(5)
    /// Whether files are looked at so often on every file system.
    var looksEverywhere = false
    /// Whether the watcher ends when each file was backed up or failed once.
    var isOnce = false
    /// The times of the schedule.
    var terms = WatchSchedule.Terms()
    /// How often it shows that it is alive; nil: it need not.
    var aliveEvery: Duration?
  }

  /// News for the one who started the watcher.
  enum News: Sendable, Equatable {
    /// Watching has begun: every file was looked at once.
    case ready
    /// A file is not there.
    case missing(Int)
    /// A version is in the backup, or the newest content was there already.
    case saved(Int, isNew: Bool)
    /// A file could not be backed up; `first` in a row of such failures.
    case failed(Int, UserMessage, first: Bool)
    /// The watcher is alive.
    case alive(allSaved: Bool)
  }

  /// The result of backing a file up.
  enum Outcome: Sendable {
    /// The newest content is in the backup; `isNew` if it was not there before.
    case saved(isNew: Bool)
    /// Trying again would end the same, until the file changes.
    case refused(UserMessage)
  }

  /// Backs a file up.
  ///
  /// It calls `alive` now and then while that takes long, and throws what may pass.
  typealias Save =
    @Sendable (_ path: String, _ alive: () -> Void) throws(UserMessage) -> Outcome

  private let settings: Settings
  private let save: Save
  private let tell: @Sendable (News) -> Void

  /// - Parameters:
  ///   - settings: what to watch.
  ///   - save: backs a file up.
  ///   - tell: is told what happens.
  init(_ settings: Settings, save: @escaping Save, tell: @escaping @Sendable (News) -> Void) {
    self.settings = settings
    self.save = save
    self.tell = tell
  }

  /// Watches until the task is cancelled, or with `isOnce` until all is done.
  ///
  /// - Throws: `interrupted` when it was cancelled; `io` when nothing can be watched.
  func run() async throws(UserMessage) {
    let pause = try WatchPause()
    let (settings, save, tell) = (settings, save, tell)
    let failure: UserMessage? = await withTaskCancellationHandler {
      await withCheckedContinuation { ending in
        // A thread of its own: its waits would keep the others' work waiting.
        do throws(PRFDeviceError) {
          try BackgroundThread.start {
            ending.resume(returning: Watch(settings, pause, save, tell).run())
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
  private let tell: @Sendable (FileWatcher.News) -> Void
  private let pause: WatchPause
  private let notices: KernelNotices
  private var schedule: WatchSchedule
  /// The state in which each file was last seen; nil: it was not there.
  private var seen: [WatchedState?]
  /// Whether the newest content of each file is in the backup.
  private var isSaved: [Bool]
  /// The files that need looking at every so often.
  private var isPolled: [Bool]
  private var nextLook: Duration?
  private var nextAlive: Duration?

  /// The kernel's notices are taken so often at most while a file is written.
  private static let breath = Duration.milliseconds(50)

  init(
    _ settings: FileWatcher.Settings, _ pause: WatchPause, _ save: @escaping FileWatcher.Save,
    _ tell: @escaping @Sendable (FileWatcher.News) -> Void
  ) {
    self.settings = settings
    self.save = save
    self.tell = tell
    self.pause = pause
    notices = KernelNotices(settings.paths, folder: settings.folder)
    let count = settings.paths.count
    schedule = WatchSchedule(count: count, settings.terms)
    seen = Array(repeating: nil, count: count)
    isSaved = Array(repeating: false, count: count)
    isPolled = Array(repeating: true, count: count)
  }

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
    for file in settings.paths.indices {
      seen[file] = WatchedState(settings.paths[file])
      guard let state = seen[file] else {
        tell(.missing(file))
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
    notices.arrange()
    for (file, path) in settings.paths.enumerated() {
      let place = FileCheck.future(path) ?? path
      isPolled[file] =
        settings.looksEverywhere || notices.descriptor < 0 || MountKind.isRemote(path: place)
    }
  }

  private func planLook() {
    nextLook = isPolled.contains(true) ? WatchPause.now() + settings.every : nil
  }

  private func takeNotices() {
    let news = notices.take()
    let now = WatchPause.now()
    for file in news.written {
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
    for (file, path) in settings.paths.enumerated() {
      let state = WatchedState(path)
      guard state != seen[file] else { continue }
      seen[file] = state
      if state == nil {
        schedule.vanished(file)
        tell(.missing(file))
      } else {
        note(changeOf: file, at: now)
      }
    }
    planLook()
  }

  private func note(changeOf file: Int, at time: Duration) {
    isSaved[file] = false
    schedule.changed(file, at: time)
  }

  private func back(up file: Int) {
    let path = settings.paths[file]
    let state = WatchedState(path)
    if state != seen[file], state != nil, isPolled[file] {
      // It changed after the last look, so it is not quiet yet. Notices would have said so.
      seen[file] = state
      note(changeOf: file, at: WatchPause.now())
      if schedule.isPending(file), !settings.isOnce { return }
    }
    guard let state else {
      seen[file] = nil
      schedule.vanished(file)
      tell(.missing(file))
      return
    }
    guard state.isRegular else {
      fail(
        file, .refused,
        UserMessage(.usage, "\(ShellWord.quoted(path)) is not a file", hint: "name the files in it")
      )
      return
    }
    do throws(UserMessage) {
      let allSaved = isSaved.allSatisfy { $0 }
      switch try save(path, { [tell] in tell(.alive(allSaved: allSaved)) }) {
      case .saved(let isNew):
        schedule.ended(file, .saved, at: WatchPause.now())
        isSaved[file] = !schedule.isPending(file)
        tell(.saved(file, isNew: isNew))
      case .refused(let message):
        fail(file, .refused, message)
      }
    } catch {
      if error.code == .interrupted { return }
      fail(file, settings.isOnce ? .refused : .failed, error)
    }
  }

  private func fail(_ file: Int, _ ending: WatchSchedule.Ending, _ message: UserMessage) {
    let isFirst = schedule.failures(file) == 0
    schedule.ended(file, ending, at: WatchPause.now())
    tell(.failed(file, message, first: isFirst))
  }

  private func isDone(_ file: Int) -> Bool { !schedule.isPending(file) }

  private func showLife() {
    guard let every = settings.aliveEvery, let due = nextAlive else { return }
    let now = WatchPause.now()
    guard due <= now else { return }
    tell(.alive(allSaved: isSaved.allSatisfy { $0 }))
    nextAlive = now + every
  }
}

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// A watcher in this process, on real files, that keeps what it would back up.
final class RunningWatcher: Sendable {
  /// What the watcher did so far.
  struct Record: Sendable {
    /// The contents that were backed up, by path.
    var saved: [String: [String]] = [:]
    var news: [FileWatcher.News] = []
    /// How many of the next tries fail.
    var failuresToCome = 0
    /// Whether the backup has lost what was saved, until the next version.
    var isLost = false
  }

  private let task: Task<Void, any Error>

  /// - Parameters:
  ///   - paths: the files.
  ///   - failures: how many of the first tries fail.
  ///   - change: changes the settings.
  ///   - during: what happens after a file was read to be saved; gets its contents.
  init(
    _ paths: [String], failures: Int = 0,
    _ change: (inout FileWatcher.Settings) -> Void = { _ in },
    during: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    var settings = FileWatcher.Settings(paths: paths)
    // Shorter than a person would have it: the order of things is tested here.
    settings.terms.quiet = .milliseconds(300)
    settings.terms.firstRetry = .milliseconds(200)
    change(&settings)
    let box = Box()
    box.record.withLock { $0.failuresToCome = failures }
    let folder = settings.folder
    let watcher = FileWatcher(settings) { (path, _) throws(UserMessage) in
      let isToFail = box.record.withLock { record in
        record.failuresToCome -= 1
        return record.failuresToCome >= 0
      }
      // Another test may mount something, and then it is tried again at once.
      let isAway = folder.map { !Files.exists($0) } ?? false
      if isToFail || isAway { throw UserMessage(.noInput, "the folder is away") }
      guard let state = WatchedState(path), let text = try? Files.text(path) else {
        throw UserMessage(.io, "unreadable")
      }
      during(text)
      return box.record.withLock { record in
        let isNew = record.saved[path]?.last != text
        if isNew { record.saved[path, default: []].append(text) }
        record.isLost = false
        return .saved(isNew: isNew, state)
      }
    } isKept: {
      box.record.withLock { !$0.isLost }
    } tell: { news in
      box.record.withLock { $0.news.append(news) }
    }
    self.box = box
    task = Task { try await watcher.run() }
  }

  private final class Box: Sendable {
    let record = Mutex(Record())
  }

  private let box: Box

  deinit { task.cancel() }

  /// Ends it and waits for its end.
  func end() async {
    task.cancel()
    _ = await task.result
  }

  /// What became of it; nil while it runs.
  var result: Result<Void, any Error> { get async { await task.result } }

  var news: [FileWatcher.News] { box.record.withLock { $0.news } }

  /// The contents of a file that were backed up.
  func versions(_ path: String) -> [String] { box.record.withLock { $0.saved[path] ?? [] } }

  /// Lets the backup lose what was saved.
  func lose() { box.record.withLock { $0.isLost = true } }

  /// Lets the next tries fail.
  func fail(_ times: Int) { box.record.withLock { $0.failuresToCome = times } }

  /// Waits until a file's versions are these, and a while longer for one too many.
  ///
  /// Empty ones do not count: a busy computer may stop a writer between cutting a file off and
  /// writing it, for longer than the quiet.
  func expect(
    _ expected: [String], of path: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    var found: [String] { versions(path).filter { !$0.isEmpty } }
    try await wait { found.count >= expected.count }
    try await Task.sleep(for: .milliseconds(700))
    #expect(found == expected, "\(news)", sourceLocation: location)
  }

  /// Waits until something is true.
  func wait(_ isTrue: () -> Bool) async throws {
    try await waitUntil("the watcher has said it") { isTrue() ? nil : "\(news)" }
  }

  /// Waits until it watches.
  func ready() async throws {
    try await wait { news.contains(.ready) }
  }
}

extension Files {
  /// Writes to a file that stays the same one.
  static func append(_ text: String, to path: String, truncating: Bool = false) throws {
    let flags = O_WRONLY | O_APPEND | (truncating ? O_TRUNC : 0)
    let descriptor = unsafe open(path, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(path) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw SystemFailure(path)
    }
  }

  /// As LND does it: a temporary file beside it, renamed over it.
  static func replace(_ path: String, by text: String) throws {
    try write(text, to: path + ".tmp")
    try move(path + ".tmp", to: path)
  }

  /// Writes to a file again and again until the task is cancelled.
  static func writeWithoutPause(_ path: String) async throws {
    for number in 1... {
      try write("\(number)", to: path)
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

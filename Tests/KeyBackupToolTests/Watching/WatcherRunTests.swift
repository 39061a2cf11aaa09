import Testing

@testable import CommandKit
@testable import FileCommands

/// How the watcher tries again, tells how it stands, and ends.
@Suite struct WatcherRunTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
  }

  @Test func `A failed backup is tried again with the newest content`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file], failures: .max)
    var failures: [Bool] {
      watcher.news.compactMap { if case .failed(_, _, let first) = $0 { first } else { nil } }
    }
    try await watcher.wait { failures.count > 2 }
    try Files.write("two", to: file)
    watcher.fail(0)
    try await watcher.expect(["two"], of: file)
    #expect(failures.first == true && !failures.dropFirst().contains(true))
    await watcher.end()
  }

  @Test func `Once ends although a file changes all the time`() async throws {
    try Files.write("0", to: file)
    let path = file
    let watcher = RunningWatcher(
      [file], { $0.isOnce = true },
      during: { text in try? Files.write("\(text)+", to: path) })
    _ = await watcher.result
    #expect(watcher.versions(file) == ["0", "0+"])
    let told = try #require(
      watcher.news.compactMap { news -> WatchedState? in
        if case .saved(_, _, let state) = news { state } else { nil }
      }.last)
    // What was saved is not what is there now.
    let now = try #require(WatchedState(file))
    #expect(told.mayDiffer(from: now))
    #expect(!watcher.news.contains(.complete))
  }

  @Test func `Once ends by itself, with what failed and what is missing told`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file, box.root + "/missing", box.root + "/node"]) {
      $0.isOnce = true
    }
    _ = await watcher.result
    #expect(watcher.versions(file) == ["one"])
    #expect(watcher.news.contains(.missing(1)))
    #expect(
      watcher.news.contains { news in
        if case .failed(2, let message, _) = news { message.code == .usage } else { false }
      }, "\(watcher.news)")
  }

  @Test func `It is over at once when it is cancelled`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file]) { $0.terms.quiet = .seconds(3600) }
    try await watcher.ready()
    // Else it would take an hour.
    await watcher.end()
    #expect(watcher.versions(file) == [])
    let result = await watcher.result
    #expect(throws: UserMessage.interrupted) { try result.get() }
  }

  @Test func `It shows that it lives`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file]) { $0.aliveEvery = .milliseconds(100) }
    try await watcher.wait { watcher.news.filter { $0 == .alive(isComplete: true) }.count > 3 }
    await watcher.end()
  }

  @Test func `Without a file not everything is backed up`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file]) { $0.aliveEvery = .milliseconds(100) }
    try await watcher.wait { watcher.news.contains(.alive(isComplete: true)) }
    try Files.remove(file)
    try await watcher.wait {
      watcher.news.contains(.missing(0)) && watcher.news.last == .alive(isComplete: false)
    }
    let gone = try #require(watcher.news.firstIndex(of: .missing(0)))
    #expect(!watcher.news[gone...].contains(.alive(isComplete: true)))
    try Files.write("two", to: file)
    try await watcher.wait { watcher.news.last == .alive(isComplete: true) }
    await watcher.end()
    // One that never was there counts in the same way.
    let other = RunningWatcher([file, box.root + "/never"]) { $0.aliveEvery = .milliseconds(100) }
    try await other.wait {
      other.versions(file) == ["two"] && other.news.last == .alive(isComplete: false)
    }
    #expect(!other.news.contains(.alive(isComplete: true)) && !other.news.contains(.complete))
    await other.end()
  }

  @Test func `Where the backup lost what was saved, it is saved again, or all is not well`()
    async throws
  {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file]) {
      $0.aliveEvery = .milliseconds(100)
      $0.checkedEvery = .milliseconds(100)
    }
    func saves() -> Int {
      watcher.news.count { if case .saved = $0 { true } else { false } }
    }
    try await watcher.wait { watcher.news.last == .alive(isComplete: true) }
    let before = saves()
    watcher.lose()
    try await watcher.wait { saves() > before && watcher.news.last == .alive(isComplete: true) }
    // While it cannot be saved the heartbeat stops.
    watcher.fail(1000)
    watcher.lose()
    try await watcher.wait {
      watcher.news.last == .alive(isComplete: false)
        && watcher.news.contains { if case .failed = $0 { true } else { false } }
    }
    await watcher.end()
  }
}

import Glibc
import TestSupport
import Testing

@testable import KeyBackupTool

/// The watcher on real files: every way in which programs write theirs.
@Suite struct FileWatcherTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
  }

  /// As LND does it: a temporary file beside it, renamed over it.
  private func replace(_ text: String) throws {
    try Files.write(text, to: file + ".tmp")
    try Files.move(file + ".tmp", to: file)
  }

  @Test func `What was written long before the start is backed up at once`() async throws {
    let old = "/etc/debian_version"
    let watcher = RunningWatcher([old]) { $0.terms.quiet = .seconds(60) }
    try await watcher.expect([try Files.text(old)], of: old)
    await watcher.end()
  }

  @Test func `Files are replaced by a rename, again and again`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file])
    try await watcher.expect(["one"], of: file)
    for number in 2...5 {
      try replace("\(number)")
      try await watcher.expect(["one"] + (2...number).map(String.init), of: file)
    }
    await watcher.end()
  }

  @Test func `A file is cut off and written again`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file])
    try await watcher.expect(["one"], of: file)
    try Files.append("", to: file, truncating: true)
    try Files.append("two", to: file)
    try await watcher.expect(["one", "two"], of: file)
    // In place, with the same length.
    try Files.append("owt", to: file, truncating: true)
    try await watcher.expect(["one", "two", "owt"], of: file)
    await watcher.end()
  }

  @Test func `A hundred rewrites in a row are one version`() async throws {
    try Files.write("0", to: file)
    // The watcher is busy meanwhile: no pause of the computer is longer than the quiet.
    let watcher = RunningWatcher(
      [file],
      during: { text in
        if text == "0" { for number in 1...100 { try? replace("\(number)") } }
      })
    try await watcher.expect(["0", "100"], of: file)
    await watcher.end()
  }

  @Test func `Changes without a pause are backed up all the same`() async throws {
    // It is never quiet for an hour.
    let watcher = RunningWatcher([file]) {
      $0.terms.quiet = .seconds(3600)
      $0.terms.longest = .milliseconds(500)
    }
    try await watcher.ready()
    let path = file
    let writer = Task { try await Self.writeWithoutPause(path) }
    defer { writer.cancel() }
    // How many there are at most is for the schedule's tests, whose clock is set.
    try await watcher.wait { watcher.versions(file).count >= 3 }
    await watcher.end()
  }

  private static func writeWithoutPause(_ path: String) async throws {
    for number in 1... {
      try Files.write("\(number)", to: path)
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Nothing else tells of the change: no notices, and no look for an hour.
  @Test func `What changes while it is saved is saved again`() async throws {
    let fuse = try Self.fuse(box, "one")
    let path = fuse.path + "/file"
    let behind = fuse.backing + "/file"
    let watcher = RunningWatcher(
      [path], { $0.every = .seconds(3600) },
      during: { text in if text == "one" { try? Files.write("two!", to: behind) } })
    try await watcher.expect(["one", "two!"], of: path)
    let told = watcher.news.compactMap { news -> Int64? in
      if case .saved(_, _, let state) = news { state.size } else { nil }
    }
    #expect(told == [3, 4], "\(watcher.news)")
    // All was well only after the second time.
    #expect(watcher.news.filter { $0 == .complete }.count == 1, "\(watcher.news)")
    #expect(watcher.news.last == .complete)
    await watcher.end()
    fuse.unmount()
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

  @Test func `A file that is deleted and comes back`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file])
    try await watcher.expect(["one"], of: file)
    try Files.remove(file)
    try await watcher.wait { watcher.news.contains(.missing(0)) }
    try Files.write("two", to: file)
    try await watcher.expect(["one", "two"], of: file)
    await watcher.end()
  }

  @Test func `A folder that appears later, step by step`() async throws {
    let path = box.root + "/data/chain/bitcoin/mainnet/channel.backup"
    let watcher = RunningWatcher([path])
    try await watcher.ready()
    #expect(watcher.news.contains(.missing(0)))
    for step in ["/data", "/data/chain", "/data/chain/bitcoin", "/data/chain/bitcoin/mainnet"] {
      try Files.makeFolder(box.root + step)
      try await Task.sleep(for: .milliseconds(80))
    }
    try Files.write("one", to: path)
    try await watcher.expect(["one"], of: path)
    await watcher.end()
  }

  @Test func `A folder that appears at once, with the file in it`() async throws {
    let path = box.root + "/later/deep/file"
    let watcher = RunningWatcher([path])
    try await watcher.ready()
    try Files.makeFolder(box.root + "/elsewhere/deep")
    try Files.write("one", to: box.root + "/elsewhere/deep/file")
    try Files.move(box.root + "/elsewhere", to: box.root + "/later")
    try await watcher.expect(["one"], of: path)
    // The folder is moved away, and another one takes its place.
    try Files.move(box.root + "/later", to: box.root + "/old")
    try Files.makeFolder(box.root + "/later/deep")
    try Files.write("two", to: path)
    try await watcher.expect(["one", "two"], of: path)
    // The old one is no longer of interest.
    try Files.write("three", to: box.root + "/old/deep/file")
    try Files.write("four", to: path)
    try await watcher.expect(["one", "two", "four"], of: path)
    await watcher.end()
  }

  @Test func `A link on the way is set to another folder`() async throws {
    for name in ["a", "b"] { try Files.makeFolder(box.root + "/" + name) }
    try Files.write("one", to: box.root + "/a/file")
    try Files.write("two", to: box.root + "/b/file")
    try Files.link(box.root + "/link", to: box.root + "/a")
    let path = box.root + "/link/file"
    let watcher = RunningWatcher([path])
    try await watcher.expect(["one"], of: path)
    try Files.link(box.root + "/new", to: box.root + "/b")
    try Files.move(box.root + "/new", to: box.root + "/link")
    try await watcher.expect(["one", "two"], of: path)
    try Files.write("three", to: box.root + "/b/file")
    try await watcher.expect(["one", "two", "three"], of: path)
    await watcher.end()
  }

  @Test func `Several files, two of them in one folder`() async throws {
    let others = [box.root + "/node/other", box.root + "/third"]
    for path in [file] + others { try Files.write("1", to: path) }
    let watcher = RunningWatcher([file] + others)
    for path in [file] + others { try await watcher.expect(["1"], of: path) }
    try Files.write("2", to: others[0])
    try await watcher.expect(["1", "2"], of: others[0])
    #expect(watcher.versions(file) == ["1"] && watcher.versions(others[1]) == ["1"])
    await watcher.end()
  }

  @Test func `Other files of the folder are left alone`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file])
    try await watcher.expect(["one"], of: file)
    let before = watcher.news.count
    for number in 0..<200 { try Files.write("\(number)", to: box.root + "/node/wallet.db") }
    try await Task.sleep(for: .milliseconds(600))
    #expect(watcher.news.count == before && watcher.versions(file) == ["one"])
    await watcher.end()
  }

  @Test func `A failed backup is tried again with the newest content`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file], failures: 3)
    try Files.write("two", to: file)
    try await watcher.expect(["two"], of: file)
    let failures = watcher.news.compactMap { news -> Bool? in
      if case .failed(_, _, let first) = news { first } else { nil }
    }
    #expect(failures == [true, false, false])
    await watcher.end()
  }

  /// Far sooner than the next try, which is a minute away.
  @Test func `A folder that is back is noticed`() async throws {
    try Files.write("one", to: file)
    let folder = box.root + "/cloud/keybackup"
    let watcher = RunningWatcher([file]) {
      $0.folder = folder
      $0.terms.firstRetry = .seconds(600)
      $0.terms.longestRetry = .seconds(600)
    }
    try await watcher.wait {
      watcher.news.contains { if case .failed = $0 { true } else { false } }
    }
    #expect(watcher.versions(file) == [])
    try Files.makeFolder(folder)
    try await watcher.expect(["one"], of: file)
    await watcher.end()
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

  // MARK: Where the kernel tells nothing

  /// A FUSE mount in whose `file` is a text.
  private static func fuse(_ box: Sandbox, _ text: String) throws -> FailingFileSystem {
    let (behind, mount) = (box.root + "/behind", box.root + "/mount")
    for path in [behind, mount] { try Files.makeFolder(path) }
    try Files.write(text, to: behind + "/file")
    return try FailingFileSystem(backing: behind, path: mount)
  }

  @Test func `Files on FUSE that change without a pause are backed up all the same`() async throws {
    let fuse = try Self.fuse(box, "0")
    let path = fuse.path + "/file"
    let watcher = RunningWatcher([path]) {
      $0.every = .milliseconds(100)
      $0.terms.quiet = .seconds(3600)
      $0.terms.longest = .milliseconds(500)
    }
    let behind = fuse.backing + "/file"
    let writer = Task { try await Self.writeWithoutPause(behind) }
    defer { writer.cancel() }
    try await watcher.wait { watcher.versions(path).count >= 3 }
    await watcher.end()
    fuse.unmount()
  }

  @Test func `A file system that does not answer keeps no other file waiting`() async throws {
    try Files.write("one", to: file)
    let fuse = try Self.fuse(box, "far")
    let path = fuse.path + "/file"
    // Each call that waits keeps one of its few threads.
    let silence = "rule op=any delay=30000"
    try fuse.tell(silence)
    let watcher = RunningWatcher([path, file]) {
      $0.every = .milliseconds(100)
      $0.terms.longestRetry = .seconds(5)
    }
    try await watcher.expect(["one"], of: file)
    #expect(watcher.news.contains(.ready))
    try replace("two")
    try await watcher.expect(["one", "two"], of: file)
    var failures: [(code: ExitCode, isFirst: Bool)] {
      watcher.news.compactMap { news in
        if case .failed(0, let message, let first) = news { (message.code, first) } else { nil }
      }
    }
    try await watcher.wait { failures.count > 1 }
    #expect(failures.allSatisfy { $0.code == .incomplete })
    #expect(failures.filter(\.isFirst).count == 1 && watcher.versions(path) == [])
    // It answers again, and then it does not while it is watched.
    try fuse.tell("clear")
    try await watcher.expect(["far"], of: path)
    try fuse.tell(silence)
    try replace("three")
    try await watcher.expect(["one", "two", "three"], of: file)
    await watcher.end()
    fuse.unmount()
  }

  /// A real FUSE mount, changed behind the kernel's back.
  @Test func `Files on FUSE are looked at every so often`() async throws {
    let behind = box.root + "/behind"
    let mount = box.root + "/mount"
    for path in [behind, mount] { try Files.makeFolder(path) }
    try Files.write("one", to: behind + "/file")
    let fuse = try FailingFileSystem(backing: behind, path: mount)
    let path = mount + "/file"
    let watcher = RunningWatcher([path]) { $0.every = .milliseconds(200) }
    try await watcher.expect(["one"], of: path)
    try Files.write("two!", to: behind + "/file")
    try await watcher.expect(["one", "two!"], of: path)
    try Files.remove(behind + "/file")
    try await watcher.wait { watcher.news.contains(.missing(0)) }
    try Files.write("three", to: behind + "/file")
    try await watcher.expect(["one", "two!", "three"], of: path)
    await watcher.end()
    fuse.unmount()
  }

  @Test func `A file system that is mounted over the folder is noticed`() async throws {
    let behind = box.root + "/behind"
    let mount = box.root + "/mount"
    for path in [behind, mount] { try Files.makeFolder(path) }
    try Files.write("one", to: behind + "/file")
    let path = mount + "/file"
    let watcher = RunningWatcher([path]) { $0.every = .milliseconds(200) }
    try await watcher.ready()
    #expect(watcher.news.contains(.missing(0)))
    let fuse = try FailingFileSystem(backing: behind, path: mount)
    try await watcher.expect(["one"], of: path)
    await watcher.end()
    fuse.unmount()
  }

  @Test func `A person may want files looked at on any file system`() async throws {
    try Files.write("one", to: file)
    let watcher = RunningWatcher([file]) {
      $0.every = .milliseconds(100)
      $0.looksEverywhere = true
    }
    try await watcher.expect(["one"], of: file)
    // A mapped file changes without a notice until it is synced.
    try Files.write("two", to: file)
    try await watcher.expect(["one", "two"], of: file)
    await watcher.end()
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
}

import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// The watcher where the kernel tells nothing, or nothing answers.
@Suite struct PolledFileTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
  }

  /// A FUSE mount in whose `file` is a text.
  private static func fuse(_ box: Sandbox, _ text: String) throws -> FailingFileSystem {
    let (behind, mount) = (box.root + "/behind", box.root + "/mount")
    for path in [behind, mount] { try Files.makeFolder(path) }
    try Files.write(text, to: behind + "/file")
    return try FailingFileSystem(backing: behind, path: mount)
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
    try await watcher.wait { watcher.news.contains(.complete) }
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

  @Test func `Files on FUSE that change without a pause are backed up all the same`() async throws {
    let fuse = try Self.fuse(box, "0")
    let path = fuse.path + "/file"
    let watcher = RunningWatcher([path]) {
      $0.every = .milliseconds(100)
      $0.terms.quiet = .seconds(3600)
      $0.terms.longest = .milliseconds(500)
    }
    let behind = fuse.backing + "/file"
    let writer = Task { try await Files.writeWithoutPause(behind) }
    defer { writer.cancel() }
    try await watcher.wait { watcher.versions(path).count >= 3 }
    await watcher.end()
    fuse.unmount()
  }

  @Test func `A file system that does not answer keeps no other file waiting`() async throws {
    try Files.write("one", to: file)
    let fuse = try Self.fuse(box, "far")
    let path = fuse.path + "/file"
    let silence = "rule op=any hang"
    try fuse.tell(silence)
    let watcher = RunningWatcher([path, file]) {
      $0.every = .milliseconds(100)
      $0.terms.longestRetry = .seconds(5)
    }
    try await watcher.expect(["one"], of: file)
    #expect(watcher.news.contains(.ready))
    try Files.replace(file, by: "two")
    try await watcher.expect(["one", "two"], of: file)
    var failures: [(code: ExitReason, isFirst: Bool)] {
      watcher.news.compactMap { news in
        if case .failed(0, let message, let first) = news { (message.code, first) } else { nil }
      }
    }
    try await watcher.wait { failures.count > 1 }
    #expect(failures.allSatisfy { $0.code == .incomplete })
    #expect(failures.filter(\.isFirst).count == 1 && watcher.versions(path) == [])
    // It answers again, and then it does not while it is watched.
    try fuse.letGo()
    try await watcher.expect(["far"], of: path)
    try fuse.tell(silence)
    try Files.replace(file, by: "three")
    try await watcher.expect(["one", "two", "three"], of: file)
    try fuse.letGo()
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

import Glibc
import Testing

@testable import CommandKit
@testable import FileCommands

/// The watcher while folders and links on the way to a file come and go.
@Suite struct WatchedFolderTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
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

  /// As a file that is mounted into a container: what leads to it is no name.
  private func descriptor(_ path: String) throws -> (number: Int32, path: String) {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    try #require(number >= 0)
    return (number, "/proc/self/fd/\(number)")
  }

  /// Waits for a failure, and for a sign of life after it: from then on none says that all is well.
  private func expectDead(_ watcher: RunningWatcher) async throws {
    func afterFailure() -> ArraySlice<FileWatcher.News> {
      let news = watcher.news
      let first = news.firstIndex {
        if case .failed(_, let why, _) = $0 { why.code == .noInput } else { false }
      }
      return first.map { news[$0...] } ?? []
    }
    try await watcher.wait { afterFailure().contains(.alive(isComplete: false)) }
    #expect(!afterFailure().contains(.alive(isComplete: true)), "\(watcher.news)")
  }

  @Test func `A file that was replaced behind a mount is dead`() async throws {
    try Files.write("one", to: file)
    let (number, path) = try descriptor(file)
    defer { close(number) }
    let watcher = RunningWatcher([path]) { $0.aliveEvery = .milliseconds(100) }
    try await watcher.expect(["one"], of: path)
    try await watcher.wait { watcher.news.contains(.alive(isComplete: true)) }
    try Files.replace(file, by: "two")
    try await expectDead(watcher)
    #expect(watcher.versions(path) == ["one"])
    await watcher.end()
    // `status` does not call it saved.
    let record = WatchedFile(path: path, folder: box.folder, since: 0)
    #expect(record.standing(now: 0) == .dead)
    // A watcher that begins with it says the same.
    let late = RunningWatcher([path]) { $0.aliveEvery = .milliseconds(100) }
    try await expectDead(late)
    #expect(late.versions(path) == [])
    await late.end()
  }

  @Test func `A folder that was deleted behind a mount is dead`() async throws {
    try Files.write("one", to: file)
    let (number, folder) = try descriptor(box.root + "/node")
    defer { close(number) }
    let path = folder + "/channel.backup"
    let watcher = RunningWatcher([path]) { $0.aliveEvery = .milliseconds(100) }
    try await watcher.expect(["one"], of: path)
    try await box.run(["rm", "-r", box.root + "/node"], key: nil).expectSuccess()
    try Files.makeFolder(box.root + "/node")
    try Files.write("two", to: file)
    try await expectDead(watcher)
    #expect(WatchedState.deadFolder(onWayTo: path) == folder)
    #expect(watcher.versions(path) == ["one"])
    await watcher.end()
  }
}

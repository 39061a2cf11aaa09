import Testing

@testable import KeyBackupTool

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
}

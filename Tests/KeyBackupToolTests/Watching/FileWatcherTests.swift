import Testing

@testable import FileCommands

/// The watcher on real files: every way in which programs write theirs.
@Suite struct FileWatcherTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
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
      try Files.replace(file, by: "\(number)")
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
        if text == "0" { for number in 1...100 { try? Files.replace(file, by: "\(number)") } }
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
    let writer = Task { try await Files.writeWithoutPause(path) }
    defer { writer.cancel() }
    // How many there are at most is for the schedule's tests, whose clock is set.
    try await watcher.wait { watcher.versions(file).count >= 3 }
    await watcher.end()
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
    try await watcher.wait { watcher.news.contains(.complete) }
    for number in 0..<200 { try Files.write("\(number)", to: box.root + "/node/wallet.db") }
    // Whatever the other file did to the watcher was before this.
    try Files.write("two", to: file)
    try await watcher.expect(["one", "two"], of: file)
    #expect(watcher.news.count { if case .saved = $0 { true } else { false } } == 2)
    await watcher.end()
  }
}

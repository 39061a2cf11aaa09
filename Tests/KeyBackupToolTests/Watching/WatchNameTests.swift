import Glibc
import Testing

@testable import FileCommands

/// `file watch` on files of one name, with a heartbeat, and once.
@Suite struct WatchNameTests {
  @Test func `Files of one name are watched under names of their own`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let home = computers.serverHome
    for folder in ["main", "test"] {
      try Files.makeFolder(home + "/" + folder)
      try Files.write(folder, to: home + "/\(folder)/channel.backup")
    }
    let paths = ["main", "test"].map { home + "/\($0)/channel.backup" }
    let refused = try await computers.server(["file", "watch", "--once"] + paths, expecting: 64)
    #expect(refused.err.contains("--name NAME"), "\(refused.err)")
    try await computers.server(["file", "watch", "--once", paths[0]])
    try await computers.server(["file", "watch", "--once", paths[1], "--name", "test.backup"])
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.map { $0["name"].text } == ["channel.backup", "test.backup"], "\(list)")
    let wrong = try await computers.server(
      ["file", "watch", "--once", "--name", "a"] + paths, expecting: 64)
    #expect(wrong.err.contains("--name goes with one path"), "\(wrong.err)")
  }

  /// To a file system, one letter in two compositions gives two names.
  @Test func `Names that look the same are two files`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let names = ["caf\u{E9}", "cafe\u{301}"]
    let paths = names.map { computers.serverHome + "/" + $0 }
    for (path, text) in zip(paths, ["one", "two"]) { try Files.write(text, to: path) }
    let once = try await computers.server(["file", "watch", "--once", "--json"] + paths).json()
    #expect(once["files"].items.map { $0["outcome"].text } == ["saved", "saved"], "\(once)")
    let other = try await computers.server(
      ["file", "add", paths[1], "--name", names[0]], expecting: 64)
    #expect(other.err.contains("is the name of"), "\(other.err)")
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out])
    let texts = try names.map { try Files.text(out + "/node/" + $0) }
    #expect(texts == ["one", "two"], "\(Files.tree(out))")
  }

  @Test func `A link may be set to another file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let home = computers.serverHome
    for name in ["old", "new"] {
      try Files.makeFolder(home + "/" + name)
      try Files.write(name, to: home + "/\(name)/scb")
    }
    try Files.link(home + "/scb", to: home + "/old/scb")
    try await computers.server(["file", "watch", "--once", home + "/scb"])
    try Files.remove(home + "/scb")
    try Files.link(home + "/scb", to: home + "/new/scb")
    try await computers.server(["file", "watch", "--once", home + "/scb"])
    let listed = try await computers.third(["file", "history", "scb", "--json"]).json()
    #expect(listed["versions"].items.count == 2, "\(listed)")
  }

  @Test func `A file is watched for several folders`() throws {
    let box = try Sandbox()
    let own = try OwnWorld(box)
    let file = WatchedName(path: box.root + "/wallet", name: "other")
    for folder in ["/one", "/two"] {
      WatchedFile.record(file, folder: folder, own.world).keep(own.world)
    }
    #expect(Set(WatchedFile.all(own.world).map(\.folder)) == ["/one", "/two"])
  }

  @Test func `A watched file is not the heartbeat's`() async throws {
    let box = try Sandbox()
    try Files.write("precious", to: box.root + "/file")
    let refused = try await box.keybackup(
      ["file", "watch", "--once", box.root + "/file", "--heartbeat", box.root + "/./file"],
      key: nil, pin: .none, expecting: 64)
    #expect(refused.err.contains("is watched"), "\(refused.text)")
    #expect(try Files.text(box.root + "/file") == "precious")
  }

  @Test func `A name is remembered`() async throws {
    let box = try Sandbox()
    let own = try OwnWorld(box)
    let file = WatchedName(path: box.root + "/wallet", name: "other")
    let record = WatchedFile.record(file, folder: box.folder, own.world)
    record.keep(own.world)
    #expect(WatchedFile.all(own.world).map(\.name) == ["other"])
    // Under another name it begins as a new file.
    var saved = record
    saved.saved = WatchedFile.Saved(at: 1, size: 1, modified: [1, 1])
    saved.keep(own.world)
    let renamed = WatchedName(path: file.path, name: nil)
    #expect(WatchedFile.record(file, folder: box.folder, own.world).saved != nil)
    #expect(WatchedFile.record(renamed, folder: box.folder, own.world).saved == nil)
  }

  @Test func `Once says what happened to each file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let path = computers.serverHome + "/file"
    try Files.write("x", to: path)
    let first = try await computers.server(["file", "watch", "--once", path])
    #expect(first.text.contains("Saved "), "\(first.text)")
    let second = try await computers.server(["file", "watch", "--once", path])
    #expect(second.text.contains("has not changed; nothing was written"), "\(second.text)")
    let away = try await computers.server(
      ["file", "watch", "--once", path, "--folder", computers.box.root + "/away"], expecting: 66)
    #expect(!away.text.contains("waiting for it"), "\(away.text)")
    #expect(away.err.contains("/away"), "\(away.text)")
    let missing = try await computers.server(
      ["file", "watch", "--once", path + "-2"], expecting: 66)
    #expect(!missing.text.contains("backed up when it is"), "\(missing.text)")
  }

  @Test func `A heartbeat follows no link and waits for no reader`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let home = computers.serverHome
    try Files.write("x", to: home + "/file")
    try Files.write("precious", to: home + "/target")
    try Files.link(home + "/link", to: home + "/target")
    #expect(unsafe mkfifo(home + "/fifo", 0o600) == 0)
    for (name, says) in [("link", "it is a link"), ("fifo", "could not be written")] {
      let run = try await computers.server(
        ["file", "watch", "--once", home + "/file", "--heartbeat", home + "/" + name])
      #expect(run.err.contains(says), "\(name): \(run.text)")
    }
    #expect(try Files.text(home + "/target") == "precious")
    try Files.write("a longer text that was there before", to: home + "/beat")
    try await computers.server(
      ["file", "watch", "--once", home + "/file", "--heartbeat", home + "/beat"])
    let text = try Files.text(home + "/beat")
    #expect(Int(text.dropLast()) != nil, "\(text)")
  }
}

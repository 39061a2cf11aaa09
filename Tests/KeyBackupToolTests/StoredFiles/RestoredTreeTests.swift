import Glibc
import TestSupport
import Testing

@testable import CSPP
@testable import CommandKit
@testable import FileCommands

/// The folder of restored files, on file systems that lose data or lack calls.
@Suite struct RestoredTreeTests {
  private let box: Sandbox
  private let system: FailingFileSystem

  init() throws {
    box = try Sandbox()
    let (behind, mount) = (box.root + "/behind", box.root + "/mount")
    for path in [behind, mount] { try Files.makeFolder(path) }
    system = try FailingFileSystem(backing: behind, path: mount)
  }

  @discardableResult
  private func write(
    _ text: String, as name: String, folder: String = "node", in tree: RestoredTree
  ) throws -> RestoredTree.Placed {
    let bytes = Array(text.utf8)
    let attributes = RestoredTree.Attributes(
      size: UInt64(bytes.count), modified: 1_700_000_000, mode: 0o600,
      content: Digest(of: bytes.span))
    return try tree.write(name, in: [folder], attributes) { (sink, _) throws(UserMessage) in
      try unsafe sink(bytes.span.bytes)
    }
  }

  @Test(arguments: ["all", "entries", "data"])
  func `After a power loss everything that was restored is there`(_ kind: String) throws {
    try system.tell("volatile")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "a", in: tree) == .written("node/a"))
    #expect(try write("two", as: "b", in: tree) == .written("node/b"))
    try system.tell("power-loss \(kind)")
    let left = try Files.contents(system.backing).mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(left == ["out/node/a": "one", "out/node/b": "two"])
  }

  /// sshfs without hard links, and some others.
  @Test func `Without hard links and careful renames files get their names`() throws {
    try system.tell(
      "rule op=rename flags=noreplace errno=EINVAL", "rule op=link errno=EPERM")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "a", in: tree) == .written("node/a"))
    #expect(try write("one", as: "a", in: tree) == .there("node/a"))
    #expect(try write("two", as: "a", in: tree) == .taken)
    #expect(try Files.text(system.path + "/out/node/a") == "one")
    #expect(Files.tree(system.backing) == ["out/node/a"])
  }

  @Test func `What a killed run left goes, and what another run writes stays`() throws {
    let node = system.path + "/out/node"
    try Files.makeFolder(node)
    let (left, busy, other) = (
      "keybackup-part-0123456789abcdef", "keybackup-part-fedcba9876543210", "keybackup-part-notes"
    )
    for name in [left, busy, other] { try Files.write("plain", to: "\(node)/\(name)") }
    let lock = unsafe open("\(node)/\(busy)", O_RDONLY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "a", in: tree) == .written("node/a"))
    #expect(Files.tree(node) == ["a", busy, other].sorted())
  }

  /// exFAT and NTFS: such a name is nowhere, and cannot be made.
  private func refuse(_ name: String) throws {
    for op in ["create", "rename", "link", "mkdir"] {
      try system.tell("rule op=\(op) name=\(name) errno=EINVAL")
    }
  }

  @Test func `A file gets another name where its own is impossible`() throws {
    try refuse("*:*")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "log 10:00.txt", in: tree) == .written("node/log 10_00.txt"))
    #expect(try write("two", as: "log 10:0?.txt", in: tree) == .written("node/log 10_0_.txt"))
    // The other name may be a file's own one.
    guard case .written(let other) = try write("three", as: "log 10_00.txt", in: tree) else {
      Issue.record("it was not written")
      return
    }
    #expect(try Files.text(system.path + "/out/" + other) == "three")
    // Another run finds its own files, under the names that they got.
    let again = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "log 10:00.txt", in: again) == .there("node/log 10_00.txt"))
    #expect(try write("three", as: "log 10_00.txt", in: again) == .there(other))
    #expect(Files.tree(system.backing).count == 3)
  }

  @Test func `A name that belongs to a file of the backup is given to no other one`() throws {
    try refuse("*:*")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    tree.reserve(["node/log 10:00.txt", "node/log 10_00.txt", "pc:1/a", "pc_1/a"])
    for (text, name, folder) in [
      ("one", "log 10:00.txt", "node"), ("two", "log 10_00.txt", "node"), ("three", "a", "pc:1"),
      ("four", "a", "pc_1"),
    ] {
      guard case .written(let path) = try write(text, as: name, folder: folder, in: tree) else {
        Issue.record("\(folder)/\(name) was not written")
        continue
      }
      #expect(try Files.text(system.path + "/out/" + path) == text)
    }
    #expect(try Files.text(system.path + "/out/node/log 10_00.txt") == "two")
    #expect(try Files.text(system.path + "/out/pc_1/a") == "four")
  }

  @Test func `Computers whose names differ in case have folders of their own`() throws {
    try system.tell("fold on")
    for _ in 1...2 {
      let tree = try RestoredTree(path: system.path + "/out", Run())
      for (text, folder) in [("one", "Node"), ("two", "node"), ("three", "Node")] {
        switch try write(text, as: text == "three" ? "b" : "a", folder: folder, in: tree) {
        case .written(let path), .there(let path):
          #expect(try Files.text(system.path + "/out/" + path) == text)
        case let other: Issue.record("\(folder): \(other)")
        }
      }
      #expect(Files.tree(system.backing).count == 3)
    }
  }

  @Test func `A folder gets another name where its own is impossible`() throws {
    try refuse("*:*")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "a", folder: "pc:1", in: tree) == .written("pc_1/a"))
    #expect(try Files.text(system.path + "/out/pc_1/a") == "one")
  }

  @Test func `Names that differ in case are two files where they are one name`() throws {
    try system.tell("fold on")
    for _ in 1...2 {
      let tree = try RestoredTree(path: system.path + "/out", Run())
      for (name, text) in [("Notes.txt", "one"), ("notes.txt", "two"), ("NOTES.TXT", "one")] {
        switch try write(text, as: name, in: tree) {
        case .written(let path), .there(let path):
          #expect(try Files.text(system.path + "/out/" + path) == text)
        case let other: Issue.record("\(name): \(other)")
        }
      }
      #expect(Files.tree(system.backing).count == 3)
    }
    // What a person has there stays, under its very name.
    let tree = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("three", as: "Notes.txt", in: tree) == .taken)
    #expect(try Files.text(system.backing + "/out/node/Notes.txt") == "one")
  }

  @Test func `A file that was there keeps its name, whatever others are called`() throws {
    let tree = try RestoredTree(path: system.path + "/out", Run())
    try Files.makeFolder(system.path + "/out/node")
    try Files.write("draft", to: system.path + "/out/node/notes.txt")
    #expect(try write("one", as: "Notes.txt", in: tree) == .written("node/Notes.txt"))
    #expect(try write("two", as: "notes.txt", in: tree) == .taken)
    #expect(try write("draft", as: "notes.txt", in: tree) == .there("node/notes.txt"))
    let again = try RestoredTree(path: system.path + "/out", Run())
    #expect(try write("one", as: "Notes.txt", in: again) == .there("node/Notes.txt"))
    #expect(try write("draft", as: "notes.txt", in: again) == .there("node/notes.txt"))
  }

  @Test func `A file that no name helps does not end the others`() throws {
    try refuse("*one*")
    let tree = try RestoredTree(path: system.path + "/out", Run())
    guard case .refused(let message) = try write("1", as: "one", in: tree) else {
      Issue.record("it was not refused")
      return
    }
    #expect(message.code == .cannotCreate)
    #expect(try write("2", as: "two", in: tree) == .written("node/two"))
    // FAT takes no file of 4 GiB.
    try system.tell("clear", "rule op=write errno=EFBIG times=1")
    guard case .refused(let large) = try write("3", as: "three", in: tree) else {
      Issue.record("it was not refused")
      return
    }
    #expect(large.code == .io)
    #expect(try write("4", as: "four", in: tree) == .written("node/four"))
    #expect(Set(Files.tree(system.backing)) == ["out/node/two", "out/node/four"])
  }

  @Test(arguments: ["op=write errno=ENOSPC", "op=rename errno=ENOSPC", "op=mkdir errno=EROFS"])
  func `A full or lost disk ends all`(_ rule: String) throws {
    let tree = try RestoredTree(path: system.path + "/out", Run())
    try system.tell("rule \(rule)")
    #expect(throws: UserMessage.self) { try write("1", as: "one", in: tree) }
    #expect(Files.tree(system.backing) == [])
  }
}

import TestSupport
import Testing

@testable import CSPP
@testable import KeyBackupTool

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

  private func write(_ text: String, as name: String, in tree: RestoredTree) throws
    -> RestoredTree.Placed
  {
    let bytes = Array(text.utf8)
    let attributes = RestoredTree.Attributes(
      size: UInt64(bytes.count), modified: 1_700_000_000, mode: 0o600,
      content: Digest(of: bytes.span))
    return try tree.write(name, in: ["node"], attributes) { (sink, _) throws(UserMessage) in
      try unsafe sink(bytes.span.bytes)
    }
  }

  @Test(arguments: ["all", "entries", "data"])
  func `After a power loss everything that was restored is there`(_ kind: String) throws {
    try system.tell("volatile")
    let tree = try RestoredTree(path: system.path + "/out")
    #expect(try write("one", as: "a", in: tree) == .written)
    #expect(try write("two", as: "b", in: tree) == .written)
    try system.tell("power-loss \(kind)")
    let left = try Files.contents(system.backing).mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(left == ["out/node/a": "one", "out/node/b": "two"])
  }

  /// sshfs without hard links, and some others.
  @Test func `Without hard links and careful renames files get their names`() throws {
    try system.tell(
      "rule op=rename flags=noreplace errno=EINVAL", "rule op=link errno=EPERM")
    let tree = try RestoredTree(path: system.path + "/out")
    #expect(try write("one", as: "a", in: tree) == .written)
    #expect(try write("one", as: "a", in: tree) == .there)
    #expect(try write("two", as: "a", in: tree) == .taken)
    #expect(try Files.text(system.path + "/out/node/a") == "one")
    #expect(Files.tree(system.backing) == ["out/node/a"])
  }
}

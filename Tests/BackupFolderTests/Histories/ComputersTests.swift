import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

struct ComputersTests {
  @Test
  func `Two computers add to one folder; both see everything`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    var b = try scene.unlock("b")
    try a.add(.of("w1"))
    try b.add(.of("w2"))
    try a.add(.of("w3"))
    try b.remove([RecordID(walletID: "w1")])
    #expect(try a.restored().lines.count >= 2)
    for computer in ["a", "b", "c"] {
      var any = try scene.unlock(computer)
      #expect(
        try any.restored().lines == ["w2 abandon about current", "w3 abandon about current"])
      #expect(any.health.writers == 2)
      #expect(any.health.forked == 0)
      #expect(any.health.incomplete == 0)
    }
  }

  /// Changes two replicas separately, and then merges them.
  ///
  /// The merge is that of a client that keeps the newer of two files of one name.
  @Test
  func `What two computers wrote apart is a conflict until one decides`() throws {
    let scene = try Scene.conflicted()
    var c = try scene.unlock("c")
    let both = try c.restored()
    #expect(both.lines == ["w1 wrong wrong conflict", "w1 zoo zoo conflict"])
    #expect(both.report.counts[.conflict] == 1)
    #expect(both.report.counts.total == 1)
    try c.add(.of("w1", words: "legal winner"))
    var d = try scene.unlock("d")
    #expect(try d.restored().lines == ["w1 legal winner current"])
  }

  @Test
  func `One removes while the other adds, apart: the addition stays`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2"))
    try scene.apart("b") { b in
      try b.add(.of("w1", words: "zoo zoo"))
      try b.add(.of("w3"))
    } meanwhile: {
      try a.remove([RecordID(walletID: "w1")])
    }
    var c = try scene.unlock("c")
    #expect(
      try c.restored().lines == [
        "w1 zoo zoo current", "w2 abandon about current", "w3 abandon about current",
      ])
  }

  @Test
  func `A folder put back to an older state is noticed by who saw the newer one`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    var view = Data()
    try scene.undo {
      try a.add(.of("w2"))
      view = try Data(contentsOf: URL(fileURLWithPath: scene.viewPath("w2")))
    }
    var again = try scene.unlock("a")
    #expect(again.health.rolledBack == 1)
    try view.write(to: URL(fileURLWithPath: scene.viewPath("w2")))
    #expect(
      try again.restored().lines == ["w1 abandon about current", "w2 abandon about rolledBack"])
    // It continues as another writer, so that no counter is used twice.
    try again.add(.of("w3"))
    #expect(again.health.forked == 0)
    #expect(again.health.writers == 2)
    var fresh = try scene.unlock("new")
    #expect(fresh.health.rolledBack == 0)
    #expect(!fresh.health.isFreshnessKnown)
    #expect(fresh.verify().counts[.incomplete] == 1)
    let namespace = try scene.open("a").namespace()
    try namespace.accept(namespace.acceptance())
    #expect(try scene.unlock("a").health.rolledBack == 0)
  }

  @Test
  func `A namespace that was known and is gone is not a folder without backup`() throws {
    let scene = try Scene()
    let id = try scene.create("a").id
    try FileManager.default.removeItem(atPath: scene.folder + "/cspp-namespaces")
    #expect(try scene.open("a").vanishedNamespaces() == [id])
    #expect(try scene.open("b").vanishedNamespaces() == [])
  }

  @Test(arguments: [true, false])
  func `A log file that is empty is incomplete, not rolled back; a gap is incomplete`(_ empty: Bool)
    throws
  {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try a.add(.of("w2"))
    let log = try scene.namespacePath + "/keybackup/log"
    let writer = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first)
    let names = try FileManager.default.contentsOfDirectory(atPath: log + "/" + writer).sorted()
    let path = log + "/" + writer + "/" + names[1]
    try FileManager.default.removeItem(atPath: path)
    if empty { try (Data()).write(to: URL(fileURLWithPath: path)) }
    let known = try scene.unlock("a").health
    #expect(known.rolledBack == (empty ? 0 : 1))
    #expect(known.incomplete == (empty ? 1 : 0))
    var new = try scene.unlock("b")
    #expect(new.health.rolledBack == 0)
    #expect(new.health.incomplete == 1)
    #expect(
      try new.restored().lines == ["w1 abandon about incomplete", "w2 abandon about current"])
  }

  @Test
  func `A cloned computer takes a new writer's name: nothing forks`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try scene.run("cp", "-a", scene.base + "/state-a", scene.base + "/state-clone")
    try a.add(.of("w1"))
    var clone = try scene.unlock("clone")
    try clone.add(.of("w2"))
    var b = try scene.unlock("b")
    #expect(b.health.forked == 0)
    #expect(b.health.writers == 2)
    #expect(b.verify().counts[.current] == 2)
  }

  @Test
  func `Two programs of one computer wait for each other`() async throws {
    let scene = try Scene()
    _ = try scene.create("a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        let settings = scene.settings("a")
        let path = scene.folder
        group.addTask {
          let namespace = try BackupFolder.open(path: path, settings: settings).namespace()
          let slot = try #require(try namespace.scan().keySlots.first)
          let prf = [UInt8](repeating: 7, count: 32)
          let secret = unsafe SecretBytes(copying: prf.span.bytes)
          var open = try namespace.open(slot.unwrap(secret: secret))
          try open.add(.of("w\(number)"))
        }
      }
      try await group.waitForAll()
    }
    var b = try scene.unlock("b")
    #expect(b.verify().counts[.current] == 4)
    #expect(b.health.forked == 0)
  }
}

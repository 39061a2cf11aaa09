import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// The computers that write to a folder, and retiring one.
struct WritersTests {
  @Test
  func `Every computer is listed with its name; a retired one says so`() throws {
    let scene = try Scene()
    var a = try scene.create("laptop")
    var b = try scene.unlock("desktop")
    try a.add(.of("w1"))
    try b.add(.of("w2"))
    let again = try scene.unlock("laptop")
    let writers = again.writers
    #expect(Set(writers.map(\.label)) == ["laptop", "desktop"])
    #expect(writers.map(\.operations).sorted() == [1, 2])
    #expect(writers.filter(\.isThisComputer).map(\.label) == ["laptop"])
    #expect(writers.allSatisfy { !$0.isRetired && $0.lastAt == 1_700_000_000 })
    let desktop = try #require(writers.first { $0.label == "desktop" })
    var retiring = try scene.unlock("laptop")
    try retiring.retire(desktop.id)
    for computer in ["laptop", "desktop", "new"] {
      let seen = try scene.unlock(computer)
      #expect(seen.writers.filter(\.isRetired).map(\.id) == [desktop.id])
      #expect(seen.health.afterRetirement == 0)
    }
  }

  @Test
  func `A retired computer that learns of it writes under a new name, silently`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    let own = try #require(a.writers.first { $0.isThisComputer })
    try a.retire(own.id)
    try a.add(.of("w1"))
    let after = try scene.unlock("a")
    #expect(after.writers.count == 2)
    #expect(after.writers.filter(\.isThisComputer).count == 1)
    #expect(after.health.afterRetirement == 0)
    #expect(after.health.forked == 0)
    #expect(after.health.rolledBack == 0)
  }

  @Test
  func `What a retired computer writes all the same is kept, shown and said`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    var b = try scene.unlock("b")
    try b.add(.of("w1"))
    let other = scene.base + "/replica"
    try FileManager.default.copyItem(atPath: scene.folder, toPath: other)
    try scene.run("cp", "-a", scene.base + "/state-b", scene.base + "/state-apart")
    let writer = try #require(try scene.unlock("b").writers.first { $0.isThisComputer }).id
    a = try scene.unlock("a")
    try a.retire(writer)
    // In another replica, before the retirement arrives.
    try scene.adoptState("apart", from: scene.folder, to: other)
    var apart = try scene.unlock("apart", other)
    try apart.add(.of("w2"))
    #expect(apart.writers.filter(\.isThisComputer).map(\.id) == [writer])
    try scene.run("cp", "-a", other + "/.", scene.folder)
    var seen = try scene.unlock("a")
    #expect(seen.health.afterRetirement == 1)
    #expect(seen.health.forked + seen.health.rolledBack == 0)
    #expect(try seen.restored().lines == ["w1 abandon about current", "w2 abandon about current"])
    // Retired again, including what it has written since.
    try seen.retire(writer)
    #expect(seen.health.afterRetirement == 0)
    #expect(try seen.restored().lines.count == 2)
  }
}

extension Scene {
  /// Lets a computer know another folder as it knows this one, like a replica in the same place on
  /// another computer.
  func adoptState(_ computer: String, from folder: String, to other: String) throws {
    func name(_ path: String) throws -> String {
      let canonical = try Directory.open(path: path).canonicalPath()
      return String(Digest(of: Array(canonical.utf8).span).hex.prefix(32))
    }
    let localState = base + "/state-\(computer)/memory/"
    try run("cp", "-a", localState + name(folder), localState + name(other))
  }
}

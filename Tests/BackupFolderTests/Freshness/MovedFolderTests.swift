import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// What a computer remembers of a namespace counts at every path by which the namespace is reached.
struct MovedFolderTests {
  private let scene: Scene
  private var moved: String { scene.base + "/moved" }

  init() throws { scene = try Scene() }

  private func copy(to path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: scene.folder, toPath: path)
  }

  private func move(to path: String) throws {
    try FileManager.default.moveItem(atPath: scene.folder, toPath: path)
  }

  /// An older copy of a backup of two wallets at another path; the newer one is there no more.
  private func rollBack() throws {
    var open = try scene.create()
    try open.add(.of("w1"))
    try copy(to: moved)
    try open.add(.of("w2"))
    try FileManager.default.removeItem(atPath: scene.folder)
  }

  private func known(at path: String) throws -> LogHealth {
    try scene.open("a", path).namespace().checkStructure().health
  }

  @Test
  func `An older copy at another path is rolled back, with the key and without, again and again`()
    throws
  {
    try rollBack()
    #expect(try known(at: moved).rolledBack == 1)
    for _ in 0..<2 {
      let health = try scene.unlock("a", moved).health
      #expect(health.rolledBack == 1)
      #expect(health.isFreshnessKnown)
      #expect(health.copies.isEmpty)
    }
    #expect(try known(at: moved).rolledBack == 1)
    // Another computer has nothing to compare with.
    #expect(try !scene.unlock("b", moved).health.isFreshnessKnown)
  }

  @Test
  func `The memory of an older program, without a path, counts at another path`() throws {
    try rollBack()
    let all = scene.settings().stateFolder + "/memory"
    for name in try FileManager.default.contentsOfDirectory(atPath: all) {
      try FileManager.default.removeItem(atPath: "\(all)/\(name)/path")
    }
    #expect(try known(at: moved).rolledBack == 1)
    #expect(try scene.unlock("a", moved).health.rolledBack == 1)
  }

  @Test
  func `A memory at another path that cannot be read is told, and nothing is written meanwhile`()
    throws
  {
    try rollBack()
    let all = scene.settings().stateFolder + "/memory"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: all).first)
    let id = try scene.open("a", moved).namespace().id
    let path = "\(all)/\(name)/\(id.hex)"
    try Data("keybackup-memory 1\nx".utf8).write(to: URL(fileURLWithPath: path))
    let problem = BackupFolderError.memoryUnusable(path: path, isNewer: false)
    #expect(try scene.open("a", moved).unusableMemories() == [problem])
    #expect(throws: problem) {
      var open = try scene.unlock("a", moved)
      try open.add(.of("w3"))
    }
    // Of a namespace that is not here it says nothing.
    try FileManager.default.moveItem(atPath: path, toPath: path.dropLast(4) + "0000")
    #expect(try scene.open("a", moved).unusableMemories().isEmpty)
  }

  @Test
  func `What happened at another path is missed where the folder was first`() throws {
    var open = try scene.create()
    try open.add(.of("w1"))
    let old = scene.base + "/old"
    try copy(to: old)
    try move(to: moved)
    open = try scene.unlock("a", moved)
    try open.add(.of("w2"))
    try FileManager.default.removeItem(atPath: moved)
    try FileManager.default.moveItem(atPath: old, toPath: scene.folder)
    #expect(try known(at: scene.folder).rolledBack == 1)
    #expect(try scene.unlock().health.rolledBack == 1)
  }

  @Test
  func `A copy that is equal or newer raises no alarm, by a link too, and its key slots are known`()
    throws
  {
    var open = try scene.create()
    try open.add(.of("w1"))
    let link = scene.base + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: moved)
    try move(to: moved)
    for path in [moved, link] {
      let namespace = try scene.open("a", path).namespace()
      #expect(namespace.knowsKeySlots)
      #expect(try namespace.scan().keySlots.map(\.isEnrolled) == [true])
      let health = try scene.unlock("a", path).health
      #expect(health.rolledBack + health.incomplete + health.forked == 0)
      #expect(health.isFreshnessKnown)
      #expect(health.copies.isEmpty)
    }
    var other = try scene.unlock("b", moved)
    try other.add(.of("w2"))
    #expect(try scene.unlock("a", moved).health.rolledBack == 0)
  }

  @Test
  func `Two copies in use are told apart, and no counter is claimed twice`() throws {
    var real = try scene.create()
    try real.add(.of("w1"))
    try copy(to: moved)
    var test = try scene.unlock("a", moved)
    try test.add(.of("test"))
    real = try scene.unlock()
    #expect(real.health.copies == [OtherCopy(path: moved, operations: 1)])
    #expect(real.health.rolledBack == 0)
    try real.add(.of("w2"))
    test = try scene.unlock("a", moved)
    #expect(test.health.copies == [OtherCopy(path: scene.folder, operations: 1)])
    #expect(test.health.rolledBack == 0)
    // A third place of the real one is no alarm for the test's change.
    let third = scene.base + "/third"
    try copy(to: third)
    #expect(try scene.unlock("a", third).health.rolledBack == 0)
    // Together they are no fork.
    try scene.run("cp", "-rn", moved + "/.", scene.folder)
    let all = try scene.unlock()
    #expect(all.health.forked == 0)
    #expect(all.health.copies.isEmpty)
    #expect(all.log.index.nodes.count == 4)
  }

  @Test
  func `A change that the other copy has lost too is rolled back, also behind a planted name`()
    throws
  {
    var real = try scene.create()
    try real.add(.of("w1"))
    try copy(to: moved)
    let before = try Scene.contents(moved)
    var test = try scene.unlock("a", moved)
    try test.add(.of("test"))
    let log = try #require(
      try Scene.contents(moved).keys.first { $0.contains("/log/") && before[$0] == nil })
    #expect(try scene.unlock().health.copies.count == 1)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(moved)/\(log)"))
    #expect(try scene.unlock().health.rolledBack == 1)
    try FileManager.default.removeItem(atPath: moved)
    #expect(try known(at: scene.folder).rolledBack == 1)
    // A person who knows that it was a test accepts that.
    let namespace = try scene.open().namespace()
    try namespace.accept(namespace.acceptance())
    #expect(try scene.unlock().health.rolledBack == 0)
  }

  @Test
  func `A loss that was accepted for one copy is told at another`() throws {
    try rollBack()
    let namespace = try scene.open("a", moved).namespace()
    let plan = try namespace.acceptance()
    #expect(plan.isNeeded)
    try namespace.accept(plan)
    #expect(try scene.unlock("a", moved).health.rolledBack == 0)
    let next = scene.base + "/next"
    try FileManager.default.copyItem(atPath: moved, toPath: next)
    // The first path had it, and nobody has accepted that for this one.
    #expect(try known(at: next).rolledBack == 1)
  }

  @Test
  func `A namespace of another folder that was copied here is not chosen`() throws {
    var open = try scene.create()
    try open.add(.of("w1"))
    try move(to: moved)
    let own = scene.base + "/own"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    let id = try scene.open("a", own).create(
      scene.enrolment, prfOutput: scene.secret(), confirmedBy: scene.secret()
    ).id
    try scene.run("cp", "-r", moved + "/cspp-namespaces", own + "/")
    #expect(try scene.open("a", own).namespaces().count == 2)
    #expect(try scene.open("a", own).namespace().id == id)
  }
}

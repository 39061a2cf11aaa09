import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A user inspects a folder that lost files or contradicts itself, and accepts it as it stands.
struct AcceptanceTests {
  private let a = WriterID(words: [1, 1])
  private let b = WriterID(words: [2, 2])

  private func reference(_ writer: WriterID, _ counter: UInt64, _ number: UInt64)
    -> LogIndex.Reference
  {
    LogIndex.Reference(
      writerID: writer, counter: counter, digest: Digest(words: [number, number, 0, 0]))
  }

  private func index(
    _ operations: [(LogIndex.Reference, UInt64?, [LogIndex.Reference])]
  ) -> LogIndex {
    var index = LogIndex()
    for (reference, previous, seen) in operations {
      _ = index.append(
        reference, previous: previous.map { Digest(words: [$0, $0, 0, 0]) }, seen: seen)
    }
    return index
  }

  private func accepted(_ index: LogIndex, _ localState: LocalState = LocalState()) -> LocalState {
    var localState = localState
    localState.accept(index.names, awaited: [], at: 1)
    return localState
  }

  @Test
  func `A fork that was accepted is quiet; a third branch and a later fork are not`() {
    let fork: [(LogIndex.Reference, UInt64?, [LogIndex.Reference])] = [
      (reference(a, 1, 1), nil, []), (reference(a, 2, 2), 1, []), (reference(a, 2, 3), 1, []),
    ]
    let localState = accepted(index(fork))
    func forked(_ more: [(LogIndex.Reference, UInt64?, [LogIndex.Reference])]) -> Int {
      index(fork + more).health(localState: localState, unsynchronised: []).forked
    }
    #expect(index(fork).health(localState: LocalState(), unsynchronised: []).forked == 1)
    #expect(forked([]) == 0)
    #expect(forked([(reference(a, 3, 4), 3, [])]) == 0)
    #expect(forked([(reference(b, 1, 5), nil, [reference(a, 2, 2), reference(a, 2, 3)])]) == 0)
    #expect(forked([(reference(a, 2, 6), 1, [])]) == 1)
    #expect(forked([(reference(a, 3, 4), 3, []), (reference(a, 3, 7), 2, [])]) == 1)
    #expect(forked([(reference(b, 1, 5), nil, [reference(a, 1, 9)])]) == 1)
  }

  @Test
  func `A contradicted name and a gap that were accepted are quiet until another names them anew`()
  {
    let gap: [(LogIndex.Reference, UInt64?, [LogIndex.Reference])] = [
      (reference(a, 1, 1), nil, []), (reference(b, 1, 2), nil, [reference(a, 1, 9)]),
      (reference(b, 3, 4), 3, [reference(a, 5, 5)]),
    ]
    let before = index(gap).health(localState: LocalState(), unsynchronised: [])
    #expect(before.forked == 1)
    #expect(before.incomplete == 2)
    let localState = accepted(index(gap))
    let after = index(gap).health(localState: localState, unsynchronised: [])
    #expect(after.forked == 0)
    #expect(after.incomplete == 0)
    // The gap is filled, and another opens.
    let filled = gap + [(reference(b, 2, 3), 2, [reference(a, 6, 6)])]
    #expect(
      index(filled.sorted { $0.0.counter < $1.0.counter })
        .health(localState: localState, unsynchronised: []).incomplete == 1)
  }

  @Test
  func `What was remembered and is gone is forgotten, and its wallet is another program's`() throws
  {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    var view = Data()
    try scene.undo {
      try a.add(.of("w2"))
      view = try Data(contentsOf: URL(fileURLWithPath: scene.viewPath("w2")))
    }
    try view.write(to: URL(fileURLWithPath: scene.viewPath("w2")))
    let namespace = try scene.open("a").namespace()
    let plan = try namespace.acceptance()
    #expect(plan.isNeeded)
    #expect(plan.health.rolledBackBy.values.reduce(0, +) == 1)
    try namespace.accept(plan)
    #expect(try namespace.checkStructure().health.rolledBack == 0)
    var again = try scene.unlock("a")
    #expect(again.health.rolledBack == 0)
    #expect(again.health.isFreshnessKnown)
    #expect(try again.restored().lines == ["w1 abandon about current", "w2 abandon about foreign"])
    // Nothing is left to accept, and later losses show again.
    #expect(try !namespace.acceptance().isNeeded)
    try again.add(.of("w3"))
    #expect(again.health.forked == 0)
    #expect(try scene.unlock("a").health == again.health)
    try scene.removeLog()
    #expect(try namespace.checkStructure().health.rolledBack == 3)
    #expect(try scene.unlock("a").health.rolledBack == 3)
  }

  @Test
  func `What is lost after the question was asked is not accepted`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let namespace = try scene.open("a").namespace()
    let plan = try namespace.acceptance()
    #expect(!plan.isNeeded)
    try scene.removeLog()
    try namespace.accept(plan)
    #expect(try namespace.checkStructure().health.rolledBack == 2)
  }

  @Test
  func `A log that is gone altogether can be accepted, and is then written anew`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2"))
    try scene.removeLog()
    let namespace = try scene.open("a").namespace()
    #expect(try namespace.checkStructure().health.incomplete == 1)
    try namespace.accept(namespace.acceptance())
    let health = try namespace.checkStructure().health
    #expect(health.rolledBack + health.incomplete + health.forked == 0)
    var open = try scene.unlock("a")
    #expect(try open.restored().lines == ["w1 abandon about foreign", "w2 abandon about foreign"])
    try open.add(.of("w1", words: "zoo zoo"))
    #expect(open.log.index.history(of: RecordID(walletID: "w1")).count == 2)
    #expect(
      try scene.unlock("a").health.rolledBack == 0)
  }

  @Test
  func `A namespace that is gone is forgotten once a person has accepted that`() throws {
    let scene = try Scene()
    let id = try scene.create("a").id
    let place = scene.folder + "/cspp-namespaces"
    try FileManager.default.moveItem(atPath: place, toPath: scene.base + "/aside")
    let folder = try scene.open("a")
    #expect(try folder.vanishedNamespaces() == [id])
    try folder.acceptLoss(of: [id])
    #expect(try folder.vanishedNamespaces() == [])
    // Back again, it is as on a new computer; a namespace that is there is kept.
    try FileManager.default.moveItem(atPath: scene.base + "/aside", toPath: place)
    #expect(try !scene.unlock("a").health.isFreshnessKnown)
    try folder.acceptLoss(of: [id])
    #expect(try scene.unlock("a").health.isFreshnessKnown)
  }

  @Test(arguments: [0, 20])
  func `A file that is empty stays awaited, one that is damaged stays damaged`(_ bytes: Int) throws
  {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let path = try #require(try scene.logFiles().last)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try Data(repeating: 65, count: bytes).write(to: URL(fileURLWithPath: path))
    let namespace = try scene.open("a").namespace()
    for _ in 0..<2 {
      let structure = try namespace.checkStructure()
      #expect(structure.health.rolledBack == 0)
      #expect(structure.health.incomplete == (bytes == 0 ? 1 : 0))
      #expect(structure.wallets.findings.map(\.state) == [bytes == 0 ? .incomplete : .unreadable])
      var open = try scene.unlock("a")
      #expect(open.health.rolledBack == 0)
      #expect(open.health.incomplete == (bytes == 0 ? 1 : 0))
      #expect(try open.restored().lines == ["w1 abandon about incomplete"])
      #expect(try !namespace.acceptance().isNeeded)
      try namespace.accept(namespace.acceptance())
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(try namespace.checkStructure().health.rolledBack == 1)
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try scene.unlock("a").health.rolledBack == 0)
  }
}

extension Scene {
  func logFiles() throws -> [String] {
    let log = try namespacePath + "/keybackup/log"
    return try FileManager.default.subpathsOfDirectory(atPath: log).sorted()
      .filter { $0.hasSuffix(".json") }.map { log + "/" + $0 }
  }

  func removeLog() throws {
    try FileManager.default.removeItem(atPath: namespacePath + "/keybackup/log")
  }
}

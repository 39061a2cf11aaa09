import CLinux
import Foundation
import Glibc
import Testing

@testable import BackupFolder
@testable import CSPP

/// The cache of the state folder saves work and changes no result.
struct CacheTests {
  /// The cache's file of computer `a`.
  private func cachePath(_ scene: Scene, _ computer: String = "a") throws -> String {
    let localState = "\(scene.base)/state-\(computer)/memory"
    let found = try FileManager.default.subpathsOfDirectory(atPath: localState)
      .filter { $0.hasSuffix(".cache") }
    return "\(localState)/\(try #require(found.first))"
  }

  /// Waits until a change gives a file another stamp.
  private func settle() { usleep(60_000) }

  private func writing(_ scene: Scene, _ computer: String = "a") throws -> OpenNamespace {
    let namespace = try scene.open(computer).namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    return try namespace.open(slot.unwrap(secret: scene.secret()), for: .writing)
  }

  @Test
  func `What was cached of the logs is what reading them gives`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    try first.add(.of("w1", words: "zoo zoo"))
    try first.remove([RecordID(walletID: "w2")])
    var other = try scene.unlock("b")
    try other.add(.of("w3"))
    try first.retire(try #require(other.localState.writer))
    try first.repair()
    let state = try StateFolder(
      path: scene.settings().stateFolder, folder: scene.open().root, make: false)
    let cached = NamespaceCache.load(first.id, from: state, masterKey: first.masterKey).log
    let read = try scene.unlock("c").log
    // Everything else that is kept of an operation must be in the cache too.
    #expect(try describe(#require(cached)) == describe(read))
  }

  /// Describes every stored property, at any depth, except those of a single run.
  private func describe(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.children.isEmpty { return "\(value)" }
    let ofOneRun = ["listed", "isFromCache", "problems", "hasTemporaryFiles"]
    let parts = mirror.children.filter { !ofOneRun.contains($0.label ?? "") }
      .map { "\($0.label ?? ""):\(describe($0.value))" }
    let isUnordered = mirror.displayStyle == .dictionary || mirror.displayStyle == .set
    return "{" + (isUnordered ? parts.sorted() : parts).joined(separator: ",") + "}"
  }

  @Test
  func `A wallet is added without opening those whose files have not changed`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of((0..<20).map { "w\($0)" }))
    settle()
    try first.add(.of("one more"))
    settle()
    var second = try writing(scene)
    try second.add(.of("another"))
    #expect(second.log.isFromCache)
    let state = try StateFolder(
      path: scene.settings().stateFolder, folder: scene.open().root, make: false)
    let stamps = NamespaceCache.load(second.id, from: state, masterKey: second.masterKey).view
    #expect(try #require(stamps).count >= 20)
    #expect(second.verify().counts[.current] == 22)
    #expect(!second.log.isFromCache, "verifying reads everything")
  }

  /// A change to one wallet's file between two runs.
  enum Change: CaseIterable {
    case nothing, damage, sameSizeAndTimes, older, otherWallets, removed, emptied
  }

  @Test(arguments: Change.allCases)
  func `A changed file is noticed, though its size and time are as before`(_ change: Change) throws
  {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2", words: "abandon abandon"))
    let path = try scene.viewPath("w1")
    let old = try #require(FileManager.default.contents(atPath: path))
    try first.add(.of("w1", words: "zoo zoo"))
    settle()
    try first.add(.of("w3"))
    settle()
    let new = try #require(FileManager.default.contents(atPath: path))
    var times = stat()
    #expect(unsafe stat(path, &times) == 0)
    switch change {
    case .nothing: break
    case .damage: try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
    case .sameSizeAndTimes:
      var bytes = new
      bytes[bytes.count / 2] ^= 1
      let file = try #require(FileHandle(forWritingAtPath: path))
      file.write(bytes)
      try file.close()
      var set = [times.st_atim, times.st_mtim]
      #expect(unsafe utimensat(AT_FDCWD, path, &set, 0) == 0)
    case .older: try old.write(to: URL(fileURLWithPath: path))
    case .otherWallets:
      let other = try #require(FileManager.default.contents(atPath: scene.viewPath("w2")))
      try other.write(to: URL(fileURLWithPath: path))
    case .removed: try FileManager.default.removeItem(atPath: path)
    case .emptied: try Data().write(to: URL(fileURLWithPath: path))
    }
    var second = try writing(scene)
    try second.add(.of("w4"))
    #expect(second.viewProblem == nil)
    var third = try scene.unlock("b")
    let restored = try third.restored()
    #expect(
      restored.lines == [
        "w1 zoo zoo current", "w2 abandon abandon current", "w3 abandon about current",
        "w4 abandon about current",
      ])
    #expect(restored.report.failures == [])
    #expect(restored.report.stale == 0)
  }

  /// A change to the cache between two runs.
  enum Fate: CaseIterable {
    case kept, removed, cutOff, flipped, empty, olderOne, ofAnotherNamespace, aFolder
  }

  @Test(arguments: Fate.allCases)
  func `Whatever becomes of the cache, the results are the same`(_ fate: Fate) throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    let path = try cachePath(scene)
    let early = try #require(FileManager.default.contents(atPath: path))
    var other = try scene.unlock("b")
    try other.add(.of("w1", words: "zoo zoo"))
    settle()
    try first.add(.of("w3"))
    settle()
    let cache = try #require(FileManager.default.contents(atPath: path))
    let manager = FileManager.default
    switch fate {
    case .kept: break
    case .removed: try manager.removeItem(atPath: path)
    case .cutOff: try cache.prefix(cache.count / 2).write(to: URL(fileURLWithPath: path))
    case .flipped:
      var bytes = cache
      bytes[bytes.count / 3] ^= 4
      try bytes.write(to: URL(fileURLWithPath: path))
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .olderOne: try early.write(to: URL(fileURLWithPath: path))
    case .ofAnotherNamespace:
      let second = try Scene()
      var elsewhere = try second.create()
      try elsewhere.add(.of("w9"))
      let foreign = try #require(manager.contents(atPath: cachePath(second)))
      try foreign.write(to: URL(fileURLWithPath: path))
    case .aFolder:
      try manager.removeItem(atPath: path)
      try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    // Another computer continues meanwhile.
    try other.add(.of("w4"))
    try other.remove([RecordID(walletID: "w2")])
    var second = try writing(scene)
    try second.add(.of("w5"))
    #expect(second.health.rolledBack == 0)
    #expect(second.health.forked == 0)
    #expect(second.health.operations == 7)
    var third = try scene.unlock("c")
    let restored = try third.restored()
    #expect(
      restored.lines == [
        "w1 zoo zoo current", "w3 abandon about current", "w4 abandon about current",
        "w5 abandon about current",
      ])
  }

  @Test
  func `A log that is rolled back after the cache was written is said to be`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let before = try Scene.contents(scene.folder)
    try first.add(.of("w2"))
    settle()
    for name in try Scene.contents(scene.folder).keys where before[name] == nil {
      try FileManager.default.removeItem(atPath: "\(scene.folder)/\(name)")
    }
    var second = try writing(scene)
    try second.add(.of("w3"))
    #expect(second.health.rolledBack == 1)
    #expect(!second.log.isFromCache)
  }

  @Test
  func `An import that is repeated adds only what is not there, or not the same`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    var batch = try WalletBatch.of("w1", "w2", "w3")
    #expect(try first.add(batch, skippingKnown: true) == .init(count: 1, known: 2))
    #expect(first.log.index.history(of: RecordID(walletID: "w1")).count == 1)
    batch = try WalletBatch.of("w1", "w2", words: "zoo zoo")
    #expect(try first.add(batch, skippingKnown: true) == .init(count: 2, known: 0))
    #expect(try first.add(batch, skippingKnown: true) == .init(count: 0, known: 2))
    // Without a file to compare with, a new version is the safe answer.
    try FileManager.default.removeItem(atPath: scene.viewPath("w1"))
    var second = try scene.unlock()
    #expect(try second.add(batch, skippingKnown: true).count <= 1)
    #expect(second.verify().counts[.current] == 3)
  }
}

extension OpenNamespace.Added {
  fileprivate init(count: Int, known: Int) {
    self.init()
    self.count = count
    self.known = known
  }
}

import Foundation
import Glibc
import Testing

@testable import BackupFolder
@testable import CSPP

/// A writing run reads every wallet's file and every operation itself.
struct WritingRunReadingTests {
  private func writing(_ scene: Scene) throws -> OpenNamespace {
    let namespace = try scene.open().namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    return try namespace.open(slot.unwrap(secret: scene.secret()), for: .writing)
  }

  /// A change to one wallet's file between two runs.
  enum Change: CaseIterable {
    case nothing, damage, sameSizeAndTimes, older, otherWallets, removed, emptied
  }

  @Test(arguments: Change.allCases)
  func `A changed file is noticed, though its size and time are as before`(
    _ change: Change
  ) throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2", words: "abandon abandon"))
    let path = try scene.viewPath("w1")
    let old = try #require(FileManager.default.contents(atPath: path))
    try first.add(.of("w1", words: "zoo zoo"))
    try first.add(.of("w3"))
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

  /// Earlier programs kept the log in a sealed file of the state folder (docs/decisions/0039).
  @Test
  func `A cache that an earlier program left is removed, and changes nothing`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let state = try StateFolder(
      path: scene.settings().stateFolder, folder: scene.open().root, make: false)
    let path = "\(try state.directory.path)/\(first.id).cache"
    try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: path))
    #expect(try scene.open().unusableMemories().isEmpty)
    var reading = try scene.unlock()
    #expect(try reading.restored().lines == ["w1 abandon about current"])
    #expect(FileManager.default.fileExists(atPath: path), "a reading run removes nothing")
    var second = try writing(scene)
    try second.add(.of("w2"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(second.verify().counts[.current] == 2)
  }

  @Test
  func `A log that was rolled back is noticed by the next writing run`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let before = try Scene.contents(scene.folder)
    try first.add(.of("w2"))
    for name in try Scene.contents(scene.folder).keys where before[name] == nil {
      try FileManager.default.removeItem(atPath: "\(scene.folder)/\(name)")
    }
    var second = try writing(scene)
    try second.add(.of("w3"))
    #expect(second.health.rolledBack == 1)
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

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// Wallets whose operations have not all arrived (docs/decisions/0025).
@Suite struct LateOperationTests {
  private let record = RecordID(walletID: "w1")

  @Test
  func `A removal that knew the bytes stays, a change that did not know it too`() throws {
    let (scene, late) = try Scene.withLateOperation()
    var b = try scene.unlock("b")
    let found = try b.restored().lines
    #expect(found == ["w1 abandon about incomplete", "w2 abandon about current"])
    try b.remove([record])
    try scene.putBack(late)
    var c = try scene.unlock("c")
    #expect(try c.restored().lines == ["w2 abandon about current"])
    #expect(c.keptAgainstRemoval == [])
  }

  @Test
  func `Who removes what replaced a version that had not arrived removes that too`() throws {
    let (scene, late) = try Scene.withLateOperation()
    var b = try scene.unlock("b")
    try b.add(.of("w1", words: "zoo zoo"))
    var c = try scene.unlock("c")
    try c.remove([record])
    try scene.putBack(late)
    var d = try scene.unlock("d")
    #expect(try d.restored().lines == ["w2 abandon about current"])
    #expect(d.keptAgainstRemoval == [])
  }

  @Test
  func `A version in a chain with a gap is removed; one that was decided for refuses`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    var logs = try scene.logFiles()
    try a.add(.of("w2"))
    let first = try scene.logFiles().filter { !logs.contains($0) }
    try a.add(.of("w1"))
    let gap = try scene.takeAway(first)
    var b = try scene.unlock("b")
    try b.remove([record])
    #expect(try b.restored().lines == ["w2 abandon about incomplete"])
    try scene.putBack(gap)
    var anew = try scene.unlock("c")
    #expect(try anew.restored().lines == ["w2 abandon about current"])

    let other = try Scene.conflicted()
    var c = try other.unlock("c")
    logs = try other.logFiles()
    try c.add(.of("w3"))
    let before = try other.logFiles().filter { !logs.contains($0) }
    var chosen: VersionID?
    _ = c.forEachWallet { version, _ in if version.recordID == record { chosen = version.id } }
    _ = try c.keep(#require(chosen), of: record)
    let second = try other.takeAway(before)
    var d = try other.unlock("d")
    do {
      try d.remove([record])
      Issue.record("it was removed")
    } catch {
      #expect(error == .incomplete(path: "keybackup/log"))
    }
    try other.putBack(second)
    var e = try other.unlock("e")
    try e.remove([record])
    #expect(try e.restored().lines == ["w3 abandon about current"])
  }
}

extension Scene {
  /// A backup of w1 and w2 in which the operation that wrote w1 has not arrived.
  fileprivate static func withLateOperation() throws -> (
    Scene, late: [(from: String, to: String)]
  ) {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w2"))
    let logs = try scene.logFiles()
    try a.add(.of("w1"))
    return (scene, try scene.takeAway(scene.logFiles().filter { !logs.contains($0) }))
  }

  /// Takes log files away; they lie beside the folder then.
  fileprivate func takeAway(_ files: [String]) throws -> [(from: String, to: String)] {
    try files.map { path in
      let place = "\(base)/taken-\(UUID().uuidString)"
      try FileManager.default.moveItem(atPath: path, toPath: place)
      return (path, place)
    }
  }

  fileprivate func putBack(_ taken: [(from: String, to: String)]) throws {
    for (path, place) in taken {
      try FileManager.default.moveItem(atPath: place, toPath: path)
    }
  }
}

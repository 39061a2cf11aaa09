import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

struct RoundTripTests {
  @Test
  func `A second computer restores what the first one added`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    #expect(try first.restored().lines == ["w1 abandon about current", "w2 abandon about current"])
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w1 abandon about current", "w2 abandon about current"])
    #expect(restored.report.counts[.current] == 2)
    #expect(restored.report.restored == 2)
    #expect(!second.health.isFreshnessKnown)
    #expect(second.health.freshness == first.health.freshness)
    #expect(second.health.operations == 2)
  }

  @Test
  func `Every byte but the mark comes back as it went in`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    var second = try scene.unlock("b")
    var text = ""
    _ = try second.forEachWallet { version, bytes in
      text = bytes.text
      let mark = try #require(version.entry.mark)
      #expect(mark.counter == 2)
    }
    let end = Entry.text("w1").dropLast()
    #expect(text.hasPrefix(end + ",\"keybackup\":{"))
  }

  @Test
  func `A new version supersedes the old one; a removed wallet stays away`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    try first.add(.of("w1", words: "zoo zoo"))
    #expect(try first.restored().lines == ["w1 zoo zoo current", "w2 abandon about current"])
    try first.remove([RecordID(walletID: "w2")])
    #expect(try first.restored().lines == ["w1 zoo zoo current"])
    #expect(!FileManager.default.fileExists(atPath: try scene.viewPath("w2")))
    #expect(throws: BackupFolderError.noSuchWallet(RecordID(walletID: "w2"))) {
      try first.remove([RecordID(walletID: "w2")])
    }
    var second = try scene.unlock("b")
    #expect(try second.restored().lines == ["w1 zoo zoo current"])
  }

  @Test
  func `A thousand wallets are one operation, and come back`() throws {
    let scene = try Scene()
    var first = try scene.create()
    let names = (0..<1000).map { "wallet \($0)" }
    try first.add(.of(names))
    #expect(first.health.operations == 2)
    var second = try scene.unlock("b")
    let report = second.verify()
    #expect(report.counts[.current] == 1000)
    #expect(report.counts.total == 1000)
    let left = try Scene.contents(scene.folder).keys.filter { $0.contains(".keybackup-tmp-") }
    #expect(left == [])
  }

  @Test
  func `A batch beyond the operation size is several operations`() throws {
    let scene = try Scene()
    var settings = scene.settings()
    settings.operationSize = 1000
    let folder = try BackupFolder.open(path: scene.folder, settings: settings)
    var first = try folder.create(
      scene.enrolment, prfOutput: scene.secret(), confirmedBy: scene.secret())
    try first.add(.of((0..<10).map { "w\($0)" }))
    #expect(first.health.operations == 5)
    var second = try scene.unlock("b")
    #expect(second.verify().counts[.current] == 10)
  }
}

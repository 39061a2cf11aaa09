import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// A way to damage a wallet file, and the report on it.
enum Damage: String, CaseIterable {
  case empty
  case truncated
  case garbage
  case otherKey
  case duplicatedField
  case oversized
  case symlink
  case fifo
  case folder
  case missing
  case futureVersion

  var state: WalletState {
    switch self {
    case .empty, .truncated: .incomplete
    case .missing: .missing
    // A folder gives no bytes and is no file.
    case .folder: .unreadable
    default: .unreadable
    }
  }

  /// Whether a writing run may replace it with the logged version.
  var heals: Bool {
    switch self {
    case .oversized, .futureVersion: false
    default: true
    }
  }

  func apply(to path: String, in scene: Scene) throws {
    let files = FileManager.default
    let good = try #require(files.contents(atPath: path))
    let text = String(decoding: good, as: UTF8.self)
    try files.removeItem(atPath: path)
    switch self {
    case .empty: try (Data()).write(to: URL(fileURLWithPath: path))
    case .truncated: try (good.prefix(good.count / 2)).write(to: URL(fileURLWithPath: path))
    case .garbage: try (Data("<html>".utf8)).write(to: URL(fileURLWithPath: path))
    case .otherKey:
      let nonce = try #require(text.range(of: "\"nonce\":\""))
      var changed = text
      let digit = changed[nonce.upperBound]
      changed.replaceSubrange(
        nonce.upperBound...nonce.upperBound, with: digit == "0" ? "1" : "0")
      try (Data(changed.utf8)).write(to: URL(fileURLWithPath: path))
    case .duplicatedField:
      let changed = text.replacingOccurrences(
        of: "\"nonce\":", with: "\"nonce\":\"00\",\"nonce\":")
      try (Data(changed.utf8)).write(to: URL(fileURLWithPath: path))
    case .oversized:
      try (good).write(to: URL(fileURLWithPath: path))
      try scene.run("truncate", "-s", "17M", path)
    case .symlink:
      let elsewhere = scene.base + "/elsewhere.json"
      try (good).write(to: URL(fileURLWithPath: elsewhere))
      try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    case .fifo: try scene.run("mkfifo", path)
    case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .missing: break
    case .futureVersion:
      let changed = text.replacingOccurrences(of: "\"version\":1", with: "\"version\":3")
      try (Data(changed.utf8)).write(to: URL(fileURLWithPath: path))
    }
  }
}

@Suite(.timeLimit(.minutes(60)))
struct DamagedFileTests {
  @Test(arguments: Damage.allCases)
  func `A damaged wallet file is named for what it is, and the log restores it`(_ damage: Damage)
    throws
  {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    try damage.apply(to: scene.viewPath("w1"), in: scene)
    let before = try Scene.contents(scene.folder).count
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w1 abandon about missing", "w2 abandon about current"])
    #expect(restored.report.counts[damage.state] == 1)
    #expect(restored.report.counts[.current] == 1)
    #expect(restored.report.counts.total == 2)
    #expect(restored.report.failures == [])
    #expect(try Scene.contents(scene.folder).count == before)
    try second.repair()
    #expect(second.verify().counts[.current] == (damage.heals ? 2 : 1))
  }

  @Test(arguments: Damage.allCases.filter { $0 != .missing })
  func `Without a log a damaged wallet file is a failure and stops no other`(_ damage: Damage)
    throws
  {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    try damage.apply(to: scene.viewPath("w1"), in: scene)
    try FileManager.default.removeItem(atPath: scene.namespacePath + "/keybackup")
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w2 abandon about incomplete"])
    #expect(restored.report.failures.map(\.recordID) == [RecordID(walletID: "w1")])
    #expect(restored.report.failures.map(\.state) == [damage.state])
    #expect(second.health.incomplete == 1)
  }

  @Test
  func `Two wallet files under each other's name are told and restored`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    let (one, two) = try (scene.viewPath("w1"), scene.viewPath("w2"))
    let files = FileManager.default
    try files.moveItem(atPath: one, toPath: one + ".x")
    try files.moveItem(atPath: two, toPath: one)
    try files.moveItem(atPath: one + ".x", toPath: two)
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w1 abandon about missing", "w2 abandon about missing"])
    #expect(restored.report.counts[.unreadable] == 2)
    try second.repair()
    #expect(second.verify().counts[.current] == 2)
  }

  @Test
  func `A conflict copy of what is there is no second wallet; nothing goes by name`() throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let path = try scene.viewPath("w1")
    let copy = path.replacingOccurrences(of: ".json", with: " (conflicted copy 2026).json")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    var second = try scene.unlock("b")
    #expect(try second.restored().lines == ["w1 abandon about current"])
    // The copy alone is enough, too.
    try FileManager.default.removeItem(atPath: path)
    #expect(try second.restored().lines == ["w1 abandon about current"])
    // Once superseded, its bytes are in the log: the next writing run removes it.
    try second.add(.of("w1", words: "zoo zoo"))
    try second.repair()
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(try second.restored().lines == ["w1 zoo zoo current"])
  }

  @Test(arguments: ["keybackup/keys", "master-key"], [Damage.empty, .garbage, .symlink, .fifo])
  func `A way in's file that is damaged leaves the CSPP envelope, and the other way round`(
    _ place: String, _ damage: Damage
  ) throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1"))
    let folder = try scene.namespacePath + "/" + place
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    try damage.apply(to: folder + "/" + name, in: scene)
    var second = try scene.unlock("b")
    #expect(try second.restored().lines == ["w1 abandon about current"])
    let scan = try scene.open("b").namespace().scan()
    #expect(scan.findings.map(\.state) == [damage.state])
    #expect(scan.keySlots.count == 1)
  }

  @Test
  func `No way in at all is incomplete or invalid, never a folder without backup`() throws {
    let scene = try Scene()
    _ = try scene.create()
    let path = try scene.namespacePath
    let keys = path + "/keybackup/keys"
    let key =
      keys + "/"
      + (try #require(
        try FileManager.default.contentsOfDirectory(atPath: keys).first))
    let envelope = path + "/master-key/" + FolderLayout.masterKeyFile
    try Data().write(to: URL(fileURLWithPath: key))
    try FileManager.default.removeItem(atPath: envelope)
    let namespace = try scene.open().namespace()
    #expect { try namespace.scan() } throws: {
      if case BackupFolderError.incomplete = $0 { true } else { false }
    }
    try Data("{]".utf8).write(to: URL(fileURLWithPath: key))
    #expect { try namespace.scan() } throws: {
      if case BackupFolderError.dataInvalid = $0 { true } else { false }
    }
  }

  @Test
  func `Folders that are not there, empty, or links are told apart`() throws {
    let scene = try Scene()
    #expect(throws: BackupFolderError.noSuchFolder(path: scene.base + "/none")) {
      try scene.open("a", scene.base + "/none")
    }
    try (Data()).write(to: URL(fileURLWithPath: scene.base + "/file"))
    #expect(throws: BackupFolderError.notAFolder(path: scene.base + "/file")) {
      try scene.open("a", scene.base + "/file")
    }
    #expect(throws: BackupFolderError.noNamespace(path: scene.folder)) {
      try scene.open().namespace()
    }
    let all = scene.folder + "/cspp-namespaces"
    try FileManager.default.createDirectory(
      atPath: all + "/" + String(repeating: "0", count: 32) + "/wallets",
      withIntermediateDirectories: true)
    #expect(throws: BackupFolderError.incomplete(path: all)) { try scene.open().namespace() }
    try FileManager.default.removeItem(atPath: all)
    try FileManager.default.createSymbolicLink(atPath: all, withDestinationPath: "/etc")
    #expect(throws: BackupFolderError.notAFolder(path: all)) { try scene.open().namespace() }
  }

  @Test
  func `Another key's secret opens nothing`() throws {
    let scene = try Scene()
    _ = try scene.create()
    let slot = try #require(try scene.open().namespace().scan().keySlots.first)
    #expect(throws: BackupFolderError.wrongKey) {
      _ = try slot.unwrap(secret: scene.secret([UInt8](repeating: 8, count: 32)))
    }
    #expect(throws: BackupFolderError.evaluationsDiffer) {
      _ = try scene.open("b").create(
        scene.enrolment, prfOutput: scene.secret(),
        confirmedBy: scene.secret([UInt8](repeating: 8, count: 32)))
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// The second version of a file that a sync program keeps, under any program's name for it.
///
/// Its content counts, never its name.
struct ConflictCopyTests {
  /// Names that no program gives, but that work as well.
  private static let otherNames = [
    "backup", "copy of a wallet.txt", "ünïcode ‮ name.json", "x.JSON",
  ]

  /// Every name for a copy of `name`.
  private static func copies(of name: String) -> [String] {
    ConflictNames.allCases.map { $0.copy(of: name) } + otherNames
  }

  private func copy(_ path: String, _ names: ConflictNames) throws -> String {
    let url = URL(fileURLWithPath: path)
    let copy = url.deletingLastPathComponent().path + "/" + names.copy(of: url.lastPathComponent)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Puts a copy of every file of the folder beside it, under each name.
  private func copyEverything(_ scene: Scene, removing: Bool) throws {
    for path in try Scene.contents(scene.folder).keys {
      let url = URL(fileURLWithPath: scene.folder + "/" + path)
      for name in Self.copies(of: url.lastPathComponent) {
        let copy = url.deletingLastPathComponent().path + "/" + name
        // If several files of one folder map to the same name, the first one keeps it.
        if !exists(copy) { try FileManager.default.copyItem(atPath: url.path, toPath: copy) }
      }
      if removing { try FileManager.default.removeItem(at: url) }
    }
  }

  private func expectWell(_ health: LogHealth, operations: Int) {
    #expect(health.operations == operations)
    #expect(health.rolledBack == 0)
    #expect(health.forked == 0)
    #expect(health.incomplete == 0)
  }

  @Test(arguments: [false, true])
  func `Copies of every file under every name are counted once`(onlyCopiesAreLeft: Bool) throws {
    let scene = try Scene()
    var a = try scene.create()
    try a.add(.of("w1", "w2"))
    try a.add(.of("w1", words: "zoo zoo"))
    try copyEverything(scene, removing: onlyCopiesAreLeft)
    let namespace = try scene.open().namespace()
    #expect(try scene.open().namespaces().count == 1)
    let scan = try namespace.scan()
    #expect(scan.keySlots.count == 1)
    #expect(scan.findings == [])
    let structure = try namespace.checkStructure()
    expectWell(structure.health, operations: 3)
    #expect(structure.wallets.findings == [])
    for computer in ["a", "new"] {
      var open = try scene.unlock(computer)
      expectWell(open.health, operations: 3)
      let restored = try open.restored()
      #expect(restored.lines == ["w1 zoo zoo current", "w2 abandon about current"])
      #expect(restored.report.counts.total == 2)
      #expect(restored.report.failures == [])
    }
    var again = try scene.unlock("a")
    try again.repair()
    for wallet in ["w1", "w2"] { #expect(exists(try scene.viewPath(wallet))) }
    #expect(try again.restored().lines == ["w1 zoo zoo current", "w2 abandon about current"])
  }

  @Test(arguments: ConflictNames.allCases)
  func `A copy of what is current goes in the next writing run`(_ names: ConflictNames) throws {
    let scene = try Scene()
    var open = try scene.create()
    try open.add(.of("w1"))
    let copy = try copy(scene.viewPath("w1"), names)
    // Reading does not delete it.
    #expect(try open.restored().lines == ["w1 abandon about current"])
    #expect(exists(copy))
    // Its bytes are in the log and in the wallet's own file.
    try open.repair()
    #expect(!exists(copy))
    #expect(exists(try scene.viewPath("w1")))
    try open.add(.of("w2"))
    #expect(try open.restored().lines == ["w1 abandon about current", "w2 abandon about current"])
  }

  @Test(arguments: ConflictNames.allCases, [false, true])
  func `A copy with another program's version is shown, and logged before it goes`(
    _ names: ConflictNames, olderPlace: Bool
  ) throws {
    let scene = try Scene()
    var open = try scene.create()
    try open.add(.of("w1", "w2"))
    let own = try scene.viewPath("w1")
    let saved = try #require(FileManager.default.contents(atPath: own))
    try scene.overwrite("w1", Entry.text("w1", "edited words"), open.masterKey)
    let url = URL(fileURLWithPath: own)
    let folder = olderPlace ? try scene.namespacePath : url.deletingLastPathComponent().path
    let copy = folder + "/" + names.copy(of: url.lastPathComponent)
    try FileManager.default.moveItem(atPath: own, toPath: copy)
    // The older place is read only if the current one is empty.
    if !olderPlace { try saved.write(to: url) }
    let lines = ["w1 abandon about current", "w1 edited words foreign", "w2 abandon about current"]
    #expect(try open.restored().lines.map { $0.replacing("missing", with: "current") } == lines)
    #expect(try open.restored().report.counts.total == 2)
    try open.add(.of("w3"))
    #expect(exists(copy))
    try open.add(.of("w1", words: "third words"))
    #expect(open.log.index.history(of: RecordID(walletID: "w1")).count == 3)
    try open.repair()
    #expect(!exists(copy))
    #expect(try open.restored().lines.filter { $0.hasPrefix("w1") } == ["w1 third words current"])
  }

  @Test(
    arguments: ConflictNames.allCases
  )
  func `A copy with the other version of a conflict is that version`(_ names: ConflictNames) throws
  {
    let scene = try Scene.conflicted { _ = try copy($0.viewPath("w1"), names) }
    let own = try scene.viewPath("w1")
    var c = try scene.unlock("c")
    let both = try c.restored()
    #expect(both.lines == ["w1 wrong wrong conflict", "w1 zoo zoo conflict"])
    #expect(both.report.counts[.conflict] == 1)
    #expect(both.report.counts.total == 1)
    try c.add(.of("w1", words: "legal winner"))
    try c.repair()
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: URL(fileURLWithPath: own).deletingLastPathComponent().path
      ).count == 1)
    #expect(try c.restored().lines == ["w1 legal winner current"])
  }

  @Test(arguments: ConflictNames.allCases)
  func `Any one kind of file opens from its copy alone`(_ names: ConflictNames) throws {
    let scene = try Scene()
    var open = try scene.create()
    try open.add(.of("w1"))
    let all = try Scene.contents(scene.folder)
    for path in all.keys.sorted() {
      let own = scene.folder + "/" + path
      let copy = try copy(own, names)
      try FileManager.default.removeItem(atPath: own)
      var reader = try scene.unlock("reader of \(path)")
      let lines = try reader.restored().lines
      #expect(lines == ["w1 abandon about current"], "\(path)")
      expectWell(reader.health, operations: 2)
      #expect(try scene.open().namespace().scan().keySlots.count == 1, "\(path)")
      try FileManager.default.moveItem(atPath: copy, toPath: own)
    }
    #expect(try Scene.contents(scene.folder) == all)
  }

  @Test(arguments: ConflictNames.allCases)
  func `An older program's place: the copy alone opens`(_ names: ConflictNames) throws {
    let scene = try Scene()
    var open = try scene.create()
    try open.add(.of("w1"))
    let place = try scene.namespacePath
    // As it was before there were folders for wallets and for our own files.
    for path in try Scene.contents(place).keys {
      let url = URL(fileURLWithPath: place + "/" + path)
      if path.hasPrefix("keybackup/") { continue }
      let name = names.copy(of: url.lastPathComponent)
      try FileManager.default.moveItem(atPath: url.path, toPath: place + "/" + name)
    }
    try FileManager.default.removeItem(atPath: place + "/keybackup")
    var reader = try scene.unlock("reader")
    let restored = try reader.restored()
    #expect(restored.lines == ["w1 abandon about incomplete"])
    #expect(restored.report.counts.total == 1)
  }
}

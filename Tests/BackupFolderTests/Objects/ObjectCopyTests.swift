import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// Objects under the names of conflict copies, and damage in what does not count.
@Suite("Copies of objects, and objects that do not count")
struct ObjectCopyTests {
  private let scene: Scene
  private let node: SilentComputer
  private let folder: String

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    node = try SilentComputer(scene)
    try node.add(.large("channels "))
    folder = try scene.namespacePath + "/keybackup/objects"
  }

  private func objects() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
  }

  private func damage(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[50_000] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  private func anyCopy(_ version: StoredVersion, in open: borrowing OpenNamespace) throws -> Int {
    var count = 0
    try open.readAnyCopy(version) {
      count = 0
    } into: {
      count += $0.byteCount
    }
    return count
  }

  @Test(arguments: [false, true])
  func `A whole conflict copy stands in for a missing or damaged object`(isThere: Bool) throws {
    let path = try #require(try objects().first)
    let stem = String(path.dropLast(4))
    let manager = FileManager.default
    try manager.copyItem(atPath: path, toPath: stem + ".sync-conflict-20260101.bin")
    try manager.copyItem(atPath: path, toPath: stem + " (conflicted copy).bin")
    // Of two copies one is damaged as well.
    try damage(stem + " (conflicted copy).bin")
    if isThere { try damage(path) } else { try manager.removeItem(atPath: path) }
    var open = try scene.unlock("b")
    let version = try #require(try open.file().live.first)
    #expect(throws: BackupFolderError.self) { try open.read(version) { _ in } }
    #expect(try anyCopy(version, in: open) == 100_000)
    // Choosing it writes the contents once more.
    #expect(try open.choose(version))
    let chosen = try #require(try open.file().live.first)
    #expect(try open.text(chosen).utf8.count == 100_000)
  }

  @Test(arguments: ["", "cut", "damaged", nil])
  func `A whole conflict copy repairs the object, also that of a replaced version`(
    _ damage: String?
  ) throws {
    let path = try #require(try objects().first)
    let manager = FileManager.default
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try manager.copyItem(atPath: path, toPath: path.dropLast(4) + " (conflicted copy).bin")
    switch damage {
    case "": try Data().write(to: URL(fileURLWithPath: path))
    case "cut": try whole.prefix(50_000).write(to: URL(fileURLWithPath: path))
    case nil: try manager.removeItem(atPath: path)
    default: try self.damage(path)
    }
    try node.write("newer")
    var open = try scene.unlock("b")
    try open.repair()
    #expect(open.copiedContents == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    try open.repair()
    #expect(open.copiedContents == 1)
  }

  @Test
  func `Nothing stands in where no copy is whole`() throws {
    let path = try #require(try objects().first)
    try damage(path)
    try FileManager.default.copyItem(atPath: path, toPath: path.dropLast(4) + " (copy).bin")
    let open = try scene.unlock("b")
    let version = try #require(try open.file().live.first)
    #expect(throws: BackupFolderError.file(.contentsDamaged)) { try anyCopy(version, in: open) }
  }

  @Test
  func `Damage in a replaced version names it, and what no version names is no damage`() throws {
    let old = try #require(try objects().first)
    try node.add(.large("other "))
    let planted = folder + "/" + String(repeating: "ab", count: 32) + ".bin"
    try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: planted))
    try damage(old)
    let open = try scene.unlock("b")
    let found = try open.checkOtherObjects()
    let replaced = try #require(try open.file().versions.first { $0.standing == .replaced })
    #expect(found.count == 2)
    for finding in found {
      if finding.file.hasSuffix("/abababab" + planted.suffix(60)) {
        #expect(finding.state == .foreign && finding.reason.contains("no version"))
      } else {
        #expect(finding.state == .unreadable)
        #expect(finding.reason.contains("version \(replaced.shortName) of \"channel.backup\""))
      }
    }
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Log files whose place or content contradicts their names.
struct LogFileTests {
  private let all = ["w1 abandon about current", "w2 abandon about current"]

  /// Two wallets by two computers, and the log's files: the first computer's two
  /// and the second's.
  private func scene() throws -> (Scene, [String]) {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let own = try scene.logFiles()
    var b = try scene.unlock("b")
    try b.add(.of("w2"))
    _ = try scene.unlock("a")
    let files = try scene.logFiles()
    return (scene, own + files.filter { !own.contains($0) })
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func write(_ data: Data, _ path: String) throws {
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// The logs' health with the master key and without it, and the number of files reported, for a
  /// computer that knows the folder.
  private func look(_ scene: Scene) throws -> (opened: LogHealth, shallow: LogHealth, files: Int) {
    var open = try scene.unlock("a")
    #expect(try open.restored().lines.map { $0.prefix(16) } == all.map { $0.prefix(16) })
    let structure = try scene.open("a").namespace().checkStructure()
    #expect(open.logFindings.allSatisfy { $0.state == .unreadable })
    return (open.health, structure.health, open.logFindings.count)
  }

  private func isWhole(_ health: LogHealth, operations: Int = 3) -> Bool {
    health.rolledBack + health.forked + health.incomplete == 0 && health.operations == operations
  }

  @Test
  func `Two files that are swapped are both still there, and that is said`() throws {
    let (scene, files) = try scene()
    let (first, last) = (try bytes(files[0]), try bytes(files[2]))
    try write(last, files[0])
    try write(first, files[2])
    let found = try look(scene)
    #expect(isWhole(found.opened) && isWhole(found.shallow) && found.files == 2)
  }

  @Test
  func `A file that another one's bytes replaced is damaged, not rolled back`() throws {
    let (scene, files) = try scene()
    try write(try bytes(files[2]), files[1])
    let found = try look(scene)
    #expect(isWhole(found.opened, operations: 2) && isWhole(found.shallow, operations: 2))
    #expect(found.files == 1)
  }

  @Test
  func `A copy under a sync program's name is the same operation, alone or beside it`() throws {
    let (scene, files) = try scene()
    let copy = files[1].dropLast(5) + " (conflicted copy).json"
    try write(try bytes(files[1]), String(copy))
    var found = try look(scene)
    #expect(isWhole(found.opened) && isWhole(found.shallow) && found.files == 0)
    try FileManager.default.removeItem(atPath: files[1])
    found = try look(scene)
    #expect(isWhole(found.opened) && isWhole(found.shallow) && found.files == 0)
  }

  @Test
  func `A file in another computer's folder counts for the one that wrote it, and is reported`()
    throws
  {
    let (scene, files) = try scene()
    let folder = URL(fileURLWithPath: files[2]).deletingLastPathComponent()
    let name = URL(fileURLWithPath: files[1]).lastPathComponent
    try FileManager.default.moveItem(atPath: files[1], toPath: folder.path + "/" + name)
    let found = try look(scene)
    #expect(isWhole(found.opened) && isWhole(found.shallow) && found.files == 1)
  }

  @Test(arguments: [2, 9])
  func `A file that nobody with the key wrote is reported, and means nothing`(_ counter: UInt64)
    throws
  {
    let (scene, files) = try scene()
    let namespace = try scene.open("a").namespace()
    let real = try #require(
      OperationName(
        files[1].split(separator: "/").suffix(2).joined(separator: "/").dropLast(5)))
    let previous = try #require(Digest(hex: String(repeating: "0", count: 64)))
    let header = try OperationHeader(
      namespaceID: namespace.id, writerID: real.writer, counter: counter, previous: previous)
    let file = try ProtectedFile.seal(
      SecretBytes(zeroed: 100), header: header.json, format: "keybackup-op",
      key: SecretBytes.random(count: 32))
    let data = Data(file.text.utf8)
    let digest = file.withBytes { Digest(of: $0) }
    let folder = URL(fileURLWithPath: files[1]).deletingLastPathComponent().path
    try write(data, folder + "/" + FolderLayout.operationFile(counter: counter, digest: digest))
    let found = try look(scene)
    #expect(isWhole(found.opened) && found.files == 1)
    // Without the key, its header is believed: another history, or a gap.
    #expect(found.shallow.forked == 2 - (counter == 9 ? 2 : 0))
    #expect(found.shallow.incomplete == (counter == 9 ? 1 : 0))
  }
}

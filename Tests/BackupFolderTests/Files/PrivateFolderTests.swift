import Foundation
import Testing

@testable import BackupFolder
@testable import SecretMemory

/// Files outside the backup, which several runs may write at once.
struct PrivateFolderTests {
  private let scene: Scene

  init() throws { scene = try Scene(inMemory: true) }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scene.folder).sorted()
  }

  private func bytes(_ text: String) -> SecretBytes {
    unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
  }

  private func content(_ name: String) -> String? {
    FileManager.default.contents(atPath: scene.folder + "/" + name)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func plant(_ name: String) throws {
    try Data("half".utf8).write(to: URL(fileURLWithPath: scene.folder + "/" + name))
  }

  @Test func `Runs that change one file at once lose nothing`() async throws {
    let folder = scene.folder + "/memory"
    await withTaskGroup(of: Void.self) { group in
      for number in 1...40 {
        group.addTask {
          try? PrivateFolder.update("list", in: folder, limit: 1 << 16) { known in
            (known ?? []) + Array("\(number)\n".utf8)
          }
        }
      }
    }
    let list = try String(contentsOfFile: folder + "/list", encoding: .utf8)
    #expect(Set(list.split(separator: "\n").compactMap { Int($0) }) == Set(1...40))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [".lock", "list"])
  }

  @Test func `A change that is refused leaves the file, and a crash's part goes`() throws {
    let folder = scene.folder
    try PrivateFolder.replace(Array("one".utf8), as: "f", in: folder)
    for name in ["f.keybackup-part", ".keybackup-tmp-memory-0123456789abcdef"] { try plant(name) }
    var seen: [UInt8]?
    try PrivateFolder.update("f", in: folder, limit: 100) { known in
      seen = known
      return nil
    }
    #expect(seen == Array("one".utf8))
    #expect(content("f") == "one")
    #expect(try names() == [".lock", "f"])
    try PrivateFolder.update("f", in: folder, limit: 2) { known in
      seen = known
      return nil
    }
    #expect(seen == nil)
  }

  @Test func `Two runs that write one new file do not take each other's bytes`() throws {
    var first = try PrivateFolder(path: scene.folder)
    _ = try first.write(bytes("one"), as: ["kit"])
    #expect(try names().count { $0.hasPrefix("kit.") && $0.hasSuffix(".keybackup-part") } == 1)
    var second = try PrivateFolder(path: scene.folder)
    _ = try second.write(bytes("two"), as: ["kit"])
    try second.place()
    try first.place()
    #expect(content("kit") == "two")
    #expect(second.taken == [])
    #expect(first.taken == ["kit"])
    _ = consume first
    #expect(try names() == ["kit"])
  }

  @Test func `What a crash left goes when its name is written again, and only that`() throws {
    let gone = ["kit.0123456789abcdef.keybackup-part", "kit.keybackup-part"]
    let stays = ["kit.html.0123456789abcdef.keybackup-part", "kit.x.keybackup-part", "other"]
    for name in gone + stays { try plant(name) }
    var folder = try PrivateFolder(path: scene.folder)
    _ = try folder.write(bytes("one"), as: ["kit"])
    try folder.place()
    #expect(try Set(names()) == Set(stays + ["kit"]))
    #expect(content("kit") == "one")
    try folder.replace("kit", with: bytes("two"))
    #expect(content("kit") == "two")
    #expect(try Set(names()) == Set(stays + ["kit"]))
  }

  @Test func `A name may be as long as the file system lets it`() throws {
    let name = String(repeating: "ü", count: 127)
    var folder = try PrivateFolder(path: scene.folder)
    _ = try folder.write(bytes("one"), as: [name])
    try folder.place()
    #expect(content(name) == "one")
  }
}

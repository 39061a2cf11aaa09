import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Files of key slots that were lost, damaged or replaced.
struct KeySlotRepairTests {
  let scene: Scene
  let a = SpareKey(name: 0xA)
  let b = SpareKey(name: 0xB)

  init() throws { scene = try Scene(inMemory: true) }

  enum Damage: String, CaseIterable {
    case gone, garbage, changed, empty
  }

  private func damage(_ path: String, _ damage: Damage) throws {
    let url = URL(fileURLWithPath: path)
    switch damage {
    case .gone: try FileManager.default.removeItem(at: url)
    case .garbage: try Data("{\"no\": backup}".utf8).write(to: url)
    case .empty: try Data().write(to: url)
    case .changed:
      // Changes one character of the ciphertext: the file parses, but does not open.
      var text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      let start = try #require(text.firstRange(of: "\"ciphertext\":\"")).upperBound
      text.replaceSubrange(start...start, with: text[start] == "A" ? "B" : "A")
      try Data(text.utf8).write(to: url)
    }
  }

  @Test(arguments: Damage.allCases)
  func `The log puts them back`(_ kind: Damage) throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    let before = try Scene.contents(scene.folder)
    try damage(try scene.keysFolder + "/\(first).json", kind)
    try damage(scene.envelopePath, kind)
    var open = try scene.open(with: b)
    try open.repair()
    for (name, bytes) in before { #expect(try Scene.contents(scene.folder)[name] == bytes) }
    #expect(try scene.envelopeOwner([a]) == first)
  }

  /// A truncated file may still be arriving.
  @Test func `What is cut off is awaited`() throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    let path = try scene.keysFolder + "/\(first).json"
    let half = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    try half.write(to: URL(fileURLWithPath: path))
    var open = try scene.open(with: b)
    try open.repair()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == half)
  }

  /// Half downloads: the sync program goes on with them, or removes them.
  @Test func `Temporary files of sync programs stay`() throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    let keys = try scene.keysFolder
    let half = try Data(contentsOf: URL(fileURLWithPath: "\(keys)/\(first).json")).prefix(100)
    let names = [
      ".syncthing.\(first).json.tmp", "~syncthing~\(first).json.tmp", "\(first).json.part",
      "\(first).json.partial", "\(first).json.nextcloud",
    ]
    for name in names { try half.write(to: URL(fileURLWithPath: "\(keys)/\(name)")) }
    let copy = "\(first) (conflicted copy).json"
    try Data("garbage".utf8).write(to: URL(fileURLWithPath: "\(keys)/\(copy)"))
    var open = try scene.open(with: b)
    try open.repair()
    let left = try FileManager.default.contentsOfDirectory(atPath: keys)
    #expect(Set(names).isSubset(of: left))
    #expect(!left.contains(copy))
  }

  @Test(arguments: [true, false])
  func `Another programs envelope is replaced only when asked`(isNewerVersion: Bool) throws {
    let first = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    var text = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: scene.envelopePath)), as: UTF8.self)
    if isNewerVersion { text = text.replacing("\"version\":1", with: "\"version\":2") }
    text = text.replacing(/,"keybackup":\{[^}]*\}/, with: "")
    try Data(text.utf8).write(to: URL(fileURLWithPath: scene.envelopePath))
    var open = try scene.open(with: b)
    try open.repairKeySlots()
    #expect(try Data(contentsOf: URL(fileURLWithPath: scene.envelopePath)) == Data(text.utf8))
    guard !isNewerVersion else { return }
    try open.repairKeySlots(replacingForeignEnvelope: true)
    let owner = try scene.envelopeOwner([a, b])
    #expect(owner != nil && owner != first)
  }

  /// `key add` was killed before its operation: the file is there, and opens.
  @Test func `A key slot that was not logged is logged by its own key`() throws {
    _ = try scene.create(with: a)
    let second = try scene.add(b, openedWith: a)
    let log = try scene.namespacePath + "/keybackup/log"
    // Remove the operation of the enrolment, and the computer's memory of it.
    for name in try FileManager.default.subpathsOfDirectory(atPath: log)
    where name.contains("/00000002-") {
      try FileManager.default.removeItem(atPath: log + "/" + name)
    }
    try FileManager.default.removeItem(atPath: scene.settings().stateFolder)
    var open = try scene.open(with: a)
    try open.repair()
    #expect(open.log.keyFiles[second] == nil)
    var own = try scene.open(with: b)
    try own.repair()
    #expect(own.log.keyFiles[second] != nil)
  }
}

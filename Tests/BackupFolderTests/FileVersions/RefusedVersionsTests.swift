import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// A retired computer goes on writing, and a person decides on what is held back.
@Suite("Versions that are held back, refused or accepted")
struct RefusedVersionsTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private let node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  /// Retires the computer, which then writes these texts.
  private func retire(thenWriting texts: [String]) throws {
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    for text in texts { try node.write(text) }
  }

  private func choose(_ text: String, _ computer: String = "a") throws -> Bool {
    var open = try scene.unlock(computer)
    return try open.choose(#require(open.file().versions.first { try open.text($0) == text }))
  }

  /// Checks what every computer and the reader in Python see, newest first.
  private func expect(
    _ history: [String], at location: SourceLocation = #_sourceLocation
  ) throws {
    for computer in ["a", "b", "new"] {
      let open = try scene.unlock(computer)
      #expect(try open.history() == history, "\(computer)", sourceLocation: location)
    }
    try files.expectSameElsewhere(scene.unlock("b"), at: location)
  }

  @Test func `Keeping the current version refuses them, once`() throws {
    try node.write("good")
    try retire(thenWriting: ["evil", "worse"])
    try expect(["worse held-back", "evil held-back", "good live"])
    #expect(try choose("good"))
    #expect(
      try Set(scene.unlock("b").history()) == ["worse replaced", "evil replaced", "good live"])
    #expect(try !choose("good"))
    // What comes later is held back again.
    try node.write("late")
    let open = try scene.unlock("b")
    #expect(try scene.unlock("b").file().heldBack.map { try open.text($0) } == ["late"])
    try files.expectSameElsewhere(scene.unlock("b"))
  }

  @Test func `Removing the file refuses them, also where nothing else is there`() throws {
    try retire(thenWriting: ["evil"])
    var open = try scene.unlock("a")
    #expect(try !open.file().isRemoved)
    try open.removeFile(open.file().id)
    try expectRemoved()
    open = try scene.unlock("b")
    #expect(try open.file().isRemoved)
    #expect(throws: BackupFolderError.file(.noSuchFile)) { try open.removeFile(open.file().id) }
  }

  @Test func `What was refused does not stand for the file`() throws {
    try node.write("good")
    try retire(thenWriting: ["evil"])
    var open = try scene.unlock("a")
    try open.removeFile(open.file().id)
    open = try scene.unlock("b")
    let file = try open.file()
    #expect(try file.isRemoved && open.text(#require(file.newest)) == "good")
  }

  private func expectRemoved() throws {
    for computer in ["a", "b", "new"] {
      #expect(try scene.unlock(computer).history() == ["evil removed"])
    }
  }

  @Test func `Choosing another version refuses them too`() throws {
    try node.write("one")
    try node.write("two")
    try retire(thenWriting: ["evil"])
    #expect(try choose("one"))
    #expect(try scene.unlock("b").live() == ["one"])
    #expect(try scene.unlock("b").file().heldBack.isEmpty)
    try files.expectSameElsewhere(scene.unlock("b"))
  }

  @Test func `A refused version may still be chosen`() throws {
    try node.write("good")
    try retire(thenWriting: ["evil"])
    #expect(try choose("good"))
    #expect(try choose("evil", "b"))
    #expect(try Set(scene.unlock("new").history()) == ["evil live", "good replaced"])
    try files.expectSameElsewhere(scene.unlock("b"))
  }

  @Test func `A refused version that is chosen takes the place of all others`() throws {
    // Its computer was retired before it arrived, and another one replaced it meanwhile.
    let held = try node.write("one")
    let sealed = try node.chain
    let aside = scene.base + "/aside"
    try FileManager.default.moveItem(atPath: sealed, toPath: aside)
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    let file = try #require(
      scene.open("node").localSilentWriters().first?.files.values.first)
    try FileManager.default.moveItem(atPath: aside, toPath: sealed)
    open = try scene.unlock("a")
    #expect(try open.file().heldBack.map(\.made) == [held.digest])
    #expect(try !open.file().isRemoved)
    try open.removeFile(file)
    try open.write("two", "channel.backup", to: file)
    try node.write("three")
    #expect(try choose("one"))
    #expect(
      try Set(scene.unlock("b").history()) == ["one live", "two replaced", "three replaced"])
    try files.expectSameElsewhere(scene.unlock("b"))
  }

  @Test func `An accepted one takes the place of what it follows through others`() throws {
    try node.write("good")
    try retire(thenWriting: ["1", "2", "3", "4"])
    #expect(try choose("3"))
    try files.expectSameElsewhere(scene.unlock("b"))
    let open = try scene.unlock("b")
    #expect(try open.live() == ["3"])
    // The one after it waits on, and the ones before it do not.
    #expect(try open.file().heldBack.map { try open.text($0) } == ["4"])
    #expect(try choose("3"))
    #expect(try scene.unlock("b").file().heldBack.isEmpty)
    #expect(try scene.unlock("c").live() == ["3"])
  }

  /// A decision of another computer that has not seen the refusal.
  enum OtherDecision: CaseIterable {
    case accept, remove
  }

  @Test(arguments: OtherDecision.allCases)
  func `Who refuses wants the current version: it stays beside what another computer decided`(
    _ decision: OtherDecision
  ) throws {
    try node.write("good")
    try retire(thenWriting: ["evil"])
    var other = try scene.unlock("b")
    let file = try other.file()
    let log = try scene.namespacePath + "/keybackup/log"
    let before = try Set(FileManager.default.subpathsOfDirectory(atPath: log))
    #expect(try choose("good"))
    let after = try Set(FileManager.default.subpathsOfDirectory(atPath: log)).subtracting(before)
    let name = try #require(after.first { $0.hasSuffix(".json") })
    #expect(after.count { $0.hasSuffix(".json") } == 1, "a refusal is one operation")
    let aside = scene.base + "/aside"
    try FileManager.default.moveItem(atPath: "\(log)/\(name)", toPath: aside)
    switch decision {
    case .accept: try other.choose(#require(file.heldBack.first))
    case .remove: try other.removeFile(file.id)
    }
    try FileManager.default.moveItem(atPath: aside, toPath: "\(log)/\(name)")
    let live = decision == .accept ? ["evil", "good"] : ["good"]
    #expect(try scene.unlock("c").live() == live)
    try files.expectSameElsewhere(scene.unlock("c"))
  }

  @Test func `A rotation keeps what was refused out, and what was refused later too`() throws {
    try node.write("good")
    try retire(thenWriting: ["evil"])
    #expect(try choose("good"))
    let new = try files.rotate().namespace.id
    #expect(try Set(files.open(new).history()) == ["evil replaced", "good live"])
    try files.expectSameElsewhere(files.open(new))
    // In the earlier backup, where the computer still writes.
    try node.write("worse")
    var open = try files.open(new, "a")
    #expect(try open.file().heldBack.map { try open.text($0) } == ["worse"])
    #expect(try open.choose(#require(open.file().live.first)))
    #expect(try files.open(new).file().heldBack.isEmpty)
    #expect(try files.open(new, "c").live() == ["good"])
    try files.expectSameElsewhere(files.open(new))
    let third = try files.rotate(at: new, as: 7).namespace.id
    #expect(try files.open(third).file().heldBack.isEmpty)
    try files.expectSameElsewhere(files.open(third))
  }

  @Test func `More of them than one operation names are refused together`() throws {
    try retire(thenWriting: ["1", "2", "3", "4", "5"])
    var settings = scene.settings("a")
    settings.operationSize = 140
    let namespace = try BackupFolder.open(path: scene.folder, settings: settings).namespace(
      files.old)
    let slot = try #require(try namespace.scan().keySlots.first)
    var open = try namespace.open(slot.unwrap(secret: scene.secret()), by: slot.keyID)
    let before = open.log.index.names.count
    try open.removeFile(open.file().id)
    #expect(open.log.index.names.count == before + 3)
    open = try scene.unlock("b")
    #expect(try open.file().isRemoved && open.file().versions.count == 5)
  }

  @Test func `A silent writer and an old master key refuse nothing`() throws {
    try node.write("good")
    let evil = try SilentComputer(scene, "other")
    try retire(thenWriting: ["evil"])
    let open = try scene.unlock("a")
    let file = try open.file()
    let held = try #require(file.heldBack.first)
    try evil.publish { $0.fileRemove(file.id, replaces: [held.made]) }
    #expect(try scene.unlock("b").file().heldBack.count == 1)
    try files.expectSameElsewhere(scene.unlock("b"))
    let new = try files.rotate().namespace.id
    // Somebody with the old key, who knows nothing of the rotation.
    var former = try files.open(files.old, "former")
    #expect(try former.choose(#require(former.file().live.first)))
    #expect(try files.open(new).file().heldBack.count == 1)
    try files.expectSameElsewhere(files.open(new))
  }
}

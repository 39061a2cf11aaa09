import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("A rotation of the master key with files")
struct RotationWithFilesTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private var node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  @Test
  func `What counts goes along byte for byte, and needs the old folder no more`() throws {
    try node.write("one")
    try node.write("two")
    try node.write("base")
    try node.withClonedState { try node.write("left") }
    try node.write("right")
    try node.add(.large("2222 "), "large")
    var open = try scene.unlock("a")
    try open.write("words", "seed")
    let key = try open.write("old", "ssh")
    try open.write("new", "ssh", to: key)
    let gone = try open.write("gone", "gone")
    try open.removeFile(gone)
    let before = try open.counting()
    #expect(before["node/channel.backup"] == ["left", "right"] && before.count == 4)

    let rotation = try files.rotate()
    #expect(rotation.files == 4 && rotation.failures.isEmpty)
    #expect(rotation.silentWriters.map(\.writer.label.text) == ["node"])
    let new = rotation.namespace.id
    let there = try files.open(new)
    #expect(try there.counting() == before)
    #expect(there.health.incomplete + there.health.rolledBack == 0)
    #expect(there.fileState.versions.missing.isEmpty && there.needsEarlierFiles == false)
    #expect(try there.files().flatMap(\.live).allSatisfy { $0.namespace == new })
    // What was replaced or removed is still there to be restored.
    #expect(try Set(there.history("ssh")) == ["new live", "old replaced"])
    #expect(try there.history("gone") == ["gone removed"])
    try files.expectSameElsewhere(there)

    try files.delete(files.old)
    let alone = try files.open(new, "c")
    #expect(try alone.counting() == before)
    #expect(try alone.history("ssh") == ["new live"])
    #expect(alone.silentWriters().map(\.isBehind) == [true])
    #expect(alone.fileState.versions.missing.isEmpty)
  }

  @Test
  func `A settled conflict stays settled, and a file chosen again stays`() throws {
    try node.write("first")
    try node.withClonedState { try node.write("left") }
    try node.write("right")
    var open = try scene.unlock("a")
    let left = try #require(try open.file().live.first { try open.text($0) == "left" })
    try open.choose(left)
    let new = try files.rotate().namespace.id
    #expect(try files.open(new).live() == ["left"])
    // Its computer goes on from what it wrote last, which a person had put aside.
    try node.write("next")
    let there = try files.open(new)
    #expect(try there.counting()["node/channel.backup"] == ["left", "next"])
    try files.expectSameElsewhere(there)
    try files.delete(files.old)
    #expect(try files.open(new, "c").live() == ["left"])
  }

  @Test
  func `A computer that was authorised only before can be retired afterwards`() throws {
    try node.write("one")
    let new = try files.rotate().namespace.id
    try node.write("two")
    var open = try files.open(new, "a")
    try open.retire(node.writer.signingKey)
    try node.write("evil")
    open = try files.open(new, "a")
    #expect(
      try Set(open.history()) == ["one replaced", "two late", "evil held-back"])
    try files.expectSameElsewhere(open)
    let held = try #require(try open.file().versions.first { $0.standing == .heldBack })
    try open.choose(held)
    #expect(try open.live() == ["evil"])
  }

  @Test
  func `A missing object or operation stops it, unless a person goes on`() throws {
    try node.write("one")
    let second = try node.write("two")
    try node.write("three")
    try node.add(.large("1111 "), "large")
    let sealed =
      "\(try node.chain)/"
      + FolderLayout.operationFile(counter: second.counter, digest: second.digest)
    let objects = files.path(files.old) + "/keybackup/objects"
    let object = "\(objects)/\(try FileManager.default.contentsOfDirectory(atPath: objects)[0])"
    for path in [sealed, object] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      try FileManager.default.removeItem(atPath: path)
      #expect(throws: BackupFolderError.cannotRotate(.filesMissing)) { try files.rotate() }
      if path == sealed { try bytes.write(to: URL(fileURLWithPath: path)) }
      if path == object {
        let rotation = try files.rotate(despiteGaps: true)
        #expect(rotation.failures.map(\.file) == ["large"] && rotation.files == 2)
        let new = rotation.namespace.id
        #expect(try files.open(new).file("large").live[0].object == .missing)
        // It may come later, to the old folder, which then has the only copy.
        #expect(try files.open(new).needsEarlierFiles == true)
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try files.open(new).live("large")[0].hasPrefix("1111"))
        #expect(try files.open(new).live() == ["three"])
        #expect(try files.open(new).needsEarlierFiles == true)
        #expect(try files.open(new).contentsOnlyEarlier == 1)
        var own = try files.open(new, "a")
        try own.repair()
        #expect(own.needsEarlierFiles == false && own.contentsOnlyEarlier == 0)
        // Lost and cut off here, the old folder still has it.
        let copy = URL(fileURLWithPath: files.path(new) + "/keybackup/objects")
          .appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
        try bytes.prefix(5000).write(to: copy)
        own = try files.open(new, "a")
        #expect(own.needsEarlierFiles == true)
        _ = try own.addFile(.of("note"), name: .of("large"), to: own.file("large").id)
        #expect(own.needsEarlierFiles == false)
        try files.delete(files.old)
        let alone = try files.open(new, "c")
        let large = try #require(try alone.file("large").versions.first { $0.size > 2048 })
        #expect(try alone.text(large).hasPrefix("1111") && alone.live() == ["three"])
      }
    }
  }

  @Test
  func `Wallets of silent writers go along if they count, and proposals wait`() throws {
    let id = RecordID(walletID: "w2")
    var open = try scene.unlock("a")
    try open.add(.of("w2"))
    _ = try scene.open("node").addSilently(.of("w1"), as: node.writer)
    _ = try scene.open("node").addSilently(.of("w2", words: "zoo zoo"), as: node.writer)
    let new = try files.rotate().namespace.id
    open = try files.open(new, "a")
    #expect(
      try open.restored().lines == [
        "w1 abandon about current", "w2 abandon about current", "w2 zoo zoo late",
      ])
    #expect(open.log.index.history(of: id).count == 1)
    // The next one is late, and logged before a person writes the same wallet.
    _ = try scene.open("node").addSilently(.of("w3"), as: node.writer)
    open = try files.open(new, "a")
    #expect(try open.restored().lines.contains("w3 abandon about late"))
    try open.add(.of("w3", words: "legal winner"))
    #expect(try open.restored().words["w3"] == "legal winner")
    #expect(open.log.index.history(of: RecordID(walletID: "w3")).count == 2)
    // A proposal is chosen, or ended by another choice.
    var proposal: VersionID?
    _ = open.forEachWallet { version, _ in
      if version.recordID == id, version.state == .late { proposal = version.id }
    }
    #expect(try open.keep(try #require(proposal), of: id))
    #expect(try files.open(new).restoredWords()["w2"] == "zoo zoo")
  }

  @Test
  func `An operation with many files is opened once`() throws {
    var open = try scene.unlock("a")
    for number in 0..<40 { try open.write("text \(number)", "file \(number)") }
    let new = try files.rotate().namespace.id
    let there = try files.open(new)
    for file in try there.files() { #expect(try there.text(file.live[0]).hasPrefix("text")) }
    #expect(there.fileState.reopened.count == 1)
  }

  /// Overwrites an object of the right size.
  private func damage(_ path: String) throws {
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: url)
  }

  @Test
  func `Contents that are damaged here are read from the earlier namespace, and repaired`() throws {
    let files = try RotatedFiles()
    let node = try SilentComputer(files.scene)
    try node.add(.large("one "), "large")
    let next = try files.rotate().namespace.id
    let folder = files.path(next) + "/keybackup/objects"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    try damage(folder + "/" + name)
    let open = try files.open(next)
    let version = try #require(try open.file("large").live.first)
    #expect(version.object == .here)
    #expect(throws: BackupFolderError.file(.contentsDamaged)) { try open.read(version) { _ in } }
    var text = ""
    var tries = 1
    try open.readAnyCopy(version) { () throws(BackupFolderError) in
      text = ""
      tries += 1
    } into: { piece in
      unsafe piece.withUnsafeBytes { text += unsafe String(decoding: $0, as: UTF8.self) }
    }
    #expect(tries == 2 && text.hasPrefix("one one ") && text.utf8.count == 100_000)
    var repairing = try files.open(next, "a")
    try repairing.repair()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)) == whole)
    #expect(try files.open(next).text(version).hasPrefix("one one "))
    try files.expectSameElsewhere(files.open(next))
  }
}

extension OpenNamespace {
  fileprivate consuming func restoredWords() throws -> [String: String] { try restored().words }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("Files of computers that have not heard of a rotation")
struct LateFilesTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private var node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  @Test
  func `A computer that has not heard of it goes on, and what it writes is late`() throws {
    try node.write("one")
    try node.write("two")
    try node.add(.large("1111 "), "large")
    let new = try files.rotate().namespace.id
    try node.write("three")
    try node.add(.large("2222 "), "large")
    var open = try files.open(new)
    #expect(try Set(open.history()) == ["three late", "two replaced", "one replaced"])
    try files.expectSameElsewhere(open)
    #expect(open.needsEarlierFiles == true)
    for name in ["channel.backup", "large"] {
      let late = try #require(try open.file(name).versions.first { $0.standing == .late })
      try open.choose(late)
    }
    #expect(open.needsEarlierFiles == false)
    #expect(try open.live() == ["three"])
    // Nothing is adopted twice.
    let count = open.log.index.nodes.count
    try open.choose(try #require(try open.file().live.first))
    #expect(open.log.index.nodes.count == count)
    // It has still not heard: that replaces what was adopted.
    try node.write("four")
    open = try files.open(new)
    #expect(try open.counting()["node/channel.backup"] == ["four"])
    try open.removeFile(open.file().id)
    try files.expectSameElsewhere(open)
    #expect(try files.open(new, "c").file().isRemoved)
    try files.delete(files.old)
    let alone = try files.open(new, "d")
    #expect(try alone.counting().keys.sorted() == ["node/large"])
    #expect(try alone.live("large")[0].hasPrefix("2222"))
  }

  @Test
  func `Authorised again, it keeps its key and its files, and nothing is in conflict`() throws {
    var node = node
    try node.write("one")
    let key = node.writer.signingKey
    let second = try files.rotate().namespace.id
    try node.write("two")
    // A crash has left the next one unpublished.
    let last = try node.write("three")
    let lost =
      "\(files.path(files.old))/keybackup/sealed/\(node.writer.writerID)/"
      + FolderLayout.operationFile(counter: last.counter, digest: last.digest)
    try FileManager.default.removeItem(atPath: lost)
    var open = try files.open(second, "a")
    #expect(open.silentWriters().map(\.isBehind) == [true])
    try node.authoriseAgain(&open)
    #expect(FileManager.default.fileExists(atPath: lost))
    #expect(node.writer.signingKey == key && node.writer.namespaceID == second)
    #expect(try scene.open("node").localSilentWriters() == [node.writer])
    try node.write("four")
    open = try files.open(second, "a")
    #expect(try open.counting()["node/channel.backup"] == ["four"])
    #expect(open.silentWriters().map(\.isBehind) == [false])
    try files.expectSameElsewhere(open)
    // The old key opens nothing of it.
    let name = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: files.path(second) + "/keybackup/sealed")
        .first { $0.hasSuffix(".json") })
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: files.path(second) + "/keybackup/sealed/" + name))
    let sealed = try SealedOperationFile(parsing: Array(bytes).span, at: second)
    for id in [files.old, second] {
      let master = try files.key(of: id)
      var text = SecretBytes(zeroed: 0)
      let opened = try? sealed.open(
        by: node.writer.identity, inbox: InboxPair(of: master),
        writerSecret: master.writerSecret(node.writer.identity), isVerified: false, into: &text)
      #expect((opened != nil) == (id == second))
    }
    #expect(open.silentWriters()[0].operations == 1 && open.hasSealedGap == false)
    // The version in between is only in the old folder, and leads to the newest one.
    #expect(open.needsEarlierFiles == true)
    try open.choose(try #require(try open.file().live.first))
    #expect(open.needsEarlierFiles == false)
    let third = try files.rotate(as: 7).namespace.id
    #expect(try files.open(third).live() == ["four"])
    try files.delete(files.old)
    try files.delete(second)
    let alone = try files.open(third, "c")
    #expect(try alone.counting() == ["node/channel.backup": ["four"]])
  }

  @Test
  func `A late version stays beside a choice that put its predecessor aside`() throws {
    try node.write("one")
    try node.write("two")
    let new = try files.rotate().namespace.id
    var open = try files.open(new)
    let one = try #require(try open.file().versions.first { try open.text($0) == "one" })
    try open.choose(one)
    #expect(try open.live() == ["one"])
    // The computer has not heard of the rotation. It follows what it wrote.
    try node.write("three")
    open = try files.open(new)
    #expect(try open.counting() == ["node/channel.backup": ["one", "three"]])
    try files.expectSameElsewhere(open)
    // Logged as a finding, it is the same.
    let three = try #require(try open.file().versions.first { $0.standing == .late })
    try open.choose(three)
    #expect(try files.open(new).live() == ["three"])
  }

  @Test
  func `Its first version names one that a person had put aside, and nothing is missing`() throws {
    var node = node
    try node.write("one")
    var open = try scene.unlock("a")
    let chosen = try #require(try open.file().live.first)
    try node.write("two")
    open = try scene.unlock("a")
    try open.choose(chosen)
    let new = try files.rotate().namespace.id
    open = try files.open(new, "a")
    try node.authoriseAgain(&open)
    try files.delete(files.old)
    try node.write("three")
    open = try files.open(new, "a")
    #expect(open.fileState.versions.missing.isEmpty)
    #expect(try Set(open.live()) == ["one", "three"])
    let file = try open.file()
    try open.choose(try #require(file.live.first { try open.text($0) == "three" }))
    #expect(try open.live() == ["three"])
    _ = try open.pruneFiles()
    try open.removeFile(file.id)
    // A missing operation of its chain still is one.
    let gone = try node.write("four")
    try node.write("five")
    try FileManager.default.removeItem(
      atPath: "\(files.path(new))/keybackup/sealed/\(node.writer.writerID)/"
        + FolderLayout.operationFile(counter: gone.counter, digest: gone.digest))
    open = try files.open(new, "c")
    #expect(throws: BackupFolderError.file(.historyIncomplete)) { try open.removeFile(file.id) }
  }

  @Test
  func `Damage in a late version is called damage, and a person may decide all the same`() throws {
    try node.add(.large("one "))
    let new = try files.rotate().namespace.id
    try node.add(.large("two "))
    let folder = files.path(files.old) + "/keybackup/objects"
    let before = Set(
      try FileManager.default.contentsOfDirectory(atPath: files.path(new) + "/keybackup/objects"))
    let late = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).first { !before.contains($0) })
    var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(late)"))
    bytes[50_000] ^= 1
    try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(late)"))
    var open = try files.open(new, "a")
    let file = try open.file()
    // Of a file with a late version only, that one is shown.
    #expect(file.newest?.standing == .late)
    #expect(open.filesOnlyEarlier == [file.id])
    #expect(throws: BackupFolderError.file(.lateContentsDamaged)) { try open.removeFile(file.id) }
    try open.removeFile(file.id, despiteGaps: true)
    #expect(try open.file().isRemoved)
  }

  @Test
  func `A state that a crash left behind does not win over a later one of its key`() throws {
    var node = node
    try node.write("one")
    let path = try node.statePath
    let stale = try Data(contentsOf: URL(fileURLWithPath: path))
    let second = try files.rotate().namespace.id
    var open = try files.open(second, "a")
    try node.authoriseAgain(&open)
    try stale.write(to: URL(fileURLWithPath: path))
    try node.write("two")
    // More of them, since a folder has no order.
    let folder = try #require(try scene.open("node").silentFolder(make: false))
    let old = try #require(try folder.states().first { $0.order == 1 })
    for _ in 0..<8 {
      let other = SilentState(label: old.label, continuing: old)
      (other.grant, other.order) = (old.grant, old.order)
      other.answerSecret = nil
      other.writerSecret = old.writerSecret?.copy()
      try SilentRun.begin(scene.open("node")).save(other)
    }
    let third = try files.rotate(at: second, as: 7).namespace.id
    open = try files.open(third, "a")
    try node.authoriseAgain(&open)
    #expect(try scene.open("node").localSilentWriters() == [node.writer])
    #expect(node.writer.earlier == [files.old, second])
    try node.write("three")
    #expect(try files.open(third, "a").live() == ["three"])
  }

  @Test
  func `A file that was removed late is told, and stays`() throws {
    var open = try scene.unlock("a")
    try open.write("one", "notes")
    let new = try files.rotate().namespace.id
    var late = try files.open(files.old, "b")
    let file = try #require(try late.files().first?.id)
    try late.removeFile(file)
    open = try files.open(new, "c")
    #expect(open.filesRemovedEarlier == [file])
    #expect(try open.counting()["a/notes"] == ["one"])
    try open.removeFile(file)
    #expect(open.filesRemovedEarlier.isEmpty)
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("Files, and those who have an old master key or a retired computer")
struct GivenUpKeyWithFilesTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private var node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  @Test
  func `Somebody with a retired computer counts nowhere, also without the old log`() throws {
    var node = node
    try node.write("good")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    let rotation = try files.rotate()
    #expect(rotation.silentWriters.isEmpty)
    let new = rotation.namespace.id
    try node.write("evil")
    open = try files.open(new)
    #expect(try Set(open.history()) == ["good live", "evil held-back"])
    // A person may still choose it: the old folder must stay.
    #expect(open.needsEarlierFiles == true)
    #expect(open.silentWriters().map(\.isRetired) == [true])
    #expect(throws: BackupFolderError.silentWriter(.retired)) { try node.authoriseAgain(&open) }
    try files.expectSameElsewhere(open)
    // The retirement is in the new log too: damage to the old one does not undo it.
    for name in try Scene.contents(files.path(files.old) + "/keybackup/log").keys {
      let path = files.path(files.old) + "/keybackup/log/" + name
      if try files.open(files.old, "x").log.files.retirements.isEmpty { break }
      let kept = try Data(contentsOf: URL(fileURLWithPath: path))
      try FileManager.default.removeItem(atPath: path)
      if try files.open(files.old, "y").silentWriters().isEmpty {
        try kept.write(to: URL(fileURLWithPath: path))
      }
    }
    open = try files.open(new, "c")
    #expect(try open.counting()["node/channel.backup"] == ["good"])
    #expect(try Set(open.history()) == ["good live", "evil held-back"])
    try files.delete(files.old)
    #expect(try files.open(new, "d").live() == ["good"])
  }

  @Test
  func `An old master key makes nothing count, hides nothing and retires nobody`() throws {
    var node = node
    try node.write("one")
    var open = try scene.unlock("a")
    let doc = try open.write("person", "doc")
    let new = try files.rotate().namespace.id
    let honest = try node.write("two")

    var thief = try files.open(files.old, "thief")
    try thief.write("evil", "doc", to: doc)
    let channel = try thief.file().id
    try thief.removeFile(channel)
    let run = try WritingRun.begin(thief.namespace.state(make: true))
    let staged = try thief.stage(run: run) { operation in
      operation.fileDrop(channel, versions: [honest.digest])
      try? operation.filePut(
        channel, name: .of("channel.backup"), version: .small("posed"),
        replaces: [honest.digest],
        origin: FileOrigin(made: honest.digest, by: node.writer.signingKey))
    }
    try thief.publish(staged, run: run)
    _ = consume run
    try thief.retire(node.writer.signingKey)

    for computer in ["b", "c"] {
      open = try files.open(new, computer)
      #expect(try Set(open.history("doc")) == ["person live", "evil late"])
      #expect(try open.counting()["node/channel.backup"] == ["two"])
      let standings = try open.file().versions.map { "\(try open.text($0)) \($0.standing)" }
      #expect(Set(standings) == ["one replaced", "two late", "posed late"], "\(standings)")
      try files.expectSameElsewhere(open)
    }
    // It can authorise a computer there, whose versions are late, and no more.
    let request = try scene.open("evil").requestSilentWriting(label: .of("evil"))
    thief = try files.open(files.old, "thief")
    let answer = try thief.authorise(WriterRequest(parsing: request.line), may: [.filePut])
    let evil = try scene.open("evil").acceptSilentWriting(answer.answer)
    _ = try scene.open("evil").addSilently(.of("planted"), name: .of("channel.backup"), as: evil)
    open = try files.open(new, "a")
    #expect(try open.counting()["evil/channel.backup"] == ["planted"])
    #expect(try open.files().flatMap(\.live).map(\.name.text) == ["doc"])
    try node.authoriseAgain(&open)
  }

  @Test
  func `A master key that was given up hides no wallet of a silent writer`() throws {
    let second = try files.rotate().namespace.id
    let third = try files.rotate(at: second, as: 7).namespace.id
    // The computer has heard of neither.
    _ = try scene.open("node").addSilently(.of("w1"), as: node.writer)
    var thief = try files.open(second, "thief")
    let run = try WritingRun.begin(thief.namespace.state(make: true))
    let id = RecordID(walletID: "w1")
    let batch = try WalletBatch.of("w1", words: "thief words")
    let staged = try thief.stage(run: run) { operation in
      let entry = batch.withEntry(0) { SecretBytes(copying: $0) }
      operation.put(id, entry: entry)
    }
    try thief.publish(staged, run: run)
    _ = consume run
    var open = try files.open(third, "a")
    let lines = try open.restored().lines
    #expect(lines.contains("w1 abandon about late"), "\(lines)")
    #expect(lines.contains("w1 thief words late"), "\(lines)")
    // It is logged before a person writes the same wallet.
    #expect(try open.lateValues(of: id).count == 2)
  }

  @Test
  func `An old master key cannot stop decisions by naming what is not there`() throws {
    var open = try scene.unlock("a")
    let doc = try open.write("person", "doc")
    let new = try files.rotate().namespace.id
    let request = try scene.open("evil").requestSilentWriting(label: .of("evil"))
    var thief = try files.open(files.old, "thief")
    let answer = try thief.authorise(WriterRequest(parsing: request.line), may: [.filePut])
    let evil = try scene.open("evil").acceptSilentWriting(answer.answer)
    _ = try scene.open("evil").addSilently(.of("planted"), name: .of("x"), as: evil)
    thief = try files.open(files.old, "thief")
    try thief.write("late", "doc", to: doc)
    try FileManager.default.removeItem(
      atPath: "\(files.path(files.old))/keybackup/sealed/\(evil.writerID)")
    open = try files.open(new, "c")
    #expect(try Set(open.history("doc")) == ["person live", "late late"])
    try open.removeFile(doc)
    #expect(try files.open(new, "c").file("doc").isRemoved)
  }
}

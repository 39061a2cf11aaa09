import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

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
  func `An operation with many files is opened once`() throws {
    var open = try scene.unlock("a")
    for number in 0..<40 { try open.write("text \(number)", "file \(number)") }
    let new = try files.rotate().namespace.id
    let there = try files.open(new)
    for file in try there.files() { #expect(try there.text(file.live[0]).hasPrefix("text")) }
    #expect(there.fileState.reopened.count == 1)
  }

  @Test
  func `Two computers rotate at once, and all files are there`() throws {
    var node = node
    try node.write("one")
    _ = try scene.unlock("b")
    var made: [NamespaceID] = []
    try scene.apart {
      made.append(try files.rotate("a", as: 6).namespace.id)
    } and: {
      let other = try files.rotate("b", as: 7).namespace.id
      made.append(other)
      var open = try files.open(other, "b")
      try open.write("of b", "b-file")
      try node.authoriseAgain(&open)
      try node.write("two")
    }
    let keys = try made.map { SharedMasterKey(try files.key(of: $0)) }
    for computer in ["a", "c"] {
      var resolved = try scene.open(computer).namespace(files.old)
        .follow(files.key(of: files.old), keys: keys)
      #expect(resolved.obstacle == nil)
      resolved.remember()
      for _ in 0..<2 {
        let found = try resolved.namespace.counting()
        #expect(found["node/channel.backup"] == ["two"], "\(found)")
        #expect(found["b/b-file"] == ["of b"], "\(found)")
        try resolved.namespace.mergeRivals()
      }
    }
  }
}

extension OpenNamespace {
  fileprivate consuming func restoredWords() throws -> [String: String] { try restored().words }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("Which version of a file counts")
struct ConflictingVersionsTests {
  private let scene: Scene

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
  }

  @Test
  func `With the key, a version takes the place of the ones before`() throws {
    var open = try scene.unlock("a")
    let file = try open.write("one", "f")
    #expect(try open.write("one", "f", to: file) == file)
    _ = try open.addFile(.large("two "), name: .of("f"), to: file)
    let other = try open.write("other", "f")
    #expect(other != file && open.hasFiles)
    let reader = try scene.unlock("b")
    let files = try reader.files()
    #expect(files.map(\.versions.count).sorted() == [1, 2])
    let found = try #require(files.first { $0.id == file })
    #expect(found.versions.map(\.standing) == [.live, .replaced])
    #expect(found.versions.allSatisfy { $0.by == nil && $0.label?.text == "a" })
    #expect(try reader.text(found.versions[0]).hasPrefix("two two "))
    #expect(throws: BackupFolderError.file(.noSuchFile)) {
      try open.write("x", "f", to: .random())
    }
  }

  @Test
  func `Versions of computers that did not know of each other are a conflict until chosen`() throws
  {
    var open = try scene.unlock("a")
    let file = try open.write("one", "f")
    try scene.apart {
      var other = try scene.unlock("b")
      try other.write("of b", "f", to: file)
    } and: {
      var own = try scene.unlock("a")
      try own.write("of a", "f", to: file)
    }
    open = try scene.unlock("a")
    #expect(try open.live("f") == ["of a", "of b"] && open.file("f").isConflicted)
    let of = try #require(try open.file("f").live.first { try open.text($0) == "of b" })
    try open.choose(of)
    // The choice stays the version that it is a copy of.
    #expect(try open.live("f") == ["of b"] && open.history("f").count == 3)
    let live = try #require(try open.file("f").live.first)
    #expect(live.made == of.made && live.operation != of.operation)
    try open.choose(live)
    #expect(try open.history("f").count == 3)
  }

  @Test
  func `A removed file is brought back, and so is what was replaced`() throws {
    var open = try scene.unlock("a")
    let file = try open.write("one", "f")
    try open.write("two", "f", to: file)
    try open.removeFile(file)
    #expect(try open.file("f").isRemoved)
    #expect(try open.history("f").sorted() == ["one replaced", "two removed"])
    #expect(throws: BackupFolderError.file(.noSuchFile)) { try open.removeFile(file) }
    let one = try #require(try open.file("f").versions.first { $0.standing == .replaced })
    try open.choose(one)
    #expect(try scene.unlock("b").live("f") == ["one"])
    let two = try #require(try open.file("f").versions.first { $0.standing == .removed })
    try open.choose(two)
    #expect(try scene.unlock("b").live("f") == ["two"])
    let gone = try #require(try open.file("f").versions.last)
    try open.removeFile(file)
    #expect(try open.file("f").isRemoved && open.text(gone) == "one")
  }

  @Test
  func `A silent computer's old version is brought back after the file was removed`() throws {
    let node = try SilentComputer(scene)
    try node.write("one")
    try node.write("two")
    var open = try scene.unlock("a")
    try open.removeFile(open.file().id)
    let one = try #require(try open.file().versions.first { try open.text($0) == "one" })
    try open.choose(one)
    #expect(try open.live() == ["one"])
    #expect(try scene.unlock("b").live() == ["one"])
    // What the computer writes next follows its own last version.
    try node.write("three")
    #expect(try scene.unlock("b").live() == ["one", "three"])
  }

  @Test
  func `A thief of another silent computer replaces and removes nothing`() throws {
    let node = try SilentComputer(scene)
    let thief = try SilentComputer(scene, "thief")
    let good = try node.write("good")
    let file = try #require(try scene.open("node").localSilentWriters().first?.files.values.first)
    try thief.publish { builder in
      try builder.filePut(
        file, name: .of("channel.backup"), version: .small("bad"), replaces: [good.digest])
    }
    try thief.publish { $0.fileRemove(file, replaces: [good.digest]) }
    var open = try scene.unlock("a")
    #expect(try open.live() == ["bad", "good"])
    #expect(open.sealedFindings.map(\.state) == [.foreign])
    #expect(open.sealedFindings[0].reason.contains("wants to remove"))
    let chosen = try #require(try open.file().live.first { try open.text($0) == "good" })
    try open.choose(chosen)
    try node.write("better")
    open = try scene.unlock("a")
    // The computer writes on after its own version: it conflicts once with the choice.
    #expect(try open.live() == ["better"])
  }

  /// The third choice reaches, for the second one, what replaced that.
  @Test
  func `A version that was chosen before counts alone when it is chosen again`() throws {
    let node = try SilentComputer(scene)
    func choose(_ text: String) throws {
      var open = try scene.unlock("a")
      try open.choose(#require(try open.file().versions.first { try open.text($0) == text }))
      #expect(try scene.unlock("b").live() == [text])
    }
    try node.write("one")
    try node.write("two")
    try choose("one")
    try node.write("three")
    try choose("three")
    try node.write("four")
    for text in ["one", "three", "one", "four"] { try choose(text) }
  }

  @Test
  func `After its retirement a stolen computer is held back, until a person chooses`() throws {
    let node = try SilentComputer(scene)
    try node.write("one")
    try scene.copyState(of: "node", to: "thief")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    #expect(open.silentWriters()[0].isRetired && open.silentWriters()[0].heldBack == 0)
    let thief = SilentComputer(scene, "thief", writer: node.writer)
    for count in 1...5 { try thief.write("bad \(count)") }
    open = try scene.unlock("a")
    #expect(try open.live() == ["one"])
    #expect(try open.file().versions.count { $0.standing == .heldBack } == 5)
    #expect(open.silentWriters()[0].heldBack == 5 && open.silentWriters()[0].operations == 1)
    // What is held back is never taken into account.
    try open.write("with the key", "other")
    #expect(try scene.unlock("b").file().versions.count { $0.standing == .heldBack } == 5)
    let held = try #require(try open.file().versions.last { $0.standing == .heldBack })
    try open.choose(held)
    #expect(try scene.unlock("b").live() == ["bad 1"])
    #expect(try scene.unlock("b").file().versions.count { $0.standing == .heldBack } == 4)
    // A retired key never returns.
    let request = try WriterRequest(
      writerID: .random(), signer: node.signer(), answerSecret: .random(count: 32),
      label: .of("again"))
    #expect(throws: BackupFolderError.silentWriter(.retired)) {
      _ = try open.authorise(request, may: .filePut)
    }
  }

  /// A choice that has seen no operation would be a finding, which a retirement holds back.
  ///
  /// Random histories found this one.
  @Test
  func `A version that is held back is chosen where no chain of operations is whole`() throws {
    let node = try SilentComputer(scene)
    let log = try scene.namespacePath + "/keybackup/log"
    let first = try #require(try Scene.contents(log).keys.min())
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try node.write("one")
    // The first operation has not arrived at b: without it no later one is in a whole chain.
    let aside = scene.base + "/aside"
    try FileManager.default.moveItem(atPath: "\(log)/\(first)", toPath: aside)
    open = try scene.unlock("b")
    let held = try #require(try open.file().versions.first)
    #expect(held.standing == .heldBack)
    try open.choose(held)
    #expect(try open.live() == ["one"])
    try FileManager.default.moveItem(atPath: aside, toPath: "\(log)/\(first)")
    for computer in ["a", "b", "c"] {
      #expect(try scene.unlock(computer).live() == ["one"], "\(computer)")
    }
  }

  @Test
  func `Only an unused writer ID with a new key is authorised`() throws {
    let node = try SilentComputer(scene)
    var open = try scene.unlock("a")
    let again = try WriterRequest(
      writerID: .random(), signer: node.signer(), answerSecret: .random(count: 32),
      label: .of("again"))
    #expect(throws: BackupFolderError.silentWriter(.alreadyAuthorised)) {
      _ = try open.authorise(again, may: .filePut)
    }
    for id in [node.writer.writerID, try #require(open.writers.first?.id)] {
      let request = try WriterRequest(
        writerID: id, signer: .random(), answerSecret: .random(count: 32), label: .of("other"))
      #expect(throws: BackupFolderError.silentWriter(.writerIDUsed)) {
        _ = try open.authorise(request, may: .filePut)
      }
    }
    #expect(throws: BackupFolderError.silentWriter(.noSuchWriter)) {
      try open.retire(SigningPair.random().publicKey)
    }
    #expect(open.silentWriters().count == 1)
  }

  @Test
  func `A change that its authorisation does not permit has no effect`() throws {
    let node = try SilentComputer(scene, may: .put)
    try node.publish { builder in
      try builder.filePut(.random(), name: .of("f"), version: .small("x"), replaces: [])
    }
    let open = try scene.unlock("a")
    #expect(try open.files().isEmpty && open.silentWriters()[0].operations == 1)
    #expect(open.sealedFindings.map(\.state) == [.foreign])
    #expect(throws: BackupFolderError.silentWriter(.notPermitted)) { try node.write("x") }
  }

  @Test
  func `Hundreds of bad versions do not displace the good one`() throws {
    let node = try SilentComputer(scene)
    try node.write("good")
    for count in 1...300 { try node.write("bad \(count)") }
    var open = try scene.unlock("a")
    #expect(try open.live() == ["bad 300"] && open.file().versions.count == 301)
    let good = try #require(
      try open.file().versions.min { $0.operation.counter < $1.operation.counter })
    #expect(try open.text(good) == "good")
    #expect(try open.pruneFiles(keeping: 1) == PrunedVersions())
    try open.choose(good)
    #expect(try scene.unlock("b").live() == ["good"])
  }

  /// A computer that was set back says nothing of what it has written since.
  @Test
  func `What a computer has again after it was set back is a version once more`() throws {
    let node = try SilentComputer(scene)
    try node.write("one", "set-back")
    try node.withClonedState { try node.write("two", "set-back") }
    try node.write("one", "set-back")
    guard case .unchanged = try node.add(.of("one"), "set-back") else {
      Issue.record("It is written with each run.")
      return
    }
    let open = try scene.unlock("b")
    #expect(try open.live("set-back") == ["one", "two"])
    // It does not know of which of its files the newer versions are.
    let other = try SilentComputer(scene, "other")
    for name in ["x", "y"] { try other.write("one", name) }
    try other.withClonedState { for name in ["x", "y"] { try other.write("two", name) } }
    for name in ["x", "y"] {
      try other.write("one", name)
      #expect(try scene.unlock("b").live(name) == ["one", "two"])
    }
    // Two copies of one computer do not go on for ever.
    let before = try Data(contentsOf: URL(fileURLWithPath: other.statePath))
    try other.write("three", "z")
    try before.write(to: URL(fileURLWithPath: other.statePath))
    guard case .unchanged = try other.add(.of("one"), "x") else {
      Issue.record("It is written with each run.")
      return
    }
  }

  /// Each has an object of its own.
  @Test
  func `Of two versions with the same contents one is enough`() throws {
    let node = try SilentComputer(scene)
    try node.write("first", "twins")
    try node.withClonedState { try node.add(.large("same "), "twins") }
    try node.add(.large("same "), "twins")
    let folder = try scene.namespacePath + "/keybackup/objects/"
    for object in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + object))
      try FileManager.default.removeItem(atPath: folder + object)
      let open = try scene.unlock("b")
      for version in try open.file("twins").live {
        var size = 0
        try open.readAnyCopy(version) { () throws(BackupFolderError) in
          size = 0
        } into: {
          size += $0.byteCount
        }
        #expect(size == 100_000)
      }
      try bytes.write(to: URL(fileURLWithPath: folder + object))
    }
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// What a silent writer remembers of what it wrote, and compares with the folder.
@Suite("The memory of a computer that writes without the key")
struct OwnMemoryTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }

  init() throws { files = try RotatedFiles() }

  private func add(_ wallet: String, on node: SilentComputer) throws(BackupFolderError) {
    do {
      _ = try scene.open(node.computer).addSilently(.of([wallet]), as: node.writer)
    } catch let error as BackupFolderError {
      throw error
    } catch {
      throw .internalError("\(error)")
    }
  }

  @Test
  func `A wallet is known as added after the computer was authorised again`() throws {
    var node = try SilentComputer(scene)
    try add("w1", on: node)
    let new = try files.rotate().namespace.id
    var open = try files.open(new, "a")
    try node.authoriseAgain(&open)
    let record = RecordID(walletID: "w1")
    #expect(throws: BackupFolderError.silentWriter(.walletAdded(record))) {
      try add("w1", on: node)
    }
    try add("w2", on: node)
    // Only those of the writer that it is now wait for their CSPP file.
    let known = try #require(try scene.open("node").localSilentWriters().last)
    #expect(known.wallets == [RecordID(walletID: "w2")])
    // Where the wallet is not, it is added again, though its operation is there: the authorisation may
    // be gone. An empty file is no wallet.
    let name = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: files.path(new))
        .first { $0.hasSuffix(FolderLayout.walletFile(record)) })
    try Data().write(to: URL(fileURLWithPath: "\(files.path(new))/\(name)"))
    try add("w1", on: node)
    open = try files.open(new, "b")
    #expect(try open.restored().words.keys.sorted() == ["w1", "w2"])
  }

  @Test
  func `A last version without its contents can be accepted, also the last change`() throws {
    let node = try SilentComputer(scene)
    try node.write(String(repeating: "x", count: 200_000))
    let folder = try scene.open(node.computer)
    let writer = try #require(try folder.localSilentWriters().last)
    try FileManager.default.removeItem(atPath: scene.namespacePath + "/keybackup/objects")
    #expect(try folder.filesWithoutLastVersion(of: writer).count == 1)
    let namespace = try folder.namespace()
    let acceptance = try namespace.acceptance()
    #expect(acceptance.contentsNotHere == 1 && acceptance.isNeeded && acceptance.gaps == 0)
    try namespace.accept(acceptance)
    #expect(try folder.holdsLastChange(of: writer))
    #expect(try folder.filesWithoutLastVersion(of: writer).isEmpty)
    #expect(try !namespace.acceptance().isNeeded)
  }

  @Test
  func `A wallet that is in no folder is told until it is accepted`() throws {
    let node = try SilentComputer(scene)
    try add("w1", on: node)
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: node.chain).first)
    try add("w2", on: node)
    let folder = try scene.open(node.computer)
    let writer = try #require(try folder.localSilentWriters().last)
    #expect(try folder.waitingWallets(of: writer) == WaitingWallets(here: 2))
    try FileManager.default.removeItem(atPath: "\(node.chain)/\(file)")
    #expect(try folder.waitingWallets(of: writer) == WaitingWallets(here: 1, notHere: 1))
    let namespace = try folder.namespace()
    try namespace.accept(namespace.acceptance())
    #expect(try folder.waitingWallets(of: writer) == WaitingWallets(here: 1))
    // It is added again.
    try add("w1", on: node)
    let now = try #require(try folder.localSilentWriters().last)
    #expect(try folder.waitingWallets(of: now) == WaitingWallets(here: 2))
  }

  @Test
  func `A wallet is known as added under a new key, too`() throws {
    let node = try SilentComputer(scene)
    try add("w1", on: node)
    var open = try scene.unlock("a")
    try open.add(.of("other"))
    try open.retire(node.writer.signingKey)
    let again = try SilentComputer(scene)
    #expect(again.writer.signingKey != node.writer.signingKey)
    let record = RecordID(walletID: "w1")
    #expect(throws: BackupFolderError.silentWriter(.walletAdded(record))) {
      try add("w1", on: again)
    }
    // Without its CSPP file it is told, until that is accepted.
    let folder = try scene.open(again.computer)
    #expect(try folder.waitingWallets(of: again.writer) == WaitingWallets())
    let view = try scene.namespacePath + "/wallets/" + FolderLayout.walletFile(record)
    try FileManager.default.removeItem(atPath: view)
    #expect(try folder.waitingWallets(of: again.writer) == WaitingWallets(before: 1))
    let namespace = try folder.namespace()
    try namespace.accept(namespace.acceptance())
    #expect(try folder.waitingWallets(of: again.writer) == WaitingWallets())
  }

  @Test
  func `An authorisation counts by its bytes, also as a conflict copy`() throws {
    let node = try SilentComputer(scene)
    let folder = try scene.open(node.computer)
    let writer = try #require(try folder.localSilentWriters().last)
    let authorised = try #require(writer.authorised)
    let chain = try scene.namespacePath + "/keybackup/log/\(authorised.writerID)/"
    let name = FolderLayout.operationFile(counter: authorised.counter, digest: authorised.digest)
    let whole = try Data(contentsOf: URL(fileURLWithPath: chain + name))
    #expect(try folder.holdsAuthorisation(of: writer))
    for damaged in [Data(), whole.prefix(100), Data("xx".utf8)] {
      try damaged.write(to: URL(fileURLWithPath: chain + name))
      #expect(try !folder.holdsAuthorisation(of: writer))
    }
    let copy = chain + name.dropLast(".json".count) + " (conflicted copy).json"
    try whole.write(to: URL(fileURLWithPath: copy))
    #expect(try folder.holdsAuthorisation(of: writer))
    try FileManager.default.removeItem(atPath: chain + name)
    #expect(try folder.holdsAuthorisation(of: writer))
    #expect(try !scene.unlock("b").silentWriters().isEmpty)
    try FileManager.default.removeItem(atPath: copy)
    #expect(try !folder.holdsAuthorisation(of: writer))
  }

  @Test
  func `A wallet of whose operation only a conflict copy is whole is here`() throws {
    let node = try SilentComputer(scene)
    try add("w1", on: node)
    let chain = try node.chain
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: chain).first)
    try add("w2", on: node)
    let path = "\(chain)/\(name)"
    let copy = "\(chain)/\(name.dropLast(".json".count)) (conflicted copy).json"
    try FileManager.default.moveItem(atPath: path, toPath: copy)
    let folder = try scene.open(node.computer)
    let record = RecordID(walletID: "w1")
    for damage in [nil, "", "xx"] {
      if let damage { try Data(damage.utf8).write(to: URL(fileURLWithPath: path)) }
      #expect(throws: BackupFolderError.silentWriter(.walletAdded(record))) {
        try add("w1", on: node)
      }
      let writer = try #require(try folder.localSilentWriters().last)
      #expect(try folder.waitingWallets(of: writer) == WaitingWallets(here: 2))
    }
  }

  @Test
  func `It is noticed each time that a computer was set back, at most once a day`() throws {
    let node = try SilentComputer(scene)
    var time: UInt64 = 1_700_000_000
    func write(_ text: String) throws -> AddedVersion {
      let (now, base) = (time, scene.base)
      let settings = BackupFolder.Settings(
        stateFolder: base + "/state-node", writerLabel: "node", clock: { now })
      return try BackupFolder.open(path: scene.folder, settings: settings)
        .addSilently(.of(text), name: .of("channel.backup"), as: node.writer)
    }
    #expect(try write("one").isNew)
    try node.withClonedState { _ = try write("two") }
    #expect(try write("one").isNew)
    try node.withClonedState { _ = try write("three") }
    time += 3600
    #expect(try !write("one").isNew)
    time += 86_400
    #expect(try write("one").isNew)
    #expect(try !write("one").isNew)
    #expect(try scene.unlock("b").live().contains("one"))
  }

  @Test
  func `Versions that are not in the folder are named`() throws {
    var node = try SilentComputer(scene)
    try node.add(.large("first "), "large")
    let lost = try node.write("second", "small")
    try node.write("third", "last")
    let missing = { [scene] in
      let folder = try scene.open("node")
      let writer = try #require(try folder.localSilentWriters().last)
      return try folder.filesWithoutLastVersion(of: writer).map(\.text)
    }
    #expect(try missing() == [])
    let namespace = try scene.namespacePath
    let objects = namespace + "/keybackup/objects"
    let object = try #require(try FileManager.default.contentsOfDirectory(atPath: objects).first)
    try FileManager.default.moveItem(
      atPath: "\(objects)/\(object)", toPath: scene.base + "/object")
    try FileManager.default.removeItem(
      atPath: "\(node.chain)/"
        + FolderLayout.operationFile(counter: lost.counter, digest: lost.digest))
    #expect(try missing() == ["large", "small"])
    // Also of the last change.
    try node.add(.large("last "), "last")
    for name in try FileManager.default.contentsOfDirectory(atPath: objects) {
      try FileManager.default.removeItem(atPath: "\(objects)/\(name)")
    }
    #expect(try missing() == ["large", "last", "small"])
    try node.write("again", "last")
    try FileManager.default.moveItem(
      atPath: scene.base + "/object", toPath: "\(objects)/\(object)")
    #expect(try missing() == ["small"])
    try node.write("second", "small")
    #expect(try missing() == [])
    // What it wrote before it was authorised again is not looked for in the new namespace.
    let new = try files.rotate(despiteGaps: true).namespace.id
    var open = try files.open(new, "a")
    try node.authoriseAgain(&open)
    #expect(try missing() == [])
    #expect(try node.add(.of("second"), "small").isNew)
    #expect(try missing() == [])
  }

  @Test
  func `A file that another run has named meanwhile is refused before anything is written`() throws
  {
    let node = try SilentComputer(scene)
    try node.write("one")
    var seen: [FileID?] = []
    for name in ["channel.backup", "new"] {
      #expect(throws: BackupFolderError.interrupted) {
        try scene.open("node").addSilently(.of("two"), name: .of(name), as: node.writer) {
          (file) throws(BackupFolderError) in
          seen.append(file)
          throw .interrupted
        }
      }
    }
    let open = try scene.unlock("b")
    #expect(seen == [try open.file().id, nil])
    #expect(try open.files().count == 1)
    #expect(try open.history() == ["one live"])
  }
}

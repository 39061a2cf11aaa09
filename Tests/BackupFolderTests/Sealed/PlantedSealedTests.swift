import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("Sealed files that others put into the folder")
struct PlantedSealedTests {
  private let scene: Scene
  private let node: SilentComputer

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    node = try SilentComputer(scene)
    try node.write("one")
    try node.write("two")
    try node.write("three")
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: node.chain).sorted() }
  }

  private func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: node.chain + "/" + name))
  }

  private func write(_ data: Data, _ path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: path))
  }

  @Test
  func `A copy in another spelling is shown, and changes nothing`() throws {
    let copy = try data(names[1]) + Data("\n".utf8)
    let digest = Digest(of: Array(copy).span)
    try write(copy, node.chain + "/" + FolderLayout.operationFile(counter: 2, digest: digest))
    let open = try scene.unlock("a")
    #expect(try open.live() == ["three"] && open.silentWriters()[0].operations == 3)
    #expect(open.sealedFindings.map(\.state) == [.foreign])
    #expect(open.sealedFindings[0].reason.contains("another spelling"))
    #expect(!open.silentWriters()[0].hasGap)
  }

  @Test(arguments: ["\n", " "])
  func `An operation that somebody added a character to is damage, in its own place`(
    _ more: String
  ) throws {
    let path = try node.chain + "/" + names[2]
    let whole = try data(names[2])
    try write(whole + Data(more.utf8), path)
    var open = try scene.unlock("a")
    #expect(try open.live() == ["two"])
    #expect(open.sealedFindings.map(\.state) == [.unreadable])
    #expect(open.sealedFindings[0].reason.contains("changed since"))
    // Beside the operation under another name it changes nothing.
    try write(whole, node.chain + "/" + "copy.json")
    open = try scene.unlock("a")
    #expect(try open.live() == ["three"])
    #expect(!open.sealedFindings.contains { $0.reason.contains("changed since") })
  }

  @Test
  func `A changed signature, box or header is not believed`() throws {
    let whole = String(decoding: try data(names[2]), as: UTF8.self)
    for field in ["protected", "box", "signature"] {
      let start = try #require(whole.range(of: "\"\(field)\":\"")).upperBound
      var changed = Array(whole.utf8)
      let place = whole.utf8.distance(from: whole.startIndex, to: start) + 40
      changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let file = FolderLayout.operationFile(counter: 9, digest: Digest(of: changed.span))
      try write(Data(changed), node.chain + "/" + file)
      let open = try scene.unlock("a")
      #expect(try open.live() == ["three"] && open.silentWriters()[0].operations == 3)
      #expect(open.sealedFindings.count == 1, "\(field)")
      try FileManager.default.removeItem(atPath: node.chain + "/" + file)
    }
  }

  @Test
  func `A computer that nobody authorised has no effect, and is shown`() throws {
    let stranger = try scene.open("stranger").requestSilentWriting(label: .of("stranger"))
    let id = try #require(node.writer.namespaceID)
    let signer = SigningPair.random()
    for writer in [stranger.writerID, node.writer.writerID] {
      let header = try OperationHeader(
        namespaceID: id, writerID: writer, counter: 1, previous: nil)
      var builder = SealedOperationBuilder(
        header: header, at: 1,
        after: CSPP.Operation.Seen(
          writerID: writer, counter: 1, digest: Digest(words: [1, 2, 3, 4])))
      try builder.filePut(.random(), name: .of("planted"), version: .small("x"), replaces: [])
      let sealed = try builder.seal(
        inbox: X25519Key(of: .random(count: 32)), writerSecret: .random(count: 32), signer: signer)
      let bytes = unsafe sealed.file.withUnsafeBytes { unsafe Data($0) }
      try write(
        bytes, "\(scene.namespacePath)/keybackup/sealed/\(writer)/\(sealed.fileName)")
    }
    let open = try scene.unlock("a")
    #expect(try open.files().count == 1 && open.live() == ["three"])
    #expect(Set(open.sealedFindings.map(\.state)) == [.incomplete, .unreadable])
    #expect(open.silentWriters().count == 1 && open.silentWriters()[0].operations == 3)
    // Nobody waits for what anybody can put there.
    #expect(open.health.incomplete == 0 && open.health.rolledBack == 0)
  }

  @Test
  func `Empty and cut-off files and placeholders are awaited, not damaged`() throws {
    let name = try names[2]
    let whole = try data(name)
    for (left, file) in [
      (Data(), name), (whole.prefix(900), name), (Data(repeating: 0, count: 5000), name),
      (Data(), ".\(name).icloud"),
    ] {
      try FileManager.default.removeItem(atPath: node.chain + "/" + names[2])
      try write(left, node.chain + "/" + file)
      let open = try scene.unlock("b")
      #expect(try open.live() == ["two"], "\(left.count) \(file)")
      #expect(open.sealedFindings.map(\.state) == [.incomplete])
      #expect(open.silentWriters()[0].incomplete == 1)
      try? FileManager.default.removeItem(atPath: node.chain + "/" + file)
      try write(whole, node.chain + "/" + name)
    }
    #expect(try scene.unlock("b").live() == ["three"])
  }

  @Test
  func `A damaged file is damage, and not called rolled back`() throws {
    _ = try scene.unlock("a")
    let name = try names[2]
    let whole = try data(name)
    try write(Data("{\"format\":\"something\"}".utf8), node.chain + "/" + name)
    let open = try scene.unlock("a")
    #expect(try open.live() == ["two"] && open.health.rolledBack == 0)
    #expect(open.sealedFindings.map(\.state) == [.unreadable])
    try write(whole, node.chain + "/" + name)
    #expect(try scene.unlock("a").live() == ["three"])
  }

  @Test
  func `A file under another name counts all the same`() throws {
    let name = try names[2]
    try FileManager.default.moveItem(
      atPath: node.chain + "/" + name, toPath: node.chain + "/00000003 (1).json")
    let other = "\(try scene.namespacePath)/keybackup/sealed/elsewhere"
    try write(try data(names[1]), other + "/x.json")
    let open = try scene.unlock("b")
    #expect(try open.live() == ["three"] && open.file().versions.count == 3)
  }

  @Test
  func `What was here before and is gone is told, and can be accepted`() throws {
    _ = try scene.unlock("a")
    let middle = try names[1]
    let kept = try data(middle)
    try FileManager.default.removeItem(atPath: node.chain + "/" + middle)
    var open = try scene.unlock("a")
    #expect(open.health.rolledBack == 1 && open.silentWriters()[0].missing == 1)
    #expect(open.silentWriters()[0].hasGap)
    // A gap keeps nobody from reading and adding, but from decisions. What the missing version
    // replaced shows again.
    #expect(try open.live() == ["one", "three"])
    let file = try open.file().id
    #expect(throws: BackupFolderError.file(.historyIncomplete)) { try open.removeFile(file) }
    #expect(throws: BackupFolderError.file(.historyIncomplete)) {
      try open.retire(node.writer.signingKey)
    }
    try node.write("four")
    // A computer that never saw it misses it too: the next one names it.
    let other = try scene.unlock("b")
    #expect(other.silentWriters()[0].hasGap && other.health.rolledBack == 0)
    let namespace = try scene.open("a").namespace()
    let acceptance = try namespace.acceptance()
    #expect(acceptance.isNeeded && acceptance.health.rolledBack == 1)
    try namespace.accept(acceptance)
    #expect(try scene.unlock("a").health.rolledBack == 0)
    try write(kept, node.chain + "/" + middle)
    open = try scene.unlock("a")
    try open.removeFile(file)
    #expect(try open.file().isRemoved && open.file().versions.count == 4)
  }

  @Test
  func `With the key, an operation names the pieces of chains that it knew`() throws {
    try FileManager.default.removeItem(atPath: node.chain + "/" + names[0])
    var open = try scene.unlock("b")
    try open.retire(node.writer.signingKey, despiteGaps: true)
    let pieces = try #require(open.log.files.retirements.first?.pieces)
    #expect(pieces.count == 1 && pieces[0].first == 2 && pieces[0].end.counter == 3)
    // What it could not know is held back: here a version, that arrives late.
    #expect(open.silentWriters()[0].heldBack == 0)
    let state = try Data(contentsOf: URL(fileURLWithPath: node.statePath))
    try node.write("four")
    open = try scene.unlock("b")
    #expect(open.silentWriters()[0].heldBack == 1)
    try state.write(to: URL(fileURLWithPath: node.statePath))
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Versions of wallets that were replaced or removed, and bringing them back.
struct PastVersionTests {
  private let record = RecordID(walletID: "w1")

  /// The IDs of the versions that count, by their words.
  private func present(_ open: inout OpenNamespace) throws -> [String: VersionID] {
    var found: [String: VersionID] = [:]
    _ = try open.forEachWallet { version, bytes in
      if let secret = try version.entry.secret(in: bytes) { found[secret.text] = version.id }
    }
    return found
  }

  private func expectRefusal(
    _ open: inout OpenNamespace, _ version: VersionID, orPast: Bool = true,
    at: SourceLocation = #_sourceLocation
  ) {
    do throws(BackupFolderError) {
      _ = try open.keep(version, of: record, orPast: orPast)
      Issue.record("it was kept", sourceLocation: at)
    } catch {
      #expect(error == .noSuchVersion(record), sourceLocation: at)
    }
  }

  @Test
  func `Replaced and removed versions are kept, with their computers and times`() throws {
    let scene = try Scene()
    _ = try scene.create("a")
    var a = try scene.unlock("a", at: 1_700_000_100)
    try a.add(.of("w1"))
    let first = try present(&a)["abandon about"]
    try a.add(.of("w2"))
    var b = try scene.unlock("b", at: 1_700_000_200)
    try b.add(.of("w1", words: "zoo zoo"))
    var c = try scene.unlock("c", at: 1_700_000_300)
    try c.remove([RecordID(walletID: "w2")])
    try c.add(.of("w3"))
    var reader = try scene.unlock("d")
    let past = try reader.past()
    #expect(
      past.lines == [
        "w1 abandon about replaced a 1700000100", "w2 abandon about removed a 1700000100",
      ])
    #expect(past.findings == [])
    // As they were named while they counted.
    #expect(first != nil && past.ids["w1"] == first)
    #expect(try reader.past(of: record).lines == [past.lines[0]])
    #expect(try reader.past(of: RecordID(walletID: "w3")).lines == [])
    // A namespace that is opened for writing reads its logs for it.
    let namespace = try scene.open("e").namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    var writer = try namespace.open(slot.unwrap(secret: scene.secret()), for: .writing)
    #expect(try writer.past().lines == past.lines)
  }

  @Test
  func `A replaced version counts again on every computer, with exactly its bytes`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let first = try #require(try present(&a)["abandon about"])
    try a.add(.of("w1", words: "zoo zoo"))
    let second = try #require(try present(&a)["zoo zoo"])
    var b = try scene.unlock("b")
    // Only when it is asked for.
    expectRefusal(&b, first, orPast: false)
    #expect(try b.keep(first, of: record, orPast: true))
    #expect(b.viewProblem == nil)
    for computer in ["a", "b", "c"] {
      var any = try scene.unlock(computer)
      #expect(try any.restored().lines == ["w1 abandon about current"])
      #expect(try present(&any) == ["abandon about": first])
      #expect(try any.past().lines == ["w1 zoo zoo replaced a 1700000000"])
      #expect(try any.past().ids == ["w1": second])
      #expect(any.health.forked + any.health.rolledBack + any.health.incomplete == 0)
    }
    // The log gets nothing for what counts already.
    let before = try Scene.contents(scene.folder)
    #expect(try !b.keep(first, of: record, orPast: true))
    #expect(try Scene.contents(scene.folder) == before)
    // Back and forth.
    #expect(try b.keep(second, of: record, orPast: true))
    #expect(try b.restored().lines == ["w1 zoo zoo current"])
    // The one that counted is the removed one, although it was replaced before.
    try b.remove([record])
    #expect(
      try b.past().lines == [
        "w1 abandon about replaced a 1700000000", "w1 zoo zoo removed a 1700000000",
      ])
  }

  /// Nothing covers what stands behind a gap of the computer's own chain.
  ///
  /// So the computer begins another one.
  @Test(arguments: [true, false])
  func `With a gap in the own log a removal removes, and a choice counts alone`(removes: Bool)
    throws
  {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let first = try #require(try present(&a)["abandon about"])
    try a.add(.of("w2"))
    try a.add(.of("w1", words: "zoo zoo"))
    let writer = try #require(a.localState.writer)
    let log = URL(fileURLWithPath: try scene.viewPath("w1")).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: FolderLayout.ownFolder)
      .appending(path: FolderLayout.logFolder).appending(path: writer.hex)
    let files = try FileManager.default.contentsOfDirectory(atPath: log.path).sorted()
    let gap = log.appending(path: files[files.count - 2])
    let bytes = try Data(contentsOf: gap)
    try FileManager.default.removeItem(at: gap)
    a = try scene.unlock("a")
    let left: String?
    if removes {
      try a.remove([record])
      left = nil
    } else {
      #expect(try a.keep(first, of: record, orPast: true))
      left = "abandon about"
    }
    for computer in ["a", "b"] {
      var any = try scene.unlock(computer)
      #expect(try any.restored().words["w1"] == left)
    }
    try bytes.write(to: gap)
    for computer in ["a", "b"] {
      var any = try scene.unlock(computer)
      #expect(try any.restored().words["w1"] == left)
      #expect(try any.restored().words["w2"] == "abandon about")
      #expect(any.health.forked + any.health.rolledBack + any.health.incomplete == 0)
      #expect(any.keptAgainstRemoval == [])
    }
  }

  @Test
  func `A removed wallet is back with its CSPP file`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2"))
    let path = try scene.viewPath("w1")
    try a.remove([record])
    #expect(!FileManager.default.fileExists(atPath: path))
    let version = try #require(try a.past().ids["w1"])
    var b = try scene.unlock("b")
    #expect(try b.keep(version, of: record, orPast: true))
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(b.keptAgainstRemoval == [])
    var c = try scene.unlock("c")
    #expect(
      try c.restored().lines == ["w1 abandon about current", "w2 abandon about current"])
    #expect(try c.past().lines == [])
    // And gone again.
    try c.remove([record])
    #expect(try c.restored().lines == ["w2 abandon about current"])
    #expect(try c.past().ids == ["w1": version])
    expectRefusal(&c, try #require(try present(&c)["abandon about"]))
  }

  @Test
  func `Versions in conflict count, and the one that was not kept can be brought back`() throws {
    let scene = try Scene.conflicted()
    var c = try scene.unlock("c")
    #expect(try c.past().lines == ["w1 abandon about replaced a 1700000000"])
    let found = try present(&c)
    #expect(try c.keep(#require(found["zoo zoo"]), of: record, orPast: true))
    #expect(
      try c.past().lines == [
        "w1 abandon about replaced a 1700000000", "w1 wrong wrong replaced b 1700000000",
      ])
    #expect(try c.keep(#require(found["wrong wrong"]), of: record, orPast: true))
    var d = try scene.unlock("d")
    #expect(try d.restored().lines == ["w1 wrong wrong current"])
  }

  @Test
  func `A wallet that was added again has its former version, also with the same words`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let first = try #require(try present(&a)["abandon about"])
    try a.remove([record])
    try a.add(.of("w1"))
    let second = try #require(try present(&a)["abandon about"])
    #expect(first != second)
    #expect(try a.past().lines == ["w1 abandon about replaced a 1700000000"])
    #expect(try a.past().ids == ["w1": first])
  }

  @Test
  func `A version that was replaced and removed at the same time was replaced`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try scene.apart("b") { b in
      try b.add(.of("w1", words: "zoo zoo"))
    } meanwhile: {
      try a.remove([record])
    }
    var c = try scene.unlock("c")
    #expect(try c.restored().lines == ["w1 zoo zoo current"])
    #expect(try c.past().lines == ["w1 abandon about replaced a 1700000000"])
  }

  @Test
  func `Another program's version is kept once a version took its place`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try scene.overwrite("w1", Entry.text("w1", "foreign words"), a.masterKey)
    // It counts beside the logged one, which is no past version.
    #expect(try a.past().lines == [])
    try a.add(.of("w1", words: "zoo zoo"))
    #expect(
      try a.past().lines == [
        "w1 abandon about replaced a 1700000000", "w1 foreign words replaced a 1700000000",
      ])
  }

  /// Somebody who can write to the folder has no master key of it.
  @Test
  func `A planted operation has no version, and a damaged one has none any more`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    try a.add(.of("w1", words: "zoo zoo"))
    let honest = try a.past().lines
    let log = try scene.namespacePath + "/keybackup/log/"
    let other = MasterKey.random()
    let header = try OperationHeader(
      namespaceID: other.namespaceID, writerID: .random(), counter: 1, previous: nil)
    var planted = OperationBuilder(at: 1, writerLabel: "a", seen: a.log.index.tips())
    planted.put(record, entry: Entry.bytes("w1", "planted words"))
    planted.remove(RecordID(walletID: "w1"))
    let sealed = try planted.seal(header: header, masterKey: other, limit: 1 << 20)
    // Under a header that says that it is of this namespace.
    let text = String(decoding: sealed.file.data, as: UTF8.self)
    let parts = text.components(separatedBy: #""protected":""#)
    let spelled = try #require(parts.last?.prefix { $0 != "\"" })
    let padding = String(repeating: "=", count: (4 - spelled.count % 4) % 4)
    let plain = try #require(Data(base64Encoded: spelled + padding))
    let claim = String(decoding: plain, as: UTF8.self)
      .replacingOccurrences(of: other.namespaceID.hex, with: a.id.hex)
    // Both IDs are of one length, so the padding is.
    let changed = Data(claim.utf8).base64EncodedString().dropLast(padding.count)
    let file = Array(text.replacingOccurrences(of: spelled, with: changed).utf8)
    let parsed = try OperationFile(parsing: file.span, at: a.id)
    try FileManager.default.createDirectory(
      atPath: log + header.writerID.hex, withIntermediateDirectories: false)
    let path = "\(log)\(header.writerID)/\(parsed.fileName)"
    try Data(file).write(to: URL(fileURLWithPath: path))
    var b = try scene.unlock("b")
    #expect(try b.past().lines == honest)
    #expect(try b.restored().lines == ["w1 zoo zoo current"])
    #expect(b.logFindings.map(\.state) == [.unreadable])
    let entry = Array(Entry.text("w1", "planted words").utf8)
    expectRefusal(&b, VersionID(digest: Digest(of: entry.span)))

    // The operations are damaged after they were read.
    let files = try FileManager.default.subpathsOfDirectory(atPath: log).filter {
      $0.contains("/")
    }.map { log + $0 }
    var reader = try scene.unlock("c")
    for file in files where file != path {
      try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
    }
    let gone = try reader.past()
    #expect(gone.lines == [] && gone.findings.map(\.state) == [.incomplete])
    #expect(gone.findings.map(\.recordID) == [record])
  }

  /// A computer with the key may write anything, also another wallet's entry.
  @Test
  func `Bytes that are another wallet's entry are reported and are no version`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w2"))
    let run = try WritingRun.begin(a.namespace.state(make: true))
    try a.publish(at: 1, run: run) { operation in
      operation.put(record, entry: Entry.bytes("w2", "wrong wallet"))
    }
    _ = consume run
    var b = try scene.unlock("b")
    try b.add(.of("w1"))
    let past = try b.past()
    #expect(past.lines == [])
    #expect(past.findings.map(\.state) == [.unreadable])
    #expect(past.findings.map(\.recordID) == [record])
  }

  // MARK: Computers without the key

  @Test
  func `What a computer adds without the key is a version once it counted or was decided against`()
    throws
  {
    let scene = try Scene(inMemory: true)
    var open = try scene.create("a")
    let node = try SilentComputer(scene)
    func add(_ wallet: String, _ words: String) throws {
      _ = try scene.open("node").addSilently(.of(wallet, words: words), as: node.writer)
    }
    open = try scene.unlock("a")
    try open.add(.of("w1"))
    // A proposal that a person passed over never counted, and can be brought back all the same.
    try add("w1", "zoo zoo")
    open = try scene.unlock("a")
    let proposal = try #require(try present(&open)["zoo zoo"])
    #expect(try open.past().lines == [])
    try open.add(.of("w1", words: "legal winner"))
    open = try scene.unlock("b")
    #expect(try open.restored().lines == ["w1 legal winner current"])
    #expect(
      try open.past().lines == [
        "w1 abandon about replaced a 1700000000", "w1 zoo zoo replaced a 1700000000",
      ])
    #expect(try open.keep(proposal, of: record, orPast: true))
    #expect(try open.restored().lines == ["w1 zoo zoo current"])
    // A new wallet counts. Its removal keeps it.
    try add("w2", "zoo zoo")
    open = try scene.unlock("a")
    try open.remove([RecordID(walletID: "w2")])
    #expect(try open.past(of: RecordID(walletID: "w2")).lines.count == 1)
    // What a retired computer writes is held back.
    try open.retire(node.writer.signingKey)
    try add("w3", "zoo zoo")
    open = try scene.unlock("b")
    #expect(try open.past(of: RecordID(walletID: "w3")).lines == [])
  }

  // MARK: Rotation

  @Test
  func `The history stays in the old namespace when the master key is rotated`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1", "w2"))
    try open.add(.of("w1", words: "zoo zoo"))
    try open.remove([RecordID(walletID: "w2")])
    let before = try open.past()
    #expect(before.lines.count == 2)
    let old = open.id
    var rotation = try keys.rotate(.blue, as: .newBlue)
    #expect(try rotation.namespace.restored().lines == ["w1 zoo zoo current"])
    #expect(try rotation.namespace.past().lines == [])
    let version = try #require(before.ids["w1"])
    do throws(BackupFolderError) {
      _ = try rotation.namespace.keep(version, of: record, orPast: true)
      Issue.record("a version was kept that only the old namespace has")
    } catch {
      #expect(error == .noSuchVersion(record))
    }
    var earlier = try keys.unlock(.blue, at: old, "b")
    #expect(try earlier.past().lines == before.lines)
    // What is replaced from now on is kept here.
    try rotation.namespace.add(.of("w1", words: "legal winner"))
    #expect(try rotation.namespace.past().lines.map { $0.prefix(10) } == ["w1 zoo zoo"])
  }
}

/// The past versions of a namespace.
private struct Past {
  var lines: [String] = []
  /// The last version of each wallet's lines.
  var ids: [String: VersionID] = [:]
  var findings: [FileFinding] = []
}

extension OpenNamespace {
  fileprivate mutating func past(of record: RecordID? = nil) throws -> Past {
    var past = Past()
    past.findings = try forEachPastVersion(of: record) { version, bytes in
      #expect(version.id == VersionID(digest: bytes.withBytes { Digest(of: $0) }))
      var words = "none"
      if let secret = try version.entry.secret(in: bytes) { words = secret.text }
      let origin = version.origin
      past.lines.append(
        "\(version.entry.walletID) \(words) \(version.ending) \(origin.label) \(origin.at)")
      past.ids[version.entry.walletID] = version.id
    }
    past.lines.sort()
    return past
  }

  /// Publishes an operation that has seen all others.
  fileprivate mutating func publish(
    at time: UInt64, run: borrowing WritingRun, _ changes: (inout OperationBuilder) -> Void
  ) throws {
    try publish(stage(at: time, run: run, changes), run: run)
  }
}

extension Entry {
  fileprivate static func bytes(_ wallet: String, _ words: String) -> SecretBytes {
    let text = Array(text(wallet, words).utf8)
    return unsafe SecretBytes(copying: text.span.bytes)
  }
}

extension SecretBytes {
  fileprivate var data: Data {
    withBytes { span in unsafe span.withUnsafeBytes { unsafe Data($0) } }
  }
}

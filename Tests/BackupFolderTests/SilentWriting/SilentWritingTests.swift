import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

@Suite("A computer writes without the key")
struct SilentWritingTests {
  private let scene: Scene

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
  }

  @Test
  func `What it writes is read back with the key, and replaces what it wrote before`() throws {
    let node = try SilentComputer(scene)
    try node.write("one channel")
    try node.write("two channels")
    let open = try scene.unlock("a")
    #expect(try open.live() == ["two channels"])
    let file = try open.file()
    #expect(file.versions.map(\.standing) == [.live, .replaced])
    #expect(try open.text(file.versions[1]) == "one channel")
    #expect(!file.isConflicted && !file.isRemoved && file.versions[0].label?.text == "node")
    #expect(file.versions[0].mode == 0o600 && file.versions[0].modified == 1_600_000_000)
    #expect(file.versions[0].by == node.writer.signingKey && file.versions[0].object == .inline)
    let status = try #require(open.silentWriters().first)
    #expect(status.operations == 2 && status.heldBack == 0 && !status.hasGap && !status.isRetired)
    #expect(status.writer.label.text == "node" && status.newest == 1_700_000_000)
    #expect(open.sealedFindings.isEmpty && open.logFindings.isEmpty && !open.hasUnknownChanges)
  }

  @Test
  func `Contents of any size come back, and unchanged ones make no version`() throws {
    let node = try SilentComputer(scene)
    let sizes = [0, 1, 2048, 2049, 65_536, 65_537, 300_000]
    for size in sizes {
      guard case .added(_, _, UInt64(size)) = try node.add(.large("x\(size) ", size: size)) else {
        Issue.record("\(size) is not new")
        return
      }
      guard case .unchanged = try node.add(.large("x\(size) ", size: size)) else {
        Issue.record("\(size) is new again")
        return
      }
    }
    let open = try scene.unlock("b")
    let versions = try open.file().versions
    #expect(versions.map(\.size).sorted() == sizes.map { UInt64($0) })
    for version in versions {
      #expect(version.object == (version.size > 2048 ? .here : .inline))
      #expect(try open.text(version).utf8.count == Int(version.size))
    }
    let objects = try FileManager.default.contentsOfDirectory(
      atPath: scene.namespacePath + "/keybackup/objects")
    #expect(objects.count == sizes.count { $0 > 2048 })
  }

  @Test
  func `A file is taken from its descriptor, and its time and mode with it`() throws {
    let node = try SilentComputer(scene)
    let path = scene.base + "/hsm_secret"
    try Data(repeating: 7, count: 70_000).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o440, .modificationDate: Date(timeIntervalSince1970: 1_500_000_000)],
      ofItemAtPath: path)
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    _ = try node.add(FileContents(descriptor: file), "hsm_secret")
    let version = try #require(try scene.unlock("a").file("hsm_secret").versions.first)
    #expect(version.mode == 0o440 && version.modified == 1_500_000_000 && version.size == 70_000)
    let folder = unsafe open(scene.base, O_RDONLY)
    defer { close(folder) }
    #expect(throws: BackupFolderError.notRegular(path: "the file")) {
      _ = try FileContents(descriptor: folder)
    }
  }

  @Test
  func `No secret in the state of the computer opens what it wrote`() throws {
    let node = try SilentComputer(scene)
    try node.write("one channel")
    _ = try node.add(.large("many channels "))
    let state = try String(contentsOfFile: node.statePath, encoding: .utf8)
    #expect(state.hasPrefix("keybackup-silent-writer 1\n") && state.hasSuffix("\nend\n"))
    #expect(!state.contains("channels") && !state.contains("answer "))
    let attributes = try FileManager.default.attributesOfItem(atPath: node.statePath)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    for line in state.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, words[1].utf8.count == 64, let bytes = Hex.decoded(String(words[1]))
      else { continue }
      let key = try MasterKey(scene.secret(bytes))
      #expect(try key.namespaceID != scene.open().namespaces().first, "\(words[0])")
    }
  }

  @Test
  func `What is no longer in the folder is written again`() throws {
    let node = try SilentComputer(scene)
    let first = try node.write("one", "a")
    try node.write("two", "b")
    _ = try node.add(.large("three "), "c")
    // An old copy of the folder: the first two versions and the object are gone.
    let files = FileManager.default
    let sealed = try #require(
      try files.contentsOfDirectory(atPath: node.chain).first { $0.hasPrefix("00000001-") })
    try files.removeItem(atPath: node.chain + "/" + sealed)
    try files.removeItem(atPath: scene.namespacePath + "/keybackup/objects")
    guard case .added(_, let again, _) = try node.add(.of("one"), "a") else {
      Issue.record("the version that is gone counts as unchanged")
      return
    }
    #expect(again.counter == 4 && again.digest != first.digest)
    for _ in 0..<2 { try node.add(.of("two"), "b") }
    guard case .added = try node.add(.large("three "), "c") else {
      Issue.record("the version whose object is gone counts as unchanged")
      return
    }
    #expect(try files.contentsOfDirectory(atPath: node.chain).count == 4)
    let open = try scene.unlock("b")
    #expect(try open.live("a") == ["one"] && open.live("b") == ["two"])
    #expect(try open.file("c").live.map(\.object) == [.here])
  }

  @Test
  func `An emptied operation file is written again`() throws {
    let node = try SilentComputer(scene)
    try node.write("one", "a")
    try node.write("two", "b")
    let sealed = try #require(
      try FileManager.default.contentsOfDirectory(atPath: node.chain)
        .first { $0.hasPrefix("00000001-") })
    try Data().write(to: URL(fileURLWithPath: node.chain + "/" + sealed))
    guard case .added = try node.add(.of("one"), "a") else {
      Issue.record("a version in an emptied file counts as unchanged")
      return
    }
    #expect(try scene.unlock("b").live("a") == ["one"])
  }

  @Test
  func `A folder with the name of a temporary file stops nobody`() throws {
    let node = try SilentComputer(scene)
    try node.write("one")
    let objects = try scene.namespacePath + "/keybackup/objects"
    _ = try node.add(.large("three "), "c")
    let tag = try SilentRun.begin(scene.open(node.computer)).tag
    for folder in [try node.chain, objects] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(AtomicFile.temporaryPrefix)\(tag)-planted",
        withIntermediateDirectories: false)
    }
    guard case .added = try node.add(.of("two")), case .added = try node.add(.large("four "), "c")
    else {
      Issue.record("nothing was written")
      return
    }
    #expect(try scene.unlock("b").live() == ["two"])
  }

  @Test
  func `A folder with the name of the last operation is not taken for it`() throws {
    let node = try SilentComputer(scene)
    try node.write("one")
    let sealed = try #require(
      try FileManager.default.contentsOfDirectory(atPath: node.chain).first)
    let path = try node.chain + "/" + sealed
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: BackupFolderError.notRegular(path: path)) { try node.write("two") }
    try FileManager.default.removeItem(atPath: path)
    try node.write("two")
    #expect(try scene.unlock("b").file().versions.map(\.standing) == [.live, .replaced])
  }

  @Test
  func `A state that is damaged is never written over`() throws {
    let node = try SilentComputer(scene)
    try node.write("one channel")
    let path = try node.statePath
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for damaged in [Data(), whole.dropLast(5), whole + Data("more\n".utf8), Data("x\n".utf8)] {
      try damaged.write(to: URL(fileURLWithPath: path))
      #expect(throws: BackupFolderError.memoryUnusable(path: path, isNewer: false)) {
        try node.write("two channels")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    }
    let newer = String(decoding: whole, as: UTF8.self).replacing("writer 1\n", with: "writer 2\n")
    try Data(newer.utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: BackupFolderError.memoryUnusable(path: path, isNewer: true)) {
      try node.write("two channels")
    }
    try whole.write(to: URL(fileURLWithPath: path))
    try node.write("two channels")
    #expect(try scene.unlock("a").live() == ["two channels"])
  }

  @Test
  func `One computer can be both, and a request is authorised once`() throws {
    var open = try scene.unlock("a")
    let folder = try scene.open("a")
    let request = try folder.requestSilentWriting(label: .of("here"))
    #expect(throws: BackupFolderError.silentWriter(.notAccepted)) {
      _ = try folder.addSilently(
        .of("x"), name: .of("x"), as: try #require(try folder.localSilentWriters().first))
    }
    let first = try open.authorise(request, may: .filePut)
    let again = try open.authorise(request, may: [.filePut, .put])
    #expect(first.operation == again.operation)
    let writer = try folder.acceptSilentWriting(again.answer)
    #expect(writer.may == .filePut && writer.label.text == "here")
    #expect(throws: BackupFolderError.silentWriter(.noRequest)) {
      _ = try folder.acceptSilentWriting(again.answer)
    }
    _ = try folder.addSilently(.of("x"), name: .of("x"), as: writer)
    #expect(try scene.unlock("a").live("x") == ["x"])
    #expect(throws: BackupFolderError.silentWriter(.notPermitted)) {
      try folder.removeSilently(name: .of("x"), as: writer)
    }
    try folder.forgetSilentWriter(writer.writerID)
    #expect(try folder.localSilentWriters().isEmpty)
  }

  @Test
  func `A removed file can be written again, and its versions stay`() throws {
    let node = try SilentComputer(scene)
    try node.write("one channel")
    try scene.open("node").removeSilently(name: .of("channel.backup"), as: node.writer)
    var open = try scene.unlock("a")
    #expect(try open.file().isRemoved && open.history() == ["one channel removed"])
    #expect(throws: BackupFolderError.file(.noSuchFile)) {
      try scene.open("node").removeSilently(name: .of("channel.backup"), as: node.writer)
    }
    try node.write("one channel")
    open = try scene.unlock("a")
    #expect(try open.live() == ["one channel"] && open.file().versions.count == 2)
  }

  @Test
  func `Removed bytes of the folder are published again`() throws {
    let node = try SilentComputer(scene)
    let first = try node.write("one channel")
    let name = FolderLayout.operationFile(counter: first.counter, digest: first.digest)
    for left in [nil, Data(), Data("{\"format\":".utf8)] as [Data?] {
      try FileManager.default.removeItem(atPath: node.chain + "/" + name)
      if let left { try left.write(to: URL(fileURLWithPath: node.chain + "/" + name)) }
      // The same operation, which is told as saved: it is in the folder only since now.
      #expect(try node.write("one channel") == first)
      #expect(try scene.unlock("a").live() == ["one channel"])
    }
  }

  @Test
  func `A computer whose disk was put back goes on, and its branches all count`() throws {
    let node = try SilentComputer(scene)
    try node.write("one channel")
    try node.withClonedState { try node.write("two channels") }
    // The highest operation here is followed, also if it is not the remembered one.
    try node.write("three channels")
    var open = try scene.unlock("a")
    #expect(try open.live() == ["three channels", "two channels"] && open.file().isConflicted)
    #expect(open.silentWriters()[0].operations == 3 && !open.silentWriters()[0].hasGap)
    // Both branches go on from the same operation.
    let third = try node.chain
    let names = try FileManager.default.contentsOfDirectory(atPath: third).sorted()
    #expect(names.map { $0.prefix(8) } == ["00000001", "00000002", "00000003"])
    let two = try #require(try open.file().live.first { try open.text($0) == "two channels" })
    try open.choose(two)
    #expect(try open.live() == ["two channels"])
    // Its computer never conflicts with itself for ever: the person chose, it writes once more.
    try node.write("four channels")
    open = try scene.unlock("a")
    #expect(try open.live() == ["four channels", "two channels"])
    let four = try #require(try open.file().live.first { try open.text($0) == "four channels" })
    try open.choose(four)
    try node.write("five channels")
    #expect(try scene.unlock("a").live() == ["five channels"])
  }

  @Test
  func `Nothing that lies in its folder stops it`() throws {
    let node = try SilentComputer(scene)
    let first = try node.write("one channel")
    let digest = String(repeating: "ab", count: 16)
    let planted = [
      "99999999-\(digest).json": Data("{}".utf8),
      "9223372036854775807-\(digest).json": Data(repeating: 0, count: 40_000),
      "00000007-\(digest).json": try Data(
        contentsOf: URL(
          fileURLWithPath: node.chain + "/"
            + FolderLayout.operationFile(counter: 1, digest: first.digest))),
      "notes.txt": Data("hello".utf8),
    ]
    for (name, data) in planted {
      try data.write(to: URL(fileURLWithPath: node.chain + "/" + name))
    }
    try FileManager.default.createSymbolicLink(
      atPath: node.chain + "/00000008-\(digest).json", withDestinationPath: "/etc/passwd")
    let second = try node.write("two channels")
    #expect(second.counter == 2)
    #expect(try scene.unlock("a").live() == ["two channels"])
    try FileManager.default.removeItem(atPath: node.chain)
    try Data("in the way".utf8).write(to: URL(fileURLWithPath: node.chain))
    try node.write("three channels")
    #expect(try scene.unlock("b").live() == ["three channels"])
  }

  @Test
  func `A folder without the namespace is an error, and later it goes on`() throws {
    let node = try SilentComputer(scene)
    let path = try scene.namespacePath
    try FileManager.default.moveItem(atPath: path, toPath: scene.base + "/away")
    let id = try #require(node.writer.namespaceID)
    #expect(throws: BackupFolderError.silentWriter(.noNamespace(id))) {
      try node.write("one channel")
    }
    try FileManager.default.moveItem(atPath: scene.base + "/away", toPath: path)
    try node.write("one channel")
    #expect(try scene.unlock("a").live() == ["one channel"])
  }

  @Test
  func `The last versions are here with their operations and objects, or they are not`() throws {
    let scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    let node = try SilentComputer(scene)
    let names = try [PathComponent.of("large"), PathComponent.of("small")]
    func areHere(_ names: [PathComponent]) throws -> Bool {
      let folder = try scene.open("node")
      let writer = try #require(try folder.localSilentWriters().first)
      return try folder.holdsLastVersions(of: writer, names: names)
    }
    try node.add(.large("channels "), "large")
    #expect(try !areHere(names) && areHere([names[0]]))
    try node.add(.of("a few"), "small")
    #expect(try areHere(names))
    let root = try scene.namespacePath + "/keybackup/"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root).filter {
      $0.hasSuffix(".bin") || ($0.hasPrefix("sealed/") && $0.hasSuffix(".json"))
    }
    #expect(paths.count == 3)
    for path in paths {
      let file = URL(fileURLWithPath: root + path)
      let whole = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      #expect(try !areHere(names), "\(path)")
      try whole.dropLast().write(to: file)
      #expect(try !areHere(names), "\(path)")
      try whole.write(to: file)
      #expect(try areHere(names))
    }
  }
}

extension Hex {
  /// The bytes of a text, if it is hexadecimal.
  static func decoded(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    return unsafe Hex.decode(digits.span.bytes)
  }
}

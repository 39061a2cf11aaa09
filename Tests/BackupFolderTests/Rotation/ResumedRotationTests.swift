import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// A rotation with files that was interrupted, and what happened until the next one.
@Suite("Files between an interrupted rotation and the next one")
struct ResumedRotationTests {
  private let files: RotatedFiles
  private let node: SilentComputer
  private var scene: Scene { files.scene }

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  /// Kills rotations until something is in the new namespace, and returns that namespace.
  private func interrupt(
    until isThere: (NamespaceID) throws -> Bool
  ) throws -> NamespaceID {
    for point in 0..<500 {
      try #require(FileChanges.dying(at: point) { try files.rotate() })
      let left = try scene.open("a").namespaces().first { $0 != files.old }
      if let left, try isThere(left) { return left }
    }
    throw BackupFolderError.internalError("no point was found")
  }

  /// Rotates with other settings.
  private func rotate(
    _ settings: BackupFolder.Settings, progress: (RotationProgress) -> Void
  ) throws {
    let namespace = try BackupFolder.open(path: scene.folder, settings: settings).namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    var open = try namespace.open(slot.unwrap(secret: scene.secret()), by: slot.keyID)
    _ = try open.rotateMasterKey(
      to: RotatedFiles.enrolment(6), secret: scene.secret(), atHand: try #require(slot.keyID),
      progress: progress)
  }

  private func objects(_ id: NamespaceID) throws -> [String] {
    let path = files.path(id) + "/keybackup/objects"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".bin") }
  }

  @Test(arguments: [false, true])
  func `What a person chose behind a retirement goes along`(_ isCopied: Bool) throws {
    try node.write("good")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try node.write("evil", "other")
    let left = try interrupt { id in
      guard let there = try? files.open(id, "x") else { return false }
      return !there.log.files.retirements.isEmpty
    }
    open = try scene.unlock("a")
    #expect(open.log.links.successors.isEmpty)
    let held = try #require(try open.file("other").versions.first)
    #expect(held.standing == .heldBack)
    try open.choose(held)
    if isCopied { try copy("other", to: left) }
    let rotation = try files.rotate()
    let new = rotation.namespace.id
    #expect(rotation.isResumed == false)
    #expect(
      try files.open(new).counting() == ["node/channel.backup": ["good"], "node/other": ["evil"]])
    #expect(try scene.open("b").namespaces().count == 2)
  }

  /// Copies a file's live version as a resumed rotation would: behind what is there.
  private func copy(_ name: String, to left: NamespaceID) throws {
    let old = try files.open(files.old, "a")
    var next = try files.open(left, "a")
    let file = try old.file(name)
    let place = try #require(old.fileState.versions.live(file.id).first)
    let run = try WritingRun.begin(next.namespace.state(make: true))
    var operation = OperationBuilder(at: 1, writerLabel: "a", seen: [])
    _ = try old.carry(
      old.fileState.versions.versions[place], into: &operation, of: next.namespace, run: run)
    let header = try next.nextHeader()
    next.localState.writer = header.writerID
    next.localState.rotatingWriters.insert(header.writerID)
    try run.state.save(next.localState, of: left)
    let staged = try next.stage(operation, header, seen: [], versions: [], run: run)
    try next.publish(staged, run: run)
  }

  @Test
  func `What is removed while it runs does not come back`() throws {
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    let seed = try open.write("words", "seed")
    try open.write("a note", "note")
    var rounds = 0
    #expect(throws: BackupFolderError.cannotRotate(.changed)) {
      try rotate(scene.settings("a")) { _ in
        rounds += 1
        guard rounds == 2 else { return }
        // It was carried in the first round.
        do {
          var other = try files.open(files.old, "b")
          try other.removeFile(seed)
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try files.open(files.old).log.links.successors.isEmpty)
    let rotation = try files.rotate()
    #expect(rotation.isResumed == false)
    #expect(try files.open(rotation.namespace.id, "c").counting() == ["a/note": ["a note"]])
  }

  @Test
  func `What was chosen elsewhere stays beside what was copied before that was known`() throws {
    try node.write("one")
    try node.write("two")
    try scene.apart {
      var open = try scene.unlock("b")
      try open.choose(#require(open.file().versions.first { try open.text($0) == "one" }))
    } and: {
      try node.write("three")
      _ = try interrupt { id in
        guard let there = try? files.open(id, "x") else { return false }
        return there.fileState.versions.versions.contains { $0.namespace == nil }
      }
    }
    let rotation = try files.rotate()
    #expect(rotation.isResumed == false)
    let open = try files.open(rotation.namespace.id, "c")
    #expect(try open.counting() == ["node/channel.backup": ["one", "three"]])
    try files.expectSameElsewhere(open)
  }

  @Test
  func `Objects of versions that were given up since do not stop it`() throws {
    let start: UInt64 = 1_700_000_000
    let id = try node.addLarge("1 ")
    let left = try interrupt { try !objects($0).isEmpty }
    let gone = try objects(left)
    try node.addLarge("2 ")
    for day in 0...7 {
      var open = try scene.unlock("a", at: start + UInt64(day) * 24 * 3600)
      let pruned = try open.pruneFiles(keeping: 0)
      #expect(pruned.objects == (day == 7 ? 1 : 0), "day \(day)")
    }
    #expect(try Set(objects(files.old)).isDisjoint(with: gone))
    let new = try files.rotate().namespace.id
    let there = try files.open(new)
    #expect(try there.file("large").id == id)
    #expect(try there.live("large")[0].hasPrefix("2 "))
    #expect(try scene.open("b").namespaces().count == 2)
  }

  /// Whether a rotation has carried versions of files into a new namespace, with their contents.
  private func hasCarried(into id: NamespaceID) throws -> Bool {
    guard let there = try? files.open(id, "x") else { return false }
    return try !there.log.files.changes.isEmpty && !objects(id).isEmpty
  }

  @Test(arguments: ["changed", "emptied", "deleted"])
  func `The last whole copy of an object is never removed`(_ fate: String) throws {
    try node.addLarge("1111 ")
    try node.write("seed", "seed")
    let left = try interrupt(until: hasCarried)
    let name = try #require(try objects(left).first)
    let url = URL(fileURLWithPath: files.path(files.old) + "/keybackup/objects/" + name)
    var bytes = try Data(contentsOf: url)
    switch fate {
    case "changed":
      bytes[70_000] ^= 1
      try bytes.write(to: url)
    case "emptied": try Data().write(to: url)
    default: try FileManager.default.removeItem(at: url)
    }
    // Something that was carried no longer counts: the rotation begins again.
    var open = try scene.unlock("a")
    try open.removeFile(open.file("seed").id)
    let rotation = try files.rotate()
    #expect(rotation.isResumed == false && rotation.namespace.id != left)
    let new = rotation.namespace.id
    for id in [files.old, new] {
      let there = try files.open(id, "c")
      #expect(try there.live("large")[0].hasPrefix("1111"), "\(id)")
    }
    try files.delete(files.old)
    #expect(try files.open(new, "d").live("large")[0].hasPrefix("1111"))
  }

  @Test(arguments: [false, true])
  func `It can be interrupted while an object is copied or read back`(_ isRead: Bool) throws {
    try node.add(.large("1111 ", size: 1_000_000), "large")
    var settings = scene.settings("a")
    let old = files.path(files.old)
    // Whether the object has its name: then it is being read again.
    settings.watch.isInterrupted = {
      let manager = FileManager.default
      let all = (try? manager.contentsOfDirectory(atPath: old + "/..")) ?? []
      let new = all.first { !old.hasSuffix($0) } ?? ""
      let path = old + "/../" + new + "/keybackup/objects"
      let names = (try? manager.contentsOfDirectory(atPath: path)) ?? []
      return isRead ? names.contains { $0.hasSuffix(".bin") } : !names.isEmpty
    }
    #expect(throws: BackupFolderError.interrupted) { try rotate(settings) { _ in } }
    #expect(try files.open(files.old).log.links.successors.isEmpty)
    let rotation = try files.rotate()
    #expect(rotation.isResumed == true)
    #expect(try files.open(rotation.namespace.id).live("large")[0].hasPrefix("1111"))
  }

  @Test
  func `An object that nothing here names is not removed with it`() throws {
    try node.addLarge("1111 ")
    try node.write("seed", "seed")
    let left = try interrupt(until: hasCarried)
    let stray = Array("bytes of somebody".utf8)
    let path =
      files.path(left) + "/keybackup/objects/" + FolderLayout.objectFile(Digest(of: stray.span))
    try Data(stray).write(to: URL(fileURLWithPath: path))
    var open = try scene.unlock("a")
    try open.removeFile(open.file("seed").id)
    #expect(throws: BackupFolderError.cannotRotate(.onlyCopies(left))) { try files.rotate() }
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try files.open(files.old).live("large")[0].hasPrefix("1111"))
    // A person goes on without it: it stays where it is.
    let new = try files.rotate(despiteGaps: true).namespace.id
    #expect(new != left && FileManager.default.fileExists(atPath: path))
    #expect(try files.open(new).live("large")[0].hasPrefix("1111"))
  }

  @Test(arguments: ["log", "sealed"])
  func `What somebody put there keeps nobody from a rotation despite gaps`(_ kind: String) throws {
    try node.addLarge("1111 ")
    let left = try interrupt(until: hasCarried)
    let digits = String(repeating: "0a", count: 16)
    let folder = "\(files.path(left))/keybackup/\(kind)/\(digits)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/00000001-\(digits).json"
    try Data("<html>".utf8).write(to: URL(fileURLWithPath: path))
    let new = try files.rotate(despiteGaps: true).namespace.id
    #expect(FileManager.default.fileExists(atPath: path) == (new != left) || kind == "sealed")
    let open = try files.open(new, "c")
    #expect(try open.live("large")[0].hasPrefix("1111"))
  }
}

extension SilentComputer {
  /// Adds a version whose contents are an object, and returns the file.
  @discardableResult
  fileprivate func addLarge(_ text: String) throws -> FileID {
    switch try add(.large(text), "large") {
    case .added(let file, _, _), .unchanged(let file): return file
    }
  }
}

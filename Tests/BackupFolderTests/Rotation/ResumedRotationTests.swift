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

  private func objects(_ id: NamespaceID) throws -> [String] {
    let path = files.path(id) + "/keybackup/objects"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".bin") }
  }

  @Test
  func `What a person chose behind a retirement goes along`() throws {
    try node.write("good")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try node.write("evil", "other")
    _ = try interrupt { id in
      guard let there = try? files.open(id, "x") else { return false }
      return !there.log.files.retirements.isEmpty
    }
    open = try scene.unlock("a")
    #expect(open.log.links.successors.isEmpty)
    let held = try #require(try open.file("other").versions.first)
    #expect(held.standing == .heldBack)
    try open.choose(held)
    let rotation = try files.rotate()
    let new = rotation.namespace.id
    #expect(rotation.isResumed == false)
    #expect(
      try files.open(new).counting() == ["node/channel.backup": ["good"], "node/other": ["evil"]])
    #expect(try scene.open("b").namespaces().count == 2)
  }

  @Test
  func `A copy that its own retirement holds back is noticed`() throws {
    try node.write("good")
    try node.add(.large("1111 "), "large")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    let left = try interrupt { id in
      guard let there = try? files.open(id, "x") else { return false }
      return !there.log.files.retirements.isEmpty
    }
    // As an earlier program did: the copy comes behind the retirement.
    let old = try files.open(files.old, "a")
    var next = try files.open(left, "a")
    let version = try #require(old.fileState.versions.versions.first)
    let run = try WritingRun.begin(next.namespace.state(make: true))
    var operation = OperationBuilder(at: 1, writerLabel: "a", seen: [])
    var late = version
    late.put = version.put.replacing([])
    _ = try old.carry(late, into: &operation, of: next.namespace, run: run)
    let before = next.fileState.versions.versions.count
    let staged = try next.stage(operation, next.nextHeader(), seen: [], versions: [], run: run)
    try next.publish(staged, run: run)
    _ = consume run
    #expect(before == 2)
    let rotation = try files.rotate()
    #expect(rotation.namespace.fileState.versions.heldBack.isEmpty == true)
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

  @Test(arguments: ["changed", "emptied", "deleted"])
  func `The last whole copy of an object is never removed`(_ fate: String) throws {
    try node.addLarge("1111 ")
    try node.write("seed", "seed")
    let left = try interrupt { try !objects($0).isEmpty }
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

  @Test
  func `An object that nothing here names is not removed with it`() throws {
    try node.addLarge("1111 ")
    try node.write("seed", "seed")
    let left = try interrupt { try !objects($0).isEmpty }
    let stray = Array("bytes of somebody".utf8)
    let path =
      files.path(left) + "/keybackup/objects/" + FolderLayout.objectFile(Digest(of: stray.span))
    try Data(stray).write(to: URL(fileURLWithPath: path))
    var open = try scene.unlock("a")
    try open.removeFile(open.file("seed").id)
    #expect(throws: BackupFolderError.cannotRotate(.onlyCopies(left))) { try files.rotate() }
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try files.open(files.old).live("large")[0].hasPrefix("1111"))
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

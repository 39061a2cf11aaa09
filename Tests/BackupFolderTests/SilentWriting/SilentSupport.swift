import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

extension PathComponent {
  /// A name that a test made up.
  static func of(_ text: String) throws -> PathComponent { try #require(PathComponent(text)) }
}

extension FileContents {
  /// Contents in memory.
  static func of(_ text: String, mode: UInt16 = 0o600) -> FileContents {
    let bytes = Array(text.utf8)
    return FileContents(
      bytes: unsafe SecretBytes(copying: bytes.span.bytes), modified: 1_600_000_000, mode: mode)
  }

  /// Contents that no operation holds: a text, again and again.
  static func large(_ text: String, size: Int = 100_000) -> FileContents {
    of(String(String(repeating: text, count: size / text.utf8.count + 1).prefix(size)))
  }
}

/// A silent writer on a computer of its own.
struct SilentComputer {
  let scene: Scene
  let computer: String
  var writer: LocalSilentWriter

  /// Authorises a computer by two lines, with the key at computer `a`.
  init(
    _ scene: Scene, _ computer: String = "node",
    may: SilentWriter.Permissions = [.filePut, .fileRemove, .put]
  ) throws {
    self.scene = scene
    self.computer = computer
    let request = try scene.open(computer).requestSilentWriting(label: .of(computer))
    var open = try scene.unlock("a")
    let answer = try open.authorise(WriterRequest(parsing: request.line), may: may)
    writer = try scene.open(computer).acceptSilentWriting(answer.answer)
  }

  /// Adds a version of a file, without the key.
  @discardableResult
  func add(_ contents: borrowing FileContents, _ name: String = "channel.backup") throws
    -> AddedVersion
  {
    try scene.open(computer).addSilently(contents, name: .of(name), as: writer)
  }

  /// Adds a version that has to be new, and returns its operation.
  @discardableResult
  func write(_ text: String, _ name: String = "channel.backup") throws -> CSPP.Operation.Seen {
    guard case .added(_, let operation, _) = try add(.of(text), name) else {
      Issue.record("\(text) is no new version")
      throw BackupFolderError.internalError("unchanged")
    }
    return operation
  }

  /// The path of the writer's chain.
  var chain: String {
    get throws { "\(try scene.namespacePath)/keybackup/sealed/\(writer.writerID)" }
  }

  /// The path of its state file.
  var statePath: String {
    get throws {
      let folder = try #require(
        try FileManager.default.subpathsOfDirectory(atPath: scene.base + "/state-" + computer)
          .first { $0.hasSuffix("\(writer.writerID).writer") })
      return scene.base + "/state-" + computer + "/" + folder
    }
  }

  /// The computer with its disk put back to what `body` began with.
  func withClonedState(_ body: () throws -> Void) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: statePath))
    try body()
    try before.write(to: URL(fileURLWithPath: statePath))
  }
}

extension OpenNamespace {
  /// The text of a version.
  func text(_ version: StoredVersion) throws -> String {
    var bytes: [UInt8] = []
    try read(version) { piece in unsafe piece.withUnsafeBytes { bytes += unsafe Array($0) } }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A file by its name.
  func file(_ name: String = "channel.backup") throws -> BackedUpFile {
    let found = try files().filter { $0.newest?.name.text == name }
    try #require(found.count == 1, "\(found.count) files \(name)")
    return found[0]
  }

  /// The texts of a file's versions with their standings, newest first.
  func history(_ name: String = "channel.backup") throws -> [String] {
    try file(name).versions.map { "\(try text($0)) \($0.standing.rawValue)" }
  }

  /// The texts of a file's live versions, sorted.
  func live(_ name: String = "channel.backup") throws -> [String] {
    try file(name).live.map { try text($0) }.sorted()
  }

  /// Adds a version with the key, and returns the file.
  @discardableResult
  mutating func write(_ text: String, _ name: String, to file: FileID? = nil) throws -> FileID {
    switch try addFile(.of(text), name: .of(name), to: file) {
    case .added(let file, _, _), .unchanged(let file): return file
    }
  }
}

extension SilentComputer {
  /// A computer that has another one's state.
  init(_ scene: Scene, _ computer: String, writer: LocalSilentWriter) {
    self.scene = scene
    self.computer = computer
    self.writer = writer
  }

  /// Its signing pair.
  func signer() throws -> SigningPair {
    let folder = try #require(try scene.open(computer).silentFolder(make: false))
    let state = try #require(try folder.state(of: writer.writerID))
    return try SigningPair(seed: state.signer.withSeed { SecretBytes(copying: $0) })
  }

  /// Publishes an operation with any changes, as a thief of the computer can.
  func publish(
    _ changes: (inout SealedOperationBuilder) throws -> Void
  ) throws {
    let run = try SilentRun.begin(scene.open(computer))
    let chain = try run.chain(of: writer.writerID, [])
    var builder = try chain.builder(run)
    try changes(&builder)
    try chain.publish(chain.seal(builder), run)
  }
}

extension NewFileVersion {
  /// A version of a few bytes.
  static func small(_ text: String) throws -> NewFileVersion {
    let bytes = Array(text.utf8)
    return try NewFileVersion(
      inline: unsafe SecretBytes(copying: bytes.span.bytes), modified: 1, mode: 0o600)
  }
}

extension Scene {
  /// Copies what one computer remembers of the folder.
  func copyState(of computer: String, to other: String) throws {
    try FileManager.default.copyItem(
      atPath: "\(base)/state-\(computer)", toPath: "\(base)/state-\(other)")
  }

  /// Lets two computers write without knowing of each other; then both have all files.
  func apart(_ first: () throws -> Void, and second: () throws -> Void) throws {
    let before = base + "/before"
    let manager = FileManager.default
    try manager.copyItem(atPath: folder, toPath: before)
    try first()
    let written = base + "/written"
    try manager.moveItem(atPath: folder, toPath: written)
    try manager.moveItem(atPath: before, toPath: folder)
    try second()
    for name in try manager.subpathsOfDirectory(atPath: written) {
      var isFolder: ObjCBool = false
      _ = unsafe manager.fileExists(atPath: "\(written)/\(name)", isDirectory: &isFolder)
      let target = "\(folder)/\(name)"
      if isFolder.boolValue {
        try manager.createDirectory(atPath: target, withIntermediateDirectories: true)
      } else if !manager.fileExists(atPath: target) {
        try manager.copyItem(atPath: "\(written)/\(name)", toPath: target)
      }
    }
    try manager.removeItem(atPath: written)
  }

  /// Opens the backup at a time by the computer's clock.
  func unlock(_ computer: String, at time: UInt64) throws -> OpenNamespace {
    let settings = BackupFolder.Settings(
      stateFolder: base + "/state-" + computer, writerLabel: computer, clock: { time })
    let namespace = try BackupFolder.open(path: folder, settings: settings).namespace()
    let slot = try #require(try namespace.scan().keySlots.first)
    return try namespace.open(slot.unwrap(secret: secret()))
  }
}

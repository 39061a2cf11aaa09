import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Files with our names that hold nothing.
@Suite struct NonsenseTests {
  enum Damage: String, CaseIterable {
    case garbage, empty, cut, changed, folder

    func apply(to path: String, from whole: Data) throws {
      try? FileManager.default.removeItem(atPath: path)
      switch self {
      case .garbage: try Data("<html>".utf8).write(to: URL(fileURLWithPath: path))
      case .empty: try Data().write(to: URL(fileURLWithPath: path))
      case .cut: try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
      case .changed:
        var bytes = whole
        // The last characters of each file are of its ciphertext, signature or pieces.
        let place = bytes.count - 20
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try bytes.write(to: URL(fileURLWithPath: path))
      case .folder:
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
    }
  }

  private static let digits = String(repeating: "0a", count: 16)

  @Test(arguments: Damage.allCases)
  func `It keeps nobody from a rotation despite gaps, and is told`(_ damage: Damage) throws {
    let full = try FullScene()
    let place = try full.place
    let writer = try #require(
      try FileManager.default.contentsOfDirectory(atPath: place + "/keybackup/log").first)
    let some = try #require(FileManager.default.contents(atPath: full.scene.logFiles()[0]))
    let stranger = "\(place)/keybackup/log/\(Self.digits)"
    try FileManager.default.createDirectory(
      atPath: stranger, withIntermediateDirectories: false)
    for path in [
      "keybackup/log/\(writer)/00000099-\(Self.digits).json",
      "keybackup/log/\(writer)/00000002-\(Self.digits) (1).json",
      "keybackup/log/\(Self.digits)/00000001-\(Self.digits).json",
      "keybackup/sealed/\(full.node.writer.writerID)/00000099-\(Self.digits).json",
      "keybackup/keys/\(Self.digits).json", "keybackup/objects/\(Self.digits)\(Self.digits).bin",
      "wallets/wallet-\(Self.digits)\(Self.digits).json",
      "wallets/wallet-\(Self.digits)\(Self.digits) (1).json",
      "master-key/masterkey-\(Self.digits)\(Self.digits).json",
    ] { try damage.apply(to: "\(place)/\(path)", from: some) }
    #expect(throws: BackupFolderError.cannotRotate(.filesMissing)) { try full.rotate() }
    let rotation = try full.rotate(despiteGaps: true)
    #expect(rotation.wallets == 2 && rotation.files == 2)
    #expect(rotation.failures.contains { $0.file.contains("/00000099-") })
    // It stays behind.
    #expect(FileManager.default.fileExists(atPath: stranger + "/00000001-\(Self.digits).json"))
  }

  @Test func `A missing operation still keeps from it`() throws {
    let full = try FullScene()
    let last = try #require(try full.scene.logFiles().last)
    try FileManager.default.removeItem(atPath: last)
    #expect(throws: BackupFolderError.cannotRotate(.notWhole)) {
      try full.rotate(despiteGaps: true)
    }
  }

  /// A file of ours of each kind of which another file can be a copy.
  enum Target: String, CaseIterable {
    case log, sealed, key, object

    func path(_ full: FullScene) throws -> String {
      let folder =
        switch self {
        case .log:
          try URL(fileURLWithPath: full.scene.logFiles()[1]).deletingLastPathComponent().path
        case .sealed: try full.node.chain
        case .key: try full.place + "/keybackup/keys"
        case .object: try full.place + "/keybackup/objects"
        }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      return folder + "/" + (try #require(names.first))
    }
  }

  private func copy(_ path: String, _ names: ConflictNames) -> String {
    let url = URL(fileURLWithPath: path)
    return url.deletingLastPathComponent().path + "/" + names.copy(of: url.lastPathComponent)
  }

  /// The states of the findings that are not only told.
  private func states(_ full: FullScene) throws -> [FileFinding] {
    try full.findings().filter { $0.state != .foreign }
  }

  @Test(arguments: Target.allCases, Damage.allCases)
  func `A bad conflict copy beside a whole file is told, and goes with the next change`(
    _ target: Target, _ damage: Damage
  ) throws {
    for names in [ConflictNames.dropbox, .rcloneConflict] {
      let full = try FullScene()
      let path = try target.path(full)
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      try damage.apply(to: copy(path, names), from: whole)
      #expect(try states(full) == [], "\(names)")
      try full.expectWhole("\(target) \(damage)")
      var open = try full.open()
      try open.add(.of("w3"))
      #expect(open.viewProblem == nil)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
      #expect(!FileManager.default.fileExists(atPath: copy(path, names)), "\(names)")
      #expect(try full.findings() == [], "\(names)")
    }
  }

  @Test(arguments: Target.allCases, Damage.allCases)
  func `A damaged file beside a whole conflict copy is told, and written by the next change`(
    _ target: Target, _ damage: Damage
  ) throws {
    let full = try FullScene()
    let path = try target.path(full)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try FileManager.default.moveItem(atPath: path, toPath: copy(path, .syncthing))
    try damage.apply(to: path, from: whole)
    #expect(try states(full) == [])
    try full.expectWhole("\(target) \(damage)")
    // No rotation waits for it.
    var open = try full.open()
    try open.add(.of("w3"))
    #expect(open.viewProblem == nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    #expect(try full.findings() == [])
    #expect(try full.rotate().failures == [])
  }

  @Test func `A bad copy of a wallet's file goes, and one that may still arrive stays`() throws {
    let full = try FullScene()
    let path = try full.scene.viewPath("w1")
    let (bad, empty) = (copy(path, .dropbox), copy(path, .iCloud))
    try Damage.garbage.apply(to: bad, from: Data())
    try Damage.empty.apply(to: empty, from: Data())
    #expect(try states(full) == [])
    try full.expectWhole("wallet")
    var open = try full.open()
    try open.add(.of("w3"))
    #expect(!FileManager.default.fileExists(atPath: bad))
    #expect(FileManager.default.fileExists(atPath: empty))
  }

  @Test func `An operation that another file's bytes replaced is told beside a copy`() throws {
    let full = try FullScene()
    let files = try full.scene.logFiles()
    let whole = try Data(contentsOf: URL(fileURLWithPath: files[0]))
    try FileManager.default.moveItem(atPath: files[0], toPath: copy(files[0], .mega))
    try FileManager.default.copyItem(atPath: files[1], toPath: files[0])
    #expect(try states(full) == [])
    var open = try full.open()
    try open.add(.of("w3"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: files[0])) == whole)
    #expect(FileManager.default.fileExists(atPath: files[1]))
    try full.expectWhole("replaced", wallets: 3)
  }

  @Test func `A computer that was set back sees its newer change under a copy's name`() throws {
    let full = try FullScene()
    try full.node.withClonedState { try full.node.write("newest", "other") }
    let newest = try #require(
      try FileManager.default.contentsOfDirectory(atPath: full.node.chain).max())
    let path = "\(try full.node.chain)/\(newest)"
    try FileManager.default.moveItem(atPath: path, toPath: copy(path, .nextcloud))
    try full.node.write("after", "other")
    let names = try FileManager.default.contentsOfDirectory(atPath: full.node.chain)
    #expect(names.contains { $0.hasPrefix("00000004-") }, "\(names)")
    let open = try full.open()
    #expect(open.silentWriters()[0].operations == 4 && !open.silentWriters()[0].hasGap)
  }

  @Test func `A conflict copy stands in for the object of a computer's last version`() throws {
    let full = try FullScene()
    let path = try Target.object.path(full)
    try FileManager.default.moveItem(atPath: path, toPath: copy(path, .dropbox))
    let backup = try full.scene.open(full.node.computer)
    let name = try PathComponent.of("channel.backup")
    let writer = try #require(try backup.localSilentWriters().first)
    #expect(try backup.holdsLastVersions(of: writer, names: [name]))
    #expect(try backup.filesWithoutLastVersion(of: writer) == [])
  }
}

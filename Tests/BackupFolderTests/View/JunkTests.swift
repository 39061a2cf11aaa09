import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// A backup with wallets, a computer that writes without the key, and a file with contents of its own.
final class FullScene {
  static let newKey = Enrolment(
    label: "New key",
    securityKey: KeyHeader.SecurityKey(
      rpID: "keybackup:", credentialID: [1, 2, 3], discoverable: true,
      aaguid: [UInt8](repeating: 9, count: 16), prfSalt: [UInt8](repeating: 6, count: 32)))
  let scene: Scene
  let node: SilentComputer

  init() throws {
    scene = try Scene(inMemory: true)
    var open = try scene.create("a")
    try open.add(.of("w1", "w2"))
    node = try SilentComputer(scene)
    try node.add(.large("channels "))
    try node.write("small", "other")
    _ = try scene.unlock("a")
  }

  var place: String { get throws { try scene.namespacePath } }

  /// Every folder of ours, from the backup's own down, sorted.
  func folders() throws -> [String] {
    var found = [scene.folder, scene.folder + "/cspp-namespaces", try place]
    for name in try FileManager.default.subpathsOfDirectory(atPath: place) {
      var isFolder: ObjCBool = false
      let path = "\(try place)/\(name)"
      _ = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      if isFolder.boolValue { found.append(path) }
    }
    return found.sorted()
  }

  func open() throws -> OpenNamespace {
    let namespace = try scene.open("a").namespace()
    let slot = try #require(try namespace.scan().keySlots.first { $0.hasWrapper })
    return try namespace.open(slot.unwrap(secret: scene.secret()), by: slot.keyID)
  }

  @discardableResult
  func rotate(despiteGaps: Bool = false) throws -> Rotation {
    var open = try open()
    return try open.rotateMasterKey(
      to: Self.newKey, secret: scene.secret([UInt8](repeating: 8, count: 32)),
      atHand: scene.enrolment.keyID, despiteGaps: despiteGaps)
  }

  /// All findings of all kinds of checks, with and without the key.
  func findings() throws -> [FileFinding] {
    let namespace = try scene.open("a").namespace()
    let structure = try namespace.checkStructure(readingSealed: true)
    var open = try open()
    let report = try open.restored().report
    var found = try namespace.scan().findings
    found += structure.wallets.findings
    found += report.findings + report.failures
    found += open.logFindings + open.sealedFindings
    return try found + open.checkOtherObjects()
  }

  /// Expects that nothing is missing, with the key and without it.
  func expectWhole(_ why: String, wallets: Int = 2) throws {
    let namespace = try scene.open("a").namespace()
    for health in [try namespace.checkStructure().health, try open().health] {
      #expect(health.incomplete + health.rolledBack + health.forked == 0, "\(why): \(health)")
    }
    var open = try open()
    #expect(
      try open.restored().lines.filter { $0.hasSuffix(" current") }.count == wallets, "\(why)")
    #expect(try open.keySlots().allSatisfy { $0.isEnrolled == true }, "\(why)")
    #expect(try open.file("other").live.count == 1, "\(why)")
    let backup = try scene.open(node.computer)
    #expect(try backup.holdsLastChange(of: node.writer), "\(why)")
  }
}

/// Files and folders that operating systems, file servers and other programs leave in our folders.
@Suite struct JunkTests {
  enum Kind: CaseIterable { case garbage, empty, folder, link }

  /// What is made of a name of ours, or has a name of its own.
  static let junk: [@Sendable (String) -> String] = [
    { _ in ".DS_Store" }, { "._\($0)" }, { _ in "desktop.ini" }, { _ in "Thumbs.db" },
    { _ in "@eaDir" }, { "\($0)@SynoEAStream" }, { _ in ".stfolder" }, { _ in ".directory" },
    { ".~lock.\($0)#" }, { "~$\($0)" }, { ".\($0).swp" }, { "#\($0)#" },
    { _ in ".dropbox.attr" }, { _ in ".fuse_hidden0000001200000001" },
    { _ in ".nfs000000000123456700000001" }, { "\($0):Zone.Identifier" }, { _ in "lost+found" },
    { _ in "#recycle" }, { _ in ".Trash-1000" }, { _ in "notes.json" },
    { _ in "wallet-notes.json" },
    { _ in "masterkey-old.json" }, { _ in "Icon\r" }, { _ in "x.bin" },
  ]

  private func plant(_ kind: Kind, _ path: String, beside own: String) throws {
    switch kind {
    case .garbage: try Data("Bud1 no backup".utf8).write(to: URL(fileURLWithPath: path))
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .link:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hosts")
    case .folder:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      // As file servers do: what they know of each of our files.
      try Data("thumbs".utf8).write(to: URL(fileURLWithPath: "\(path)/\(own)"))
    }
  }

  @Test(arguments: Kind.allCases)
  func `Junk in every folder is no damage and no gap, and stays`(_ kind: Kind) throws {
    let full = try FullScene()
    var planted: [String] = []
    for folder in try full.folders() {
      let own =
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        .first { $0.hasSuffix(".json") || $0.hasSuffix(".bin") }
        ?? "00000012-\(String(repeating: "0a", count: 16)).json"
      for name in Self.junk {
        planted.append("\(folder)/\(name(own))")
        try plant(kind, try #require(planted.last), beside: own)
      }
    }
    #expect(try full.scene.open().namespaces().count == 1)
    #expect(try full.findings() == [])
    try full.expectWhole("\(kind)")
    var open = try full.open()
    try open.add(.of("w3"))
    #expect(open.viewProblem == nil)
    try open.repair()
    try full.node.write("newer", "other")
    let rotation = try full.rotate()
    #expect(rotation.failures == [] && rotation.wallets == 3)
    for path in planted {
      #expect((try? FileManager.default.attributesOfItem(atPath: path)) != nil, "\(path)")
    }
  }

  /// Copies of our files that other programs made, with a changed byte: no name of ours, no damage.
  @Test func `A damaged copy under a name that cannot be ours is no damage`() throws {
    let full = try FullScene()
    let names: [(String) -> String] = [
      { "._\($0)" }, { "old-\($0)" }, { "\($0).bak" }, { _ in "notes.json" },
    ]
    let own = try FileManager.default.subpathsOfDirectory(atPath: full.place).filter {
      $0.hasSuffix(".json") || $0.hasSuffix(".bin")
    }
    let folders = Dictionary(grouping: own) { ($0 as NSString).deletingLastPathComponent }
    #expect(folders.count >= 6)
    for (place, name) in names.enumerated() {
      for part in [1, 3, 5, 7] {
        var planted: [String] = []
        for (folder, files) in folders {
          let file = try #require(files.sorted().last)
          var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(full.place)/\(file)"))
          let index = bytes.count * part / 8
          bytes[index] = bytes[index] == 0x41 ? 0x42 : 0x41
          let path = try "\(full.place)/\(folder)/" + name((file as NSString).lastPathComponent)
          try bytes.write(to: URL(fileURLWithPath: path))
          planted.append(path)
        }
        let found = try full.findings().filter { $0.state != .foreign }
        #expect(found == [], "\(place) \(part)")
        try full.expectWhole("\(place) \(part)")
        for path in planted { try FileManager.default.removeItem(atPath: path) }
      }
    }
  }

  @Test func `A namespace folder with nothing but junk is no backup`() throws {
    let scene = try Scene(inMemory: true)
    let place = scene.folder + "/cspp-namespaces/" + String(repeating: "0a", count: 16)
    for folder in ["wallets", "keybackup/log", "@eaDir"] {
      try FileManager.default.createDirectory(
        atPath: "\(place)/\(folder)", withIntermediateDirectories: true)
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(place)/\(folder)/.DS_Store"))
    }
    #expect(try scene.open().namespaces() == [])
    _ = try scene.create()
    #expect(try scene.open().namespaces().count == 1)
  }
}

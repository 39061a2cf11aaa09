import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("Decisions on wallets that stay in an earlier namespace")
struct LateDecisionTests {
  private let files: RotatedFiles
  private let node: SilentComputer
  private let record = RecordID(walletID: "w1")

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  private func add(_ words: String) throws {
    _ = try files.scene.open(node.computer)
      .addSilently(.of("w1", words: words), as: node.writer)
  }

  /// The only version that says these words.
  private func version(_ words: String, in open: inout OpenNamespace) throws -> VersionID {
    var found: [VersionID] = []
    _ = try open.forEachWallet { version, bytes in
      if try version.entry.secret(in: bytes)?.text == words { found.append(version.id) }
    }
    try #require(found.count == 1)
    return found[0]
  }

  /// Whether the wallet's history has these words as found, which nobody with a key wrote.
  private func isFound(_ words: String, in open: inout OpenNamespace) throws -> Bool {
    var found = false
    _ = try open.forEachPastVersion(of: record) { version, bytes in
      if try version.entry.secret(in: bytes)?.text == words { found = version.origin.isFound }
    }
    return found
  }

  @Test(arguments: ["keep", "add", "remove"])
  func `A person decides on what a retirement holds back`(decision: String) throws {
    var open = try files.scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try add("zoo zoo")
    let new = try files.rotate().namespace.id
    open = try files.open(new, "a")
    #expect(try open.restored().lines == ["w1 zoo zoo heldBack"])
    #expect(try open.contains(record))
    switch decision {
    case "keep": #expect(try open.keep(version("zoo zoo", in: &open), of: record))
    case "add": try open.add(.of("w1"))
    default: try open.remove([record])
    }
    var reader = try files.open(new)
    let expected = [
      "keep": ["w1 zoo zoo current"], "add": ["w1 abandon about current", "w1 zoo zoo heldBack"],
    ]
    #expect(try reader.restored().lines == expected[decision] ?? [])
    if decision == "add" {
      // Nobody has decided yet. A choice ends it.
      #expect(try reader.keep(version("abandon about", in: &reader), of: record))
      #expect(try reader.restored().lines == ["w1 abandon about current"])
      #expect(try !reader.keep(version("abandon about", in: &reader), of: record))
    }
    reader = try files.open(new, "c")
    #expect(try decision == "keep" || isFound("zoo zoo", in: &reader))
  }

  @Test(arguments: ["keep", "add", "remove"])
  func `A proposal that is decided against is in the history`(decision: String) throws {
    var open = try files.scene.unlock("a")
    try open.add(.of("w1"))
    try add("zoo zoo")
    let new = try files.rotate().namespace.id
    open = try files.open(new, "a")
    #expect(try open.restored().lines == ["w1 abandon about current", "w1 zoo zoo late"])
    // Adding the same again decides nothing.
    #expect(try open.add(.of("w1"), skippingKnown: true).known == 1)
    #expect(try open.restored().lines == ["w1 abandon about current", "w1 zoo zoo late"])
    switch decision {
    case "keep": #expect(try open.keep(version("abandon about", in: &open), of: record))
    case "add": try open.add(.of("w1", words: "legal winner"))
    default: try open.remove([record])
    }
    var reader = try files.open(new)
    let expected = ["keep": ["w1 abandon about current"], "add": ["w1 legal winner current"]]
    #expect(try reader.restored().lines == expected[decision] ?? [])
    #expect(try isFound("zoo zoo", in: &reader))
  }

  @Test(arguments: [true, false])
  func `A late version that only a conflict copy holds is decided on`(isKept: Bool) throws {
    var open = try files.scene.unlock("a")
    try open.add(.of("w2"))
    let replica = files.scene.base + "/replica"
    let all = FileManager.default
    try all.copyItem(atPath: files.scene.folder, toPath: replica)
    let new = try files.rotate().namespace.id
    let namespace = try files.scene.open("d", replica).namespace(files.old)
    let slot = try #require(try namespace.scan().keySlots.first)
    var there = try namespace.open(slot.unwrap(secret: files.scene.secret()), by: slot.keyID)
    try there.add(.of("w1", words: "zoo zoo"))
    let name = FolderLayout.walletFile(record)
    try all.copyItem(
      atPath: "\(replica)/cspp-namespaces/\(files.old)/wallets/\(name)",
      toPath: "\(files.path(files.old))/wallets/\(name.dropLast(5)) (1).json")
    open = try files.open(new, "a")
    #expect(try open.restored().lines == ["w1 zoo zoo late", "w2 abandon about current"])
    if isKept {
      #expect(try open.keep(version("zoo zoo", in: &open), of: record))
    } else {
      try open.remove([record])
    }
    var reader = try files.open(new)
    let expected = isKept ? ["w1 zoo zoo current"] : []
    #expect(try reader.restored().lines == expected + ["w2 abandon about current"])
  }

  @Test
  func `Late versions that are too large for one operation take several`() throws {
    var open = try files.scene.unlock("a")
    try open.add(.of("w1"))
    for number in 0..<3 {
      try node.withClonedState { try add("zoo \(number)") }
    }
    let new = try files.rotate().namespace.id
    var settings = files.scene.settings("a")
    settings.operationSize = 300
    let namespace = try BackupFolder.open(path: files.scene.folder, settings: settings).namespace(
      new)
    let slot = try #require(try namespace.scan().keySlots.first)
    open = try namespace.open(slot.unwrap(secret: files.scene.secret()), by: slot.keyID)
    let before = open.log.index.names.count
    #expect(try open.keep(version("abandon about", in: &open), of: record))
    #expect(open.log.index.names.count == before + 4, "three that are ended, and the choice")
    var reader = try files.open(new)
    #expect(try reader.restored().lines == ["w1 abandon about current"])
  }
}

import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("Wallets of silent writers that stay in an earlier namespace")
struct LateSilentWalletTests {
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
    #expect(try open.restored().lines == ["w1 zoo zoo late"])
    #expect(try open.contains(record))
    switch decision {
    case "keep": #expect(try open.keep(version("zoo zoo", in: &open), of: record))
    case "add": try open.add(.of("w1"))
    default: try open.remove([record])
    }
    var reader = try files.open(new)
    let expected = [
      "keep": ["w1 zoo zoo current"], "add": ["w1 abandon about current", "w1 zoo zoo late"],
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
}

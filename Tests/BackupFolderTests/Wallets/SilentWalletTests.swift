import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

@Suite("Wallets that a computer adds without the key")
struct SilentWalletTests {
  private let scene: Scene
  private let node: SilentComputer

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create("a")
    node = try SilentComputer(scene)
  }

  private func add(
    _ wallets: String..., words: String = "abandon about", on computer: SilentComputer? = nil
  ) throws {
    let computer = computer ?? node
    _ = try scene.open(computer.computer)
      .addSilently(.of(wallets, words: words), as: computer.writer)
  }

  @Test
  func `A new wallet counts, and the CSPP file follows with the next change`() throws {
    try add("w1", "w2")
    var open = try scene.unlock("a")
    #expect(try open.restored().lines == ["w1 abandon about missing", "w2 abandon about missing"])
    #expect(open.waitingSilentWallets == 2)
    #expect(try open.contains(RecordID(walletID: "w1")))
    try open.add(.of("w3"))
    #expect(open.waitingSilentWallets == 0 && open.viewProblem == nil)
    open = try scene.unlock("b")
    #expect(
      try open.restored().lines == ["w1", "w2", "w3"].map { "\($0) abandon about current" })
    // Nothing of it comes back after a removal.
    try open.remove([RecordID(walletID: "w1")])
    #expect(try scene.unlock("a").waitingSilentWallets == 0)
    var again = try scene.unlock("a")
    #expect(try again.restored().words.keys.sorted() == ["w2", "w3"])
  }

  @Test
  func `An operation with many wallets is opened once`() throws {
    let names = (0..<30).map { "w\($0)" }
    _ = try scene.open("node").addSilently(.of(names), as: node.writer)
    var open = try scene.unlock("b")
    #expect(try open.restored().lines.count == 30)
    #expect(open.fileState.reopened.count == 1)
  }

  @Test
  func `Beside a wallet of somebody with the key it is a proposal, until a person decides`() throws
  {
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    try add("w1", words: "zoo zoo")
    open = try scene.unlock("a")
    #expect(try open.restored().lines == ["w1 abandon about current", "w1 zoo zoo conflict"])
    #expect(open.waitingSilentWallets == 0)
    var chosen: VersionID?
    _ = open.forEachWallet { version, _ in
      if version.source == .silent { chosen = version.id }
    }
    let proposal = try #require(chosen)
    #expect(try open.keep(proposal, of: RecordID(walletID: "w1")))
    #expect(try open.restored().lines == ["w1 zoo zoo current"])
    // The other choice ends a proposal too.
    try add("w1", words: "legal winner", on: SilentComputer(scene, "server"))
    open = try scene.unlock("b")
    #expect(try open.restored().words == ["w1": "legal winner | zoo zoo"])
    #expect(try open.keep(proposal, of: RecordID(walletID: "w1")))
    var reader = try scene.unlock("a")
    #expect(try reader.restored().lines == ["w1 zoo zoo current"])
  }

  @Test(arguments: ["keep", "add", "remove"])
  func `A proposal that was decided against is in the history`(decision: String) throws {
    let record = RecordID(walletID: "w1")
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    var own: VersionID?
    _ = open.forEachWallet { version, _ in own = version.id }
    try add("w1", words: "zoo zoo")
    open = try scene.unlock("a")
    switch decision {
    case "keep": #expect(try open.keep(#require(own), of: record))
    case "add": try open.add(.of("w1", words: "legal winner"))
    default: try open.remove([record])
    }
    var reader = try scene.unlock("b")
    let words = ["keep": "abandon about", "add": "legal winner"]
    #expect(try reader.restored().words["w1"] == words[decision])
    // Nobody with a key wrote it.
    var found: Bool?
    _ = try reader.forEachPastVersion(of: record) { version, bytes in
      if try version.entry.secret(in: bytes)?.text == "zoo zoo" { found = version.origin.isFound }
    }
    #expect(found == true)
  }

  @Test
  func `The same wallets added again leave a proposal to a person`() throws {
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    try add("w1", words: "zoo zoo")
    open = try scene.unlock("a")
    #expect(try open.add(.of("w1"), skippingKnown: true).known == 1)
    open = try scene.unlock("b")
    #expect(try open.restored().words == ["w1": "abandon about | zoo zoo"])
  }

  @Test
  func `Different entries of a new wallet are a conflict`() throws {
    let server = try SilentComputer(scene, "server")
    try add("w1")
    try add("w1", words: "zoo zoo", on: server)
    var open = try scene.unlock("a")
    #expect(try open.restored().lines == ["w1 abandon about conflict", "w1 zoo zoo conflict"])
    try open.add(.of("w2"))
    open = try scene.unlock("b")
    #expect(try open.restored().words == ["w1": "abandon about | zoo zoo", "w2": "abandon about"])
  }

  @Test
  func `A retired computer's wallets are held back and shown`() throws {
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try add("w1")
    open = try scene.unlock("a")
    #expect(try open.restored().lines == ["w1 abandon about heldBack"])
    #expect(open.waitingSilentWallets == 0)
    try open.add(.of("w2"))
    #expect(try open.restored().words["w1"] == "abandon about")
    #expect(open.log.index.history(of: RecordID(walletID: "w1")).isEmpty)
  }

  @Test
  func `What is held back can be removed, and brought back`() throws {
    let record = RecordID(walletID: "w1")
    var open = try scene.unlock("a")
    try open.retire(node.writer.signingKey)
    try add("w1")
    open = try scene.unlock("a")
    try open.remove([record])
    #expect(try open.restored().words.isEmpty)
    var reader = try scene.unlock("b")
    #expect(try reader.restored().words.isEmpty)
    var removed: VersionID?
    _ = reader.forEachPastVersion(of: record) { version, _ in removed = version.id }
    #expect(try reader.keep(#require(removed), of: record, orPast: true))
    #expect(try reader.restored().lines == ["w1 abandon about current"])
  }

  @Test
  func `A decision for another version ends what is held back`() throws {
    let record = RecordID(walletID: "w1")
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    var own: VersionID?
    _ = open.forEachWallet { version, _ in own = version.id }
    try open.retire(node.writer.signingKey)
    try add("w1", words: "zoo zoo")
    open = try scene.unlock("a")
    #expect(try open.restored().words == ["w1": "abandon about | zoo zoo"])
    #expect(try open.keep(#require(own), of: record))
    #expect(try !open.keep(#require(own), of: record))
    var reader = try scene.unlock("b")
    #expect(try reader.restored().lines == ["w1 abandon about current"])
  }

  @Test
  func `A proposal for a wallet that was removed can be removed`() throws {
    let record = RecordID(walletID: "w1")
    var open = try scene.unlock("a")
    try open.add(.of("w1"))
    try open.remove([record])
    try add("w1", words: "zoo zoo")
    open = try scene.unlock("a")
    #expect(try open.restored().words == ["w1": "zoo zoo"])
    try open.remove([record])
    var reader = try scene.unlock("b")
    #expect(try reader.restored().words.isEmpty)
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Every wallet is stored twice.
///
/// Whichever half of the folder is left, all wallets come back, and the report names what is wrong.
struct RecoveryTests {
  /// The part of the namespace that is deleted.
  enum Loss: String, CaseIterable, Sendable {
    case log = "keybackup/log"
    case wallets
    case keys = "keybackup/keys"
    case envelope = "master-key"
    case ownFiles = "keybackup"

    /// Whether the wallets are left in the view alone.
    var takesLog: Bool { self == .log || self == .ownFiles }
  }

  private let all = ["w1 zoo zoo", "w2 abandon about", "w3 abandon about"]

  private func scene() throws -> Scene {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1", "w2", "gone"))
    try a.add(.of("w1", words: "zoo zoo"))
    try a.remove([RecordID(walletID: "gone")])
    var b = try scene.unlock("b")
    try b.add(.of("w3"))
    _ = try scene.unlock("a")
    return scene
  }

  @Test(arguments: Loss.allCases, ["a", "new"])
  func `All wallets come back from what is left`(_ loss: Loss, _ computer: String) throws {
    let scene = try scene()
    try FileManager.default.removeItem(atPath: scene.namespacePath + "/" + loss.rawValue)
    let before = try Scene.contents(scene.folder)
    var open = try scene.unlock(computer)
    let restored = try open.restored()
    let state =
      switch loss {
      case .wallets: "missing"
      case .log, .ownFiles: computer == "a" ? "rolledBack" : "incomplete"
      case .keys, .envelope: "current"
      }
    #expect(restored.lines == all.map { "\($0) \(state)" })
    #expect(open.health.rolledBack == (loss.takesLog && computer == "a" ? 5 : 0))
    #expect(open.health.incomplete == (loss.takesLog ? 1 : 0))
    let structure = try scene.open(computer).namespace().checkStructure()
    #expect(structure.health.rolledBack == open.health.rolledBack)
    #expect(structure.health.incomplete == open.health.incomplete)
    #expect(try Scene.contents(scene.folder) == before)
  }

  @Test(arguments: [Loss.wallets, .keys, .envelope])
  func `What only the log holds is written again`(_ loss: Loss) throws {
    let scene = try scene()
    let place = try scene.namespacePath + "/" + loss.rawValue
    let before = try Scene.contents(place)
    try FileManager.default.removeItem(atPath: place)
    var open = try scene.unlock("new")
    try open.repair()
    #expect(try Scene.contents(place).keys.sorted() == before.keys.sorted())
    if loss != .wallets { #expect(try Scene.contents(place) == before) }
    var again = try scene.unlock("another")
    #expect(try again.restored().lines == all.map { "\($0) current" })
  }

  @Test
  func `A backup without its log goes on, once a person has accepted that`() throws {
    let scene = try scene()
    try scene.removeLog()
    let namespace = try scene.open("a").namespace()
    try namespace.accept(namespace.acceptance())
    var open = try scene.unlock("a")
    #expect(try open.restored().lines == all.map { "\($0) foreign" })
    // Each is entered in the log when it is written.
    try open.add(.of("w1", words: "legal winner"))
    try open.remove([RecordID(walletID: "w2")])
    #expect(try open.restored().lines == ["w1 legal winner current", "w3 abandon about foreign"])
    #expect(open.health.rolledBack + open.health.forked + open.health.incomplete == 0)
    #expect(Set(open.log.index.history(of: RecordID(walletID: "w2"))).count == 2)
  }
}

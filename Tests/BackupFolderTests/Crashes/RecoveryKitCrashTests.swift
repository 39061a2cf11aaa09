import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Kills `recovery-kit create` and `recovery-kit revoke` at every change of a file in turn.
///
/// This covers the folder and the computer's local state (Tests/CFileChanges). A test of the
/// command shows that the page is there before the key slot
/// (`RecoveryKitTests.aKeySlotIsNeverWithoutItsPage`).
struct RecoveryKitCrashTests {
  private static let words = ["w1": "abandon about", "w2": "zoo zoo"]
  private let scene: Scene
  private let a = SpareKey(name: 0xA)
  private let b = SpareKey(name: 0xB)

  /// A recovery kit with a cheap derivation.
  private struct Kit: ~Copyable {
    let code = RecoveryCode.random()
    let enrolment: Enrolment

    init() throws {
      let cost = try Argon2id.Parameters(memoryKiB: 8, passes: 1)
      enrolment = Enrolment(label: "Safe", kind: .recoveryCode(try .init(cost: cost)))
    }

    /// Derives the secret as its file says.
    func secret(_ slot: KeySlot) throws -> SecretBytes {
      guard case .recoveryCode(let derivation) = slot.kind else { throw BackupFolderError.wrongKey }
      return try derivation.derive(code)
    }

    func create(in open: inout OpenNamespace) throws {
      guard case .recoveryCode(let derivation) = enrolment.kind else { return }
      let secret = try derivation.derive(code)
      try open.addKeySlot(enrolment, secret: secret, confirmedBy: secret)
    }
  }

  init() throws {
    scene = try Scene(inMemory: true)
    _ = try scene.create(with: a)
    try scene.add(b, openedWith: a)
    var open = try scene.open(with: a)
    try open.add(.of("w1"))
    try open.add(.of("w2", words: "zoo zoo"))
  }

  @Test
  func `Killed while it is made, there is no kit or one that opens everything`() throws {
    let before = try Scene.contents(scene.folder)
    try scene.keep()
    var (points, kits) = (0, 0)
    while true {
      try scene.reset()
      let kit = try Kit()
      let died = FileChanges.dying(at: points) {
        var open = try scene.open(with: a)
        try kit.create(in: &open)
      }
      if !died { break }
      let point: Comment = "killed at change \(points)"
      // Every earlier file is there, byte for byte.
      let after = try finished(Scene.contents(scene.folder))
      #expect(before.allSatisfy { after[$0.key] == $0.value }, point)
      try expectKeysOpen(point)
      let isThere = try opens(kit, "c", point)
      if isThere { kits += 1 } else { #expect(after == before, point) }

      // The next kit tidies up, and works beside it.
      let next = try Kit()
      var open = try scene.open(with: a)
      try next.create(in: &open)
      #expect(open.viewProblem == nil, point)
      #expect(try opens(next, "a", point), point)
      #expect(try opens(kit, "a", point) == isThere, point)
      #expect(try scene.slots().count == (isThere ? 4 : 3), point)
      #expect(try leftOvers() == [], point)
      // It can be revoked, whether it was logged or not.
      if isThere {
        open = try scene.open(with: b)
        try open.removeKeySlots([kit.enrolment.keyID])
        #expect(try !opens(kit, "c", point), point)
        #expect(try scene.slots().count == 3, point)
      }
      try expectKeysOpen(point)
      points += 1
    }
    print("recovery-kit create: killed at \(points) changes, with a kit at \(kits)")
    #expect(points > 8 && kits > 2 && kits < points)
  }

  @Test
  func `Killed while it is revoked, the kit opens everything or nothing, and the next run ends it`()
    throws
  {
    let kit = try Kit()
    var open = try scene.open(with: a)
    try kit.create(in: &open)
    // On another computer, so the removal has to rely on the folder.
    #expect(try opens(kit, "a", "made"))
    try scene.keep()
    var (points, kits) = (0, 0)
    while true {
      try scene.reset()
      let died = FileChanges.dying(at: points) {
        var open = try scene.open(with: b)
        try open.removeKeySlots([kit.enrolment.keyID])
      }
      if !died { break }
      let point: Comment = "killed at change \(points)"
      try expectKeysOpen(point)
      if try opens(kit, "c", point) { kits += 1 }
      open = try scene.open(with: b)
      try open.removeKeySlots([kit.enrolment.keyID])
      #expect(open.viewProblem == nil, point)
      #expect(try !opens(kit, "a", point), point)
      #expect(try scene.slots().count == 2, point)
      #expect(try leftOvers() == [], point)
      try expectKeysOpen(point)
      points += 1
    }
    print("recovery-kit revoke: killed at \(points) changes, with a kit at \(kits)")
    #expect(points > 8 && kits > 2 && kits < points)
  }

  /// Checks that both security keys open everything: here, and on a computer that knows nothing.
  private func expectKeysOpen(_ point: Comment) throws {
    try? FileManager.default.removeItem(atPath: scene.base + "/state-b")
    for (computer, key) in [("a", a), ("b", b)] {
      var open = try scene.open(with: key, computer: computer)
      try expectWhole(&open, point)
    }
    let owner = try scene.envelopeOwner([a, b])
    #expect(try scene.slots()[#require(owner)]?.credentialID?.first == a.name, point)
  }

  /// Whether the kit is there; if so, checks that it opens everything.
  private func opens(_ kit: borrowing Kit, _ computer: String, _ point: Comment) throws -> Bool {
    let namespace = try scene.open(computer).namespace()
    let id = kit.enrolment.keyID
    guard let slot = try namespace.scan().keySlots.first(where: { $0.keyID == id }) else {
      return false
    }
    var open = try namespace.open(slot.unwrap(secret: kit.secret(slot)), by: id)
    try expectWhole(&open, point)
    return true
  }

  private func expectWhole(_ open: inout OpenNamespace, _ point: Comment) throws {
    let restored = try open.restored()
    #expect(restored.words == Self.words && restored.report.counts[.current] == 2, point)
    #expect(restored.report.findings.isEmpty && open.logFindings.isEmpty, point)
    #expect(open.health.rolledBack + open.health.forked + open.health.incomplete == 0, point)
  }

  private func finished(_ files: [String: Data]) -> [String: Data] {
    files.filter { !Self.isTemporary($0.key) }
  }

  private func leftOvers() throws -> [String] {
    try ["cloud", "state-a"].flatMap { place in
      try FileManager.default.subpathsOfDirectory(atPath: "\(scene.base)/\(place)")
        .filter(Self.isTemporary)
    }
  }

  private static func isTemporary(_ path: String) -> Bool { path.contains(".keybackup-tmp-") }
}

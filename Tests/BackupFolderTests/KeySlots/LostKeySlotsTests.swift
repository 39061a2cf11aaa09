import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Three security keys and a recovery code.
///
/// Whichever three are lost and removed, in whatever order, the last one opens everything.
struct LostKeySlotsTests {
  static let names = ["key A", "key B", "key C", "code"]

  /// All orders in which three of the four are lost.
  static let orders: [[Int]] = (0..<4).flatMap { first in
    (0..<4).filter { $0 != first }.flatMap { second in
      (0..<4).filter { $0 != first && $0 != second }.map { [first, second, $0] }
    }
  }

  /// The backup, made once; each order gets a copy.
  struct Made {
    let scene: Scene
    let ids: [KeyID]

    init() throws {
      scene = try Scene(inMemory: true)
      var ids = [try scene.create(with: SpareKey(name: 0))]
      for name in 1...2 {
        ids.append(
          try scene.add(SpareKey(name: UInt8(name)), openedWith: SpareKey(name: UInt8(name - 1))))
      }
      var open = try scene.open(with: SpareKey(name: 0))
      try open.add(.of("w0"))
      try open.add(.of("w1", words: "zoo zoo"))
      let cost = try KeyHeader.CodeDerivation.standardCost
      let enrolment = Enrolment(label: "code", kind: .recoveryCode(try .init(cost: cost)))
      try open.addKeySlot(enrolment, secret: Self.code(), confirmedBy: Self.code())
      self.ids = ids + [enrolment.keyID]
    }

    /// A fixed secret in place of the output of Argon2id.
    private static func code() -> SecretBytes {
      let bytes = [UInt8](repeating: 0xC0, count: 32)
      return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    /// Opens the backup with one of the key slots.
    func open(_ slot: Int) throws -> OpenNamespace {
      if slot < 3 { return try scene.open(with: SpareKey(name: UInt8(slot)), ids[slot]) }
      let namespace = try scene.open().namespace()
      guard let found = try namespace.scan().keySlots.first(where: { $0.keyID == ids[3] }) else {
        throw BackupFolderError.wrongKey
      }
      return try namespace.open(found.unwrap(secret: Self.code()), by: ids[3])
    }

    func expectOpens(_ slot: Int, _ place: Comment) throws {
      var open = try open(slot)
      #expect(try open.restored().words == ["w0": "abandon about", "w1": "zoo zoo"], place)
      #expect(open.health.rolledBack + open.health.forked + open.health.incomplete == 0, place)
    }
  }

  @Test func `Files may arrive in every order`() throws {
    let made = try Made()
    let kept = made.scene.base + "/kept"
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
    for name in ["cloud", "state-a"] {
      try FileManager.default.copyItem(
        atPath: "\(made.scene.base)/\(name)", toPath: "\(kept)/\(name)")
    }
    for order in Self.orders {
      for name in ["cloud", "state-a"] {
        try FileManager.default.removeItem(atPath: "\(made.scene.base)/\(name)")
        try FileManager.default.copyItem(
          atPath: "\(kept)/\(name)", toPath: "\(made.scene.base)/\(name)")
      }
      try lose(order, made)
    }
    #expect(Self.orders.count == 24)
  }

  private func lose(_ order: [Int], _ made: Made) throws {
    let place: Comment = "\(order.map { Self.names[$0] })"
    var left = Array(0..<4)
    for slot in order {
      left.removeAll { $0 == slot }
      // Use a security key while there is one: the CSPP envelope may have to move.
      var open = try made.open(left[0])
      try open.removeKeySlots([made.ids[slot]])
      #expect(open.viewProblem == nil, place)
      #expect(throws: (any Error).self, place) { _ = try made.open(slot) }
    }
    try made.expectOpens(left[0], place)
    let slots = try made.scene.slots()
    #expect(Array(slots.keys) == [made.ids[left[0]]], place)
    // The envelope belongs to the last key, or went with the last security key.
    #expect(slots.values.first?.hasEnvelope == (left[0] < 3), place)
  }
}

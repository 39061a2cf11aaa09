import CSPP
import Foundation
import SecretMemory
import Testing

@testable import BackupFolder

/// A new master key, and ways in that need guards.
struct GuardedRotationTests {
  @Test func `It gets a box, no file, and must be renewed`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.addGuardAccounts(accounts(1))
    try open.add(.pin)
    let old = open.id
    let rotation = try keys.rotate(.blue, as: .newBlue)
    let left = rotation.left.map { ($0.keyID, $0.isGuarded) }
    #expect(left.contains { $0 == (GuardedWay.pin.keyID, true) })
    #expect(left.contains { $0 == (Keyring.spare.keyID, false) })
    let new = rotation.namespace.id
    #expect(try rotation.namespace.guardAccounts().map(\.isEarlier) == [false])

    // Its secret still leads there, and leaves no file behind.
    let slot = try keys.slot(.pin, at: old, "b")
    var followed = try keys.folder("b").namespace(old).follow(
      slot.unwrap(secret: GuardedWay.pin.secret()), by: slot.keyID,
      slots: [GuardedWay.pin.slotSecret()], compared: new)
    followed.remember()
    #expect(followed.namespace.id == new && followed.obstacle == nil)
    #expect(try followed.namespace.restored().words == ["w1": "abandon about"])
    #expect(try !followed.namespace.admit(slot, GuardedWay.pin.slotSecret()))
    #expect(try !keys.folder("b").namespace(new).scan().keySlots.contains { $0.isGuarded })

    // Computers that know the log say so without a key.
    let pending = try keys.folder("a").namespace(new).pendingKeySlots()
    let own = try #require(pending.first { $0.keyID == GuardedWay.pin.keyID })
    #expect(own.needsRenewal && own.isEnrolled == true && !own.counts)
    #expect(pending.contains { $0.keyID == Keyring.spare.keyID && !$0.needsRenewal })
  }

  @Test func `The renewed one takes its place`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.pin)
    _ = try keys.rotate(.blue, as: .newBlue)
    let new = try keys.folder("a").namespace().id
    var next = try keys.unlock(.newBlue, at: new)
    try next.add(.newPIN)
    let slots = try next.allKeySlots()
    #expect(Set(slots.filter(\.isGuarded).compactMap(\.keyID)).count == 2)
    #expect(slots.first { $0.keyID == GuardedWay.pin.keyID }?.needsRenewal == true)
    #expect(slots.first { $0.keyID == GuardedWay.newPIN.keyID }?.needsRenewal == false)
    var opened = try keys.unlock(.newPIN, at: new, "b", for: .writing)
    try opened.add(.of("w1"))
    #expect(opened.removedKeys == [GuardedWay.pin.keyID])
    #expect(try opened.allKeySlots().filter(\.isGuarded).map(\.keyID) == [GuardedWay.newPIN.keyID])
    #expect(opened.keySlotsWithoutFile.map(\.keyID) == [Keyring.spare.keyID])
  }

  @Test func `One that is only pending can be removed`() throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.login)
    _ = try keys.rotate(.blue, as: .newBlue)
    let new = try keys.folder("a").namespace().id
    var next = try keys.unlock(.newBlue, at: new)
    try next.removeKeySlots([GuardedWay.login.keyID])
    #expect(next.keySlotsWithoutFile.map(\.keyID) == [Keyring.spare.keyID])
    // A second rotation leaves it no box.
    let again = try keys.unlock(.newBlue, at: new)
    #expect(again.pendingKeySlots(besides: Keyring.Way.newBlue.keyID).allSatisfy { !$0.isGuarded })
  }
}

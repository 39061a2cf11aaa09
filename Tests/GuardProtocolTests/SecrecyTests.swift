import CSPP
import FoundationEssentials
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import TestSupport
import Testing

@testable import GuardProtocol

/// Whoever has the folder and the disks of too few guards cannot tell one PIN from another.
///
/// An attacker computes for each of 10,000 PINs whatever the file and the disks let him compare with.
/// The same attacker, with the disk of one more guard, finds the PIN: his comparisons are not blind.
@Suite("Secrecy of a PIN")
struct SecrecyTests {
  /// What a guard's disk has, with its server key: all that the guard itself can use.
  private struct Disk {
    let point: Int
    let oprfKey: [UInt8]
    let guardID: GuardID
    let resetKey: SigningKey
    /// The last request and its answer.
    let asked, answered: RistrettoElement
  }

  /// A backup's way in, and the disks of its guards.
  private struct Circle {
    let header: KeyHeader
    let own: KeyHeader.GuardedPIN
    let wrapper: KeyWrapper
    let disks: [Disk]
  }

  private func circle(pin: [UInt8], guards: Int, needed: Int) throws -> Circle {
    let keyID = KeyID.random()
    let masterKey = MasterKey.random()
    let x = Self.stretched(pin)
    let shared = SecretBytes.random(count: SecretShares.size)
    let shares = try SecretShares(
      of: shared, threshold: GuardThreshold(guards: guards, needed: needed))
    let slotSecret = try GuardedSecret.pin(shared: shared, stretched: x, keyID: keyID)
    var members: [KeyHeader.GuardedPIN.Guard] = []
    var disks: [Disk] = []
    for point in 1...guards {
      let (member, disk) = try guardian(
        point, share: shares.share(at: point), x: x, slotSecret: slotSecret, keyID: keyID)
      members.append(member)
      disks.append(disk)
    }
    let own = try KeyHeader.GuardedPIN(
      nonce: Randomness.bytes(count: KeyHeader.guardNonceSize), needed: needed, schedule: .pin,
      stretching: PINStretching(memoryKiB: 8192, passes: 1), guards: members)
    let header = KeyHeader(
      namespaceID: masterKey.namespaceID, keyID: keyID, kind: .guardedPIN(own), label: "",
      createdAt: 5)
    let file = try KeyWrapper.seal(masterKey, secret: slotSecret, header: header)
    let wrapper = try KeyWrapper(parsing: file.span, at: masterKey.namespaceID)
    return Circle(header: header, own: own, wrapper: wrapper, disks: disks)
  }

  /// A guard with a key of its own: its part of the header, and its disk.
  private func guardian(
    _ point: Int, share: borrowing SecretBytes, x: borrowing SecretBytes,
    slotSecret: borrowing SecretBytes, keyID: KeyID
  ) throws -> (KeyHeader.GuardedPIN.Guard, Disk) {
    let url = try #require(ServiceURL("https://g\(point).example"))
    let id = GuardID.random()
    let key = OPRFKey.random(mode: .verifiable)
    let masked = try ShareMask.pin(share, output: key.output(for: x), keyID: keyID, point: point)
    let reset = try GuardSigner.reset(secret: slotSecret, keyID: keyID, guardID: id)
    let blinded = try BlindedInput(x.copy(), mode: .verifiable)
    let asked = blinded.element
    let evaluated = try key.evaluate([asked]).evaluated
    let publicKey = key.publicKey
    let member = KeyHeader.GuardedPIN.Guard(
      guardID: id, url: url, oprfKey: publicKey.bytes, maskedShare: array(masked))
    let disk = Disk(
      point: point, oprfKey: array(key.copyBytes()), guardID: id, resetKey: reset.publicKey,
      asked: asked, answered: evaluated[0])
    return (member, disk)
  }

  /// In place of Argon2id, which makes each trial slow and hides nothing: its inputs are in the file.
  private static func stretched(_ pin: [UInt8]) -> SecretBytes {
    secret(Digest(of: pin.span).bytes)
  }

  /// Each comparison that the file and the disks allow, by name, where a PIN passes it.
  private func passed(
    _ pin: [UInt8], _ circle: Circle, _ disks: [Disk]
  ) throws -> Set<String> {
    let x = Self.stretched(pin)
    let keyID = circle.header.keyID
    var passed: Set<String> = []
    // What the blinded requests and their answers say of the PIN.
    let plain = try unblinded(pin)
    var outputs: [[UInt8]] = []
    for disk in disks {
      let key = try OPRFKey(secret(disk.oprfKey), mode: .verifiable)
      outputs.append(array(try key.output(for: x)))
      if disk.asked == plain || disk.answered == plain { passed.insert("request") }
    }
    var known: [Int: [UInt8]] = [:]
    for (disk, output) in zip(disks, outputs) {
      known[disk.point] = try unmasked(circle, disk.point, output)
    }
    if Set(known.values).count < known.count { passed.insert("equal shares") }

    // The shares of the guards that he does not have, as he can guess them.
    let zero = [UInt8](repeating: 0, count: SecretShares.size)
    var guesses: [(name: String, share: (Int) throws -> [UInt8])] = [
      ("zero", { _ in zero }),
      ("masked", { circle.own.guards[$0 - 1].maskedShare }),
      ("by x", { try unmasked(circle, $0, array(x) + array(x)) }),
    ]
    for (place, output) in outputs.enumerated() {
      guesses.append(("by another guard's key \(place)", { try unmasked(circle, $0, output) }))
    }
    let missing = (1...circle.own.guards.count).filter { known[$0] == nil }
    let lacking = max(0, circle.own.threshold.needed - known.count)
    for guess in guesses.prefix(lacking == 0 ? 1 : guesses.count) {
      var shares = CollectedShares(threshold: circle.own.threshold)
      for (point, share) in known.sorted(by: { $0.key < $1.key }) where !shares.isComplete {
        try shares.add(secret(share), at: point)
      }
      for point in missing.prefix(lacking) { try shares.add(secret(guess.share(point)), at: point) }
      let candidate = try GuardedSecret.pin(
        shared: shares.combine(), stretched: x, keyID: keyID)
      if try GuardedSecret.recipient(of: candidate, keyID: keyID).bytes == circle.wrapper.recipient
      {
        passed.insert("recipient, \(guess.name)")
      }
      for disk in disks {
        let reset = try GuardSigner.reset(secret: candidate, keyID: keyID, guardID: disk.guardID)
        if reset.publicKey == disk.resetKey { passed.insert("reset key, \(guess.name)") }
      }
    }
    return passed
  }

  /// An element that only this PIN has.
  private func unblinded(_ pin: [UInt8]) throws -> RistrettoElement {
    let key = try OPRFKey(
      seed: secret([UInt8](repeating: 1, count: 32)), info: pin, mode: .verifiable)
    return key.publicKey
  }

  private func unmasked(
    _ circle: Circle, _ point: Int, _ output: [UInt8]
  ) throws -> [UInt8] {
    array(
      try ShareMask.pin(
        secret(circle.own.guards[point - 1].maskedShare), output: secret(output),
        keyID: circle.header.keyID, point: point))
  }

  private static func pin(_ number: Int) -> [UInt8] {
    let digits = String(number)
    return Array((String(repeating: "0", count: 6 - digits.utf8.count) + digits).utf8)
  }

  @Test func `Too few guards' disks and the folder fit every PIN equally`() throws {
    var generator = SeededGenerator(seed: TestSeed.value)
    let right = Int.random(in: 0..<10_000, using: &generator)
    let circle = try self.circle(pin: Self.pin(right), guards: 3, needed: 2)
    for number in 0..<10_000 {
      let found = try passed(Self.pin(number), circle, [circle.disks[1]])
      guard found.isEmpty else {
        Issue.record("the PIN \(number) of \(right) differs: \(found)")
        return
      }
    }
  }

  @Test(arguments: [(3, 2), (5, 3), (1, 1)])
  func `The same attacker with enough disks finds the PIN`(_ guards: Int, _ needed: Int) throws {
    var generator = SeededGenerator(seed: TestSeed.value)
    let right = Int.random(in: 0..<200, using: &generator)
    let circle = try self.circle(pin: Self.pin(right), guards: guards, needed: needed)
    let disks = Array(circle.disks.shuffled(using: &generator).prefix(needed))
    let fitting = try (0..<200).filter { number in
      try !passed(Self.pin(number), circle, disks).isEmpty
    }
    #expect(fitting == [right])
    let found = try passed(Self.pin(right), circle, disks)
    #expect(found == ["recipient, zero", "reset key, zero"])
    // One disk less, and the right PIN looks like the others.
    for number in [right, right + 1] {
      #expect(try passed(Self.pin(number), circle, Array(disks.dropLast())).isEmpty)
    }
  }
}

import CSPP
import GuardTestSupport
import SecretMemory
import Testing

@testable import GuardProtocol

@Suite("Sharing among guards")
struct SharingTests {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    let guards, needed: Int
    let secret, coefficients: String
    let shares: [String]
    var testDescription: String { "\(needed) of \(guards)" }

    func split() throws -> SecretShares {
      try SecretShares(
        of: GuardTestSupport.secret(unhex(secret)),
        threshold: GuardThreshold(guards: guards, needed: needed),
        coefficients: GuardTestSupport.secret(unhex(coefficients)))
    }

    /// What comes of the shares at some points.
    func combined(_ points: [Int]) throws -> String {
      var collected = CollectedShares(
        threshold: try GuardThreshold(guards: guards, needed: needed))
      for point in points {
        try collected.add(GuardTestSupport.secret(unhex(shares[point - 1])), at: point)
      }
      return Hex.string(array(try collected.combine()))
    }
  }

  static func vectors() throws -> [Vector] {
    try KnownAnswers<Vector>.cases("guards/shares.json")
  }

  @Test func `The field is AES's: the products of FIPS 197, and every inverse`() {
    #expect(GF256.product(0x57, 0x83) == 0xC1)
    #expect(GF256.product(0x57, 0x13) == 0xFE)
    #expect([0x02, 0x04, 0x08, 0x10].map { GF256.product(0x57, $0) } == [0xAE, 0x47, 0x8E, 0x07])
    for element in 1...255 as ClosedRange<UInt8> {
      #expect(GF256.product(element, GF256.inverse(element)) == 1)
      #expect(GF256.product(element, 1) == element)
      #expect(GF256.product(element, 0) == 0)
    }
    #expect(GF256.inverse(0x53) == 0xCA)
    #expect(GF256.inverse(0) == 0)
  }

  @Test(arguments: try vectors())
  func `Shares are those of powers of 3`(_ vector: Vector) throws {
    let shares = try vector.split()
    for point in 1...vector.guards {
      #expect(Hex.string(array(try shares.share(at: point))) == vector.shares[point - 1])
    }
    for point in [0, vector.guards + 1] {
      #expect(throws: GuardProtocolError.invalidShare) { _ = try shares.share(at: point) }
    }
  }

  @Test(arguments: try vectors())
  func `Every set of as many as are needed gives the secret, in any order`(
    _ vector: Vector
  ) throws {
    var sets = 0
    for bits in 0..<(1 << vector.guards) where bits.nonzeroBitCount == vector.needed {
      let points = (1...vector.guards).filter { bits >> ($0 - 1) & 1 == 1 }
      #expect(try vector.combined(points) == vector.secret)
      if sets < 40 { #expect(try vector.combined(points.reversed()) == vector.secret) }
      sets += 1
    }
    #expect(sets > 0)
  }

  @Test func `With fewer, every secret is as likely`() throws {
    // For two of three: whatever the secret's byte is, some second share goes with the first.
    let threshold = try GuardThreshold(guards: 3, needed: 2)
    let own = secret([UInt8](repeating: 0x5A, count: 32))
    var secrets: Set<UInt8> = []
    for value in 0...255 as ClosedRange<UInt8> {
      var collected = CollectedShares(threshold: threshold)
      try collected.add(own, at: 1)
      try collected.add(secret([UInt8](repeating: value, count: 32)), at: 2)
      secrets.insert(array(try collected.combine())[0])
    }
    #expect(secrets.count == 256)
  }

  @Test func `Coefficients are random`() throws {
    let threshold = try GuardThreshold(guards: 3, needed: 2)
    let own = SecretBytes.random(count: 32)
    let one = try SecretShares(of: own, threshold: threshold)
    let other = try SecretShares(of: own, threshold: threshold)
    #expect(array(try one.share(at: 1)) != array(try other.share(at: 1)))
    var collected = CollectedShares(threshold: threshold)
    try collected.add(one.share(at: 3), at: 3)
    try collected.add(one.share(at: 1), at: 1)
    let points = collected.points
    #expect(points == [3, 1])
    #expect(array(try collected.combine()) == array(own))
  }

  @Test func `Shares of another size, point or number`() throws {
    let invalid = GuardProtocolError.invalidShare
    let threshold = try GuardThreshold(guards: 3, needed: 2)
    let right = secret([UInt8](repeating: 1, count: 32))
    #expect(throws: invalid) { _ = try SecretShares(of: secret([1]), threshold: threshold) }
    var collected = CollectedShares(threshold: threshold)
    #expect(throws: invalid) { _ = try collected.combine() }
    #expect(throws: invalid) { try collected.add(right, at: 0) }
    #expect(throws: invalid) { try collected.add(right, at: 4) }
    #expect(throws: invalid) { try collected.add(secret([1]), at: 1) }
    try collected.add(right, at: 1)
    #expect(throws: invalid) { try collected.add(right, at: 1) }
    #expect(throws: invalid) { _ = try collected.combine() }
    try collected.add(right, at: 2)
    #expect(throws: invalid) { try collected.add(right, at: 3) }
    let isComplete = collected.isComplete
    #expect(isComplete)
  }

  @Test func `More than half of the guards are needed, and there are at most 16`() {
    for guards in -1...18 {
      for needed in -1...18 {
        let isValid = (1...16).contains(guards) && needed <= guards && 2 * needed > guards
        let threshold = try? GuardThreshold(guards: guards, needed: needed)
        #expect((threshold != nil) == isValid, "\(needed) of \(guards)")
        // Without the blocking ones, too few are left.
        if let threshold { #expect(guards - threshold.blocking == needed - 1) }
      }
    }
  }
}

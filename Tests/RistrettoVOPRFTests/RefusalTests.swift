import GuardTestSupport
import SecretMemory
import Testing

@testable import RistrettoVOPRF

@Suite("OPRF refusals")
struct RefusalTests {
  private static let zero = [UInt8](repeating: 0, count: 32)
  /// The group's order, little-endian (RFC 9496, section 4.4).
  private static let order = unhex(
    "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
  /// The generator's encoding.
  private static let generator = unhex(
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")

  /// RFC 9496, appendix A.3, and wrong sizes.
  static let elements =
    [
      "", "00", "0000000000000000000000000000000000000000000000000000000000000000",
      // Non-canonical field encodings.
      "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      // Negative field elements.
      "0100000000000000000000000000000000000000000000000000000000000000",
      "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
      "c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562",
      // Non-square x^2.
      "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
      "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
      // Negative x * y.
      "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
      "a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220",
      // s = -1, which causes y = 0.
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      // The generator with the unused bit set, with a byte more, and the identity with a byte more.
      "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2df6",
      "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d7600",
      "000000000000000000000000000000000000000000000000000000000000000000",
    ]

  @Test(arguments: elements)
  func `An element in no or in another encoding`(_ digits: String) {
    #expect(throws: VOPRFError.invalidElement) { try RistrettoElement(unhex(digits)) }
  }

  @Test func `The generator is an element`() throws {
    #expect(try RistrettoElement(Self.generator).bytes == Self.generator)
  }

  static let scalars: [[UInt8]] = [
    [], zero, order, [1], order + [0], [UInt8](repeating: 0xFF, count: 32),
    // 1 with the order added, and with the highest bit.
    [order[0] + 1] + order[1...], [1] + zero[1..<31] + [0x80],
  ]

  @Test(arguments: scalars)
  func `A scalar that is zero or not below the order`(_ bytes: [UInt8]) throws {
    for mode in OPRFMode.allCases {
      #expect(throws: VOPRFError.invalidScalar) { _ = try OPRFKey(secret(bytes), mode: mode) }
      #expect(throws: VOPRFError.invalidScalar) {
        _ = try BlindedInput(secret([1]), mode: mode, blind: secret(bytes))
      }
    }
    guard bytes.count == 32 else { return }
    let good = [1] + Self.zero[1...]
    #expect(throws: VOPRFError.invalidProof) { try DLEQProof(good + bytes) }
    #expect(throws: VOPRFError.invalidProof) { try DLEQProof(bytes + good) }
  }

  @Test func `The largest scalar is one`() throws {
    let largest = [Self.order[0] - 1] + Self.order[1...]
    let key = try OPRFKey(secret(largest), mode: .base)
    // It is -1, and the generator's negative has another encoding.
    let publicKey = key.publicKey.bytes
    #expect(publicKey != Self.generator)
  }

  @Test func `Seeds, infos and inputs beyond their sizes`() throws {
    for count in [0, 31, 33, 64] {
      #expect(throws: VOPRFError.noKey) {
        _ = try OPRFKey(
          seed: secret([UInt8](repeating: 1, count: count)), info: [], mode: .base)
      }
    }
    let long = [UInt8](repeating: 1, count: 65_536)
    #expect(throws: VOPRFError.noKey) {
      _ = try OPRFKey(seed: secret(Self.order), info: long, mode: .base)
    }
    #expect(throws: VOPRFError.invalidInput) {
      _ = try BlindedInput(secret(long), mode: .verifiable)
    }
    _ = try BlindedInput(secret(Array(long.dropLast())), mode: .verifiable)
    _ = try BlindedInput(secret([]), mode: .verifiable)
  }

  @Test func `Each mode refuses the other's calls`() throws {
    let base = OPRFKey.random(mode: .base)
    let verifiable = OPRFKey.random(mode: .verifiable)
    let element = try RistrettoElement(Self.generator)
    #expect(throws: VOPRFError.otherMode) { _ = try base.evaluate([element]) }
    #expect(throws: VOPRFError.otherMode) { try verifiable.evaluate(unverified: element) }
    let input = try BlindedInput(secret([1]), mode: .verifiable)
    #expect(throws: VOPRFError.otherMode) { _ = try input.finalize(unverified: element) }
    let (evaluated, proof) = try verifiable.evaluate([input.element])
    let pair = try proof.verify(
      blinded: [input.element], evaluated: evaluated, publicKey: verifiable.publicKey)[0]
    let other = try BlindedInput(secret([1]), mode: .base)
    #expect(throws: VOPRFError.otherMode) { _ = try other.finalize(pair) }
    // Of the right mode, but for another element.
    let again = try BlindedInput(secret([1]), mode: .verifiable)
    #expect(throws: VOPRFError.invalidProof) { _ = try again.finalize(pair) }
  }

  @Test func `A proof holds for its key, its elements and their order only`() throws {
    let key = OPRFKey.random(mode: .verifiable)
    let otherKey = OPRFKey.random(mode: .verifiable)
    var blinded: [RistrettoElement] = []
    for byte in 1...3 as ClosedRange<UInt8> {
      blinded.append(try BlindedInput(secret([byte]), mode: .verifiable).element)
    }
    let (evaluated, proof) = try key.evaluate(blinded)
    let (others, otherProof) = try otherKey.evaluate(blinded)
    let (publicKey, otherPublicKey) = (key.publicKey, otherKey.publicKey)
    func verify(
      _ proof: DLEQProof, _ evaluated: [RistrettoElement], _ publicKey: RistrettoElement
    ) throws(VOPRFError) {
      _ = try proof.verify(blinded: blinded, evaluated: evaluated, publicKey: publicKey)
    }
    try verify(proof, evaluated, publicKey)
    #expect(throws: VOPRFError.invalidProof) { try verify(proof, evaluated, otherPublicKey) }
    #expect(throws: VOPRFError.invalidProof) { try verify(proof, others, publicKey) }
    #expect(throws: VOPRFError.invalidProof) { try verify(otherProof, others, publicKey) }
    #expect(throws: VOPRFError.invalidProof) { try verify(otherProof, evaluated, publicKey) }
    #expect(throws: VOPRFError.invalidProof) { try verify(proof, evaluated.reversed(), publicKey) }
    #expect(throws: VOPRFError.invalidProof) {
      try verify(proof, [evaluated[0], evaluated[1], others[2]], publicKey)
    }
    for index in 0..<64 {
      var bytes = proof.bytes
      bytes[index] ^= 1
      #expect(throws: VOPRFError.invalidProof) {
        try verify(DLEQProof(bytes), evaluated, publicKey)
      }
    }
    #expect(throws: VOPRFError.invalidCount) { try verify(proof, [evaluated[0]], publicKey) }
    #expect(throws: VOPRFError.invalidCount) {
      _ = try proof.verify(blinded: [], evaluated: [], publicKey: publicKey)
    }
    #expect(throws: VOPRFError.invalidCount) { _ = try key.evaluate([]) }
  }

  @Test func `A batch that adds up to nothing has no proof`() throws {
    // An element and its negative with weights that differ do not; with equal sums, only by chance.
    let key = OPRFKey.random(mode: .verifiable)
    let element = try RistrettoElement(Self.generator)
    let minusOne = [Self.order[0] - 1] + Self.order[1...]
    let negative = try #require(element.times(minusOne))
    #expect(element.plus(negative) == nil)
    #expect(element.times(Self.zero) == nil)
    let (evaluated, proof) = try key.evaluate([element, negative])
    _ = try proof.verify(
      blinded: [element, negative], evaluated: evaluated, publicKey: key.publicKey)
  }

  @Test func `Blinds are random, and the output does not depend on them`() throws {
    let key = OPRFKey.random(mode: .verifiable)
    var elements: Set<RistrettoElement> = []
    let expected = array(try key.output(for: secret([4, 2])))
    for _ in 0..<20 {
      let input = try BlindedInput(secret([4, 2]), mode: .verifiable)
      elements.insert(input.element)
      let (evaluated, proof) = try key.evaluate([input.element])
      let pair = try proof.verify(
        blinded: [input.element], evaluated: evaluated, publicKey: key.publicKey)[0]
      #expect(array(try input.finalize(pair)) == expected)
    }
    #expect(elements.count == 20)
    #expect(array(try key.output(for: secret([4, 3]))) != expected)
  }
}

import GuardTestSupport
import SecretMemory
import TestSupport
import Testing

@testable import RistrettoVOPRF

/// Both halves of the protocol against Tests/reader/voprf.py, which computes on Python's integers.
@Suite("Independent OPRF")
struct PythonTests {
  private static let python = SecondOpinion("voprf.py")

  /// One batch: sizes from nothing to more than a block of SHA-512.
  private struct Batch: Encodable {
    let mode: UInt8
    let seed, info, random: String
    let inputs, blinds: [String]
    var blinded: [String] = []
    var evaluated: [String]?
    var proof: String?
    var `public`: String?

    init(_ mode: OPRFMode, sizes: [Int], using generator: inout SeededGenerator) {
      self.mode = mode.rawValue
      seed = Hex.string(generator.bytes(32))
      info = Hex.string(generator.bytes(Int.random(in: 0...40, using: &generator)))
      random = Self.scalar(&generator)
      inputs = sizes.map { Hex.string(generator.bytes($0)) }
      blinds = sizes.map { _ in Self.scalar(&generator) }
    }

    private static func scalar(_ generator: inout SeededGenerator) -> String {
      // Below the order, which begins with 0x10.
      Hex.string(generator.bytes(31) + [generator.bytes(1)[0] & 0x0F])
    }

    var oprfMode: OPRFMode { mode == 0 ? .base : .verifiable }

    func key() throws -> OPRFKey {
      try OPRFKey(seed: secret(unhex(seed)), info: unhex(info), mode: oprfMode)
    }

    func client(_ index: Int) throws -> BlindedInput {
      try BlindedInput(
        secret(unhex(inputs[index])), mode: oprfMode, blind: secret(unhex(blinds[index])))
    }

    func outputs(_ key: borrowing OPRFKey) throws -> [String] {
      var outputs: [String] = []
      for input in inputs {
        outputs.append(Hex.string(array(try key.output(for: secret(unhex(input))))))
      }
      return outputs
    }
  }

  private func batches() -> [Batch] {
    var generator = SeededGenerator(seed: TestSeed.value)
    return [[0], [1], [32], [64, 200], [5, 32, 300]].flatMap { sizes in
      OPRFMode.allCases.map { Batch($0, sizes: sizes, using: &generator) }
    }
  }

  @Test func `Our client, their server`() throws {
    struct Answer: Decodable {
      let `public`, proof: String
      let evaluated: [String]
    }
    var batches = batches()
    for index in batches.indices {
      for place in batches[index].inputs.indices {
        batches[index].blinded.append(Hex.string(try batches[index].client(place).element.bytes))
      }
    }
    let answers = try Self.python.answers("server", batches, as: Answer.self)
    for (batch, answer) in zip(batches, answers) {
      let key = try batch.key()
      #expect(Hex.string(key.publicKey.bytes) == answer.public)
      let evaluated = try answer.evaluated.map { (text) throws(VOPRFError) in
        try RistrettoElement(unhex(text))
      }
      var outputs: [String] = []
      if batch.oprfMode == .base {
        for (place, element) in evaluated.enumerated() {
          outputs.append(
            Hex.string(array(try batch.client(place).finalize(unverified: element))))
        }
      } else {
        let blinded = try batch.blinded.map { (text) throws(VOPRFError) in
          try RistrettoElement(unhex(text))
        }
        let verified = try DLEQProof(unhex(answer.proof)).verify(
          blinded: blinded, evaluated: evaluated, publicKey: key.publicKey)
        for (place, pair) in verified.enumerated() {
          outputs.append(Hex.string(array(try batch.client(place).finalize(pair))))
        }
      }
      #expect(outputs == (try batch.outputs(key)))
    }
  }

  @Test func `Their client, our server, and proofs that do not hold`() throws {
    struct Blinded: Decodable { let blinded: [String] }
    struct Answer: Decodable {
      let outputs: [String]?
      let refused: String?
    }
    var batches = batches()
    let blinded = try Self.python.answers("blind", batches, as: Blinded.self)
    var expected: [[String]?] = []
    for (index, answer) in blinded.enumerated() {
      batches[index].blinded = answer.blinded
      let key = try batches[index].key()
      batches[index].public = Hex.string(key.publicKey.bytes)
      expected.append(try batches[index].outputs(key))
      let elements = try answer.blinded.map { (text) throws(VOPRFError) in
        try RistrettoElement(unhex(text))
      }
      if batches[index].oprfMode == .base {
        batches[index].evaluated = try elements.map {
          Hex.string(try key.evaluate(unverified: $0).bytes)
        }
      } else {
        let (evaluated, proof) = try key.evaluate(elements)
        batches[index].evaluated = evaluated.map { Hex.string($0.bytes) }
        batches[index].proof = Hex.string(proof.bytes)
      }
    }
    // The same with the proof of another run of the random numbers, which holds for it alone.
    let verifiable = batches.filter { $0.oprfMode == .verifiable }
    for (index, batch) in verifiable.enumerated() {
      var wrong = batch
      wrong.proof = verifiable[(index + 1) % verifiable.count].proof
      batches.append(wrong)
      expected.append(nil)
    }
    let answers = try Self.python.answers("finalize", batches, as: Answer.self)
    for (answer, expected) in zip(answers, expected) {
      #expect(answer.outputs == expected)
      #expect(answer.refused == (expected == nil ? "proof" : nil))
    }
  }
}

import GuardTestSupport
import SecretMemory
import Testing

@testable import RistrettoVOPRF

/// RFC 9497, appendices A.1.1 and A.1.2.
@Suite("RFC 9497")
struct KnownAnswerTests {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let mode: UInt8
    let seed, keyInfo, privateKey, publicKey, proof, proofRandom: String
    let inputs, blinds, blinded, evaluated, outputs: [String]
    var testDescription: String { name }
    var verifiable: Bool { mode == 1 }

    func key() throws -> OPRFKey {
      let mode = try #require(OPRFMode(rawValue: mode))
      return try OPRFKey(seed: secret(unhex(seed)), info: unhex(keyInfo), mode: mode)
    }

    func blindedInput(_ index: Int) throws -> BlindedInput {
      try BlindedInput(
        secret(unhex(inputs[index])), mode: verifiable ? .verifiable : .base,
        blind: secret(unhex(blinds[index])))
    }
  }

  static func vectors() throws -> [Vector] {
    try KnownAnswers<Vector>.cases("oprf/ristretto255-sha512.json")
  }

  @Test func `All five are here: two of the base mode, three of the verifiable one`() throws {
    let vectors = try Self.vectors()
    #expect(vectors.map(\.verifiable) == [false, false, true, true, true])
    #expect(vectors.map(\.inputs.count) == [1, 1, 1, 1, 2])
  }

  @Test(arguments: try vectors())
  func `DeriveKeyPair`(_ vector: Vector) throws {
    let key = try vector.key()
    #expect(Hex.string(array(key.copyBytes())) == vector.privateKey)
    if vector.verifiable { #expect(Hex.string(key.publicKey.bytes) == vector.publicKey) }
    let same = try OPRFKey(secret(unhex(vector.privateKey)), mode: key.mode)
    let publicKey = key.publicKey
    #expect(same.publicKey == publicKey)
  }

  @Test(arguments: try vectors())
  func `Blind, BlindEvaluate, Finalize`(_ vector: Vector) throws {
    let key = try vector.key()
    var blinded: [RistrettoElement] = []
    for index in vector.inputs.indices { blinded.append(try vector.blindedInput(index).element) }
    #expect(blinded.map { Hex.string($0.bytes) } == vector.blinded)
    guard vector.verifiable else {
      let evaluated = try key.evaluate(unverified: blinded[0])
      #expect(Hex.string(evaluated.bytes) == vector.evaluated[0])
      let output = array(try vector.blindedInput(0).finalize(unverified: evaluated))
      #expect(Hex.string(output) == vector.outputs[0])
      return
    }
    let (evaluated, proof) = try key.evaluate(
      blinded, random: secret(unhex(vector.proofRandom)))
    #expect(evaluated.map { Hex.string($0.bytes) } == vector.evaluated)
    #expect(Hex.string(proof.bytes) == vector.proof)
    let verified = try DLEQProof(unhex(vector.proof)).verify(
      blinded: blinded, evaluated: evaluated, publicKey: RistrettoElement(unhex(vector.publicKey)))
    for index in vector.inputs.indices {
      let output = array(try vector.blindedInput(index).finalize(verified[index]))
      #expect(Hex.string(output) == vector.outputs[index])
    }
  }

  @Test(arguments: try vectors())
  func `Evaluate`(_ vector: Vector) throws {
    let key = try vector.key()
    for (input, expected) in zip(vector.inputs, vector.outputs) {
      let output = array(try key.output(for: secret(unhex(input))))
      #expect(Hex.string(output) == expected)
    }
  }
}

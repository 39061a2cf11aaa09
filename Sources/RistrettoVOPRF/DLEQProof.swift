internal import SecretMemory

/// A proof that one key led from the blinded to the evaluated elements and to its public key:
/// equality of discrete logarithms (RFC 9497, section 2.2).
public struct DLEQProof: Hashable, Sendable {
  /// The size of a proof, 64 bytes.
  public static let size = 64
  /// The two scalars, `c` and `s`.
  public let bytes: [UInt8]

  private var challenge: [UInt8] { Array(bytes[..<32]) }
  private var response: [UInt8] { Array(bytes[32...]) }

  /// Takes a server's proof; whether it holds is another question.
  ///
  /// - Parameter bytes: 64 bytes.
  /// - Throws: ``VOPRFError/invalidProof`` for another size, and for a scalar that is zero or not
  ///   in its one encoding.
  public init(_ bytes: [UInt8]) throws(VOPRFError) {
    guard bytes.count == Self.size, RistrettoScalar.isValid(Array(bytes[..<32])),
      RistrettoScalar.isValid(Array(bytes[32...]))
    else { throw .invalidProof }
    self.bytes = bytes
  }

  /// Proves (section 2.2.1).
  ///
  /// - Parameters:
  ///   - key: the private key.
  ///   - publicKey: its public half.
  ///   - blinded: 1 to 65,535 elements.
  ///   - evaluated: each of them times the key.
  ///   - random: a random scalar, used once.
  /// - Throws: ``VOPRFError/invalidCount``; ``VOPRFError/invalidElement`` with a chance of 2^-252.
  init(
    key: borrowing SecretBytes, publicKey: RistrettoElement, blinded: [RistrettoElement],
    evaluated: [RistrettoElement], random: borrowing SecretBytes
  ) throws(VOPRFError) {
    let weights = try CompositeWeights(
      publicKey: publicKey, blinded: blinded, evaluated: evaluated)
    guard let m = weights.sum(of: blinded), let z = m.times(key),
      let t2 = RistrettoElement.generator(times: random), let t3 = m.times(random)
    else { throw .invalidElement }
    let challenge = Self.challenge(publicKey, m, z, t2, t3)
    try self.init(challenge + RistrettoScalar.difference(random, challenge, times: key))
  }

  /// Checks the proof (section 2.2.2).
  ///
  /// - Parameters:
  ///   - blinded: what the server was sent.
  ///   - evaluated: its answer, in the same order.
  ///   - publicKey: the key that it is known by.
  /// - Returns: the pairs, now proved, for ``BlindedInput/finalize(_:)``.
  /// - Throws: ``VOPRFError/invalidProof``, ``VOPRFError/invalidCount``.
  public func verify(
    blinded: [RistrettoElement], evaluated: [RistrettoElement], publicKey: RistrettoElement
  ) throws(VOPRFError) -> [VerifiedEvaluation] {
    let weights = try CompositeWeights(
      publicKey: publicKey, blinded: blinded, evaluated: evaluated)
    guard let m = weights.sum(of: blinded), let z = weights.sum(of: evaluated),
      let t2 = RistrettoElement.generator(times: response)?.plus(times(publicKey)),
      let t3 = m.times(response)?.plus(times(z)),
      Self.challenge(publicKey, m, z, t2, t3) == challenge
    else { throw .invalidProof }
    return zip(blinded, evaluated).map { VerifiedEvaluation(blinded: $0, evaluated: $1) }
  }

  /// An element times the challenge.
  private func times(_ element: RistrettoElement) -> RistrettoElement? { element.times(challenge) }

  private static func challenge(
    _ publicKey: RistrettoElement, _ m: RistrettoElement, _ z: RistrettoElement,
    _ t2: RistrettoElement, _ t3: RistrettoElement
  ) -> [UInt8] {
    OPRFMode.verifiable.hashToScalar { hash in
      for element in [publicKey, m, z, t2, t3] { hash.updateSized(element.bytes) }
      hash.update(Array("Challenge".utf8))
    }
  }
}

/// A blinded element and its evaluation under a known key, as a proof has shown.
public struct VerifiedEvaluation: Hashable, Sendable {
  /// The element that the server was sent.
  public let blinded: RistrettoElement
  /// Its answer.
  public let evaluated: RistrettoElement

  fileprivate init(blinded: RistrettoElement, evaluated: RistrettoElement) {
    self.blinded = blinded
    self.evaluated = evaluated
  }
}

/// The public weights with which a batch becomes one pair of elements (RFC 9497, section 2.2.1,
/// ComputeComposites).
struct CompositeWeights {
  private let weights: [[UInt8]]

  /// Computes the weights.
  ///
  /// - Throws: ``VOPRFError/invalidCount``.
  init(
    publicKey: RistrettoElement, blinded: [RistrettoElement], evaluated: [RistrettoElement]
  ) throws(VOPRFError) {
    guard (1...TwoBytes.limit).contains(blinded.count), blinded.count == evaluated.count else {
      throw .invalidCount
    }
    let mode = OPRFMode.verifiable
    var seed = [UInt8](repeating: 0, count: SHA512.digestSize)
    var hash = SHA512()
    hash.updateSized(publicKey.bytes)
    hash.updateSized(mode.domain("Seed-"))
    unsafe seed.withUnsafeMutableBytes { unsafe hash.finalize(into: RistrettoScalar.start($0)) }
    weights = zip(blinded, evaluated).enumerated().map { index, pair in
      mode.hashToScalar { hash in
        hash.updateSized(seed)
        hash.update(TwoBytes.of(index))
        hash.updateSized(pair.0.bytes)
        hash.updateSized(pair.1.bytes)
        hash.update(Array("Composite".utf8))
      }
    }
  }

  /// The sum of elements times their weights; nil where one of them is the identity.
  func sum(of elements: [RistrettoElement]) -> RistrettoElement? {
    var sum: RistrettoElement?
    for (weight, element) in zip(weights, elements) {
      guard let product = element.times(weight) else { return nil }
      guard let before = sum else {
        sum = product
        continue
      }
      guard let next = before.plus(product) else { return nil }
      sum = next
    }
    return sum
  }
}

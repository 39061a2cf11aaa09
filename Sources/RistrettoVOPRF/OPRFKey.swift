internal import CSodium
public import SecretMemory

/// A server's private key, and what it computes with it.
public struct OPRFKey: ~Copyable, Sendable {
  /// The size of a seed and of a private key, 32 bytes.
  public static let size = 32

  /// The mode that the key is for.
  public let mode: OPRFMode
  /// The public half.
  public let publicKey: RistrettoElement
  private let scalar: SecretBytes

  /// Takes a private key's own bytes.
  ///
  /// - Parameters:
  ///   - scalar: 32 bytes, little-endian.
  ///   - mode: the mode that the key is for.
  /// - Throws: ``VOPRFError/invalidScalar``.
  public init(_ scalar: consuming SecretBytes, mode: OPRFMode) throws(VOPRFError) {
    guard RistrettoScalar.isValid(scalar),
      let publicKey = RistrettoElement.generator(times: scalar)
    else { throw .invalidScalar }
    self.mode = mode
    self.publicKey = publicKey
    self.scalar = scalar
  }

  /// Derives a key (DeriveKeyPair, section 3.2.1).
  ///
  /// - Parameters:
  ///   - seed: 32 secret random bytes.
  ///   - info: what the key is for, up to 65,535 bytes.
  ///   - mode: the mode that the key is for.
  /// - Throws: ``VOPRFError/noKey``.
  public init(
    seed: borrowing SecretBytes, info: [UInt8], mode: OPRFMode
  ) throws(VOPRFError) {
    guard seed.count == Self.size, info.count <= TwoBytes.limit else { throw .noKey }
    for counter in UInt8.min ... .max {
      let scalar = mode.secretScalar(label: "DeriveKeyPair") { hash in
        seed.withBytes { hash.update($0) }
        hash.updateSized(info)
        hash.update([counter])
      }
      if RistrettoScalar.isValid(scalar) {
        try self.init(scalar, mode: mode)
        return
      }
    }
    throw .noKey
  }

  /// Creates a random key.
  public static func random(mode: OPRFMode) -> OPRFKey {
    do throws(VOPRFError) {
      return try OPRFKey(RistrettoScalar.random(), mode: mode)
    } catch {
      preconditionFailure("libsodium's random scalars are valid")
    }
  }

  /// A copy of the private key's 32 bytes, with its own owner.
  public borrowing func copyBytes() -> SecretBytes { scalar.copy() }

  /// Evaluates a client's blinded element in the base mode.
  ///
  /// - Parameter element: from ``BlindedInput/element``.
  /// - Returns: the element for ``BlindedInput/finalize(unverified:)``.
  /// - Throws: ``VOPRFError/otherMode``.
  public borrowing func evaluate(
    unverified element: RistrettoElement
  ) throws(VOPRFError) -> RistrettoElement {
    guard mode == .base else { throw .otherMode }
    return try multiply(element)
  }

  /// Evaluates clients' blinded elements in the verifiable mode, with one proof for all.
  ///
  /// - Parameter elements: 1 to 65,535 of them.
  /// - Returns: an element for each, in the same order, and the proof.
  /// - Throws: ``VOPRFError/otherMode``, ``VOPRFError/invalidCount``.
  public borrowing func evaluate(
    _ elements: [RistrettoElement]
  ) throws(VOPRFError) -> (evaluated: [RistrettoElement], proof: DLEQProof) {
    try evaluate(elements, random: RistrettoScalar.random())
  }

  /// The same with the proof's random scalar given, as known answers need it.
  borrowing func evaluate(
    _ elements: [RistrettoElement], random: borrowing SecretBytes
  ) throws(VOPRFError) -> (evaluated: [RistrettoElement], proof: DLEQProof) {
    guard mode == .verifiable else { throw .otherMode }
    guard RistrettoScalar.isValid(random) else { throw .invalidScalar }
    var evaluated: [RistrettoElement] = []
    for element in elements { evaluated.append(try multiply(element)) }
    let proof = try DLEQProof(
      key: scalar, publicKey: publicKey, blinded: elements, evaluated: evaluated, random: random)
    return (evaluated, proof)
  }

  /// The function itself, without a client (section 3.3.1, Evaluate).
  ///
  /// - Parameter input: up to 65,535 bytes.
  /// - Returns: 64 bytes, the same that a client gets for this input.
  /// - Throws: ``VOPRFError/invalidInput``.
  public borrowing func output(
    for input: borrowing SecretBytes
  ) throws(VOPRFError) -> SecretBytes {
    let element = try mode.hashToGroup(input)
    guard let product = SecretElement.product(element, scalar) else { throw .invalidInput }
    return OPRFMode.output(of: input, element: product)
  }

  private borrowing func multiply(
    _ element: RistrettoElement
  ) throws(VOPRFError) -> RistrettoElement {
    // A key is not zero and an element not the identity, so neither is their product.
    guard let product = element.times(scalar) else { throw .invalidElement }
    return product
  }
}

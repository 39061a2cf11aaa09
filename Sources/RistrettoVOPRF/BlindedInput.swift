public import SecretMemory

/// A client's input, and the blinded element that a server may see.
///
/// The blind is random and used once: the element tells nothing about the input.
public struct BlindedInput: ~Copyable, Sendable {
  /// The mode of the server's key.
  public let mode: OPRFMode
  /// The element for the server.
  public let element: RistrettoElement
  private let input: SecretBytes
  private let blind: SecretBytes

  /// Blinds an input.
  ///
  /// - Parameters:
  ///   - input: up to 65,535 bytes.
  ///   - mode: the mode of the server's key.
  /// - Throws: ``VOPRFError/invalidInput``.
  public init(_ input: consuming SecretBytes, mode: OPRFMode) throws(VOPRFError) {
    try self.init(input, mode: mode, blind: RistrettoScalar.random())
  }

  /// The same with a blind from 64 bytes, so that an interrupted request can be repeated exactly.
  ///
  /// - Parameters:
  ///   - input: up to 65,535 bytes.
  ///   - mode: the mode of the server's key.
  ///   - seed: 64 uniformly random bytes, for this input and this server only.
  /// - Throws: ``VOPRFError/invalidInput``; ``VOPRFError/invalidScalar`` for another size.
  public init(
    _ input: consuming SecretBytes, mode: OPRFMode, seed: borrowing SecretBytes
  ) throws(VOPRFError) {
    guard let blind = RistrettoScalar.reduced(seed) else { throw .invalidScalar }
    try self.init(input, mode: mode, blind: blind)
  }

  /// The same with the blind given, as known answers need it.
  init(
    _ input: consuming SecretBytes, mode: OPRFMode, blind: consuming SecretBytes
  ) throws(VOPRFError) {
    guard RistrettoScalar.isValid(blind) else { throw .invalidScalar }
    let plain = try mode.hashToGroup(input)
    guard let product = SecretElement.product(plain, blind) else { throw .invalidInput }
    self.mode = mode
    element = product.withBytes { span in
      RistrettoElement(encoded: unsafe span.withUnsafeBytes { unsafe Array($0) })
    }
    self.input = input
    self.blind = blind
  }

  /// The function's output in the base mode, whatever key the server used.
  ///
  /// - Parameter evaluated: the server's answer.
  /// - Returns: 64 bytes.
  /// - Throws: ``VOPRFError/otherMode``.
  public borrowing func finalize(
    unverified evaluated: RistrettoElement
  ) throws(VOPRFError) -> SecretBytes {
    guard mode == .base else { throw .otherMode }
    return try output(evaluated)
  }

  /// The function's output in the verifiable mode.
  ///
  /// - Parameter evaluation: from ``DLEQProof/verify(blinded:evaluated:publicKey:)``.
  /// - Returns: 64 bytes.
  /// - Throws: ``VOPRFError/otherMode``; ``VOPRFError/invalidProof`` for the evaluation of another
  ///   element.
  public borrowing func finalize(
    _ evaluation: VerifiedEvaluation
  ) throws(VOPRFError) -> SecretBytes {
    guard mode == .verifiable else { throw .otherMode }
    guard evaluation.blinded == element else { throw .invalidProof }
    return try output(evaluation.evaluated)
  }

  private borrowing func output(_ evaluated: RistrettoElement) throws(VOPRFError) -> SecretBytes {
    guard let plain = SecretElement.quotient(evaluated, blind) else { throw .invalidElement }
    return OPRFMode.output(of: input, element: plain)
  }
}

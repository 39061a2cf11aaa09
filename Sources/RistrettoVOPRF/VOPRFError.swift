/// The errors of the oblivious pseudorandom function.
///
/// No case carries a value of an input, a key or a message.
public enum VOPRFError: Error, Equatable, Sendable {
  /// The input has more than 65,535 bytes, or hashes to the identity element.
  case invalidInput
  /// The 32 bytes are not the one encoding of an element, or are that of the identity.
  case invalidElement
  /// The 32 bytes are not the one encoding of a scalar from 1 to the group's order less 1.
  case invalidScalar
  /// The proof does not hold for this public key and these elements, or is for another element.
  case invalidProof
  /// A list is empty, has more than 65,535 elements, or differs in size from its counterpart.
  case invalidCount
  /// The call belongs to the other mode.
  case otherMode
  /// The seed has another size than 32 bytes, the info more than 65,535, or no key derives from
  /// them.
  case noKey
}

internal import CSPP

/// The errors of what guards and their clients compute and exchange.
///
/// Field names are those of the messages. No case carries a value of a message or a secret.
public enum GuardProtocolError: Error, Equatable, Sendable {
  /// The message is no JSON of the expected shape, for this reason: a field or a fault of the JSON.
  case malformed(String)
  /// The message has more bytes than ``GuardCall/maximumBodySize``.
  case tooLarge
  /// The numbers of guards are not those of ``GuardThreshold``.
  case invalidThreshold
  /// A share has another size, or its point is zero, used twice or beyond the number of guards.
  case invalidShare
  /// The parameter has a value outside its limits; the text is its name.
  case invalidParameter(String)
  /// Argon2id could not allocate its memory.
  case outOfMemory
  /// The signature is not the key's, or that key is one that no signer can have.
  case invalidSignature
}

extension GuardProtocolError {
  /// The fault of a message's JSON.
  init(_ error: CSPPError) { self = .malformed("\(error)") }
}

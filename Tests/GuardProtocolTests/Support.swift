import CSPP
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory

extension HexIdentifier {
  /// An identifier whose bytes are all the same.
  static func of(_ byte: UInt8) -> Self {
    guard let id = Self(bytes: [UInt8](repeating: byte, count: byteCount)) else {
      preconditionFailure("the right size")
    }
    return id
  }
}

/// An element that only this input has.
func element(_ number: Int) throws(VOPRFError) -> RistrettoElement {
  let input = Array("\(number)".utf8)
  let key = try OPRFKey(
    seed: secret([UInt8](repeating: 9, count: 32)), info: input, mode: .verifiable)
  return key.publicKey
}

/// A guard's key.
func guardKey(_ byte: UInt8 = 1) throws(VOPRFError) -> OPRFKey {
  try OPRFKey(seed: secret([UInt8](repeating: byte, count: 32)), info: [], mode: .verifiable)
}

/// A session key that has a secret.
func sessionKey(_ byte: UInt8) throws -> X25519Key {
  let bytes = try X25519.publicKey(of: secret([UInt8](repeating: byte, count: 32)))
  return X25519Key(bytes: bytes) ?? .of(0)
}

/// A signing pair.
func signer(_ byte: UInt8) throws(GuardProtocolError) -> GuardSigner {
  try GuardSigner(seed: secret([UInt8](repeating: byte, count: 32)))
}

/// The refusal of a call.
func refusal<R>(_ body: () throws(GuardRefusal) -> R) -> GuardRefusal? {
  do throws(GuardRefusal) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

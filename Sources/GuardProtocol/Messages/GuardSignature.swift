public import CSPP
internal import SecretMemory

/// The public key and the signature that come with a body, as two headers.
///
/// A guard checks them before it looks for an account, so that accounts cannot be enumerated.
public struct GuardSignature: Equatable, Sendable {
  /// The header with the public key, 64 digits.
  public static let keyHeader = "Keybackup-Key"
  /// The header with the signature, 128 digits.
  public static let signatureHeader = "Keybackup-Signature"

  /// The public key.
  public let key: SigningKey
  /// The signature, 64 bytes.
  public let signature: [UInt8]

  /// Reads both headers.
  ///
  /// - Parameters:
  ///   - key: 64 lower-case digits.
  ///   - signature: 128 lower-case digits.
  /// - Throws: ``GuardProtocolError/invalidSignature``.
  public init(key: String, signature: String) throws(GuardProtocolError) {
    let bytes = unsafe Hex.decode(Array(signature.utf8).span.bytes)
    guard let key = SigningKey(hex: key), let bytes, bytes.count == Ed25519.signatureSize else {
      throw .invalidSignature
    }
    self.key = key
    self.signature = bytes
  }

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - body: its body.
  ///   - guardID: the guard that it is for.
  ///   - signer: the pair that ``GuardCall/signer`` names.
  public init(
    _ call: GuardCall, body: [UInt8], guardID: GuardID, by signer: borrowing GuardSigner
  ) {
    key = signer.publicKey
    signature = signer.sign(Self.message(call, body: body, guardID: guardID))
  }

  /// The header's text for the signature, 128 digits.
  public var signatureText: String { Hex.string(signature) }

  /// Checks a request; whether the key may make it is another question.
  ///
  /// - Throws: ``GuardProtocolError/invalidSignature``.
  public func verify(
    _ call: GuardCall, body: [UInt8], guardID: GuardID
  ) throws(GuardProtocolError) {
    let message = Self.message(call, body: body, guardID: guardID)
    guard unsafe Ed25519.verify(signature, of: message.span.bytes, key: key.bytes) else {
      throw .invalidSignature
    }
  }

  /// The signed message: a fixed text, method, path, the guard's ID and the body's SHA-256, with a
  /// zero byte between them.
  ///
  /// The guard's own answer to `info` has the same form; no other message has its path.
  static func message(_ call: GuardCall, body: [UInt8], guardID: GuardID) -> [UInt8] {
    let texts = ["keybackup:v1:guard-request", call.method, call.path]
    return texts.flatMap { Array($0.utf8) + [0] } + guardID.bytes + [0] + SHA256.hash(body)
  }
}

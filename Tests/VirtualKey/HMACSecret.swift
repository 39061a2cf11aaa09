import FoundationEssentials
import OpenSSLCrypto

/// An opened hmac-secret extension input (CTAP 2.1 section 12.5).
struct HMACSecretRequest {
  let secret: SharedPINSecret
  /// One or two salts, 32 bytes each.
  let salts: [[UInt8]]
}

extension Authenticator {
  /// Opens the extension's input; nil if it was not requested or is not supported.
  func hmacSecretRequest(
    _ input: CBOR?, presence: Bool
  ) throws(CommandFailure) -> HMACSecretRequest? {
    guard configuration.hmacSecret, let input else { return nil }
    guard presence else { throw .status(.unsupportedOption) }
    let peer = try required(input[1], \.self)
    let sealed = try required(input[2], \.bytes)
    let code = try required(input[3], \.bytes)
    let index = try protocolIndex(input[4] ?? .integer(1))
    let secret = try protocols[index].sharedSecret(with: peer)
    guard secret.verifies(sealed, code) else { throw .status(.pinAuthInvalid) }
    let salts = try secret.decrypt(sealed)
    guard salts.count == 32 || salts.count == 64 else { throw .status(.invalidLength) }
    return HMACSecretRequest(
      secret: secret,
      salts: stride(from: 0, to: salts.count, by: 32).map { Array(salts[$0..<$0 + 32]) })
  }

  /// The encrypted outputs; nil for a credential created without the extension.
  func evaluate(
    _ request: HMACSecretRequest, _ credential: Credential, verified: Bool
  ) throws(CommandFailure) -> [UInt8]? {
    let isVerified = verified && !has(.hmacSecret(.unverified))
    let key = isVerified ? credential.credRandomWithUV : credential.credRandomWithoutUV
    guard let key, !has(.hmacSecret(.missing)) else { return nil }
    var output: [UInt8] = request.salts.flatMap { OpenSSL.hmac($0, key: key) }
    for case .hmacSecret(let fault) in active {
      switch fault {
      case .unstable: output = .random(output.count)
      case .zero: output = [UInt8](repeating: 0, count: output.count)
      case .echo: output = request.salts.flatMap { $0 }
      case .ignoresSalt: output = request.salts.flatMap { _ in key }
      case .length(let length):
        output = (0..<length).map { $0 < output.count ? output[$0] : 0 }
      case .plain: return output
      case .sealedTwice: output = Array(try request.secret.encrypt(output).suffix(output.count))
      case .missing, .unverified: continue
      }
    }
    return try request.secret.encrypt(output)
  }
}

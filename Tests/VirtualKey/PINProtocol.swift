import FoundationEssentials
import OpenSSLCrypto

/// One PIN/UV auth protocol (CTAP 2.1 sections 6.5.6 and 6.5.7): the key's half of the key
/// agreement, and the current pinUvAuthToken.
struct PINProtocol {
  let number: Int
  /// The key, created when first needed: many sessions never request it.
  private lazy var agreementKey = P256Key()
  var token = PINToken()

  init(number: Int) { self.number = number }

  init(number: Int, agreementKey: P256Key) {
    self.number = number
    self.agreementKey = agreementKey
  }

  mutating func regenerate() { agreementKey = P256Key() }

  /// The key's public half as COSE.
  var publicKey: CBOR {
    mutating get {
      publicKey(of: agreementKey)
    }
  }

  private func publicKey(of key: P256Key) -> CBOR {
    .fields([
      (1, .integer(2)), (3, .integer(-25)), (-1, .integer(1)), (-2, .bytes(key.x)),
      (-3, .bytes(key.y)),
    ])
  }

  /// The secret shared with the platform, whose public key is given as COSE.
  mutating func sharedSecret(with peer: CBOR) throws(CommandFailure) -> SharedPINSecret {
    guard peer.isMap, peer[1]?.integer == 2, peer[3]?.integer == -25, peer[-1]?.integer == 1,
      let x = peer[-2]?.bytes, let y = peer[-3]?.bytes,
      let z = agreementKey.sharedSecret(x: x, y: y)
    else { throw .status(.invalidParameter) }
    guard number == 2 else {
      let key = OpenSSL.sha256(z)
      return SharedPINSecret(number: number, encryptionKey: key, authenticationKey: key)
    }
    func derive(_ info: String) -> [UInt8] {
      OpenSSL.hkdf(z, info: Array(info.utf8), count: 32)
    }
    return SharedPINSecret(
      number: number, encryptionKey: derive("CTAP2 AES key"),
      authenticationKey: derive("CTAP2 HMAC key"))
  }

  /// Whether `parameter` authenticates `message` under the current token.
  func tokenVerifies(_ message: [UInt8], _ parameter: [UInt8]) -> Bool {
    token.isInUse
      && Self.authenticate(number, key: token.value, message) == parameter
  }

  static func authenticate(_ number: Int, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let code = OpenSSL.hmac(message, key: key)
    return number == 1 ? Array(code.prefix(16)) : code
  }
}

/// The keys that both sides have after the key agreement.
struct SharedPINSecret {
  let number: Int
  let encryptionKey: [UInt8]
  let authenticationKey: [UInt8]

  func verifies(_ message: [UInt8], _ parameter: [UInt8]) -> Bool {
    PINProtocol.authenticate(number, key: authenticationKey, message) == parameter
  }

  /// AES-256-CBC without padding; protocol 2 prefixes a random IV.
  func encrypt(_ plaintext: [UInt8]) throws(CommandFailure) -> [UInt8] {
    let iv = number == 1 ? [UInt8](repeating: 0, count: 16) : .random(16)
    guard
      let sealed = OpenSSL.aes256CBC(plaintext, key: encryptionKey, iv: iv, encrypting: true)
    else { throw .status(.invalidLength) }
    return (number == 1 ? [] : iv) + sealed
  }

  func decrypt(_ ciphertext: [UInt8]) throws(CommandFailure) -> [UInt8] {
    let ivLength = number == 1 ? 0 : 16
    guard ciphertext.count > ivLength, ciphertext.count.isMultiple(of: 16) else {
      throw .status(.invalidLength)
    }
    let iv = number == 1 ? [UInt8](repeating: 0, count: 16) : Array(ciphertext.prefix(16))
    guard
      let opened = OpenSSL.aes256CBC(
        Array(ciphertext.dropFirst(ivLength)), key: encryptionKey, iv: iv, encrypting: false)
    else { throw .status(.invalidParameter) }
    return opened
  }
}

/// A pinUvAuthToken and its permissions.
struct PINToken {
  /// The permissions of CTAP 2.1 section 6.5.5.7.
  struct Permissions: OptionSet {
    let rawValue: Int
    static let makeCredential = Permissions(rawValue: 0x01)
    static let getAssertion = Permissions(rawValue: 0x02)
    static let credentialManagement = Permissions(rawValue: 0x04)
    static let bioEnrollment = Permissions(rawValue: 0x08)
    static let largeBlobWrite = Permissions(rawValue: 0x10)
    static let configuration = Permissions(rawValue: 0x20)
  }

  private(set) var value = [UInt8].random(32)
  private(set) var isInUse = false
  private(set) var permissions: Permissions = []
  var rpID: String?

  /// A fresh token with these permissions.
  mutating func issue(_ permissions: Permissions, rpID: String?) {
    value = .random(32)
    isInUse = true
    self.permissions = permissions
    self.rpID = rpID
  }

  mutating func reset() { self = PINToken() }

  /// Removes the permissions after an operation with a touch; only a large blob may still be
  /// written.
  mutating func clearAfterUse() { permissions.formIntersection(.largeBlobWrite) }
}

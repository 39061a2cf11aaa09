// This folder is for the files of Celo's encrypted backup, which Valora was to use: version 0.0.1,
// JSON. It opens one with the password and whatever else hardens it, says what a file claims
// without any secret, and writes new ones that scrypt hardens. It asks no service: ODIS and the
// circuit breakers are the caller's business.

internal import CSPP
internal import SecretMemory

/// A file of Celo's encrypted backup, version 0.0.1.
///
/// Nothing but the encrypted data is authenticated, and that by the password: every other field is
/// a claim. Those that take part in the key show when they were changed, because nothing opens.
package struct CeloBackup: Equatable, Sendable {
  /// The largest file that is read, 4 MiB.
  package static let sizeLimit = 4 << 20
  /// The only version there is.
  package static let version = "0.0.1"
  /// The size of the nonce, 32 bytes: half for the password, half for the key that signs requests.
  static let nonceSize = 32
  /// The size of a fuse key, 16 bytes.
  package static let fuseKeySize = 16
  /// The size of the service's output, 32 bytes.
  package static let odisOutputSize = 32

  /// The services that the file names.
  ///
  /// Nothing here proves any of it.
  package struct Environment: Equatable, Sendable {
    /// The address of ODIS, and its public key.
    package var odis: (url: String, publicKey: String)?
    /// The address of the circuit breaker, and its public key in PEM.
    package var circuitBreaker: (url: String, publicKey: String)?

    package static func == (one: Self, other: Self) -> Bool {
      one.odis?.url == other.odis?.url && one.odis?.publicKey == other.odis?.publicKey
        && one.circuitBreaker?.url == other.circuitBreaker?.url
        && one.circuitBreaker?.publicKey == other.circuitBreaker?.publicKey
    }
  }

  /// IV, ciphertext, tag.
  let encryptedData: [UInt8]
  /// The nonce.
  let nonce: [UInt8]
  /// The rules of ODIS, if its answer takes part in the key.
  package let odisDomain: SequentialDelayDomain?
  /// The wrapped fuse key, if one takes part in the key.
  package let encryptedFuseKey: [UInt8]?
  /// The function whose output takes part in the key, if any.
  package let hardening: CeloHardening?
  /// The services.
  package let environment: Environment
  /// Any JSON object, if it is there.
  package let metadata: String?
  /// The names of fields that the format does not have.
  package let unknownFields: [String]

  /// 8 hex digits that are others in every file: the beginning of its nonce.
  package var mark: String { Hex.string(Array(nonce.prefix(4))) }

  /// The size of what is encrypted, in bytes.
  package var dataSize: Int { encryptedData.count - AES256GCM.overhead }

  /// Whether anything but the password takes part in the key.
  ///
  /// Without, a guess costs nothing. Anybody who can write to the folder can plant such a file: a
  /// seed of their own, under a password that they guessed.
  package var isHardened: Bool {
    odisDomain != nil || encryptedFuseKey != nil || hardening != nil
  }

  /// The file, as Celo's own program orders it; fields that the format does not have are left out.
  package var json: String {
    JSONText.object([
      ("encryptedData", JSONText.quoted(Base64.string(encryptedData, .standard))),
      ("nonce", JSONText.quoted(Base64.string(nonce, .standard))),
      ("odisDomain", odisDomain?.json),
      (
        "encryptedFuseKey", encryptedFuseKey.map { JSONText.quoted(Base64.string($0, .standard)) }
      ),
      ("computationalHardening", hardening?.json),
      ("version", JSONText.quoted(Self.version)), ("metadata", metadata),
      ("environment", environment.json),
    ])
  }
}

extension CeloBackup.Environment {
  fileprivate var json: String {
    JSONText.object([
      (
        "odis",
        odis.map {
          JSONText.object([
            ("odisUrl", JSONText.quoted($0.url)), ("odisPubKey", JSONText.quoted($0.publicKey)),
          ])
        }
      ),
      (
        "circuitBreaker",
        circuitBreaker.map {
          JSONText.object([
            ("url", JSONText.quoted($0.url)), ("publicKey", JSONText.quoted($0.publicKey)),
          ])
        }
      ),
    ])
  }
}

extension CeloHardening {
  fileprivate var json: String {
    switch self {
    case .pbkdf2(let iterations):
      "{\"function\":\"pbkdf2_sha256\",\"iterations\":\(iterations)}"
    case .scrypt(let cost, let blockSize, let parallelization):
      "{\"function\":\"scrypt\",\"cost\":\(cost),\"blockSize\":\(blockSize),"
        + "\"parallelization\":\(parallelization)}"
    }
  }
}

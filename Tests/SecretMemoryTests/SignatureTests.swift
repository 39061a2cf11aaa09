import FoundationEssentials
import OpenSSLCrypto
import SecretMemory
import TestSupport
import Testing

/// Ed25519 and the shared secrets of X25519.
@Suite("Signatures and shared secrets")
struct SignatureTests {
  struct Case: Decodable { let name, seed, publicKey, message, signature: String }
  struct SharedCase: Decodable { let name, secret, publicKey, shared: String }
  struct PointCase: Decodable { let name, point: String }

  private func publicKey(_ seed: [UInt8]) throws -> [UInt8] {
    try Ed25519.publicKey(of: secret(seed))
  }

  private func signature(_ message: [UInt8], _ seed: [UInt8]) throws -> [UInt8] {
    try unsafe Ed25519.sign(message.span.bytes, seed: secret(seed))
  }

  private func holds(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool {
    unsafe Ed25519.verify(signature, of: message.span.bytes, key: key)
  }

  private func shared(_ own: [UInt8], _ other: [UInt8]) throws(SecretMemoryError) -> [UInt8] {
    array(try X25519.sharedSecret(of: secret(own), with: other))
  }

  @Test func `Ed25519 of RFC 8032`() throws {
    let cases = try vectors("ed25519", of: Case.self)
    #expect(cases.count == 3)
    for vector in cases {
      let (seed, message) = (try bytes(vector.seed), try bytes(vector.message))
      let key = try publicKey(seed)
      #expect(hex(key) == vector.publicKey, "\(vector.name)")
      #expect(try hex(signature(message, seed)) == vector.signature, "\(vector.name)")
      #expect(try holds(bytes(vector.signature), message, key), "\(vector.name)")
      #expect(Ed25519.isValidKey(key))
    }
  }

  @Test func `X25519 of RFC 7748`() throws {
    for vector in try vectors("x25519-shared", of: SharedCase.self) {
      #expect(
        try hex(shared(bytes(vector.secret), bytes(vector.publicKey))) == vector.shared,
        "\(vector.name)")
    }
  }

  @Test func `X25519 refuses every point that gives zeroes, and other sizes`() throws {
    let points = try vectors("x25519-low-order", of: PointCase.self)
    #expect(points.count == 14)
    for vector in points {
      let point = try bytes(vector.point)
      #expect(throws: SecretMemoryError.self, "\(vector.name)") {
        try shared(.seeded(32), point)
      }
    }
    for (own, other) in [(31, 32), (33, 32), (32, 31), (32, 33), (0, 0)] {
      #expect(throws: SecretMemoryError.self) {
        try shared([UInt8](repeating: 9, count: own), [UInt8](repeating: 9, count: other))
      }
    }
  }

  /// Under these keys one signature fits many messages, or versions of libsodium disagree.
  @Test func `Ed25519 refuses keys of small order, of mixed order and of other encodings`() throws {
    let points = try vectors("ed25519-refused", of: PointCase.self)
    #expect(points.count > 20)
    for (order, count) in [(2, 1), (4, 2), (8, 4)] {
      let name = "a key plus a point of order \(order)"
      #expect(points.count(where: { $0.name == name }) == count, "\(name)")
    }
    for vector in points {
      let point = try bytes(vector.point)
      #expect(!Ed25519.isValidKey(point), "\(vector.name)")
      // R = identity and S = 0 would fit every message under a key of small order.
      let forged = [1] + [UInt8](repeating: 0, count: 63)
      #expect(!holds(forged, [1, 2, 3], point), "\(vector.name)")
    }
    #expect(!Ed25519.isValidKey([]) && !Ed25519.isValidKey([UInt8](repeating: 1, count: 33)))
  }

  /// A signer who adds a point of small order to R makes a signature that some programs accept.
  @Test func `A signature whose R lies outside the group of prime order is refused`() throws {
    struct Mixed: Decodable { let key, message, signature: String }
    let cases = try vectors("ed25519-mixed-order", of: Mixed.self)
    #expect(cases.count == 7)
    for vector in cases {
      #expect(Ed25519.isValidKey(try bytes(vector.key)))
      #expect(try !holds(bytes(vector.signature), bytes(vector.message), bytes(vector.key)))
    }
  }

  @Test func `Every changed bit of a signature, message or key is noticed`() throws {
    let (seed, message) = ([UInt8].seeded(32), Array("a message".utf8))
    let key = try publicKey(seed)
    let good = try signature(message, seed)
    #expect(holds(good, message, key))
    for bit in 0..<512 {
      var changed = good
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!holds(changed, message, key))
    }
    for bit in 0..<256 {
      var changed = key
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!holds(good, message, changed))
    }
    #expect(!holds(good, message + [0], key) && !holds(good, [], key))
    #expect(!holds(Array(good.dropLast()), message, key) && !holds(good + [0], message, key))
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `OpenSSL agrees`(seed: UInt64) throws {
    var random = SeededGenerator(seed: 4000 + seed)
    for round in 0..<50 {
      let (own, other) = (random.bytes(32), random.bytes(32))
      let message = random.bytes(upTo: 500)
      let theirs = Curve25519Key(.signing, own)
      let key = try publicKey(own)
      #expect(key == theirs.publicKey, "seed \(seed), round \(round)")
      #expect(theirs.isValid(try signature(message, own), for: message))
      #expect(holds(try #require(theirs.signature(for: message)), message, key))

      let exchange = Curve25519Key(.agreement, other).publicKey
      let common = Curve25519Key(.agreement, own).sharedSecret(with: exchange)
      #expect(try shared(own, exchange) == common)
    }
  }
}

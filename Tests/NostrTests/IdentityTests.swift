import Foundation
import OpenSSLCrypto
import SecretMemory
import Testing

@testable import Nostr

/// nostr-passkey's derivation, from a credential's secret to the npub.
struct IdentityTests {
  struct File: Decodable {
    struct Upstream: Decodable {
      let inputHex, seckeyHex, pubkeyXonlyHex, nsec, npub: String
    }
    struct Set: Decodable {
      let credRandomHex: String
      let modes: [Mode]
    }
    struct Mode: Decodable {
      let mode, prfInputHex, hmacSecretSaltHex, prfOutputHex, seckeyHex: String
      let pubkeyXonlyHex, nsec, npub: String
    }
    let upstreamVector: Upstream
    let sets: [Set]
  }

  static func input(_ mode: String) throws -> IdentityInput {
    if mode == "default" { return .standard }
    if mode.hasPrefix("indexed-") { return .index(try #require(UInt32(mode.dropFirst(8)))) }
    let phrase = try #require(mode.hasPrefix("passphrase:") ? mode.dropFirst(11) : nil)
    return .passphrase(secret(Array(phrase.utf8)))
  }

  @Test func `Every vector, from the PRF input to the npub`() throws {
    var count = 0
    for set in try Vectors.decode("identities.json", as: File.self).sets {
      let credential = unhex(set.credRandomHex)
      for mode in set.modes {
        let input = try Self.input(mode.mode).prfInput
        #expect(Hex.string(input) == mode.prfInputHex, "\(mode.mode)")
        // The steps of the platform and the authenticator in between.
        let salt = digest(Array("WebAuthn PRF".utf8) + [0] + input)
        #expect(Hex.string(salt) == mode.hmacSecretSaltHex)
        let output = OpenSSL.hmac(salt, key: credential)
        #expect(Hex.string(output) == mode.prfOutputHex)
        let key = try NostrSecretKey(prfOutput: secret(output))
        #expect(key.withBytes { digits($0) } == mode.seckeyHex)
        #expect(key.publicKey.hex == mode.pubkeyXonlyHex)
        #expect(text(NIP19.nsec(key)) == mode.nsec)
        #expect(NIP19.npub(key.publicKey) == mode.npub)
        #expect(try decoded(mode.nsec) == "nsec " + mode.seckeyHex)
        #expect(try decoded(mode.npub) == "npub " + mode.pubkeyXonlyHex)
        #expect(try decoded(mode.npub.uppercased()) == "npub " + mode.pubkeyXonlyHex)
        count += 1
      }
    }
    #expect(count >= 14)
  }

  @Test func `The vector that nostr-passkey publishes`() throws {
    let vector = try Vectors.decode("identities.json", as: File.self).upstreamVector
    let digest = SHA256.secretHash(unsafe unhex(vector.inputHex).span.bytes)
    let key = try NostrSecretKey(digest)
    #expect(key.withBytes { digits($0) } == vector.seckeyHex)
    #expect(key.publicKey.hex == vector.pubkeyXonlyHex)
    #expect(text(NIP19.nsec(key)) == vector.nsec)
    #expect(NIP19.npub(key.publicKey) == vector.npub)
  }

  /// The curve's order, and its neighbours.
  static let scalars = [
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", false),
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142", false),
    ("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", false),
    ("0000000000000000000000000000000000000000000000000000000000000000", false),
    ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", true),
    ("0000000000000000000000000000000000000000000000000000000000000001", true),
  ]

  @Test(arguments: scalars)
  func `A secret key is a number from 1 to the order less 1`(_ hex: String, _ isValid: Bool) {
    if isValid {
      #expect(throws: Never.self) { _ = try NostrSecretKey(secret(unhex(hex))) }
    } else {
      #expect(throws: NostrError.invalidSecretKey) { _ = try NostrSecretKey(secret(unhex(hex))) }
    }
  }

  @Test func `Keys of another length are refused`() {
    for count in [0, 31, 33, 64] {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(throws: NostrError.wrongLength) { _ = try NostrSecretKey(secret(bytes)) }
      #expect(throws: NostrError.wrongLength) { _ = try NostrSecretKey(prfOutput: secret(bytes)) }
      #expect(throws: NostrError.wrongLength) { _ = try NostrPublicKey(bytes) }
    }
  }
}

private func digest(_ bytes: [UInt8]) -> [UInt8] { OpenSSL.sha256(bytes) }

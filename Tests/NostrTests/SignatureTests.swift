import SecretMemory
import Testing

@testable import Nostr

struct SignatureTests {
  struct File: Decodable {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
      let name, publicKey, message, signature, comment: String
      let secretKey, random: String?
      let valid: Bool
      var testDescription: String { "\(name) \(comment)" }
    }
    let cases: [Case]
  }

  static func cases() throws -> [File.Case] {
    try Vectors.decode("bip340.json", as: File.self).cases
  }

  @Test func `All 19 vectors are here`() throws { #expect(try Self.cases().count == 19) }

  @Test(arguments: try cases())
  func `BIP-340`(_ vector: File.Case) throws {
    let signature = unhex(vector.signature)
    let message = unhex(vector.message)
    if let publicKey = try? NostrPublicKey(unhex(vector.publicKey)) {
      #expect(publicKey.verifies(signature: signature, of: message) == vector.valid)
    } else {
      #expect(!vector.valid)
    }
    if let secretKey = vector.secretKey, let random = vector.random {
      let key = try NostrSecretKey(secret(unhex(secretKey)))
      #expect(key.publicKey.hex == vector.publicKey)
      #expect(try key.sign(message, random: unhex(random)) == signature)
      // With fresh randomness, the signature is another valid one.
      let other = try key.sign(message)
      #expect(other != signature)
      #expect(key.publicKey.verifies(signature: other, of: message))
    }
  }

  @Test func `A signature of another length holds for nothing`() throws {
    let key = try NostrSecretKey(secret([UInt8](repeating: 1, count: 32)))
    let signature = try key.sign([1, 2, 3])
    for count in [0, 63] {
      #expect(!key.publicKey.verifies(signature: Array(signature.prefix(count)), of: [1, 2, 3]))
    }
    #expect(!key.publicKey.verifies(signature: signature + [0], of: [1, 2, 3]))
  }
}

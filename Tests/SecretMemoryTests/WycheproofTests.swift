import FoundationEssentials
import SecretMemory
import Testing

/// Project Wycheproof's ChaCha20-Poly1305 file, which swift-crypto carries among its own tests.
///
/// It is read from the package manager's checkout, which exists whenever these tests could be
/// built. Nothing of it is copied here. No package at hand has Wycheproof's HKDF file; see
/// ``DifferentialTests``.
@Suite("Wycheproof")
struct WycheproofTests {
  struct File: Decodable {
    struct Group: Decodable {
      let ivSize: Int
      let tests: [Vector]
    }
    struct Vector: Decodable {
      let tcId: Int
      let key, iv, aad, msg, ct, tag, result: String
    }
    let numberOfTests: Int
    let testGroups: [Group]
  }

  /// Walks up from the running test program to the build folder that holds
  /// the checkouts, wherever `--scratch-path` has put it.
  private static func load() throws -> File {
    let name = "checkouts/swift-crypto/Tests/Test Vectors/chacha20_poly1305_test.json"
    let source = URL(filePath: #filePath).deletingLastPathComponent()
    var folder = URL(filePath: CommandLine.arguments[0]).standardized
    var candidates = [source.appending(path: "../../.build/" + name).standardized]
    while folder.path.count > 1 {
      folder = folder.deletingLastPathComponent()
      candidates.append(folder.appending(path: name))
    }
    let file = try #require(
      candidates.first { FileManager.default.fileExists(atPath: $0.path) },
      "swift-crypto's checkout holds no Wycheproof file")
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: file))
  }

  @Test
  func `ChaCha20-Poly1305: every valid case both ways, every invalid one refused`() throws {
    let file = try Self.load()
    var seen = 0
    for group in file.testGroups {
      for vector in group.tests {
        try Self.check(vector)
        seen += 1
      }
    }
    #expect(seen == file.numberOfTests)
    #expect(seen >= 300)
  }

  private static func check(_ vector: File.Vector) throws {
    let key = try bytes(vector.key)
    let nonce = try bytes(vector.iv)
    let data = try bytes(vector.aad)
    let plaintext = try bytes(vector.msg)
    let message = try bytes(vector.ct) + bytes(vector.tag)
    switch vector.result {
    case "valid":
      #expect(
        try opened(message, key: key, nonce: nonce, data: data) == plaintext, "case \(vector.tcId)")
      #expect(
        try sealed(plaintext, key: key, nonce: nonce, data: data) == message, "case \(vector.tcId)")
    case "invalid":
      let error = #expect(throws: SecretMemoryError.self, "case \(vector.tcId)") {
        try opened(message, key: key, nonce: nonce, data: data)
      }
      // A nonce of another size never reaches the algorithm.
      if nonce.count == ChaCha20Poly1305.nonceSize {
        #expect(error == .authenticationFailed, "case \(vector.tcId)")
      }
    default:
      Issue.record("case \(vector.tcId): a verdict this test does not know: \(vector.result)")
    }
  }
}

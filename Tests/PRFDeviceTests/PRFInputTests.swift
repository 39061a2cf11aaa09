import FoundationEssentials
import PRFDevice
import SecretMemory
import Testing

/// Tests/Vectors/cspp/prf.json.
struct PRFVector: Decodable, Sendable, CustomTestStringConvertible {
  let credRandomWithUV: String?
  let prfInput: String
  let hmacSecretSalt: String
  let prfOutput: String?

  enum CodingKeys: String, CodingKey {
    case credRandomWithUV = "cred_random_with_uv"
    case prfInput = "prf_input"
    case hmacSecretSalt = "hmac_secret_salt"
    case prfOutput = "prf_output"
  }

  var testDescription: String { "input \(prfInput.prefix(24))" }

  private struct File: Decodable { let cases: [PRFVector] }

  static let all: [PRFVector] = {
    do {
      let data = try Data(
        contentsOf: Repository.root.appending(path: "Tests/Vectors/cspp/prf.json"))
      return try JSONDecoder().decode(File.self, from: data).cases
    } catch {
      preconditionFailure("the vectors are missing: \(error)")
    }
  }()
}

enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}

@Suite struct PRFInputTests {
  @Test(arguments: PRFVector.all)
  func `The salt is the hash that WebAuthn prescribes`(vector: PRFVector) throws {
    #expect(
      PRFInput.webAuthn(bytes(vector.prfInput)).hmacSecretSalt == bytes(vector.hmacSecretSalt))
  }

  @Test func `There are vectors`() {
    #expect(PRFVector.all.count > 3)
  }

  @Test func `A raw salt is sent as it is`() throws {
    let salt = [UInt8](0..<32)
    #expect(try PRFInput.raw(salt).hmacSecretSalt == salt)
  }

  @Test(arguments: [0, 1, 31, 33, 64])
  func `A raw salt of another size is refused`(size: Int) {
    #expect(throws: PRFDeviceError.invalidInput("hmac-secret salt")) {
      try PRFInput.raw([UInt8](repeating: 1, count: size))
    }
  }
}

func bytes(_ hex: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var digits = hex[...]
  while digits.count >= 2 {
    bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
    digits = digits.dropFirst(2)
  }
  return bytes
}

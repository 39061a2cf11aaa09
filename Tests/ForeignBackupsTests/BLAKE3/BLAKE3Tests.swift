import SecretMemory
import Testing

@testable import ForeignBackups

struct BLAKE3Tests {
  struct File: Decodable {
    struct Case: Decodable {
      let inputLen: Int
      let hash: String
      let deriveKey: String

      /// The input of the official vectors.
      var input: [UInt8] { (0..<inputLen).map { UInt8($0 % 251) } }
    }
    let contextString: String
    let cases: [Case]
  }

  private let file: File

  init() throws { file = try Vectors.decode("blake3.json") }

  @Test func `Digests equal the official ones`() {
    #expect(file.cases.count == 35)
    for one in file.cases {
      #expect(Hex.string(BLAKE3.hash(one.input)) == one.hash.prefix(64), "\(one.inputLen) bytes")
    }
  }

  @Test func `Derived keys equal the official ones`() {
    for one in file.cases {
      let key = BLAKE3.deriveKey(context: file.contextString, material: secret(one.input))
      #expect(Hex.string(plain(key)) == one.deriveKey.prefix(64), "\(one.inputLen) bytes")
    }
  }

  @Test(arguments: [1, 63, 64, 65, 1024, 1025, 5000])
  func `A message in pieces has the digest of the whole`(_ size: Int) throws {
    let long = try #require(file.cases.first { $0.inputLen == 16384 })
    let input = long.input
    var digest = BLAKE3()
    for start in stride(from: 0, to: long.inputLen, by: size) {
      unsafe digest.update(input.span.bytes.extracting(start..<min(start + size, input.count)))
    }
    #expect(Hex.string(digest.finalize()) == long.hash.prefix(64))
  }
}

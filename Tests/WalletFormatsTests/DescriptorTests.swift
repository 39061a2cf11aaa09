import SecretMemory
import TestSupport
import Testing
import WalletFormats

@Suite struct DescriptorTests {
  struct Keys: Decodable {
    struct Valid: Decodable {
      let key: String
      let `private`: Bool
    }
    let valid: [Valid]
    let invalid: [String]
  }

  struct Descriptors: Decodable {
    struct Valid: Decodable {
      let function: String
      let descriptor: String
      let checksum: String
      let `private`: Bool
      let network: String?
    }
    struct Invalid: Decodable {
      let error: String
      let descriptor: String
    }
    let valid: [Valid]
    let invalid: [Invalid]
  }

  struct Checksum: Decodable, Sendable {
    let descriptor: String
    let error: String?
  }

  struct Multipath: Decodable {
    struct Valid: Decodable {
      let descriptor: String
      let branches: [String]
    }
    let valid: [Valid]
    let invalid: [String]
  }

  static func checksums() throws -> [Checksum] {
    try Vectors.decode("bip380/checksum.json", as: CaseFile<Checksum>.self).cases
  }

  func refusalOf(_ input: String) -> WalletFormatError? {
    refusal { () throws(WalletFormatError) in _ = try Descriptor(checking: secret(input)) }
  }

  @Test(arguments: try checksums())
  func `Descriptors agree with BIP-380's checksum vectors`(vector: Checksum) {
    #expect(name(refusalOf(vector.descriptor)) == vector.error)
  }

  @Test func `Key expressions agree with BIP-380's vectors`() throws {
    let keys = try Vectors.decode("bip380/keys.json", as: Keys.self)
    #expect(keys.valid.count == 21)
    for vector in keys.valid {
      let descriptor = try Descriptor(checking: secret("pk(\(vector.key))"))
      #expect(descriptor.containsPrivateKey == vector.private, "\(vector.key)")
    }
    #expect(keys.invalid.count == 15)
    for key in keys.invalid {
      #expect(refusalOf("pk(\(key))") != nil, "\(key)")
    }
  }

  @Test func `Valid descriptors are read`() throws {
    let all = try Vectors.decode("bip380/descriptors.json", as: Descriptors.self).valid
    #expect(all.count == 23)
    for vector in all {
      let complete = "\(vector.descriptor)#\(vector.checksum)"
      for (input, hasChecksum) in [(" \(vector.descriptor)\n", false), (complete, true)] {
        let descriptor = try Descriptor(checking: secret(input))
        #expect(text(descriptor.text) == complete)
        #expect(descriptor.hadChecksum == hasChecksum)
        #expect(descriptor.function == vector.function)
        #expect(descriptor.containsPrivateKey == vector.private, "\(vector.descriptor)")
        #expect(descriptor.network.map { "\($0)" } == vector.network, "\(vector.descriptor)")
      }
    }
  }

  @Test func `Invalid descriptors are refused`() throws {
    let all = try Vectors.decode("bip380/descriptors.json", as: Descriptors.self).invalid
    #expect(all.count > 45)
    for vector in all {
      #expect(name(refusalOf(vector.descriptor)) == vector.error, "\(vector.descriptor)")
    }
  }

  @Test func `Multipath descriptors agree with BIP-389's vectors`() throws {
    let vectors = try Vectors.decode("bip389/multipath.json", as: Multipath.self)
    #expect(vectors.valid.count == 6)
    for vector in vectors.valid {
      let descriptor = try Descriptor(checking: secret(vector.descriptor))
      #expect(descriptor.branchCount == vector.branches.count)
      for (index, branch) in vector.branches.enumerated() {
        #expect(text(descriptor.branch(index)) == branch)
        // Each is a descriptor of its own, whose only branch is itself.
        let single = try Descriptor(checking: secret(branch))
        #expect(single.branchCount == 1)
        #expect(text(single.branch(0)) == branch)
      }
    }
    #expect(vectors.invalid.count == 10)
    for descriptor in vectors.invalid { #expect(refusalOf(descriptor) != nil, "\(descriptor)") }
  }

  /// BIP-380: one wrong character is always found.
  @Test func `Every changed character is found`() throws {
    let all = try Vectors.decode("bip380/descriptors.json", as: Descriptors.self).valid
    let vector = try #require(all.first { $0.function == "wpkh" })
    let complete = Array("\(vector.descriptor)#\(vector.checksum)".utf8)
    for index in complete.indices {
      var changed = complete
      changed[index] ^= 1
      #expect(
        refusal { () throws(WalletFormatError) in _ = try Descriptor(checking: secret(changed)) }
          != nil, "at \(index)")
    }
  }

  @Test func `Errors say where and nothing else`() {
    #expect(refusalOf("sh(sh(raw(00)))") == .descriptorFunction(position: 4))
    #expect(refusalOf("  wpkh(secret)  ") == .descriptorKey(position: 6))
    #expect(refusalOf("raw(00") == .descriptorSyntax(position: 7))
    #expect(refusalOf("raw(\u{7F})") == .invalidCharacter(position: 5))
    #expect(refusalOf("raw(00)\nraw(00)") == .invalidCharacter(position: 8))
    #expect(refusalOf("") == .empty)
    #expect(refusalOf(String(repeating: "(", count: 65_537)) == .tooLong(limit: 65_536))
  }

  @Test func `Deep nesting is refused`() {
    let open = String(repeating: "{", count: 30_000)
    let key = "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
    #expect(name(refusalOf("tr(\(key),\(open)")) == "descriptorDepth")
    let nested = String(repeating: "and_v(", count: 8000)
    #expect(name(refusalOf("wsh(\(nested)")) == "descriptorDepth")
  }

  /// Joins pieces of descriptors at random: they are refused or accepted.
  ///
  /// An accepted text is accepted again in the form in which it was returned.
  @Test func `Any pieces are judged without crashing`() throws {
    let pieces = [
      "wpkh(", "wsh(", "tr(", "sh(", "multi(1,", "pk(", "v:", "and_v(", "older(1)", ")", ",", "{",
      "}", "[deadbeef/0']", "/*", "/<0;1>", "#", "0", "<", ";", ">", "musig(", "raw(", "ab",
      "addr(",
      "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4"
        + "ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL",
      "0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e154050a9346ea98ce600",
    ]
    var generator = SeededGenerator(seed: 380)
    var accepted = 0
    for _ in 0..<4000 {
      var input = ""
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        input += pieces.randomElement(using: &generator) ?? ""
      }
      let closing = input.filter { $0 == "(" }.count - input.filter { $0 == ")" }.count
      input += String(repeating: ")", count: max(closing, 0))
      guard refusalOf(input) == nil else { continue }
      accepted += 1
      let given = try text(Descriptor(checking: secret(input)).text)
      #expect(try text(Descriptor(checking: secret(given)).text) == given)
    }
    #expect(accepted > 0)
  }
}

import Testing
import WalletFormats

@Suite struct WalletMetadataTests {
  @Test(arguments: [
    ("bitcoin", "Bitcoin", KeyNetwork.mainnet), ("testnet", "Testnet", .testnet),
    ("testnet4", "Testnet4", .testnet), ("signet", "Signet", .testnet),
  ])
  func `Networks have their names`(argument: String, cspp: String, keys: KeyNetwork) throws {
    let network = try WalletNetwork(argument: argument)
    #expect(network.csppName == cspp)
    #expect(network.rawValue == argument)
    #expect(try WalletNetwork(argument: cspp) == network, "as tables show it")
    #expect(network.keyNetwork == keys)
    #expect(WalletNetwork(csppName: cspp) == network)
    #expect(WalletNetwork.allCases.count == 4)
  }

  @Test(arguments: ["", "Bitcoins", "mainnet", "testnet3", "regtest", "bitcoin "])
  func `Other networks are refused`(argument: String) {
    #expect(throws: WalletFormatError.networkUnknown) { try WalletNetwork(argument: argument) }
  }

  @Test(arguments: [("d34db33f", "d34db33f"), ("D34DB33F", "d34db33f"), ("00000000", "00000000")])
  func `Fingerprints are lower case`(input: String, expected: String) throws {
    #expect(try Fingerprint(input).description == expected)
  }

  @Test(arguments: [
    "", "d34db33", "d34db33f0", "d34db33g", " d34db33f", "0xd34db3", "d34db33\u{FF46}",
  ])
  func `Other fingerprints are refused`(input: String) {
    #expect(throws: WalletFormatError.fingerprintForm) { try Fingerprint(input) }
  }

  @Test(arguments: [
    ("m/84'/0'/0'", "m/84'/0'/0'"), ("m/84h/0h/0h", "m/84'/0'/0'"),
    ("84'/0h/0'/1/5", "m/84'/0'/0'/1/5"),
    ("m", "m"), ("0", "m/0"), ("m/2147483647'", "m/2147483647'"), ("m/007", "m/7"),
  ])
  func `Derivation paths are normalised`(input: String, expected: String) throws {
    let path = try DerivationPath(input)
    #expect(path.description == expected)
    #expect(try DerivationPath(expected) == path)
  }

  @Test func `Steps count hardened ones from two to the31`() throws {
    #expect(try DerivationPath("m/84'/0/2147483647h").steps == [0x8000_0054, 0, 0xFFFF_FFFF])
  }

  @Test(arguments: [
    "", "/", "m/", "/m", "m//0", "m/0/", "M/0", "m/-1", "m/+1", "m/2147483648", "m/0H", "m/0''",
    "m/h",
    "m/0x1", "m/*", "m/1 ", "m/99999999999", "n/0", "m/\u{0661}",
    "m" + String(repeating: "/0", count: 256),
  ])
  func `Other paths are refused`(input: String) {
    #expect(throws: WalletFormatError.derivationPathForm) { try DerivationPath(input) }
  }

  @Test func `New wallet i ds are random`() throws {
    let ids = (0..<100).map { _ in WalletID.random() }
    #expect(Set(ids).count == 100)
    for id in ids {
      #expect(id.description.utf8.count == 32)
      #expect(id.description.allSatisfy { "0123456789abcdef".contains($0) })
      #expect(try WalletID(id.description) == id)
    }
  }

  @Test(arguments: ["a", "V1StGXR8_Z5jdHi6B-myT", "a.b", String(repeating: "x", count: 64)])
  func `Chosen wallet i ds are kept`(input: String) throws {
    #expect(try WalletID(input).description == input)
  }

  @Test(arguments: ["", " ", "a b", "a/b", "a\n", "ü", "a\u{0}", String(repeating: "x", count: 65)])
  func `Other wallet i ds are refused`(input: String) {
    #expect(throws: WalletFormatError.walletIDForm) { try WalletID(input) }
  }
}

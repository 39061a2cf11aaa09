import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

/// From words to seeds, master keys, accounts and fingerprints.
@Suite struct DerivationTests {
  struct Seed: Decodable { let mnemonic, passphrase, seed, xprv: String }
  struct Key: Decodable { let key: String }
  struct Account: Decodable {
    let mnemonic, passphrase, network, fingerprint: String
    let descriptors: [String: [String]]
  }

  @Test func `Seeds and master keys of BIP-39's vectors`() throws {
    let cases = try Vectors.decode("bip39/seeds.json", as: CaseFile<Seed>.self).cases
    #expect(cases.count == 64)
    for vector in cases {
      let mnemonic = try Mnemonic(checking: secret(vector.mnemonic))
      let seed = try mnemonic.seed(passphrase: secret(vector.passphrase))
      #expect(ASCII.hex(bytes(seed)) == vector.seed)
      let master = try mnemonic.masterKey(passphrase: secret(vector.passphrase))
      #expect(try text(master.text(.privateKey, network: .mainnet)) == vector.xprv)
    }
  }

  @Test(arguments: [
    ("000102030405060708090a0b0c0d0e0f", "m/0'/1/2'/2/1000000000"),
    (
      "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2"
        + "9f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542",
      "m/0/2147483647'/1/2147483646'/2"
    ),
    // Keys with leading zeroes, which must be preserved.
    (
      "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4ac"
        + "ba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", "m/0'"
    ),
    ("3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", "m/0'/1'"),
  ])
  func `Chains of BIP-32's vectors`(seed: String, path: String) throws {
    let known = Set(
      try Vectors.decode("bip32/valid.json", as: CaseFile<Key>.self).cases.map(\.key))
    var digits = Substring(seed)
    var raw: [UInt8] = []
    while let byte = UInt8(digits.prefix(2), radix: 16) {
      raw.append(byte)
      digits = digits.dropFirst(2)
    }
    let master = try ExtendedPrivateKey(seed: secret(raw))
    let steps = try DerivationPath(path).steps
    for length in 0...steps.count {
      var key = master.copy()
      for step in steps.prefix(length) { key = try key.child(step) }
      for half in [ExtendedKey.Expectation.privateKey, .publicKey] {
        let printed = try text(key.text(half, network: .mainnet))
        #expect(known.contains(printed), "\(path) \(length)")
        // Reading it again gives the same key.
        let again = try ExtendedKey(checking: secret(printed), expecting: half)
        #expect(try again.fingerprint() == key.fingerprint())
        let depth = again.depth
        #expect(depth == length)
      }
    }
    #expect(try text(master.derive(DerivationPath(path)).text(.publicKey, network: .mainnet)) != "")
  }

  @Test func `Accounts and fingerprints are bdk's`() throws {
    let cases = try Vectors.decode("wallets/accounts.json", as: CaseFile<Account>.self).cases
    #expect(cases.count == 49)
    for vector in cases {
      let network: KeyNetwork = vector.network == "mainnet" ? .mainnet : .testnet
      let master = try Mnemonic(checking: secret(vector.mnemonic))
        .masterKey(passphrase: secret(vector.passphrase))
      #expect(try master.fingerprint().description == vector.fingerprint)
      for type in AddressType.allCases {
        let account = try AccountKey(of: master, type, network: network, .publicKey)
        for chain in AccountKey.Chain.allCases {
          let ours = try text(account.descriptor(type, chain))
          #expect(ours == vector.descriptors[type.rawValue]?[chain.rawValue])
        }
      }
    }
  }

  @Test func `What an extended key tells of its wallet`() throws {
    let vector = try #require(
      try Vectors.decode("wallets/accounts.json", as: CaseFile<Account>.self).cases.last)
    let master = try Mnemonic(checking: secret(vector.mnemonic)).masterKey(passphrase: secret(""))
    for half in [ExtendedKey.Expectation.privateKey, .publicKey] {
      var key = master.copy()
      for depth in 0...3 {
        let read = try ExtendedKey(
          checking: key.text(half, network: .mainnet), expecting: half)
        let told = try read.masterFingerprint()?.description
        #expect(told == (depth < 2 ? vector.fingerprint : nil))
        key = try key.child(0x8000_0000)
      }
    }
  }

  @Test func `A passphrase that would have to be normalised is refused`() throws {
    let mnemonic = try Mnemonic(
      checking: secret(
        "legal winner thank year wave sausage worth useful legal winner thank yellow"))
    for (passphrase, position) in [("ä", 1), ("abc\u{7F}", 4), ("tab\t", 4)] {
      #expect(
        refusal { () throws(WalletFormatError) in
          _ = try mnemonic.masterKey(passphrase: secret(passphrase))
        } == .passphraseCharacter(position: position))
    }
    #expect(
      refusal { () throws(WalletFormatError) in
        _ = try mnemonic.masterKey(passphrase: secret(String(repeating: "x", count: 1025)))
      } == .tooLong(limit: 1024))
  }

  @Test func `A path ends where a key stops counting`() throws {
    let master = try ExtendedPrivateKey(seed: secret([UInt8](repeating: 1, count: 64)))
    let path = try DerivationPath("m" + String(repeating: "/0", count: 255))
    let last = try master.derive(path)
    #expect(refusal { () throws(WalletFormatError) in _ = try last.child(0) } == .extendedKeyDepth)
  }
}

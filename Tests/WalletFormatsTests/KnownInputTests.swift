import Testing

@testable import WalletFormats

/// What is told for sure that is given in a wallet secret's place.
@Suite struct KnownInputTests {
  /// Published keys: of the number 1, of BIP-38, of NIP-19 and of NIP-49.
  private static let words: [(kind: KnownInput, text: String)] = [
    (.privateKey, "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf"),
    (.privateKey, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn"),
    (.encryptedKey, "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg"),
    (.nostrKey, "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"),
    (
      .encryptedNostrKey,
      "ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm86"
        + "23nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p"
    ),
    (.seedQR, String(repeating: "0000", count: 11) + "0003"),
  ]

  private static let entry =
    #"{"wallet_id":"a","secret":{"Mnemonic":"x"},"metadata":{"id":"a","name":"A","network":"#
    + #""Bitcoin"},"wallet_mode":"Main","updated_at":1}"#

  private static let files: [(kind: KnownInput, bytes: [UInt8])] = [
    (.covb, Array("COVB\u{4}".utf8) + [1, 2, 3]),
    (.entries, Array(entry.utf8)), (.entries, Array((entry + "\n" + entry + "\n").utf8)),
    (.entries, Array(entry.replacing(",", with: ",\n  ").utf8)),
    (.labels, Array("\(#"{"type":"tx","ref":"aa","label":"rent"}"#)\nbroken\n".utf8)),
    (
      .electrumWallet,
      Array(#"{"keystore": {}, "seed_version": 59, "wallet_type": "standard"}"#.utf8)
    ),
    (.encryptedElectrumWallet, Array(("QklFMQ" + String(repeating: "Ab0+", count: 40)).utf8)),
    (.wasabiWallet, Array(#"{"EncryptedSecret": "6PYx", "ExtPubKey": "xpub"}"#.utf8)),
    (
      .bitcoinCoreWallet,
      Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 52) + [0xF9, 0xBE, 0xB4, 0xD9]
    ),
    (
      .berkeleyDatabase,
      Array(repeating: 0, count: 12) + [0x62, 0x31, 0x05, 0x00] + Array(repeating: 0, count: 4096)
    ),
    (.sparrowWallet, Array("H:2,block:4,blockSize:1000".utf8)),
    (.sparrowWallet, Array("SPRW1\n".utf8) + [1, 2, 3]),
  ]

  private func kind(_ bytes: [UInt8]) -> KnownInput? { KnownInput(recognising: secret(bytes)) }

  @Test(arguments: words.indices)
  func `A key with a checksum is told, and with a mistake it is not`(_ place: Int) {
    let (expected, text) = Self.words[place]
    #expect(kind(Array(text.utf8)) == expected)
    #expect(kind(Array("\u{FEFF} \(text)\r\n".utf8)) == expected)
    // As Windows writes it, with a byte order mark and without.
    #expect(kind(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == expected)
    let wrong = text.dropLast() + (text.hasSuffix("2") ? "3" : "2")
    #expect(kind(Array(wrong.utf8)) == nil)
  }

  @Test(arguments: files.indices)
  func `A file is told by what only it has`(_ place: Int) {
    #expect(kind(Self.files[place].bytes) == Self.files[place].kind)
  }

  @Test func `Each kind is tried`() {
    let tried = Set((Self.words.map(\.kind) + Self.files.map(\.kind)).map { "\($0)" })
    #expect(Set(KnownInput.allCases.map { "\($0)" }).subtracting(tried) == ["damagedShare"])
  }

  @Test func `A SLIP-39 share with a wrong word is told`() throws {
    let vector = try #require(try OtherSeedTests.vectors().first { $0.kind == "slip39" })
    var words = vector.text.split(separator: " ").map(String.init)
    words.swapAt(4, 5)
    #expect(kind(Array(words.joined(separator: " ").utf8)) == .damagedShare)
    words[7] = "misspelt"
    #expect(kind(Array(words.joined(separator: "\n").utf8)) == .damagedShare)
    words[8] = "twice"
    words[9] = "zzzz"
    #expect(kind(Array(words.joined(separator: " ").utf8)) == nil)
  }

  @Test func `Other texts and files are none of these`() throws {
    for text in [
      "", "x", "{}", "[]", "{\"desc\":\"wpkh()\"}", "QklFMQ", String(repeating: "1", count: 48),
      String(repeating: "9", count: 96), "COV", "H:3,block", "SQLite format 3\0",
      #"{"seed_version": 1}"#, "nsec1",
      "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra",
    ] {
      #expect(kind(Array(text.utf8)) == nil, "\(text)")
    }
    // A compact SeedQR is any 16 bytes.
    #expect(kind(Array(0..<16)) == nil)
    for phrase in try MnemonicTests.vectors() { #expect(kind(Array(phrase.utf8)) == nil) }
  }
}

import SecretMemory
import TestSupport
import Testing

@testable import Nostr

struct Bech32Tests {
  struct File: Decodable {
    struct Invalid: Decodable { let hex, why: String }
    struct Address: Decodable { let address, script: String }
    struct WrongAddress: Decodable { let address, why: String }
    let valid: [String]
    let invalid: [Invalid]
    let addresses: [Address]
    let wrongAddresses: [WrongAddress]
  }

  let file: File

  init() throws { file = try Vectors.decode("bip173.json") }

  private func decode(_ bytes: [UInt8]) throws(Bech32.Mistake) -> (prefix: String, values: [UInt8])
  {
    let decoded = try unsafe Bech32.decode(bytes.span.bytes)
    return (decoded.prefix, plain(decoded.values))
  }

  private func plain(_ values: borrowing SecretBytes) -> [UInt8] {
    unsafe values.withUnsafeBytes { unsafe Array($0) }
  }

  @Test func `Valid strings, which come back in lower case`() throws {
    #expect(file.valid.count == 7)
    for string in file.valid {
      let (prefix, values) = try decode(Array(string.utf8))
      #expect(text(Bech32.encode(prefix: prefix, values: secret(values))) == string.lowercased())
    }
  }

  @Test func `Invalid strings`() {
    #expect(file.invalid.count == 12)
    for string in file.invalid {
      #expect(throws: Bech32.Mistake.self, "\(string.why)") { try decode(unhex(string.hex)) }
    }
  }

  /// The witness program of a segwit address (BIP-173), for the vectors about addresses.
  ///
  /// The bits are regrouped in the same way as for Nostr.
  private func script(_ address: String) throws(Bech32.Mistake) -> [UInt8]? {
    let (prefix, values) = try decode(Array(address.utf8))
    guard prefix == "bc" || prefix == "tb", let version = values.first, version <= 16 else {
      return nil
    }
    let program = plain(try Bech32.bytes(of: secret(Array(values.dropFirst()))))
    guard (2...40).contains(program.count), version > 0 || [20, 32].contains(program.count) else {
      return nil
    }
    return [version == 0 ? 0 : version + 0x50, UInt8(program.count)] + program
  }

  @Test func `Addresses, for the regrouping of bits`() throws {
    #expect(file.addresses.count == 6)
    for address in file.addresses {
      #expect(try script(address.address).map { Hex.string($0) } == address.script)
    }
    #expect(file.wrongAddresses.count == 10)
    for address in file.wrongAddresses {
      #expect((try? script(address.address)) == nil || (try? script(address.address)) == .some(nil))
    }
  }

  @Test func `Every wrong character and every swap is caught`() throws {
    let npub = "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra"
    let good = Array(npub.utf8)
    #expect(throws: Never.self) { try decoded(npub) }
    for place in 5..<good.count {
      for letter in "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio".utf8 where letter != good[place] {
        var bad = good
        bad[place] = letter
        #expect(throws: NostrError.self) { try decoded(String(decoding: bad, as: UTF8.self)) }
      }
      if place + 1 < good.count, good[place] != good[place + 1] {
        var bad = good
        bad.swapAt(place, place + 1)
        #expect(throws: NostrError.self) { try decoded(String(decoding: bad, as: UTF8.self)) }
      }
    }
  }

  @Test func `Only npub and nsec, of 32 bytes`() throws {
    for (prefix, count, error) in [
      ("note", 32, NostrError.wrongPrefix(found: "note")), ("npub", 31, .wrongLength),
      ("npub", 33, .wrongLength), ("nsec", 0, .wrongLength),
      ("npub", 32, .invalidPublicKey), ("nsec", 32, .invalidSecretKey),
    ] {
      let values = Bech32.values(of: SecretBytes(zeroed: count))
      let string = text(Bech32.encode(prefix: prefix, values: values))
      #expect(throws: error) { try decoded(string) }
    }
  }

  @Test func `What apps put before a key does not count, and other entities are named`() throws {
    let npub = "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra"
    let key = try decoded(npub)
    for start in ["nostr:", "@", "NOSTR:", "Nostr:"] { #expect(try decoded(start + npub) == key) }
    #expect(try decoded("NOSTR:" + npub.uppercased()) == key)
    for link in [
      "https://njump.me/\(npub)", "https://njump.me/\(npub)/",
      "https://primal.net/p/\(npub)?tab=notes",
      "nostr://\(npub)", "web+nostr:\(npub)", "HTTPS://njump.me/\(npub)#x",
    ] {
      #expect(try decoded(link) == key, "\(link)")
    }
    #expect(throws: NostrError.wrongPrefix(found: "nprofile")) {
      try decoded("https://njump.me/nprofile1qqqqqq")
    }
    for none in ["https://", "https:///", "https://njump.me", "https://njump.me/?\(npub)"] {
      #expect(throws: NostrError.self) { try decoded(none) }
    }
    #expect(throws: NostrError.self) { try decoded("nostr:@" + npub) }
    for kind in ["ncryptsec", "nprofile", "nevent", "naddr", "nrelay"] {
      for text in [kind + "1" + String(repeating: "q", count: 160), "nostr:\(kind)1qqqqqq"] {
        #expect(throws: NostrError.wrongPrefix(found: kind)) { try decoded(text) }
      }
    }
  }

  @Test func `Random bytes survive the slot there and back`() throws {
    var random = SeededGenerator(seed: 173)
    for count in 0..<50 {
      let given = random.bytes(count)
      let values = Bech32.values(of: secret(given))
      #expect(plain(try Bech32.bytes(of: values)) == given)
    }
  }

  @Test func `Anything at all is decoded or refused`() {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<20_000 {
      let garbage = random.bytes(Int.random(in: 0...100, using: &random))
      #expect(throws: Bech32.Mistake.self) { try decode(garbage) }
    }
  }
}

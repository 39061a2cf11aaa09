import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

/// After a check, no part of the checked text is left in this process's memory once its guarded
/// copies are gone.
@Suite(.serialized) struct ResidueTests {
  /// Counts how often the needle occurs in writable memory.
  private func count(_ needle: Needle) throws -> Int { try MemoryScan.count(needle) }

  @Test func `The scan finds what is there`() throws {
    let kept = SecretBytes.random(count: 32)
    #expect(try count(Needle(kept, 0..<32)) > 0)
  }

  @Test func `Mnemonics leave nothing in memory`() throws {
    let needles = try mnemonicNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func `Extended keys leave nothing in memory`() throws {
    let needles = try keyNeedles(asDescriptor: false)
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func `Descriptors leave nothing in memory`() throws {
    let needles = try keyNeedles(asDescriptor: true)
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func `Labels leave nothing in memory`() throws {
    let needles = try labelNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func `Derivations leave nothing in memory`() throws {
    let needles = try derivationNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func `Exports leave nothing in memory`() throws {
    let needles = try exportNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  /// A random mnemonic's seed, master key and an account's private descriptor.
  private func derivationNeedles() throws -> [Needle] {
    let mnemonic = try SeedQR.mnemonic(from: SecretBytes.random(count: 16))
    let none = SecretBytes(zeroed: 0)
    let seed = try mnemonic.seed(passphrase: none)
    let master = try mnemonic.masterKey(passphrase: none)
    let text = try master.text(.privateKey, network: .mainnet)
    let account = try AccountKey(of: master, .taproot, network: .mainnet, .privateKey)
    var list = DescriptorListWriter()
    try list.append(account.descriptor(.taproot, .external), timestamp: 0)
    let json = list.finish()
    _ = try DescriptorList(parsing: json.copy()).wallet(0)
    return [
      Needle(seed, 0..<32), Needle(seed, 32..<64), Needle(text, 20..<50), Needle(text, 60..<100),
      Needle(account.text, 20..<50), Needle(account.text, 60..<100),
    ]
  }

  /// A random mnemonic as a SeedQR and in a `.covb` file and out of it again.
  private func exportNeedles() throws -> [Needle] {
    let mnemonic = try SeedQR.mnemonic(from: SecretBytes.random(count: 32))
    let digits = try SeedQR.digits(of: mnemonic)
    let entropy = try SeedQR.entropy(of: mnemonic)
    switch SeedQRCode(digits, .numeric) {
    case nil: Issue.record("no code")
    case .some(let code):
      let png = code.png()
      let text = code.terminalText()
      #expect(png.count > 0 && text.count > 0)
    }
    let head = Array(
      #"{"version":1,"created_at":1,"wallets":[{"metadata":{"id":"a"},"secret":{"Mnemonic":""#.utf8)
    let tail = Array(#""}}],"settings":{}}"#.utf8)
    let json = SecretBytes(count: head.count + mnemonic.phrase.count + tail.count) { json in
      for (index, byte) in head.enumerated() { json.set(index, byte) }
      mnemonic.phrase.withBytes { words in
        for index in 0..<words.byteCount { json.set(head.count + index, words.byte(index)) }
      }
      for (index, byte) in tail.enumerated() {
        json.set(json.byteCount - tail.count + index, byte)
      }
    }
    let generated = CovbPassword.generate()
    let password = try CovbPassword(cleaning: generated)
    let file = try CovbFile.seal(json, password: password)
    let content = try CovbContent(parsing: CovbFile.open(file, password: password))
    _ = try content.wallet(0).entry(updatedAt: 1)
    let words = mnemonic.phrase.count
    return [
      Needle(digits, 0..<40), Needle(digits, 40..<96), Needle(entropy, 0..<16),
      Needle(entropy, 16..<32), Needle(mnemonic.phrase, 0..<40),
      Needle(mnemonic.phrase, (words - 40)..<words), Needle(generated, 0..<29),
    ]
  }

  /// A random mnemonic, refused or not.
  private func mnemonicNeedles() throws -> [Needle] {
    var generator = SeededGenerator(seed: TestSeed.value)
    let phrase = SecretBytes(count: 12 * 9 - 1) { span in
      for offset in 0..<(12 * 9 - 1) where offset % 9 == 8 { span.set(offset, 0x20) }
      for word in 0..<12 {
        // Words of 8 letters keep the places the same.
        let long = EnglishWordList.packed.filter { $0 >> 56 != 0 }
        let packed = long.randomElement(using: &generator) ?? 0
        for letter in 0..<8 {
          span.set(
            word * 9 + letter, UInt8(truncatingIfNeeded: packed >> (56 - 8 * UInt64(letter))))
        }
      }
    }
    let error = refusal { () throws(WalletFormatError) in _ = try Mnemonic(checking: phrase) }
    #expect(error == nil || error == .mnemonicChecksum)
    return [Needle(phrase, 0..<26), Needle(phrase, 45..<80), Needle(phrase, 81..<107)]
  }

  /// A random extended private key.
  private func keyNeedles(asDescriptor: Bool) throws -> [Needle] {
    var payload = SecretBytes.random(count: 78)
    payload.withMutableBytes { payload in
      for (index, byte) in ([0x04, 0x88, 0xAD, 0xE4, 1] as [UInt8]).enumerated() {
        payload.set(index, byte)
      }
      payload.set(45, 0)
      payload.set(46, 1)
    }
    let key = payload.withBytes { Base58.encode($0) }
    if asDescriptor {
      let wrapped = SecretBytes(count: key.count + 6) { span in
        for (index, byte) in "wpkh(".utf8.enumerated() { span.set(index, byte) }
        key.withBytes { key in
          for index in 0..<key.byteCount { span.set(index + 5, key.byte(index)) }
        }
        span.set(span.byteCount - 1, 0x29)
      }
      let descriptor = try Descriptor(checking: wrapped)
      let containsPrivateKey = descriptor.containsPrivateKey
      #expect(containsPrivateKey)
      _ = descriptor.branch(0)
    } else {
      let checked = try ExtendedKey(checking: key, expecting: .privateKey)
      _ = checked.plainText()
    }
    return [Needle(key, 20..<50), Needle(key, 60..<100), Needle(payload, 46..<78)]
  }

  /// A label with a random reference.
  private func labelNeedles() throws -> [Needle] {
    let random = SecretBytes.random(count: 64)
    let head = Array(#"{"type":"tx","ref":""#.utf8)
    let line = SecretBytes(count: head.count + 64 + 2) { span in
      for (index, byte) in head.enumerated() { span.set(index, byte) }
      random.withBytes { random in
        for index in 0..<64 { span.set(head.count + index, 0x61 + random.byte(index) % 26) }
      }
      span.set(head.count + 64, 0x22)
      span.set(head.count + 65, 0x7D)
    }
    let labels = try WalletLabels(checking: line)
    _ = try WalletLabels.decompress(labels.compressed)
    return [
      Needle(line, head.count..<(head.count + 30)), Needle(line, head.count + 30..<head.count + 64),
    ]
  }
}

extension Needle {
  init(_ secret: borrowing SecretBytes, _ range: Range<Int>) {
    self = secret.withBytes { Needle($0.extracting(range)) }
  }
}

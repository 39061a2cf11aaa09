import FoundationEssentials
import SecretMemory
import TestSupport
import Testing

@testable import WalletFormats

@Suite struct WalletLabelsTests {
  static let tx = #""type":"tx","ref":"ab""#

  func refusalOf(_ input: String) -> WalletFormatError? {
    refusalOf(Array(input.utf8))
  }

  func refusalOf(_ input: [UInt8]) -> WalletFormatError? {
    refusal { () throws(WalletFormatError) in _ = try WalletLabels(checking: secret(input)) }
  }

  @Test func `Vector of BIP 329`() throws {
    let file = try Array(Vectors.data("bip329/labels.jsonl"))
    let labels = try WalletLabels(checking: secret(file))
    #expect(labels.count == 7)
    #expect(labels.uncompressedSize == file.count)
    #expect(labels.hash == ASCII.hex(SHA256.hash(file)))
    #expect(labels.compressed.count < file.count)
    #expect(try bytes(WalletLabels.decompress(labels.compressed)) == file)
  }

  @Test(arguments: [
    #"{\#(tx)}"#, " \t{ \(tx) } \r\n", "\n\n{\(tx)}\n\n", "\u{FEFF}{\(tx)}",
    #"{\#(tx),"label":"","origin":"wpkh([d34db33f/84'/0'/0'])"}"#,
    #"{"ref":"ab","type":"output","spendable":true}"#,
    #"{\#(tx),"label":null,"origin":null,"spendable":null}"#,
    #"{\#(tx),"label":"\u00fc \ud83d\ude00 ü 😀 \"\\\/\b\f\n\r\t"}"#,
    #"{\#(tx),"height":0,"fee":-1,"value":1.5e+3,"rate":{"USD":1.0,"EUR":[1,[],{}]},"x":null}"#,
  ])
  func `BIP-329 records are accepted`(line: String) throws {
    let labels = try WalletLabels(checking: secret(line))
    #expect(labels.count == 1)
    let stored = try bytes(WalletLabels.decompress(labels.compressed))
    #expect(stored == Array(line.utf8.drop { $0 >= 0x80 }))
    #expect(labels.hash == ASCII.hex(SHA256.hash(stored)))
  }

  @Test(arguments: [
    ("", LabelProblem?.none), ("\n \n", nil),
    ("x", .notJSONObject), ("[]", .notJSONObject), ("null", .notJSONObject),
    ("{", .notJSONObject), ("{\(tx)", .notJSONObject), ("{\(tx)}}", .notJSONObject),
    ("{\(tx),}", .notJSONObject), ("{\(tx)} {\(tx)}", .notJSONObject),
    (#"{"type":"tx","ref":"a"b"}"#, .notJSONObject), (#"{\#(tx),"x":01}"#, .notJSONObject),
    (#"{\#(tx),"x":1.}"#, .notJSONObject), (#"{\#(tx),"x":.5}"#, .notJSONObject),
    (#"{\#(tx),"x":+1}"#, .notJSONObject), (#"{\#(tx),"x":NaN}"#, .notJSONObject),
    (#"{\#(tx),"x":"\x"}"#, .notJSONObject), (#"{\#(tx),"x":"\ud800"}"#, .notJSONObject),
    (#"{\#(tx),"x":"\udc00"}"#, .notJSONObject), (#"{\#(tx),"x":"\ud800\u0041"}"#, .notJSONObject),
    ("{\(tx),\"x\":\"\u{1}\"}", .notJSONObject), (#"{\#(tx),"\u0072ef":"b"}"#, .duplicateField),
    ("{\(tx),\"x\":" + String(repeating: "[", count: 1000), .notJSONObject),
    ("{}", .type), (#"{"ref":"ab"}"#, .type), (#"{"type":"address","ref":"ab"}"#, .type),
    (#"{"type":"TX","ref":"ab"}"#, .type), (#"{"type":1,"ref":"ab"}"#, .type),
    (#"{"type":"tx"}"#, .reference), (#"{"type":"tx","ref":""}"#, .reference),
    (#"{"type":"tx","ref":1}"#, .reference), (#"{"type":"tx","ref":null}"#, .reference),
    (#"{\#(tx),"label":1}"#, .field),
    (#"{\#(tx),"origin":{}}"#, .field), (#"{\#(tx),"spendable":"true"}"#, .field),
    (#"{\#(tx),"ref":"cd"}"#, .duplicateField), (#"{\#(tx),"type":"tx"}"#, .duplicateField),
  ])
  func `Other lines are refused`(line: String, problem: LabelProblem?) {
    guard let problem else {
      #expect(refusalOf(line) == .empty)
      return
    }
    #expect(refusalOf(line) == .labelsLine(1, problem))
    #expect(refusalOf("{\(Self.tx)}\n\n\(line)\n{\(Self.tx)}") == .labelsLine(3, problem))
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
      [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x9F, 0x98], [0xFF], [0xF0, 0x9F, 0x98, 0x28],
    ] as [[UInt8]])
  func `Malformed UTF 8 is refused`(sequence: [UInt8]) {
    let head = Array(#"{"type":"tx","ref":""#.utf8)
    #expect(refusalOf(head + sequence + Array(#""}"#.utf8)) == .labelsLine(1, .notJSONObject))
    #expect(refusalOf(head + sequence) == .labelsLine(1, .notJSONObject))
  }

  /// The scanner and the system's JSON reader agree on random changes.
  @Test func `Changed lines are judged as by system`() {
    let line = Array(
      #"{"type":"tx","ref":"ab","x":[1,-2.5e3,"\u00fc\n",{"y":null}],"z":true}"#.utf8)
    var generator = SeededGenerator(seed: 329)
    let characters = Array(#"{}[]",:\u0eE+-.129tfn "#.utf8) + [0x80, 0xC3, 0x01]
    for _ in 0..<5000 {
      var changed = line
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 20..<changed.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: changed[index] = characters.randomElement(using: &generator) ?? 0
        case 1: changed.remove(at: index)
        default: changed.insert(characters.randomElement(using: &generator) ?? 0, at: index)
        }
      }
      struct Anything: Decodable {}
      let isJSON = (try? JSONDecoder().decode(Anything.self, from: Data(changed))) != nil
      // Ours requires more than JSON (no duplicates, the right types), never less.
      if refusalOf(changed) == nil {
        #expect(isJSON, "\(String(decoding: changed, as: UTF8.self))")
      }
      if !isJSON { #expect(refusalOf(changed) != nil) }
    }
  }

  @Test func `Ten mebibytes are the limit`() throws {
    let line = Array("{\(Self.tx)}".utf8)
    var file = [UInt8](repeating: 0x20, count: WalletLabels.sizeLimit)
    file.replaceSubrange(0..<line.count, with: line)
    let labels = try WalletLabels(checking: secret(file))
    #expect(labels.uncompressedSize == WalletLabels.sizeLimit)
    #expect(try WalletLabels.decompress(labels.compressed).count == WalletLabels.sizeLimit)
    #expect(refusalOf(file + [0x20]) == .labelsTooLarge(limit: WalletLabels.sizeLimit))
  }

  @Test func `Compression bombs are refused`() throws {
    // The frame states its size: refused before anything is decompressed.
    let bomb = try Zstd.compress(SecretBytes(zeroed: WalletLabels.sizeLimit + 1))
    #expect(bomb.count < 2000)
    #expect(decompressionFails(bytes(bomb)))
    // Two frames, each within the limit, together beyond it.
    let half = try bytes(Zstd.compress(SecretBytes(zeroed: WalletLabels.sizeLimit / 2 + 1)))
    #expect(!decompressionFails(half))
    #expect(decompressionFails(half + half))
    // The same bomb with a header that states no size. Its frame has a window of 8 MiB, and blocks
    // that repeat one byte 131072 times.
    let header: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x68]
    #expect(!decompressionFails(header + repeated(blocks: 80)))
    #expect(decompressionFails(header + repeated(blocks: 81)))
  }

  @Test func `Damaged frames are refused`() throws {
    let whole = try bytes(WalletLabels(checking: secret("{\(Self.tx)}")).compressed)
    for count in 1..<whole.count { #expect(decompressionFails(Array(whole.prefix(count)))) }
    #expect(decompressionFails([0]))
    #expect(decompressionFails(whole + [1]))
    var generator = SeededGenerator(seed: 8878)
    for _ in 0..<300 {
      var changed = whole
      changed[Int.random(in: 0..<4, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
      #expect(decompressionFails(changed))
    }
    for _ in 0..<300 {
      // Any result except a crash.
      var changed = whole
      changed[Int.random(in: 4..<whole.count, using: &generator)] ^= 0x41
      _ = decompressionFails(changed)
    }
  }

  func decompressionFails(_ input: [UInt8]) -> Bool {
    refusal { () throws(WalletFormatError) in _ = try WalletLabels.decompress(secret(input)) }
      == .labelsCompression
  }

  /// RFC 8878, "Blocks": run-length blocks of 128 KiB, the last one marked.
  func repeated(blocks: Int) -> [UInt8] {
    (1...blocks).flatMap { index -> [UInt8] in
      let header = UInt32(131_072) << 3 | 1 << 1 | (index == blocks ? 1 : 0)
      return [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16 & 255), 0x20]
    }
  }
}

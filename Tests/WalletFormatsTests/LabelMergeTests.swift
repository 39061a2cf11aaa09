import SecretMemory
import Testing

@testable import WalletFormats

/// BIP-329's rules for importing: what a record omits stays, and unknown types are ignored.
@Suite struct LabelMergeTests {
  private func merged(_ new: String, over old: String) throws -> String {
    text(try WalletLabels.merge(secret(new), over: secret(old)))
  }

  private static let cold = #"{"type":"output","ref":"ab:0","label":"cold","spendable":false}"#

  static let cases: [(String, String, String)] = [
    // A label does not thaw a coin, and a freeze does not take its label.
    (
      #"{"type":"output","ref":"ab:0","label":"cold 2"}"#, cold,
      #"{"type":"output","ref":"ab:0","label":"cold 2","spendable":false}"#
    ),
    (
      #"{"type":"output","ref":"ab:0","spendable":true}"#, cold,
      #"{"type":"output","ref":"ab:0","spendable":true,"label":"cold"}"#
    ),
    // Null is omitted.
    (
      #"{"type":"output","ref":"ab:0","label":"x","spendable":null}"#, cold,
      #"{"type":"output","ref":"ab:0","label":"x","spendable":false}"#
    ),
    (
      #"{"type":"output","ref":"ab:0","label":null,"spendable":true}"#, cold,
      #"{"type":"output","ref":"ab:0","spendable":true,"label":"cold"}"#
    ),
    (
      #"{"type":"tx","ref":"a","label":null,"origin":null,"height":5}"#, "",
      #"{"type":"tx","ref":"a","height":5}"#
    ),
    (
      #"{"type":"output","ref":"ab:0"}"#, cold,
      #"{"type":"output","ref":"ab:0","label":"cold","spendable":false}"#
    ),
    // An empty label is a label.
    (
      #"{"type":"output","ref":"ab:0","label":""}"#, cold,
      #"{"type":"output","ref":"ab:0","label":"","spendable":false}"#
    ),
    // The additional fields, and those of other programs.
    (
      #"{"type":"tx","ref":"a","label":"new","fee":12}"#,
      #"{"type":"tx","ref":"a","label":"old","height":800000,"time":"2025-01-23T11:40:35Z","fee":9,"value":-5,"rate":{"USD":105620.00},"x-own":[1,{"y":null}]}"#,
      #"{"type":"tx","ref":"a","label":"new","fee":12,"height":800000,"time":"2025-01-23T11:40:35Z","value":-5,"rate":{"USD":105620.00},"x-own":[1,{"y":null}]}"#
    ),
    (
      #"{"type":"addr","ref":"a","heights":[1,2]}"#,
      #"{"type":"addr","ref":"a","label":"x","keypath":"/1/123","heights":[1],"fmv":{"USD":1.50}}"#,
      #"{"type":"addr","ref":"a","heights":[1,2],"label":"x","keypath":"/1/123","fmv":{"USD":1.50}}"#
    ),
    // Escapes do not make another field.
    (
      #"{"type":"output","ref":"ab:0","l\u0061bel":"new"}"#, cold,
      #"{"type":"output","ref":"ab:0","l\u0061bel":"new","spendable":false}"#
    ),
    // A later line of the same file changes an earlier one.
    (
      #"\#(cold)\#n{"type":"output","ref":"ab:0","label":"cold 2"}"#, "",
      #"{"type":"output","ref":"ab:0","label":"cold 2","spendable":false}"#
    ),
    // One record of an origin, and the same transaction in another wallet.
    (
      #"{"type":"tx","ref":"a","label":"new","origin":"wpkh([d34db33f/84'/0'/1'])"}"#,
      #"{"type":"tx","ref":"a","label":"old","origin":"wpkh([d34db33f/84'/0'/0'])"}"#,
      #"{"type":"tx","ref":"a","label":"new","origin":"wpkh([d34db33f/84'/0'/1'])"}\#n{"type":"tx","ref":"a","label":"old","origin":"wpkh([d34db33f/84'/0'/0'])"}"#
    ),
    (
      #"{"type":"tx","ref":"a","label":"new"}"#,
      #"{"type":"tx","ref":"a","label":"old","origin":"wpkh([d34db33f/84'/0'/0'])"}"#,
      #"{"type":"tx","ref":"a","label":"new","origin":"wpkh([d34db33f/84'/0'/0'])"}"#
    ),
    (
      #"{"type":"tx","ref":"a","label":"new","origin":"tr([d34db33f])"}"#,
      #"{"type":"tx","ref":"a","label":"old","fee":1}"#,
      #"{"type":"tx","ref":"a","label":"new","origin":"tr([d34db33f])","fee":1}"#
    ),
    // What is not ours to judge stays byte for byte.
    (
      #"{"type":"tx","ref":"a"}"#, "{ \"type\":\"account\", \"ref\":\"b\" }\nbroken\n \n",
      "{\"type\":\"tx\",\"ref\":\"a\"}\n{ \"type\":\"account\", \"ref\":\"b\" }\nbroken"
    ),
  ]

  @Test(arguments: cases)
  func `What a record omits stays`(new: String, old: String, expected: String) throws {
    let once = try merged(new, over: old)
    #expect(once == expected + "\n")
    #expect(try merged(new, over: once) == once, "a second import changes something")
    #expect(try WalletLabels(keeping: secret(once)).uncompressedSize == once.utf8.count)
  }

  @Test func `A record without an origin is about that of every origin`() throws {
    let old = ["0", "1"].map {
      #"{"type":"tx","ref":"a","label":"old","origin":"wpkh([d34db33f/84'/0'/\#($0)'])"}"#
    }
    let changed = try merged(
      #"{"type":"tx","ref":"a","label":"new"}"#, over: old.joined(separator: "\n"))
    #expect(changed.split(separator: "\n").count == 2 && !changed.contains("old"))
  }

  @Test func `Unknown types and damaged lines are left out and counted`() throws {
    let lines = [
      Self.cold, #"{"type":"account","label":"x"}"#, "", #"{"type":"tx","ref":"a"}"#, "{", "{}",
      #"{"type":"TX","ref":"a"}"#, #"{"type":1,"ref":"a"}"#, #"{"type":"tx","ref":""}"#,
    ]
    let file = try LabelFile(reading: secret("\u{FEFF}" + lines.joined(separator: "\r\n")))
    #expect(text(file.records) == Self.cold + "\r\n" + #"{"type":"tx","ref":"a"}"# + "\r\n")
    let (unknown, damaged) = (file.unknownTypes, file.damaged)
    #expect(unknown.count == 2 && unknown.firstLine == 2)
    #expect(damaged.count == 4 && damaged.firstLine == 5)
  }

  @Test(arguments: [
    ("", WalletFormatError.empty), (" \n", .empty), ("\n{}", .labelsLine(2, .type)),
    (#"{"type":"account","ref":"a"}"#, .labelsUnknownTypes(1)),
    ("x\n{}", .labelsLine(1, .notJSONObject)),
    (
      String(repeating: " ", count: WalletLabels.sizeLimit + 1),
      .labelsTooLarge(limit: WalletLabels.sizeLimit)
    ),
  ])
  func `A file without a record is refused`(file: String, expected: WalletFormatError) {
    #expect(
      refusal { () throws(WalletFormatError) in _ = try LabelFile(reading: secret(file)) }
        == expected)
  }

  @Test func `A file of unknown types alone is told as that`() {
    let unknown = #"{"type":"account","ref":"x"}"#
    func refused(_ file: String) -> WalletFormatError? {
      refusal { () throws(WalletFormatError) in _ = try LabelFile(reading: secret(file)) }
    }
    #expect(refused(unknown + "\n" + unknown) == .labelsUnknownTypes(2))
    #expect(refused(unknown + "\nbroken") == .labelsLine(2, .notJSONObject))
    #expect(refused("\n") == .empty)
  }

  @Test func `Several lines of one file about the same are one record`() throws {
    let lines = Self.cold + "\n" + #"{"type":"output","ref":"ab:0","label":"cold 2"}"#
    let labels = try WalletLabels(merging: secret(lines), over: secret(""))
    #expect(labels.count == 1)
    #expect(
      text(try WalletLabels.decompress(labels.compressed))
        == #"{"type":"output","ref":"ab:0","label":"cold 2","spendable":false}"# + "\n")
  }
}

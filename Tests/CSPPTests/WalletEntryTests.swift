import Foundation
import SecretMemory
import Testing

@testable import CSPP

@Suite("Wallet entry")
struct WalletEntryTests {
  private static let mark = WalletEntry.Mark(
    writerID: WriterID(words: [0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF]), counter: 12)

  private func parse(_ text: String) -> CSPPError? {
    refusal { () throws(CSPPError) in _ = try WalletEntry(parsing: secret(text: text)) }
  }

  private func parse(_ changes: [String: String?]) -> CSPPError? {
    parse(
      String(
        decoding: Sample.file(
          [
            ("wallet_id", "\"w\""), ("secret", "\"WatchOnly\""), ("metadata", "{}"),
            ("wallet_mode", "\"Main\""),
          ], changes), as: UTF8.self))
  }

  @Test
  func `The tail may be absent or null, and metadata may be anything`() {
    #expect(parse([:]) == nil)
    let tail = [
      "descriptors", "xpub", "labels_zstd_jsonl", "labels_count", "labels_hash",
      "labels_uncompressed_size", "content_revision_hash", "updated_at", "keybackup",
    ]
    #expect(parse(Dictionary(uniqueKeysWithValues: tail.map { ($0, "null") })) == nil)
    for metadata in [
      "null", "7", "[1]", "\"x\"", "{\"name\":1}", "{\"name\":\"a\",\"name\":\"b\"}",
    ] {
      #expect(parse(["metadata": metadata]) == nil)
    }
    #expect(parse(["future": "{\"x\":[]}", "wallet_mode": "\"Decoy\""]) == nil)
    #expect(parse(["keybackup": "{\"writer_id\":\"zz\"}"]) == nil)
    #expect(parse(["labels_uncompressed_size": "10485760"]) == nil)
  }

  @Test(
    arguments: [
      ("wallet_id", nil, .missingField("wallet_id")),
      ("wallet_id", "1", .invalidField("wallet_id")),
      ("wallet_id", "\"\"", .invalidField("wallet_id")), ("secret", nil, .missingField("secret")),
      ("secret", "\"None\"", .unknownSecretKind), ("secret", "\"Mnemonic\"", .unknownSecretKind),
      ("secret", "{\"Seed\":\"x\"}", .unknownSecretKind),
      ("secret", "{\"WatchOnly\":\"x\"}", .unknownSecretKind),
      ("secret", "{}", .invalidField("secret")), ("secret", "null", .invalidField("secret")),
      ("secret", "{\"Mnemonic\":\"a\",\"Xprv\":\"b\"}", .invalidField("secret")),
      ("secret", "{\"Mnemonic\":\"a\",\"Mnemonic\":\"b\"}", .invalidField("secret")),
      ("secret", "{\"Mnemonic\":1}", .invalidField("secret")),
      ("secret", "{\"TapSignerBackup\":\"AA\"}", .invalidField("secret")),
      ("secret", "{\"TapSignerBackup\":[256]}", .invalidField("secret")),
      ("secret", "{\"TapSignerBackup\":[-1]}", .invalidField("secret")),
      ("metadata", nil, .missingField("metadata")),
      ("wallet_mode", nil, .missingField("wallet_mode")),
      ("wallet_mode", "\"main\"", .invalidField("wallet_mode")),
      ("descriptors", "\"x\"", .invalidField("descriptors")),
      ("descriptors", "{\"external\":\"x\"}", .missingField("internal")),
      ("descriptors", "{\"external\":1,\"internal\":\"x\"}", .invalidField("descriptors")),
      ("xpub", "1", .invalidField("xpub")),
      ("labels_zstd_jsonl", "\"QQ\"", .invalidField("labels_zstd_jsonl")),
      ("labels_zstd_jsonl", "[]", .invalidField("labels_zstd_jsonl")),
      ("labels_count", "-1", .invalidField("labels_count")),
      ("labels_count", "\"1\"", .invalidField("labels_count")),
      ("labels_hash", "\"00\"", .invalidField("labels_hash")),
      ("labels_uncompressed_size", "1.5", .invalidField("labels_uncompressed_size")),
      ("labels_uncompressed_size", "10485761", .labelsTooLarge),
      ("content_revision_hash", "1", .invalidField("content_revision_hash")),
      ("updated_at", "\"x\"", .invalidField("updated_at")),
    ] as [(String, String?, CSPPError)])
  func `Fields that are wrong`(field: String, value: String?, expected: CSPPError) {
    #expect(parse([field: value]) == expected)
  }

  @Test
  func `A repeated field is refused`() {
    for field in ["wallet_id", "secret", "metadata", "wallet_mode", "xpub", "keybackup"] {
      let text = "{\"\(field)\":\"x\",\"\(field)\":\"y\"," + Sample.entry.dropFirst()
      #expect(parse(text) == .duplicateField(field))
    }
  }

  @Test(arguments: WalletEntry.SecretKind.allCases)
  func `New entries say what was asked for`(kind: WalletEntry.SecretKind) throws {
    var metadata = NewWalletEntry.Metadata(name: "Nä\"me\\\n", network: "Signet")
    metadata.masterFingerprint = "73c5da0a"
    let content: [UInt8] = kind == .tapSignerBackup ? [0, 9, 255] : Array("a \"b\" ü".utf8)
    var new = NewWalletEntry(
      walletID: "id-1", kind: kind, secret: secret(content), metadata: metadata)
    new.labels = .init(
      compressed: secret([1, 2, 3]), count: 4, hash: digest([9]), uncompressedSize: 77)
    new.xpub = "xpub\""
    new.descriptors = ("ext", "int")
    new.mode = .decoy
    let bytes = try new.encode(updatedAt: 99, mark: Self.mark)
    let entry = try WalletEntry(parsing: bytes)
    let foundSecret = try entry.secret(in: bytes)
    #expect(foundSecret?.revealed == (kind == .watchOnly ? nil : content))
    #expect(entry.walletID == "id-1" && entry.secretKind == kind && entry.mode == .decoy)
    #expect(entry.name == "Nä\"me\\\n" && entry.network == "Signet")
    #expect(entry.fingerprint == "73c5da0a" && entry.updatedAt == 99)
    #expect(entry.labelsCount == 4 && entry.labelsUncompressedSize == 77)
    #expect(entry.labelsHash == digest([9]) && entry.mark == Self.mark)
    let labels = entry.compressedLabels(in: bytes)
    #expect(labels?.revealed == [1, 2, 3])
    let texts = [
      entry.xpub(in: bytes)?.text, entry.externalDescriptor(in: bytes)?.text,
      entry.internalDescriptor(in: bytes)?.text,
    ]
    #expect(texts == ["xpub\"", "ext", "int"])

    let json = try #require(
      JSONSerialization.jsonObject(with: Data(bytes.revealed)) as? [String: Any])
    #expect(json.count == 13)
    let written = bytes.text
    let hash = entry.contentRevisionHash(in: bytes)
    let unmarked = written.replacing(",\"keybackup\":\(Self.mark.json)", with: "")
      .replacing(hash, with: "")
    #expect(hash == digest(Array(unmarked.utf8)).hex)
    let names = [
      "wallet_id", "secret", "metadata", "descriptors", "xpub", "wallet_mode", "labels_zstd_jsonl",
      "labels_count", "labels_hash", "labels_uncompressed_size", "content_revision_hash",
      "updated_at", "keybackup",
    ]
    let object = try bytes.withBytes { try JSONObject(parsing: $0, duplicates: .refused) }
    #expect(
      object.members.map { member in bytes.copy(member.name.range).text } == names)
  }

  @Test
  func `Entries that cannot be are not made`() {
    func make(_ id: String, size: Int) -> CSPPError? {
      refusal { () throws(CSPPError) in
        var new = NewWalletEntry(
          walletID: id, kind: .watchOnly, secret: SecretBytes(zeroed: 0),
          metadata: .init(name: "n", network: "Bitcoin"))
        new.labels = .init(
          compressed: secret([]), count: 0, hash: digest([]), uncompressedSize: size)
        _ = try new.encode(updatedAt: 1, mark: Self.mark)
      }
    }
    #expect(make("x", size: 10_485_760) == nil)
    #expect(make("x", size: 10_485_761) == .labelsTooLarge)
    #expect(make("", size: 0) == .invalidField("wallet_id"))
  }

  @Test
  func `A mark is added or replaced and nothing else changes`() throws {
    let mark = Self.mark.json
    let cases = [
      (Sample.entry, String(Sample.entry.dropLast()) + ",\"keybackup\":\(mark)}"),
      (
        " { \"wallet_id\" : \"w\",\"secret\":\"WatchOnly\",\"metadata\":1.50,\"wallet_mode\":\"Main\" \n} \n",
        " { \"wallet_id\" : \"w\",\"secret\":\"WatchOnly\",\"metadata\":1.50,\"wallet_mode\":\"Main\",\"keybackup\":\(mark) \n} \n"
      ),
      (
        "{\"keybackup\": \"old\" ,\"wallet_id\":\"w\",\"secret\":\"WatchOnly\",\"metadata\":{\"keybackup\":1},\"wallet_mode\":\"Main\"}",
        "{\"keybackup\": \(mark) ,\"wallet_id\":\"w\",\"secret\":\"WatchOnly\",\"metadata\":{\"keybackup\":1},\"wallet_mode\":\"Main\"}"
      ),
    ]
    for (before, after) in cases {
      let marked = try WalletEntry.marking(secret(text: before), with: Self.mark)
      #expect(marked.text == after)
      #expect(try WalletEntry(parsing: marked).mark == Self.mark)
    }
    #expect(
      refusal { () throws(CSPPError) in
        _ = try WalletEntry.marking(secret(text: "{}"), with: Self.mark)
      } == .missingField("wallet_id"))
  }

  @Test
  func `Metadata is handed out as written`() throws {
    let text = Sample.entry.replacing(
      "{\"name\":\"N\"}", with: "{ \"big\" : 12345678901234567890.10 }")
    let bytes = secret(text: text)
    #expect(
      try WalletEntry(parsing: bytes).metadata(in: bytes).text
        == "{ \"big\" : 12345678901234567890.10 }")
  }
}

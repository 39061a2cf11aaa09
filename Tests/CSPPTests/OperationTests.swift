import Foundation
import OpenSSLCrypto
import SecretMemory
import Testing

@testable import CSPP

@Suite("Operations")
struct OperationTests {
  private static let writerID = WriterID(words: [3, 4])

  private static func header(
    counter: UInt64 = 1, previous: Digest? = nil
  ) throws -> OperationHeader {
    try OperationHeader(
      namespaceID: try Sample.namespaceID(), writerID: writerID, counter: counter,
      previous: previous)
  }

  private func open(_ plaintext: String) throws -> Operation {
    let masterKey = try Sample.masterKey()
    let file = try Sample.protected(
      format: "keybackup-op", header: Self.header().json, body: plaintext,
      key: masterKey.operationKey(writer: Self.writerID, counter: 1))
    var text = SecretBytes(zeroed: 0)
    return try OperationFile(parsing: file.span, at: masterKey.namespaceID)
      .open(file, masterKey: masterKey, into: &text)
  }

  private func parse(_ plaintext: String) -> CSPPError? {
    refusal { () throws(CSPPError) in _ = try Operation(parsing: secret(text: plaintext)) }
  }

  private func parse(change: String) -> CSPPError? {
    parse("{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[\(change)]}")
  }

  @Test
  func `Every change survives sealing`() throws {
    let masterKey = try Sample.masterKey()
    let record = RecordID(walletID: "w")
    let key = KeyID(words: [5, 6])
    let namespace = NamespaceID(words: [7, 8])
    let end = Operation.Seen(
      writerID: WriterID(words: [9, 10]), counter: 11, digest: digest([1]))
    var builder = OperationBuilder(at: 99, writerLabel: "Büro \"1\"", seen: [end, end])
    let entry = Array("{\"any\": bytes \u{0} é}".utf8)
    builder.put(record, entry: secret(entry))
    builder.remove(record)
    let keyBytes: [UInt8] = [1, 2, 255]
    let envelopeBytes: [UInt8] = [3]
    builder.keyAdd(key, file: keyBytes.span)
    builder.keyRemove(key)
    builder.keyLabel(key, label: "new \"label\"")
    builder.envelope(file: envelopeBytes.span)
    builder.from(masterKey, ends: [end])
    builder.moved(to: namespace, boxes: [.init(keyID: key, box: [4, 5])], last: end)
    builder.writerRetire(end.writerID)
    builder.keyLeft(key, in: namespace, file: keyBytes.span)
    #expect(builder.count == 10)
    let estimate = builder.fileSize
    let previous = digest([2])
    let sealed = try builder.seal(
      header: Self.header(counter: 2, previous: previous), masterKey: masterKey)
    let size = sealed.file.count
    #expect(size <= estimate && size > estimate - 512)

    let file = try OperationFile(parsing: sealed.bytes.span, at: masterKey.namespaceID)
    let (digest, name, seen) = (sealed.digest, sealed.fileName, sealed.seen)
    #expect(file.header == sealed.header && file.header.previous == previous)
    #expect(file.digest == digest && file.fileName == name)
    #expect(name == "00000002-\(digest.hex.prefix(32)).json")
    #expect(OpenSSL.sha256(sealed.bytes) == digest.bytes)
    #expect(seen == .init(writerID: Self.writerID, counter: 2, digest: digest))

    var text = SecretBytes(zeroed: 0)
    let operation = try file.open(sealed.bytes, masterKey: masterKey, into: &text)
    #expect(operation.at == 99 && operation.writerLabel == "Büro \"1\"")
    #expect(operation.seen == [end, end] && !operation.hasUnknownChanges)
    try #require(operation.changes.count == 10)
    guard case .put(record, let put) = operation.changes[0],
      case .remove(record) = operation.changes[1],
      case .keyAdd(key, let keyFile) = operation.changes[2],
      case .keyRemove(key) = operation.changes[3],
      case .keyLabel(key, "new \"label\"") = operation.changes[4],
      case .envelope(let envelope) = operation.changes[5],
      case .from(masterKey.namespaceID, let earlier, [end]) = operation.changes[6],
      case .moved(namespace, let boxes, end) = operation.changes[7],
      case .writerRetire(end.writerID) = operation.changes[8],
      case .keyLeft(key, namespace, let leftFile) = operation.changes[9]
    else {
      Issue.record("\(operation.changes)")
      return
    }
    var bytes = SecretBytes(zeroed: 0)
    try Operation.decode(put, in: text, into: &bytes)
    #expect(bytes.revealed == entry && put.count == entry.count)
    #expect(try Operation.file(keyFile, in: text) == [1, 2, 255])
    #expect(try Operation.file(leftFile, in: text) == [1, 2, 255])
    #expect(try Operation.file(envelope, in: text) == [3])
    try Operation.decode(earlier, in: text, into: &bytes)
    #expect(bytes.revealed == [UInt8](repeating: 7, count: 32))
    #expect(boxes == [.init(keyID: key, box: [4, 5])])
  }

  @Test
  func `Ten thousand wallets fit in one operation, one buffer each way`() throws {
    let masterKey = try Sample.masterKey()
    var builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    for index in 0..<10_000 {
      builder.put(RecordID(walletID: "\(index)"), entry: secret(text: "{\"n\":\(index)}"))
    }
    let sealed = try builder.seal(header: Self.header(), masterKey: masterKey)
    var text = SecretBytes(zeroed: 0)
    let operation = try OperationFile(parsing: sealed.bytes.span, at: nil)
      .open(sealed.bytes, masterKey: masterKey, into: &text)
    #expect(operation.changes.count == 10_000)
    var entry = SecretBytes(zeroed: 0)
    for (index, change) in operation.changes.enumerated() {
      guard case .put(RecordID(walletID: "\(index)"), let payload) = change else {
        Issue.record("\(change)")
        return
      }
      try Operation.decode(payload, in: text, into: &entry)
      #expect(entry.text == "{\"n\":\(index)}")
    }
  }

  @Test
  func `OpenSSL opens it: HKDF and associated data as documented`() throws {
    let builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
    let sealed = try builder.seal(
      header: Self.header(counter: 12, previous: digest([])),
      masterKey: Sample.masterKey())
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(sealed.bytes)) as? [String: Any])
    let key = OpenSSL.hkdf(
      [UInt8](repeating: 7, count: 32),
      info: Array("keybackup:v1:op:\(Self.writerID):12".utf8), count: 32)
    let opened = try #require(
      OpenSSL.open(
        Array(json.base64("ciphertext")), key: key, nonce: bytes(hex: json.string("nonce")),
        authenticating: Array(json.string("protected").utf8)))
    #expect(
      String(decoding: opened, as: UTF8.self)
        == "{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[]}")
  }

  @Test
  func `A change of unknown kind is kept in view and harms nothing`() throws {
    let operation = try open(
      "{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[{\"future\":[1]},{\"remove\":{\"record_id\":\"\(RecordID(walletID: "w"))\",\"x\":1}}],\"later\":{}}"
    )
    #expect(operation.changes == [.unknown("future"), .remove(RecordID(walletID: "w"))])
    #expect(operation.hasUnknownChanges)
  }

  @Test(
    arguments: [
      ("{\"writer_label\":\"w\",\"seen\":[],\"changes\":[]}", .missingField("at")),
      ("{\"at\":1,\"seen\":[],\"changes\":[]}", .missingField("writer_label")),
      ("{\"at\":1,\"writer_label\":\"w\",\"changes\":[]}", .missingField("seen")),
      ("{\"at\":1,\"writer_label\":\"w\",\"seen\":[]}", .missingField("changes")),
      ("{\"at\":1,\"writer_label\":\"w\",\"seen\":{},\"changes\":[]}", .invalidField("seen")),
      ("{\"at\":1,\"writer_label\":\"w\",\"seen\":[1],\"changes\":[]}", .invalidField("seen")),
      (
        "{\"at\":1,\"writer_label\":\"w\",\"seen\":[{\"counter\":1}],\"changes\":[]}",
        .missingField("writer_id")
      ),
      ("{\"at\":1,\"at\":1,\"writer_label\":\"w\"}", .duplicateField("(any)")),
      ("[]", .notAnObject),
      ("{\"at\":1", .truncated), ("", .empty),
    ] as [(String, CSPPError)])
  func `Texts that are wrong`(text: String, expected: CSPPError) {
    #expect(parse(text) == expected)
  }

  @Test(
    arguments: [
      ("1", .invalidField("changes")), ("{}", .invalidField("changes")),
      ("{\"put\":{},\"remove\":{}}", .invalidField("changes")),
      ("{\"put\":1}", .invalidField("changes")), ("{\"put\":{}}", .missingField("record_id")),
      ("{\"remove\":{\"record_id\":\"00\"}}", .invalidField("record_id")),
      ("{\"put\":{\"record_id\":\"RECORD\"}}", .missingField("entry")),
      ("{\"put\":{\"record_id\":\"RECORD\",\"entry\":\"000\"}}", .invalidField("entry")),
      ("{\"put\":{\"record_id\":\"RECORD\",\"entry\":1}}", .invalidField("entry")),
      (
        "{\"remove\":{\"record_id\":\"RECORD\",\"record_id\":\"RECORD\"}}", .duplicateField("(any)")
      ),
      ("{\"key-add\":{\"key_id\":\"x\"}}", .invalidField("key_id")),
      ("{\"key-label\":{\"key_id\":\"x\",\"label\":1}}", .invalidField("label")),
      ("{\"moved\":{\"namespace_id\":\"x\",\"boxes\":1}}", .invalidField("boxes")),
      ("{\"moved\":{\"boxes\":[1]}}", .invalidField("boxes")),
      ("{\"writer-retire\":{}}", .missingField("writer_id")),
    ] as [(String, CSPPError)])
  func `Changes that are wrong`(change: String, expected: CSPPError) {
    let record = RecordID(walletID: "w").hex
    #expect(parse(change: change.replacing("RECORD", with: record)) == expected)
  }

  @Test
  func `A put whose bytes are no digits is refused when they are read`() throws {
    let change = "{\"put\":{\"record_id\":\"\(RecordID(walletID: "w"))\",\"entry\":\"zz\"}}"
    let text = secret(text: "{\"at\":1,\"writer_label\":\"w\",\"seen\":[],\"changes\":[\(change)]}")
    guard case .put(_, let payload) = try Operation(parsing: text).changes[0] else {
      Issue.record("no put")
      return
    }
    var entry = secret([1])
    #expect(
      refusal { () throws(CSPPError) in try Operation.decode(payload, in: text, into: &entry) }
        == .invalidField("changes"))
    #expect(entry.count == 0)
  }

  @Test
  func `The chain starts at 1 and only there has no previous file`() throws {
    let previous = digest([])
    func make(_ counter: UInt64, _ previous: Digest?) -> CSPPError? {
      refusal { () throws(CSPPError) in
        _ = try OperationHeader(
          namespaceID: NamespaceID(words: [0, 0]), writerID: Self.writerID, counter: counter,
          previous: previous)
      }
    }
    #expect(make(1, nil) == nil && make(2, previous) == nil)
    #expect(make(0, nil) == .invalidField("counter"))
    #expect(make(1, previous) == .invalidField("previous"))
    #expect(make(2, nil) == .invalidField("previous"))
    #expect(
      FolderLayout.operationFile(counter: 123_456_789, digest: previous).hasPrefix("123456789-"))
  }

  @Test
  func `Another namespace, another operation's place, a changed header, a size beyond the limit`()
    throws
  {
    let masterKey = try Sample.masterKey()
    let sealed = try OperationBuilder(at: 1, writerLabel: "w", seen: [])
      .seal(header: Self.header(), masterKey: masterKey)
    let bytes = sealed.bytes
    let file = try OperationFile(parsing: bytes.span, at: nil)
    var text = SecretBytes(zeroed: 0)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try file.open(bytes, masterKey: MasterKey.random(), into: &text)
      } == .otherNamespace)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try OperationFile(parsing: bytes.span, at: .random())
      } == .contradictsPlace("namespace_id"))
    #expect(
      refusal { () throws(CSPPError) in
        _ = try OperationFile(parsing: bytes.span, at: nil, limit: 99)
      } == .tooLarge(limit: 99))

    // The same sealed text under the header of another writer.
    let other = try OperationHeader(
      namespaceID: masterKey.namespaceID, writerID: .random(), counter: 1, previous: nil)
    let json = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    let moved = String(decoding: bytes, as: UTF8.self).replacing(
      try json.string("protected"), with: Base64.string(Array(other.json.utf8), .url))
    let movedBytes = Array(moved.utf8)
    let movedFile = try OperationFile(parsing: movedBytes.span, at: nil)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try movedFile.open(movedBytes, masterKey: masterKey, into: &text)
      } == .authenticationFailed)
    #expect(text.count == 0)
    // Bytes other than those that were parsed.
    #expect(
      refusal { () throws(CSPPError) in _ = try file.open([], masterKey: masterKey, into: &text) }
        == .invalidField("ciphertext"))

    #expect(throws: CSPPError.tooLarge(limit: 50)) {
      let builder = OperationBuilder(at: 1, writerLabel: "w", seen: [])
      _ = try builder.seal(header: Self.header(), masterKey: masterKey, limit: 50)
    }
  }
}

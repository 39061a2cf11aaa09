import Foundation
import SecretMemory
import Testing

@testable import CSPP

@Suite("Vectors")
struct VectorTests {
  @Test
  func `Every derived key of the hierarchy`() throws {
    let cases = try Vectors.json("key-hierarchy.json").list("cases")
    #expect(cases.count == 8)
    for values in cases {
      func value(_ name: String) throws -> [UInt8] { bytes(hex: try values.string(name)) }
      let masterKey = try MasterKey(secret(value("master_key")))
      #expect(masterKey.namespaceID.bytes == (try value("namespace_id")))
      #expect(masterKey.criticalDataKey().revealed == (try value("critical")))
      #expect(masterKey.sensitiveDataKey().revealed == (try value("sensitive")))
      #expect(
        masterKey.walletKey(salt: try value("wallet_salt")).revealed == (try value("wallet_key")))
      #expect(
        masterKey.copy().withBytes { Digest(of: $0) } == digest(try value("master_key")))
    }
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout", "namespace-example"])
  func `Namespaces of another program restore byte for byte`(name: String) throws {
    let about = try Vectors.json("\(name).json")
    let id = try #require(NamespaceID(hex: about.string("namespace_id")))
    let older = name == "namespace-legacy-layout"

    let masterFile = try Vectors.bytes(
      "\(name)/" + (older ? FolderLayout.olderMasterKey(id) : FolderLayout.masterKey(id)))
    let envelope = try MasterKeyEnvelope(parsing: masterFile.span, at: id)
    #expect(try envelope.prfSalt == bytes(hex: about.string("prf_salt")))
    #expect(envelope.namespaceID == (older ? nil : id))
    let output = try secret(hex: about.string("prf_output"))
    let masterKey = try envelope.open(prfOutput: output, namespaceID: id)
    let expectedKey = try bytes(hex: about.string("master_key"))
    #expect(masterKey.withBytes { Digest(of: $0) } == Digest(of: expectedKey.span))

    var cipher = WalletCipher(masterKey)
    var plaintext = SecretBytes(zeroed: 0)
    let wallets = try about.list("wallets")
    #expect(wallets.count == (name == "namespace-example" ? 3 : 9))
    for wallet in wallets {
      let walletID = try wallet.string("wallet_id")
      let record = RecordID(walletID: walletID)
      let path =
        older ? FolderLayout.olderWallet(record, in: id) : FolderLayout.wallet(record, in: id)
      let file = try Vectors.bytes("\(name)/\(path)")
      #expect(FolderLayout.record(ofWalletFile: FolderLayout.walletFile(record)) == record)
      let envelope = try WalletEnvelope(parsing: file.span, at: id, recordID: record)
      let entry = try envelope.open(with: &cipher, recordID: record, into: &plaintext)
      let expected = try #require(
        Data(base64Encoded: wallet.string("entry_base64")))
      #expect(plaintext.revealed == [UInt8](expected))
      #expect(entry.walletID == walletID)
      try compare(entry, plaintext, with: expected)
    }
  }

  /// Compares the entry with Foundation's reading of it.
  private func compare(
    _ entry: WalletEntry, _ plaintext: borrowing SecretBytes, with expected: Data
  ) throws {
    let json = try #require(JSONSerialization.jsonObject(with: expected) as? [String: Any])
    let metadata = json["metadata"] as? [String: Any]
    #expect(entry.name == metadata?["name"] as? String)
    #expect(entry.network == metadata?["network"] as? String)
    #expect(entry.fingerprint == metadata?["master_fingerprint"] as? String)
    #expect(entry.mode.rawValue == json["wallet_mode"] as? String)
    #expect(entry.updatedAt == json["updated_at"] as? UInt64)
    #expect(entry.labelsHash?.hex == json["labels_hash"] as? String)
    let xpub = entry.xpub(in: plaintext)
    #expect(xpub?.text == json["xpub"] as? String)
    let labels = entry.compressedLabels(in: plaintext)
    let labelsText = json["labels_zstd_jsonl"] as? String
    #expect(labels?.revealed == labelsText.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) })
    let revision = json["content_revision_hash"] as? String ?? ""
    #expect(
      entry.contentRevisionHash(in: plaintext)
        == (revision.isEmpty ? digest([UInt8](expected)).hex : revision))
    let found = try entry.secret(in: plaintext)
    if let text = json["secret"] as? String {
      #expect(text == "WatchOnly" && entry.secretKind == .watchOnly && found == nil)
    } else {
      let object = try #require(json["secret"] as? [String: Any])
      let content = try #require(object[entry.secretKind.rawValue])
      if let text = content as? String {
        #expect(found?.text == text)
      } else {
        #expect(found?.revealed == content as? [UInt8])
      }
    }
  }

  @Test
  func `All five kinds of secret are among the vectors`() throws {
    let about = try Vectors.json("namespace-current.json")
    let wallets = try about.list("wallets")
    let kinds = try wallets.map { wallet in
      let data = try #require(Data(base64Encoded: wallet.string("entry_base64")))
      return try WalletEntry(parsing: secret([UInt8](data))).secretKind
    }
    #expect(Set(kinds) == Set(WalletEntry.SecretKind.allCases))
  }

  @Test
  func `The worked example's own files open`() throws {
    let about = try Vectors.json("namespace-example.json")
    let id = try #require(NamespaceID(hex: about.string("namespace_id")))
    let output = try secret(hex: about.string("prf_output"))
    let keyID = try #require(KeyID(hex: about.string("key_id")))
    let writerID = try #require(WriterID(hex: about.string("writer_id")))

    let keyFile = try Vectors.bytes("namespace-example/\(FolderLayout.key(keyID, in: id))")
    let wrapper = try KeyWrapper(parsing: keyFile.span, at: id)
    #expect(wrapper.header.keyID == keyID)
    #expect(wrapper.header.label == "Example key")
    guard case .securityKey(let key) = wrapper.header.kind else {
      Issue.record("not a security key")
      return
    }
    #expect(key.rpID == "keybackup:" && key.prfSalt == [UInt8](repeating: 0xB2, count: 32))
    #expect(key.credentialID == [UInt8](repeating: 0xC3, count: 16))
    let masterKey = try wrapper.open(secret: output)
    #expect(
      try X25519.publicKey(of: KeyWrapper.recipientSecret(secret: output, keyID: keyID))
        == wrapper.recipient)

    let envelopeFile = try Vectors.bytes("namespace-example/\(FolderLayout.masterKey(id))")
    let reference = try MasterKeyEnvelope(parsing: envelopeFile.span, at: id).keyReference
    #expect(
      reference
        == .init(
          keyID: keyID, rpID: "keybackup:", credentialID: [UInt8](repeating: 0xC3, count: 16)))

    let name = try about.string("operation")
    let file = try Vectors.bytes(
      "namespace-example/\(FolderLayout.log(of: writerID, in: id))/\(name)")
    let operationFile = try OperationFile(parsing: file.span, at: id)
    #expect(operationFile.fileName == name)
    var text = SecretBytes(zeroed: 0)
    let operation = try operationFile.open(file, masterKey: masterKey, into: &text)
    #expect(operation.at == 1_800_000_000 && operation.writerLabel == "example")
    #expect(operation.seen.isEmpty && operation.changes.count == 5)
    var entry = SecretBytes(zeroed: 0)
    var entries: [[UInt8]] = []
    for change in operation.changes {
      switch change {
      case .put(let record, let payload):
        try Operation.decode(payload, in: text, into: &entry)
        #expect(try WalletEntry(parsing: entry).recordID == record)
        #expect(try WalletEntry(parsing: entry).mark == .init(writerID: writerID, counter: 1))
        entries.append(entry.revealed)
      case .keyAdd(let key, let payload):
        #expect(key == keyID)
        #expect(try Operation.file(payload, in: text) == keyFile)
      case .envelope(let payload):
        #expect(try Operation.file(payload, in: text) == envelopeFile)
      default: Issue.record("\(change)")
      }
    }
    let expected = try about.list("wallets").map { try $0.base64("entry_base64") }
    #expect(entries == expected)
  }

  @Test
  func `docs/format.md states the example's derived values`() throws {
    let page = Vectors.root.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/format.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let about = try Vectors.json("namespace-example.json")
    let masterKey = try MasterKey(secret(hex: about.string("master_key")))
    let keyID = try #require(KeyID(hex: about.string("key_id")))
    let writerID = try #require(WriterID(hex: about.string("writer_id")))
    let output = try secret(hex: about.string("prf_output"))
    let record = RecordID(walletID: "example-words")
    let file = try Vectors.bytes(
      "namespace-example/\(FolderLayout.wallet(record, in: masterKey.namespaceID))")
    let salt = try WalletEnvelope(parsing: file.span, at: nil, recordID: record).walletSalt
    let recipient = try X25519.publicKey(
      of: KeyWrapper.recipientSecret(secret: output, keyID: keyID))
    let values = [
      try about.string("master_key"), masterKey.namespaceID.hex,
      Hex.string(masterKey.criticalDataKey().revealed), keyID.hex,
      Hex.string(KeyWrapper.wrappingKey(secret: output, keyID: keyID).revealed),
      Hex.string(recipient), writerID.hex,
      Hex.string(masterKey.operationKey(writer: writerID, counter: 1).revealed), record.hex,
      Hex.string(salt), Hex.string(masterKey.walletKey(salt: salt).revealed),
    ]
    for value in values { #expect(text.contains("`\(value)`"), "\(value)") }
  }
}

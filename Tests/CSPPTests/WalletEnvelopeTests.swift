import Foundation
import OpenSSLCrypto
import SecretMemory
import Testing

@testable import CSPP

@Suite("Wallet envelope")
struct WalletEnvelopeTests {
  private func open(
    _ file: [UInt8], record: RecordID? = Sample.recordID
  ) throws -> CSPPError? {
    let masterKey = try Sample.masterKey()
    var cipher = WalletCipher(masterKey)
    var plaintext = SecretBytes(zeroed: 0)
    return refusal { () throws(CSPPError) in
      let envelope = try WalletEnvelope(
        parsing: file.span, at: masterKey.namespaceID, recordID: record)
      _ = try envelope.open(with: &cipher, recordID: record, into: &plaintext)
    }
  }

  @Test(arguments: [0, 1, 500, 70_000])
  func `What is sealed opens, and OpenSSL opens it too`(padding: Int) throws {
    let masterKey = try Sample.masterKey()
    var cipher = WalletCipher(masterKey)
    let metadata = "{\"pad\":\"\(String(repeating: "p", count: padding))\"}"
    let bytes = secret(
      text: Sample.entry.replacing("{\"name\":\"N\"}", with: metadata) + "\n")
    let entry = try WalletEntry(parsing: bytes)
    let file = try WalletEnvelope.seal(
      bytes, entry: entry, with: &cipher, createdAt: 1, updatedAt: 2)
    let envelope = try WalletEnvelope(
      parsing: file.span, at: masterKey.namespaceID, recordID: Sample.recordID)
    #expect(envelope.version == 1 && envelope.walletID == Sample.walletID)
    var plaintext = SecretBytes(zeroed: 0)
    _ = try envelope.open(with: &cipher, recordID: Sample.recordID, into: &plaintext)
    #expect(plaintext.revealed == bytes.revealed)

    let key = OpenSSL.hkdf(
      masterKey.criticalDataKey().revealed, salt: envelope.walletSalt,
      info: Array("cspp:v1:wallet".utf8), count: 32)
    #expect(
      OpenSSL.open(envelope.ciphertext, key: key, nonce: envelope.nonce) == bytes.revealed)
  }

  @Test
  func `Two seals of one entry share neither salt nor nonce`() throws {
    var cipher = WalletCipher(try Sample.masterKey())
    let bytes = secret(text: Sample.entry)
    let entry = try WalletEntry(parsing: bytes)
    let sealed = try (0..<20).map { _ in
      let file = try WalletEnvelope.seal(
        bytes, entry: entry, with: &cipher, createdAt: 1, updatedAt: 2)
      return try WalletEnvelope(parsing: file.span, at: nil, recordID: nil)
    }
    #expect(Set(sealed.map(\.walletSalt)).count == 20)
    #expect(Set(sealed.map(\.nonce)).count == 20)
  }

  @Test
  func `Optional fields may be absent; unknown ones are ignored; upper-case digits are read`()
    throws
  {
    #expect(try open(Sample.wallet()) == nil)
    #expect(
      try open(
        Sample.wallet(changing: [
          "version": nil, "kind": nil, "schema_version": nil, "namespace_id": nil,
          "record_id": nil, "wallet_id": nil, "created_at": nil, "updated_at": nil, "x": "{}",
        ])) == nil)
    #expect(
      try open(Sample.wallet(changing: ["record_id": nil, "wallet_id": nil]), record: nil) == nil)
    #expect(try open(Sample.wallet(changing: ["version": "2"])) == nil)
    let salt = [UInt8](repeating: 0xAB, count: 32)
    let key = try Sample.masterKey().walletKey(salt: salt)
    let sealed = try unsafe ChaCha20Poly1305.seal(
      Array(Sample.entry.utf8).span.bytes, key: key, nonce: [UInt8](repeating: 0xCD, count: 12))
    #expect(
      try open(
        Sample.wallet(changing: [
          "wallet_salt": "\"\(String(repeating: "AB", count: 32))\"",
          "nonce": "\"\(String(repeating: "CD", count: 12))\"",
          "ciphertext": "\"\(Data(sealed).base64EncodedString())\"",
        ])) == nil)
  }

  @Test(
    arguments: [
      ("version", "3", .unsupportedVersion), ("version", "0", .unsupportedVersion),
      ("version", "1.0", .invalidField("version")), ("kind", "\"master_key\"", .otherFormat),
      ("schema_version", "9", .unsupportedVersion),
      ("namespace_id", "\"00000000000000000000000000000000\"", .contradictsPlace("namespace_id")),
      ("record_id", "\"\(RecordID(walletID: "other"))\"", .contradictsPlace("record_id")),
      ("record_id", "\"cspp-master-key-v1\"", .invalidField("record_id")),
      ("wallet_id", "\"other\"", .contradictsPlace("wallet_id")),
      ("wallet_id", "1", .invalidField("wallet_id")),
      ("wallet_salt", nil, .missingField("wallet_salt")),
      ("wallet_salt", "\"0101\"", .invalidField("wallet_salt")),
      ("nonce", "\"020202\"", .invalidField("nonce")),
      ("nonce", nil, .missingField("nonce")), ("ciphertext", nil, .missingField("ciphertext")),
      ("ciphertext", "\"QUJD\"", .invalidField("ciphertext")),
      ("ciphertext", "\"\(String(repeating: "QUJD", count: 9))\"", .authenticationFailed),
      ("wallet_salt", "\"\(String(repeating: "00", count: 32))\"", .authenticationFailed),
    ] as [(String, String?, CSPPError)])
  func `Fields that are wrong or contradict the place`(
    field: String, value: String?, expected: CSPPError
  ) throws {
    #expect(try open(Sample.wallet(changing: [field: value])) == expected)
  }

  @Test
  func `An unknown version is refused before anything is decrypted`() throws {
    let file = try Sample.wallet(changing: ["version": "3", "ciphertext": "\"!\""])
    #expect(try open(file) == .unsupportedVersion)
  }

  @Test
  func `A wallet file under another wallet's name`() throws {
    let other = RecordID(walletID: "other")
    #expect(try open(Sample.wallet(), record: other) == .contradictsPlace("record_id"))
    #expect(
      try open(Sample.wallet(changing: ["record_id": nil]), record: other)
        == .contradictsPlace("wallet_id"))
    #expect(
      try open(Sample.wallet(changing: ["record_id": nil, "wallet_id": nil]), record: other)
        == .otherRecord)
  }

  @Test
  func `An envelope whose plain fields name another wallet than the one inside`() throws {
    let other = RecordID(walletID: "other")
    #expect(
      try open(
        Sample.wallet(changing: ["record_id": "\"\(other)\"", "wallet_id": "\"other\""]),
        record: nil) == .otherRecord)
    #expect(
      try open(
        Sample.wallet(changing: ["record_id": nil, "wallet_id": "\"other\""]), record: nil)
        == .otherWalletID)
  }

  @Test
  func `An extended private key needs version 2, where a version is stated`() throws {
    let entry = Sample.entry.replacing("Mnemonic", with: "Xprv")
    #expect(try open(Sample.wallet(entry)) == .privateKeyInVersion1)
    #expect(try open(Sample.wallet(entry, changing: ["version": "2"])) == nil)
    #expect(try open(Sample.wallet(entry, changing: ["version": nil])) == nil)
    var cipher = WalletCipher(try Sample.masterKey())
    let file = try WalletEnvelope.seal(
      secret(text: entry), entry: WalletEntry(parsing: secret(text: entry)), with: &cipher,
      createdAt: 1, updatedAt: 1)
    #expect(try WalletEnvelope(parsing: file.span, at: nil, recordID: nil).version == 2)
  }

  @Test
  func `A repeated field is refused`() throws {
    for field in ["version", "wallet_salt", "nonce", "ciphertext", "record_id", "wallet_id"] {
      let file = try Array("{\"\(field)\":1,".utf8) + Sample.wallet().dropFirst()
      #expect(try open(file) == .duplicateField(field))
    }
  }

  @Test
  func `Files that are no envelope`() throws {
    #expect(try open([]) == .empty)
    #expect(try open([UInt8](repeating: 0, count: 100)) == .empty)
    #expect(try open(Array("garbage".utf8)) == .notJSON(offset: 0))
    #expect(try open(Array("[1]".utf8)) == .notAnObject)
    let file = try Sample.wallet()
    #expect(try open(Array(file.prefix(file.count / 2))) == .truncated)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try WalletEnvelope(parsing: file.span, at: nil, recordID: nil, limit: 10)
      } == .tooLarge(limit: 10))
  }

  @Test
  func `Another namespace's key`() throws {
    var cipher = WalletCipher(MasterKey.random())
    var plaintext = secret([1, 2, 3])
    let file = try Sample.wallet()
    let envelope = try WalletEnvelope(parsing: file.span, at: nil, recordID: nil)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try envelope.open(with: &cipher, recordID: nil, into: &plaintext)
      } == .authenticationFailed)
    #expect(plaintext.count == 0)
  }
}

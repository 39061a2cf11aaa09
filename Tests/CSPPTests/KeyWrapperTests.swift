import Foundation
import OpenSSLCrypto
import SecretMemory
import Testing

@testable import CSPP

@Suite("Ways in")
struct KeyWrapperTests {
  private static let keyID = KeyID(words: [1, 2])
  private static let securityKey = KeyHeader.SecurityKey(
    rpID: "keybackup:", credentialID: Array(0..<50), discoverable: true,
    aaguid: bytes(hex: "00112233445566778899aabbccddeeff"), prfSalt: Sample.prfSalt)

  private static func header(_ kind: KeyHeader.Kind = .securityKey(securityKey)) throws -> KeyHeader
  {
    KeyHeader(
      namespaceID: try Sample.namespaceID(), keyID: keyID, kind: kind, label: "Blue \"key\" ü",
      createdAt: 1_800_000_000)
  }

  @Test
  func `What is sealed is listed without a key and opens with one`() throws {
    let header = try Self.header()
    let masterKey = try Sample.masterKey()
    let file = try KeyWrapper.seal(masterKey, secret: secret(Sample.prfOutput), header: header)
    let wrapper = try KeyWrapper(parsing: file.span, at: masterKey.namespaceID)
    #expect(wrapper.header == header)
    let opened = try wrapper.open(secret: secret(Sample.prfOutput))
    #expect(opened.namespaceID == masterKey.namespaceID)
    let other = secret([UInt8](repeating: 0, count: 32))
    #expect(
      refusal { () throws(CSPPError) in
        _ = try wrapper.open(secret: other)
      } == .authenticationFailed)
  }

  @Test
  func `OpenSSL opens it: HKDF, associated data and recipient as documented`() throws {
    let header = try Self.header()
    let file = try KeyWrapper.seal(
      Sample.masterKey(), secret: secret(Sample.prfOutput), header: header)
    let json = try #require(JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
    let protected = try json.string("protected")
    func derive(_ info: String) -> [UInt8] {
      OpenSSL.hkdf(
        Sample.prfOutput, info: Array("keybackup:v1:\(info):\(Self.keyID)".utf8), count: 32)
    }
    let opened = try OpenSSL.open(
      Array(json.base64("ciphertext")), key: derive("wrap"),
      nonce: bytes(hex: json.string("nonce")), authenticating: Array(protected.utf8))
    #expect(opened == [UInt8](repeating: 7, count: 32))
    let recipient = Curve25519Key(.agreement, derive("recipient")).publicKey
    #expect(try KeyWrapper(parsing: file.span, at: nil).recipient == recipient)
  }

  /// A file with the caller's header, sealed like our own files.
  private func file(_ changes: [String: String?]) throws -> [UInt8] {
    let header = String(
      decoding: Sample.file(
        [
          ("namespace_id", "\"\(try Sample.namespaceID())\""), ("key_id", "\"\(Self.keyID)\""),
          ("kind", "\"security_key\""), ("label", "\"l\""), ("created_at", "1"),
          ("recipient", "\"\(String(repeating: "00", count: 32))\""), ("rp_id", "\"keybackup:\""),
          ("credential_id", "\"AAEC\""), ("discoverable", "false"),
          ("aaguid", "\"00112233-4455-6677-8899-aabbccddeeff\""),
          ("prf_salt", "\"\(String(repeating: "52", count: 32))\""), ("user_verification", "true"),
        ], changes), as: UTF8.self)
    let key = KeyWrapper.wrappingKey(secret: secret(Sample.prfOutput), keyID: Self.keyID)
    let masterKey = try Sample.masterKey()
    let body = masterKey.withBytes { SecretBytes(copying: $0) }
    return try ProtectedFile.seal(body, header: header, format: "keybackup-key", key: key).revealed
  }

  private func parse(_ file: [UInt8], at place: NamespaceID? = nil) -> CSPPError? {
    refusal { () throws(CSPPError) in _ = try KeyWrapper(parsing: file.span, at: place) }
  }

  @Test
  func `An unknown kind is listed, whatever else its header holds`() throws {
    let recovery = try file([
      "kind": "\"smart_card\"", "rp_id": nil, "credential_id": nil, "discoverable": nil,
      "aaguid": nil, "prf_salt": nil, "user_verification": nil, "kdf": "{\"name\":\"x\"}",
    ])
    let wrapper = try KeyWrapper(parsing: recovery.span, at: Sample.namespaceID())
    #expect(wrapper.header.kind == .unknown("smart_card"))
    #expect(wrapper.header.label == "l")
    #expect(try sealRefusal(Self.header(.unknown("x"))) == .invalidField("kind"))
  }

  /// The error with which sealing refuses a header.
  private func sealRefusal(_ header: KeyHeader) throws -> CSPPError? {
    let masterKey = try Sample.masterKey()
    let output = secret(Sample.prfOutput)
    return refusal { () throws(CSPPError) in
      _ = try KeyWrapper.seal(masterKey, secret: output, header: header)
    }
  }

  @Test
  func `The master key must be the header's`() throws {
    var header = try Self.header()
    header.namespaceID = .random()
    #expect(try sealRefusal(header) == .otherNamespace)
    let id = "\"00000000000000000000000000000000\""
    let own = KeyWrapper.recipientSecret(secret: secret(Sample.prfOutput), keyID: Self.keyID)
    let recipient = Hex.string(try X25519.publicKey(of: own))
    let other = try file(["namespace_id": id, "recipient": "\"\(recipient)\""])
    let wrapper = try KeyWrapper(parsing: other.span, at: nil)
    #expect(
      refusal { () throws(CSPPError) in
        _ = try wrapper.open(secret: secret(Sample.prfOutput))
      } == .otherNamespace)
    // Another recipient: the ciphertext is not opened at all.
    let foreign = try file([:])
    let claimed = try KeyWrapper(parsing: foreign.span, at: Sample.namespaceID())
    #expect(
      refusal { () throws(CSPPError) in
        _ = try claimed.open(secret: secret(Sample.prfOutput))
      } == .authenticationFailed)
    #expect(try parse(file([:]), at: .random()) == .contradictsPlace("namespace_id"))
  }

  @Test(
    arguments: [
      ("namespace_id", nil, .missingField("namespace_id")),
      ("key_id", "\"01\"", .invalidField("key_id")), ("kind", nil, .missingField("kind")),
      ("kind", "1", .invalidField("kind")), ("label", nil, .missingField("label")),
      ("created_at", "-1", .invalidField("created_at")),
      ("recipient", "\"00\"", .invalidField("recipient")), ("rp_id", nil, .missingField("rp_id")),
      ("credential_id", "\"AA==\"", .invalidField("credential_id")),
      ("credential_id", "\"\"", .invalidField("credential_id")),
      ("discoverable", "1", .invalidField("discoverable")),
      ("aaguid", "\"00112233445566778899aabbccddeeff\"", .invalidField("aaguid")),
      ("aaguid", "\"00112233-4455-6677-8899-AABBCCDDEEFF\"", .invalidField("aaguid")),
      ("prf_salt", "\"52\"", .invalidField("prf_salt")),
      ("user_verification", "false", .invalidField("user_verification")),
    ] as [(String, String?, CSPPError)])
  func `Headers that are wrong`(field: String, value: String?, expected: CSPPError) throws {
    #expect(try parse(file([field: value])) == expected)
  }

  @Test
  func `Files of another shape`() throws {
    let good = try String(decoding: file([:]), as: UTF8.self)
    func changed(_ old: String, _ new: String) -> CSPPError? {
      #expect(good.contains(old))
      return parse(Array(good.replacing(old, with: new).utf8))
    }
    #expect(parse(Array(good.utf8)) == nil)
    #expect(changed("keybackup-key", "keybackup-op") == .otherFormat)
    #expect(changed("\"format\":\"keybackup-key\",", "") == .otherFormat)
    #expect(changed("\"version\":1", "\"version\":2") == .unsupportedVersion)
    #expect(changed("\"version\":1,", "") == .missingField("version"))
    #expect(changed("\"version\":1", "\"version\":1,\"version\":1") == .duplicateField("(any)"))
    #expect(changed("\"version\":1", "\"version\":1,\"x\":1,\"x\":1") == .duplicateField("(any)"))
    #expect(changed("\"protected\":\"", "\"protected\":\"=") == .invalidField("protected"))
    #expect(changed("\"protected\":\"e", "\"protected\":\"\\u0065") == .invalidField("protected"))
    #expect(changed("\"ciphertext\":\"", "\"ciphertext\":\"AAAA") == .invalidField("ciphertext"))
    #expect(changed("\"nonce\":\"", "\"nonce\":\"00") == .invalidField("nonce"))
    #expect(parse([]) == .empty)
    #expect(parse(Array(good.utf8.dropLast(9))) == .truncated)
    #expect(
      parse(Array(good.utf8) + [UInt8](repeating: 10, count: 65_536)) == .tooLarge(limit: 65_536))
  }

  @Test
  func `No header byte can change unnoticed`() throws {
    let file = try KeyWrapper.seal(
      Sample.masterKey(), secret: secret(Sample.prfOutput), header: Self.header())
    let text = String(decoding: file, as: UTF8.self)
    let object = try #require(JSONSerialization.jsonObject(with: Data(file)) as? [String: Any])
    let protected = try object.string("protected")
    let header = try #require(Data(base64Encoded: protected + padding(protected)))
    let renamed = String(decoding: header, as: UTF8.self).replacing("Blue", with: "Gold")
    let other = Base64.string(Array(renamed.utf8), .url)
    let changed = Array(text.replacing(protected, with: other).utf8)
    let wrapper = try KeyWrapper(parsing: changed.span, at: nil)
    #expect(wrapper.header.label.hasPrefix("Gold"))
    #expect(
      refusal { () throws(CSPPError) in _ = try wrapper.open(secret: secret(Sample.prfOutput)) }
        == .authenticationFailed)
  }

  private func padding(_ text: String) -> String {
    String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}

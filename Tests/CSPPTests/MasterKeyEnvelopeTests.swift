import SecretMemory
import Testing

@testable import CSPP

@Suite("Master-key envelope")
struct MasterKeyEnvelopeTests {
  private func refuses(
    _ changes: [String: String?], at place: NamespaceID? = nil
  ) throws -> CSPPError? {
    let file = try Sample.master(changing: changes)
    let id = try place ?? Sample.namespaceID()
    return refusal { () throws(CSPPError) in
      _ = try MasterKeyEnvelope(parsing: file.span, at: id)
    }
  }

  @Test
  func `What is sealed opens, with our field and without`() throws {
    let masterKey = try Sample.masterKey()
    let reference = MasterKeyEnvelope.KeyReference(
      keyID: .random(), rpID: "keybackup:", credentialID: Array(1...40))
    for reference in [reference, nil] {
      let file = try MasterKeyEnvelope.seal(
        masterKey, prfOutput: secret(Sample.prfOutput), prfSalt: Sample.prfSalt,
        keyReference: reference, createdAt: 5, updatedAt: 6)
      let envelope = try MasterKeyEnvelope(parsing: file.span, at: masterKey.namespaceID)
      #expect(envelope.keyReference == reference)
      #expect(envelope.prfSalt == Sample.prfSalt)
      #expect(envelope.createdAt == 5 && envelope.updatedAt == 6)
      #expect(envelope.providerHint == nil)
      let opened = try envelope.open(
        prfOutput: secret(Sample.prfOutput), namespaceID: masterKey.namespaceID)
      #expect(opened.namespaceID == masterKey.namespaceID)
    }
  }

  @Test
  func `Optional fields may be absent; unknown ones are ignored`() throws {
    #expect(try refuses([:]) == nil)
    #expect(
      try refuses([
        "version": nil, "kind": nil, "schema_version": nil, "namespace_id": nil, "record_id": nil,
        "passkey_provider_hint": nil, "future": "[{\"a\":1}]", "generation": "3",
        "content_hash": "\"x\"",
      ]) == nil)
    let hint = #"{"aaguid":"a-b","registered_platform":"ios","registered_at":1,"name_suffix":"x"}"#
    let file = try Sample.master(changing: ["passkey_provider_hint": hint])
    let envelope = try MasterKeyEnvelope(parsing: file.span, at: nil)
    #expect(envelope.providerHint?.registeredPlatform == "ios")
    #expect(envelope.providerHint?.aaguid == "a-b" && envelope.providerHint?.nameSuffix == "x")
    #expect(try refuses(["passkey_provider_hint": "{\"aaguid\":7}"]) == nil)
  }

  @Test(
    arguments: [
      ("version", "2", .unsupportedVersion), ("version", "0", .unsupportedVersion),
      ("version", "\"1\"", .invalidField("version")), ("version", "null", .invalidField("version")),
      ("kind", "\"wallet\"", .otherFormat), ("schema_version", "2", .unsupportedVersion),
      ("namespace_id", "\"00000000000000000000000000000000\"", .contradictsPlace("namespace_id")),
      ("namespace_id", "\"AC7199B543719826334C3811933471F5\"", .invalidField("namespace_id")),
      ("record_id", "\"other\"", .contradictsPlace("record_id")),
      ("wallet_id", "\"w\"", .contradictsPlace("wallet_id")),
      ("prf_salt", "\"52\"", .invalidField("prf_salt")),
      ("prf_salt", "1", .invalidField("prf_salt")),
      ("prf_salt", nil, .missingField("prf_salt")), ("nonce", "\"02\"", .invalidField("nonce")),
      ("nonce", nil, .missingField("nonce")), ("ciphertext", nil, .missingField("ciphertext")),
      ("ciphertext", "\"QQ==\"", .invalidField("ciphertext")),
      ("ciphertext", "\"Q\"", .invalidField("ciphertext")),
      ("created_at", "-1", .invalidField("created_at")),
      ("updated_at", "\"now\"", .invalidField("updated_at")),
      ("keybackup", "[]", .invalidField("keybackup")),
      ("keybackup", "{}", .missingField("key_id")),
      ("passkey_provider_hint", "1", .invalidField("passkey_provider_hint")),
    ] as [(String, String?, CSPPError)])
  func `Fields that are wrong or contradict the place`(
    field: String, value: String?, expected: CSPPError
  ) throws {
    #expect(try refuses([field: value]) == expected)
  }

  @Test
  func `A repeated field is refused`() throws {
    for field in ["version", "prf_salt", "nonce", "ciphertext", "namespace_id", "kind"] {
      let file = try Array("{\"\(field)\":1,".utf8) + Sample.master().dropFirst()
      #expect(
        refusal { () throws(CSPPError) in
          _ = try MasterKeyEnvelope(parsing: file.span, at: nil)
        } == .duplicateField(field))
    }
  }

  @Test
  func `Files that are no envelope`() throws {
    func parse(_ file: [UInt8], limit: Int = 65_536) -> CSPPError? {
      refusal { () throws(CSPPError) in
        _ = try MasterKeyEnvelope(parsing: file.span, at: nil, limit: limit)
      }
    }
    let file = try Sample.master()
    #expect(parse([]) == .empty)
    #expect(parse([UInt8](repeating: 0, count: 4096)) == .empty)
    #expect(parse(Array("[]".utf8)) == .notAnObject)
    #expect(parse(Array("garbage".utf8)) == .notJSON(offset: 0))
    #expect(parse(Array(file.dropLast())) == .truncated)
    #expect(parse(file, limit: file.count) == nil)
    #expect(parse(file, limit: file.count - 1) == .tooLarge(limit: file.count - 1))
    #expect(parse(file + [UInt8](repeating: 0x20, count: 65_536)) == .tooLarge(limit: 65_536))
    #expect(parse(Array("{}".utf8)) == .missingField("prf_salt"))
  }

  @Test
  func `Another key's output, another namespace, an output of another size`() throws {
    let file = try Sample.master()
    let id = try Sample.namespaceID()
    let envelope = try MasterKeyEnvelope(parsing: file.span, at: id)
    func open(_ output: [UInt8], _ id: NamespaceID) -> CSPPError? {
      refusal { () throws(CSPPError) in
        _ = try envelope.open(prfOutput: secret(output), namespaceID: id)
      }
    }
    #expect(open(Sample.prfOutput, id) == nil)
    #expect(open([UInt8](repeating: 0, count: 32), id) == .authenticationFailed)
    #expect(open(Sample.prfOutput, .random()) == .otherNamespace)
    #expect(open([1], id) == .invalidField("key: 32 bytes"))
    #expect(
      refusal { () throws(CSPPError) in _ = try MasterKey(secret([1])) }
        == .invalidField("master key"))
  }
}

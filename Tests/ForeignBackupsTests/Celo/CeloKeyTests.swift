import Foundation
import SecretMemory
import Testing

@testable import ForeignBackups

/// The key schedule and the requests, against the vectors.
struct CeloKeyTests {
  let vectors: CeloVectors

  init() throws { vectors = try CeloVectors() }

  @Test func `Every file opens, and its key is the one of the vectors`() throws {
    let cases = try vectors.cases
    #expect(cases.count == 5)
    for item in cases {
      let backup = try item.backup()
      let opening = try CeloOpening(
        backup, password: secret(vectors.password), fuseKey: secret(vectors.fuseKey))
      let key = plain(try opening.finalKey(secret(vectors.odisOutput)))
      #expect(key == item.finalKey, "\(item.name)")
      let data = plain(try opening.open(odisOutput: secret(vectors.odisOutput)))
      #expect(data == vectors.data, "\(item.name)")
      #expect(backup.dataSize == data.count)
    }
  }

  @Test func `The steps before the final key are those of the vectors`() throws {
    let withFuse = try vectors.oneCase("pin").backup()
    let without = try vectors.oneCase("pbkdf2").backup()
    let fused = try CeloOpening(
      withFuse, password: secret(vectors.password), fuseKey: secret(vectors.fuseKey)
    ).message()
    #expect(plain(fused) == unhex(vectors.json["updated_key_with_fuse"]))
    let initial = try CeloOpening(
      without, password: secret(vectors.password), fuseKey: secret([])
    ).message()
    #expect(plain(initial) == unhex(vectors.json["initial_key"]))
    #expect(withFuse.authorizationAddress?.text == vectors.json["odis_auth_address"] as? String)
  }

  @Test func `What is missing is named before anything is tried`() throws {
    let backup = try vectors.oneCase("pin").backup()
    #expect(
      refusal { () throws(ForeignBackupError) in _ = try open(backup, []) }
        == .missing(part: "the fuse key"))
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try open(backup, vectors.password, fuseKey: vectors.fuseKey)
      } == .missing(part: "the output of ODIS"))
  }

  @Test func `Another password, fuse key or output opens nothing`() throws {
    let backup = try vectors.oneCase("pin").backup()
    for wrong in 0..<3 {
      let secrets = [vectors.password, vectors.fuseKey, vectors.odisOutput].enumerated().map {
        $0 == wrong ? [$1[0] ^ 1] + $1.dropFirst() : $1
      }
      #expect(
        refusal { () throws(ForeignBackupError) in
          _ = try open(backup, secrets[0], fuseKey: secrets[1], odisOutput: secrets[2])
        } == .wrongSecret(part: "the password or the fuse key or the output of ODIS"))
    }
  }

  @Test func `Domains and requests hash and are signed as in the vectors`() throws {
    let upstream = vectors.object("eip712_upstream_vector")
    let example = try domain(upstream["domain"])
    #expect(example.hash == unhex(upstream["hash"]))
    let type =
      SequentialDelayDomain.ownType + SequentialDelayDomain.typesWithin.joined()
    #expect(type == upstream["encodeType"] as? String)
    for item in try vectors.cases {
      #expect(try item.backup().odisDomain?.hash == item.domainHash)
    }
    let backup = try vectors.oneCase("pin").backup()
    for item in vectors.array("signed_requests") {
      let message = item["message"] as? [String: Any] ?? [:]
      let nonce = (message["options"] as? [String: [String: Any]])?["nonce"] ?? [:]
      let kind: ODISRequest.Kind =
        if let blinded = message["blindedMessage"] as? String {
          .sign(blindedMessage: blinded)
        } else {
          .quota
        }
      let request = try ODISRequest(
        kind, for: backup, counter: nonce["defined"] as? Bool == true ? 0 : nil,
        session: "test-session")
      #expect(request.hash == unhex(item["eip712_hash"]))
      #expect(request.signature == item["signature"] as? String)
    }
    #expect(vectors.array("signed_requests").count == 2)
  }

  @Test func `Without a domain there are no requests, without an address no signatures`() throws {
    let plain = try vectors.oneCase("pbkdf2").backup()
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try ODISRequest(.quota, for: plain, counter: nil, session: nil)
      } == .missing(part: "the field odisDomain"))
    let text = try String(decoding: vectors.oneCase("pin").file, as: UTF8.self)
      .replacing(
        #""address":{"defined":true,"value":"0x14d25D3fC2B45893C9E67B55d8Cc8831B36384Ac"}"#,
        with: #""address":{"defined":false,"value":""}"#)
    let bytes = Array(text.utf8)
    let backup = try unsafe CeloBackup(parsing: bytes.span.bytes)
    let request = try ODISRequest(.disable, for: backup, counter: nil, session: nil)
    #expect(request.signature == nil)
    #expect(request.json.contains(#""signature":{"defined":false,"value":""}"#))
    #expect(request.json.hasPrefix(#"{"type":"DisableDomainRequest","domain":{"name":"ODIS"#))
  }
}

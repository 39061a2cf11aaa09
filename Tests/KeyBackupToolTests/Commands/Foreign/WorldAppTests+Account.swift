import Foundation
import Testing

/// The backup account that a root secret belongs to.
extension WorldAppTests {
  @Test func `The ID is that of the vectors, from a file and from an archive`() async throws {
    for account in Self.vectors["account"].items {
      let text = try #require(account["root_secret_json"].text)
      let id = try await world(["id", "--root-secret", "-"], input: Array(text.utf8))
      #expect(id.out == account["backup_account_id"].text.map { $0 + "\n" })
      #expect(
        id.out
          == String(decoding: try await python(["account"], input: Array(text.utf8)), as: UTF8.self)
      )
    }
    let json = try await world(["id", Self.sealed, "--json"] + opening).json()
    #expect(json["account_id"].text == Self.account)
    #expect(try await world(["id"], expecting: nil).code == 64)
    expectFailure(
      try await world(["id", "root_secret.json"], expecting: nil), 64, says: "--root-secret FILE")
    #expect(
      try await world(["id", "--root-secret", factorFile] + opening, expecting: nil).code == 64)
    expectFailure(
      try await world(["id", "--root-secret", factorFile], expecting: nil), 65,
      says: "the root secret")
  }

  @Test func `The proof is that of the vectors, and Python verifies it`() async throws {
    for account in Self.vectors["account"].items {
      let text = Array(try #require(account["root_secret_json"].text).utf8)
      let digits = try #require(account["reset_challenge_hex"].text)
      let arguments = ["reset-proof", "--root-secret", "-", "--challenge"]
      let proof = try await world(arguments + ["hex:" + digits], input: text)
      #expect(proof.out == account["reset_signature_b64_der"].text.map { $0 + "\n" })
      #expect(proof.err.contains("deletes the backup"))
      let random = (0..<32).map { _ in UInt8.random(in: 0...255) }
      let challenge = "base64:" + Data(random).base64EncodedString()
      let other = try await world(arguments + [challenge, "--json"], input: text).json()
      let id = try #require(other["account_id"].text)
      let signature = try #require(other["signature"].text)
      _ = try await python(["verify", id, hex(random), signature])
    }
  }

  @Test func `A challenge that does not say how it is written is refused`() async throws {
    for challenge in ["dGVzdA==", "base64:%", "hex:0", "base64:", "hex:"] {
      let refused = try await world(
        ["reset-proof", "--root-secret", factorFile, "--challenge", challenge], expecting: nil)
      expectFailure(refused, 64, says: "the challenge")
    }
  }
}

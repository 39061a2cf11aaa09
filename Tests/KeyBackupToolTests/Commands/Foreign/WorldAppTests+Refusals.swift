import Foundation
import Testing

/// Factors, archives and paths that are refused.
extension WorldAppTests {
  @Test func `A wrong factor, keypair or file is named`() async throws {
    let wrong = box.root + "/wrong"
    try Files.write(String(repeating: "07", count: 32), to: wrong, mode: 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--factor-secret", wrong],
        expecting: nil), 80, says: "the factor secret does not open the encrypted keypair")
    try Files.write("no digits", to: wrong, mode: 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--factor-secret", wrong],
        expecting: nil), 65, says: "the factor secret in \(wrong) has to be 64 hex digits")
    try Files.setMode(factorFile, 0o644)
    expectFailure(
      try await world(["verify", Self.sealed] + opening, expecting: nil), 78,
      says: "others can read the factor secret file")
    try Files.setMode(factorFile, 0o600)
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", wrong, "--factor-secret", factorFile],
        expecting: nil), 65, says: "has no encrypted keypair")
    for digits in [String(Self.keypair.dropLast(2)), Self.keypair + "00"] {
      expectFailure(
        try await world(
          ["verify", Self.sealed, "--encrypted-keypair", digits, "--factor-secret", factorFile],
          expecting: nil), 65, says: "an encrypted keypair is 160 hex digits")
    }
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--metadata", wrong, "--factor-secret", factorFile],
        expecting: nil), 65, says: "\(wrong) is no JSON object")
    expectFailure(
      try await world(["verify", box.root + "/none"] + opening, expecting: nil), 66,
      says: "could not be opened")
    expectFailure(
      try await world(
        ["verify", Self.sealed, "--encrypted-keypair", Self.keypair, "--no-input"],
        expecting: nil), 78, says: "the factor secret is needed and nobody can be asked")
    for arguments in [
      [], ["--encrypted-keypair", Self.keypair, "--metadata", metadata],
      opening + ["--security-key"], opening + ["--credential", "00"],
      opening + ["--account-id", "me"], ["--encrypted-keypair", "-", "--factor-secret", "-"],
    ] {
      #expect(try await world(["verify", Self.sealed] + arguments, expecting: nil).code == 64)
    }
  }

  @Test func `A file that was changed, cut or grown is refused, and nothing is written`()
    async throws
  {
    let whole = try Files.read(Self.sealed)
    var changed = whole
    changed[300] ^= 1
    for bytes in [changed, Array(whole.dropLast()), whole + [0], []] {
      let path = box.root + "/changed.bin"
      try Files.write(bytes, to: path)
      let refused = try await world(
        ["open", path, "--out", out] + opening, expecting: nil)
      expectFailure(refused, 65, says: "the seal of")
      #expect(!FileManager.default.fileExists(atPath: out))
    }
  }

  @Test(arguments: [
    (#","names":{"a":"../a"}"#, "names another path inside"),
    (#","names":{"a":"b"}"#, "names another path inside"),
    (#","types":{"a":"2"}"#, "a link or a folder"),
    (#","types":{"a":"1"}"#, "a link or a folder"),
    (#","types":{"a":"5"}"#, "a link or a folder"),
    (
      #","checksums":{"a":"\#(String(repeating: "00", count: 32))"}"#,
      "the contents of a, by their checksum"
    ),
    (#","version":1"#, "by its version"),
    (#","bomb":134217728"#, "over the limit of 134217728"),
  ])
  func `What Python makes wrong is refused by its name`(_ wrong: String, _ says: String)
    async throws
  {
    let archive = try await made([("a", [1, 2, 3])], wrong: wrong)
    let refused = try await world(["open", archive, "--out", out] + opening, expecting: nil)
    expectFailure(refused, 65, says: says)
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test(arguments: ["../a", "/tmp/a", "a/../../b", "./a"])
  func `A path that leaves the folder is refused`(_ path: String) async throws {
    let archive = try await made([(path, [1])])
    let refused = try await world(["open", archive, "--out", out] + opening, expecting: nil)
    expectFailure(refused, 65, says: "which no file may have")
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test func `Errors are JSON where that is wanted`() async throws {
    let archive = try await made([("A", [1]), ("a", [1])])
    let refused = try await world(
      ["open", archive, "--out", out, "--json"] + opening, expecting: nil)
    try expectFailure(refused, 65, word: "data-invalid")
  }
}

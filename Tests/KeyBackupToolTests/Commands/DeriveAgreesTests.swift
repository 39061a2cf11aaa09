import Testing

/// `derive` gives the bytes that other programs get from the same credential.
@Suite struct DeriveAgreesTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var protocols: String
    var salts: Int
    var discoverable: Bool
    var testDescription: String {
      "PIN protocol \(protocols), \(salts) salts, \(discoverable ? "" : "non-")discoverable"
    }
  }

  static let kinds = ["1", "2", "2,1"].flatMap { protocols in
    [1, 2].map { Kind(protocols: protocols, salts: $0, discoverable: $0 == 1) }
  }

  @Test(arguments: kinds)
  func `With debians tools and python`(_ kind: Kind) async throws {
    let box = try Sandbox()
    let key = ["--pin-protocols", kind.protocols]
    let options = kind.discoverable ? [] : ["--non-discoverable"]
    let rpID = "agree.example"
    let id = try await box.makeCredential(["--rp-id", rpID] + options, key: key)
    let credential = bytes(base64: id)
    let salts = [[UInt8](repeating: 0xA5, count: 32), Array(0..<32)].prefix(kind.salts).map { $0 }

    var arguments = ["derive", "--rp-id", rpID, "--credential", id, "--raw-salt"]
    arguments += ["--salt", "hex:" + hex(salts[0])]
    if kind.salts == 2 { arguments += ["--second-salt", "hex:" + hex(salts[1])] }
    let raw = try await box.keybackup(arguments, key: key).out.split(separator: "\n")
      .map(String.init)
    #expect(raw.count == kind.salts && raw.allSatisfy { $0.count == 64 })
    #expect(
      raw
        == (try await box.fido2Assert(
          rpID: rpID, credential: credential, salts: salts, key: key)))
    #expect(
      raw
        == (try await box.pythonFIDO2(
          rpID: rpID, credential: credential, salts: salts, key: key)))

    arguments = ["derive", "--rp-id", rpID, "--credential", id, "--salt", "first input", "--json"]
    if kind.salts == 2 { arguments += ["--second-salt", "second input"] }
    let json = try await box.keybackup(arguments, key: key).json()
    let inputs = [Array("first input".utf8), Array("second input".utf8)].prefix(kind.salts)
    #expect(
      json["prf"].items.compactMap(\.text)
        == (try await box.pythonFIDO2(
          rpID: rpID, credential: credential, inputs: Array(inputs), key: key)))
    #expect(json["credential_id"].text == id)
    #expect(json["rp_id"].text == rpID)
    #expect(json["uv"].flag == true)
  }

  /// `derive` gives the same bytes, whoever registered the credential.
  @Test(arguments: ["1", "2"], [false, true])
  func `On credentials that others made`(protocols: String, discoverable: Bool) async throws {
    let box = try Sandbox()
    let key = ["--pin-protocols", protocols]
    let salts = [[UInt8](repeating: 0x5A, count: 32), Array(32..<64)]
    let debian = try await box.registerWithFIDO2Cred(
      rpID: "debian.example", discoverable: discoverable, key: key)
    let python = try await box.registerWithPython(
      rpID: "python.example", discoverable: discoverable, key: key)
    for (rpID, credential) in [("debian.example", debian), ("python.example", python)] {
      var arguments = ["derive", "--rp-id", rpID, "--raw-salt"]
      arguments += ["--salt", "hex:" + hex(salts[0]), "--second-salt", "hex:" + hex(salts[1])]
      if !discoverable { arguments += ["--credential", hex(credential)] }
      let ours = try await box.keybackup(arguments, key: key).out.split(separator: "\n")
      let theirs = try await box.fido2Assert(
        rpID: rpID, credential: credential, salts: salts, key: key)
      #expect(ours.map(String.init) == theirs)
      #expect(Set(theirs).count == 2)
      #expect(
        theirs
          == (try await box.pythonFIDO2(
            rpID: rpID, credential: credential, salts: salts, key: key)))
    }
  }

  /// A credential of level 3 is hidden from a program without a PIN.
  ///
  /// Only a key that the user named is given it.
  @Test func `On a credential that is hidden`() async throws {
    let box = try Sandbox()
    let rpID = "hidden.example"
    let id = try await box.registerWithFIDO2Cred(rpID: rpID, discoverable: false, protection: 3)
    let arguments = Sandbox.derive + ["--rp-id", rpID, "--credential", hex(id)]
    let trace = try await box.traced {
      let unnamed = try await box.keybackup(arguments, expecting: nil)
      expectFailure(unnamed, 80, says: "no security key in reach holds")
    }
    #expect(!trace.contains { $0.contains("Token") })
    let named = try await box.keybackup(arguments + ["--device", "/dev/hidraw0"])
    let salt = [UInt8](repeating: 7, count: 32)
    #expect(
      named.out
        == (try await box.fido2Assert(rpID: rpID, credential: id, salts: [salt]))[0] + "\n")
  }

  // MARK: prf.json

  static let cases =
    (try? JSON(Files.read(Build.root + "/Tests/Vectors/cspp/prf.json")))?["cases"]
    .items ?? []

  @Test(arguments: cases)
  func `Derive agrees with the published vectors`(_ vector: JSON) async throws {
    let box = try Sandbox()
    let input = try #require(vector["prf_input"].text)
    let salt = try #require(vector["hmac_secret_salt"].text)
    var rpID: [String] = []
    if let secret = vector["cred_random_with_uv"].text {
      let credential = #"{"rp_id":"vectors.example","cred_random_with_uv":"\#(secret)"}"#
      try Files.write(credential, to: box.root + "/credential.json")
      let key = ["--import-credential", box.root + "/credential.json"]
      try await box.keybackup(["devices"], key: key, pin: .none)
      rpID = ["--rp-id", "vectors.example"]
    } else {
      _ = try await box.makeCredential()
    }
    let webAuthn = try await box.keybackup(["derive", "--salt", "hex:" + input] + rpID)
    let raw = try await box.keybackup(["derive", "--raw-salt", "--salt", "hex:" + salt] + rpID)
    #expect(webAuthn.out == raw.out)
    if let output = vector["prf_output"].text { #expect(raw.out == output + "\n") }
  }

  @Test func `There are at least six published vectors`() { #expect(Self.cases.count >= 6) }

  // MARK: Ways to say it

  @Test func `Every way to give a salt means the same`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    try Files.write("salz-\u{e4}", to: box.root + "/salt")
    let wanted = try await box.keybackup(["derive", "--salt", "salz-\u{e4}"]).out
    let others = [
      "hex:73616c7a2dc3a4", "hex:73616C7A2DC3A4", "base64:c2Fsei3DpA==",
      "file:" + box.root + "/salt",
    ]
    for salt in others {
      #expect(try await box.keybackup(["derive", "--salt", salt]).out == wanted, "\(salt)")
    }
    let piped = try await box.keybackup(
      ["derive", "--salt", "-"], input: Array("salz-\u{e4}".utf8))
    #expect(piped.out == wanted)
    // The credential in either notation, or found on the key.
    for name in [id, hex(bytes(base64: id))] {
      let named = try await box.keybackup(
        ["derive", "--salt", "salz-\u{e4}", "--credential", name])
      #expect(named.out == wanted)
    }
    let raw = try await box.keybackup(["derive", "--salt", "salz-\u{e4}", "--encoding", "raw"])
    #expect(hex(Array(raw.output.prefix(32))) + "\n" == wanted)
    let base64 = try await box.keybackup([
      "derive", "--salt", "salz-\u{e4}", "--encoding", "base64",
    ])
    #expect(hex(bytes(base64: String(base64.out.dropLast()))) + "\n" == wanted)
  }

  @Test func `Another salt or credential gives another secret`() async throws {
    let box = try Sandbox()
    let one = try await box.makeCredential(["--non-discoverable"])
    let two = try await box.makeCredential(["--non-discoverable"])
    var outputs: Set<String> = []
    for (id, salt) in [(one, "a"), (one, "b"), (two, "a"), (two, "b")] {
      outputs.insert(try await box.keybackup(["derive", "--credential", id, "--salt", salt]).out)
    }
    #expect(outputs.count == 4)
  }

  @Test func `A file is made private and never overwritten`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let printed = try await box.keybackup(Sandbox.derive)
    let path = box.root + "/secret"
    let outcome = try await box.keybackup(Sandbox.derive + ["--out", path])
    #expect(outcome.out.isEmpty)
    #expect(try Files.read(path) == printed.output)
    #expect(Files.mode(path) == 0o600)
    let trace = try await box.traced {
      let again = try await box.keybackup(
        ["derive", "--salt", "other", "--out", path], expecting: nil)
      expectFailure(again, 73, says: path)
    }
    #expect(try Files.read(path) == printed.output)
    #expect(!trace.contains("TOUCH"), "touched for nothing")
    // As JSON: the secret is in the file, and standard output still gets one object.
    let json = try await box.keybackup(Sandbox.derive + ["--json", "--out", path + "2"])
    #expect(try json.json()["rp_id"].text == "keybackup-derive:")
    #expect(!json.out.contains(printed.out.dropLast()))
    let written = try JSON(Files.read(path + "2"))
    #expect(written["prf"][0].text == String(printed.out.dropLast()))
  }

  @Test func `A hyphen is standard output`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let printed = try await box.keybackup(Sandbox.derive)
    let hyphen = try await box.keybackup(Sandbox.derive + ["--out", "-"])
    #expect(hyphen.output == printed.output)
    let shown = try await box.keybackup(
      Sandbox.derive + ["--out", "-"], terminal: [], standardOutput: .terminal, expecting: nil)
    #expect(shown.code == 64 && shown.screen.contains("--reveal"), "\(shown)")
  }

  /// The message is about credentials, not about a backup that nobody mentioned.
  @Test func `A credential of another key is told as that`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential(key: ["--state", box.root + "/other.json"])
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id], expecting: nil)
    expectFailure(outcome, 80, says: "credential", "--rp-id")
    #expect(!outcome.err.contains("made the backup"), "\(outcome)")
  }
}

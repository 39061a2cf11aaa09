import Testing

/// A namespace that another CSPP program wrote, without `keybackup/`.
///
/// It is taken over, and the other program can still use it.
@Suite struct AdoptionTests {
  /// A published folder, with the security key that opens it.
  private struct Scene {
    let box: Sandbox
    let rpID: String
    /// The first program's secret.
    let prfOutput: String
    let wallets: Int
    /// The CSPP files that the first program wrote.
    let before: [String: [UInt8]]
    let key: [String]

    init(_ name: String) throws {
      box = try Sandbox()
      let vectors = Build.root + "/Tests/Vectors/cspp/" + name
      let description = try JSON(Files.read(vectors + ".json"))
      rpID = try #require(description["rp_id"].text)
      prfOutput = try #require(description["prf_output"].text)
      wallets = description["wallets"].items.count
      try Files.remove(box.folder)
      try Files.copy(vectors, to: box.folder)
      before = try Files.contents(box.folder)
      key = ["--import-credential", vectors + ".json"]
    }

    /// Expects that the first program's files are as they were.
    func expectUntouched(at location: SourceLocation = #_sourceLocation) throws {
      let now = try Files.contents(box.folder)
      for (name, bytes) in before {
        #expect(now[name] == bytes, "\(name)", sourceLocation: location)
      }
    }

    /// The wallets that a reader gets that has the first program's secret, or another one, and
    /// knows only CSPP.
    func readByTheFirstProgram(prfOutput: String? = nil) async throws -> JSON {
      let alone = box.root + "/cspp-alone"
      try Files.copy(box.folder, to: alone)
      for name in Files.tree(alone) where name.contains("/keybackup/") {
        try Files.remove(alone + "/" + name)
      }
      let read = try await box.run(
        Python.script("reader/cspp_reader.py") + [
          alone, "--prf-output", prfOutput ?? self.prfOutput,
        ],
        key: nil)
      read.expectSuccess()
      return try JSON(read.output)
    }
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `Wallets are added and the first program reads them`(_ name: String) async throws {
    let scene = try Scene(name)
    let box = scene.box
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil)
    #expect(status.code == 88)
    // Until something has opened it, only the file says what opens it.
    #expect(try status.json()["keys"].number == 0)
    // One touch is enough for all of it.
    let trace = try await box.traced {
      try await box.keybackup(["unlock", "--for", "2h", "--rp-id", scene.rpID], key: scene.key)
      let listed = try await box.keybackup(["wallet", "list", "--json"], key: nil, pin: .none)
      #expect(try listed.json()["wallets"].items.count == scene.wallets)
      // Its first own write makes a log; the earlier files stay.
      try await box.keybackup(
        ["wallet", "import", "-"], key: nil, pin: .none,
        input: Array(Samples.entry(id: "ours", name: "Ours").utf8))
    }
    #expect(TrafficTests.Cost(trace).touches == 1)
    try scene.expectUntouched()
    let verified = try await box.keybackup(
      ["verify", "--deep", "--json"], key: nil, pin: .none
    ).json()
    #expect(verified["wallets"]["foreign"].number == scene.wallets)
    #expect(verified["wallets"]["current"].number == 1)
    #expect(verified["operations"].number == 1)
    try await box.keybackup(["lock"], key: nil, pin: .none)
    #expect(try await scene.readByTheFirstProgram()["wallets"].items.count == scene.wallets + 1)
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `Another key becomes a key slot beside the first programs`(_ name: String) async throws {
    let scene = try Scene(name)
    let box = scene.box
    let spare = ["--state", box.root + "/spare.json"]
    try await box.keybackup(["unlock", "--for", "2h", "--rp-id", scene.rpID], key: scene.key)
    try await box.keybackup(["key", "add", "--label", "spare"], key: spare)
    try await box.keybackup(["lock"], key: nil, pin: .none)
    try scene.expectUntouched()
    // The spare key needs no word about who made the backup.
    let restored = try await box.keybackup(["restore", "--json"], key: spare)
    #expect(try restored.json()["restored"].number == scene.wallets)
    try await box.keybackup(
      ["wallet", "import", "-"], key: spare,
      input: Array(Samples.entry(id: "ours", name: "Ours").utf8))
    try scene.expectUntouched()
    #expect(try await scene.readByTheFirstProgram()["wallets"].items.count == scene.wallets + 1)
    try await box.keybackup(["verify", "--deep", "--rp-id", scene.rpID], key: scene.key)
    try await box.keybackup(["status"], key: nil, pin: .none)
  }

  /// CSPP's passkey rotation: the key is lost, and this computer still knows the master key.
  ///
  /// Another key gets the master key, with the envelope.
  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func `The first programs key is lost`(_ name: String) async throws {
    let scene = try Scene(name)
    let box = scene.box
    let new = ["--state", box.root + "/new.json"]
    try await box.keybackup(["unlock", "--for", "2h", "--rp-id", scene.rpID], key: scene.key)
    let added = try await box.keybackup(
      ["key", "add", "--replace-cspp-envelope", "--rp-id", scene.rpID, "--json"], key: new
    ).json()
    try await box.keybackup(["lock"], key: nil, pin: .none)
    let credential = bytes(base64: try #require(added["credential_id"].text))
    let envelope = try #require(
      Files.tree(box.folder).first { $0.contains("/master-key/masterkey-") })
    let salt = try JSON(Files.read(box.folder + "/" + envelope))["prf_salt"].text
    let output = try await box.pythonFIDO2(
      rpID: scene.rpID, credential: credential, inputs: [bytes(hex: try #require(salt))], key: new)
    let read = try await scene.readByTheFirstProgram(prfOutput: output[0])
    #expect(read["wallets"].items.count == scene.wallets)
    #expect(read["opened_by"].items.map(\.text) == ["envelope"])
    let restored = try await box.keybackup(["restore", "--json"], key: new)
    #expect(try restored.json()["restored"].number == scene.wallets)
  }
}

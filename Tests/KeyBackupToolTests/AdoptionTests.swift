import Testing

/// A namespace that another CSPP program wrote, without `keybackup/`, taken over
/// and still that program's.
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

    /// What a reader gets that has the first program's secret and knows CSPP alone.
    func readByTheFirstProgram() async throws -> JSON {
      let alone = box.root + "/cspp-alone"
      try Files.copy(box.folder, to: alone)
      for name in Files.tree(alone) where name.contains("/keybackup/") {
        try Files.remove(alone + "/" + name)
      }
      let read = try await box.run(
        Python.script("reader/cspp_reader.py") + [alone, "--prf-output", prfOutput], key: nil)
      read.expectSuccess()
      return try JSON(read.output)
    }
  }

  @Test(arguments: ["namespace-current", "namespace-legacy-layout"])
  func walletsAreAddedAndTheFirstProgramReadsThem(_ name: String) async throws {
    let scene = try Scene(name)
    let box = scene.box
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil)
    #expect(status.code == 88)
    #expect(try status.json()["keys"].number == 1)
    // One touch for all of it.
    let trace = try await box.traced {
      try await box.keybackup(["unlock", "--rp-id", scene.rpID], key: scene.key)
      let listed = try await box.keybackup(["wallet", "list", "--json"], key: nil, pin: .none)
      #expect(try listed.json()["wallets"].items.count == scene.wallets)
      // Its first own write makes a log; what is there stays.
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
    #expect(try await scene.readByTheFirstProgram()["wallets"].items.count == scene.wallets + 1)
  }
}

import Testing

/// A file names the relying party for which a key is asked.
///
/// A web page of that name may know the key's secret. Its owner could then have written the file,
/// and everything that it opens.
@Suite struct RelyingPartyTests {
  /// A backup, and a stranger's namespace that the owner's key opens at evil.example.
  private struct Scene {
    let backup: PreparedBackup
    let attacker: Attacker
    let page: Attacker.Page
    let stranger: String

    var box: Sandbox { backup.box }

    init(alone: Bool = false) async throws {
      backup = try await PreparedBackup()
      attacker = Attacker(box: backup.box)
      page = try await attacker.page()
      if alone { try Files.remove(backup.place) }
      let planted = try await attacker.plant(
        "namespace", page.opening + ["--wallet", "Savings", "--wallet", "Spending"])
      stranger = try #require(planted["namespace_id"].text)
    }

    /// Runs a command and expects that it neither touched the key nor used the stranger's
    /// namespace.
    func expectRefused(
      _ arguments: [String], home: String? = nil, code: Int32, word: String,
      at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
      let before = try Files.contents(box.folder)
      let out = box.root + "/out"
      let outcome = try await box.keybackup(
        arguments + ["--json"], input: Array(Samples.entry(id: "mine", name: "Mine").utf8),
        home: home, expecting: nil)
      try expectFailure(outcome, code, word: word, at: location)
      #expect(try Files.contents(box.folder) == before, sourceLocation: location)
      #expect(!Files.exists(out) || Files.tree(out).isEmpty, sourceLocation: location)
      return outcome
    }
  }

  /// The owner's files are gone, or have not arrived: the new computer knows of nothing else.
  @Test func `A new computer is not given a strangers wallets`() async throws {
    let scene = try await Scene(alone: true)
    let trace = try await scene.box.traced {
      for command in [["restore", "--out", scene.box.root + "/out"], ["wallet", "import", "-"]] {
        let refused = try await scene.expectRefused(command, code: 80, word: "wrong-key")
        let error = try refused.json()["error"]
        #expect(error["message"].text?.contains("evil.example") == true, "\(refused.text)")
        #expect(error["hint"].text?.contains("a web page of evil.example") == true)
        #expect(error["hint"].text?.contains("--rp-id evil.example") == true)
      }
      let identified = try await scene.box.keybackup(
        ["key", "identify"], pin: .none, expecting: 80)
      #expect(identified.text.contains("evil.example"))
    }
    #expect(TrafficTests.Cost(trace).touches == 0 && TrafficTests.Cost(trace).pins == 0)
    // A user who asks for it gets it: the file is what it claims to be.
    let opened = try await scene.box.keybackup(
      ["wallet", "list", "--json", "--rp-id", "evil.example"])
    #expect(try opened.json()["wallets"].items.count == 2)
  }

  @Test func `Beside the owners backup it is not used either`() async throws {
    let scene = try await Scene()
    let fresh = try scene.box.newHome()
    // A new computer cannot tell which of the two is meant, and asks only for the owner's.
    for command in [["restore", "--out", scene.box.root + "/out"], ["wallet", "import", "-"]] {
      _ = try await scene.expectRefused(command, home: fresh, code: 90, word: "ambiguous")
    }
    _ = try await scene.expectRefused(
      ["wallet", "import", "-", "--namespace", scene.stranger], home: fresh, code: 80,
      word: "wrong-key")
  }

  @Test func `A computer that knows the backup goes on with one touch`() async throws {
    let scene = try await Scene()
    let aside = scene.box.root + "/aside"
    let planted = scene.box.folder + "/cspp-namespaces/" + scene.stranger
    try Files.copy(planted, to: aside)
    try Files.remove(planted)
    try await scene.box.keybackup(["verify", "--deep"])
    try Files.copy(aside, to: planted)
    let before = try Files.contents(planted)
    let trace = try await scene.box.traced {
      let restored = try await scene.box.keybackup(["restore", "--json"])
      #expect(try restored.json()["restored"].number == 3)
    }
    #expect(TrafficTests.Cost(trace).touches == 1)
    try await scene.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "mine", name: "Mine").utf8))
    #expect(try Files.contents(planted) == before)
    #expect(
      try await scene.box.keybackup(["wallet", "list", "--json"]).json()["wallets"]
        .items.count == 4)
  }

  @Test func `A file in the owners namespace is not asked for either`() async throws {
    let scene = try await Scene()
    try Files.remove(scene.box.folder + "/cspp-namespaces/" + scene.stranger)
    for options in [["key"], ["code", "--second-secret", "security_key"]] {
      try await scene.attacker.plant(
        options[0],
        Array(options.dropFirst()) + scene.page.named
          + [
            "--prf-salt", hex(scene.page.salt), "--time", "1", "--namespace",
            scene.backup.namespaceID,
          ])
    }
    let trace = try await scene.box.traced {
      let listed = try await scene.box.keybackup(["wallet", "list", "--json"])
      #expect(try listed.json()["wallets"].items.count == 3)
    }
    #expect(TrafficTests.Cost(trace).touches == 1)
    // Any code is tried on the invented kit; the key is not.
    let code = scene.box.root + "/code"
    try Files.write("01AB-CDEF-GHJK-MNPQ-RSVW-W\n", to: code, mode: 0o600)
    let kit = try await scene.box.traced {
      expectFailure(
        try await scene.box.keybackup(
          ["wallet", "list", "--recovery-code-file", code], expecting: nil), 80,
        says: "evil.example")
    }
    #expect(TrafficTests.Cost(kit).touches == 0)
  }

  /// A user who chose another relying party is told who can read the backup.
  ///
  /// This computer does not ask again, even after its secrets were replaced.
  @Test func `What this computer enrolled is asked for`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", "--rp-id", "own.example"])
    #expect(made.err.contains("web page of own.example"), "\(made.text)")
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "A").utf8))
    for options in [[], ["--credential"], ["--master-key"]] {
      try await box.keybackup(["rotate"] + options)
      try await box.keybackup(["wallet", "list"])
    }
    // Another computer has not enrolled it. It says so once more where it enrols.
    let other = try box.newHome()
    expectFailure(
      try await box.keybackup(["wallet", "list"], home: other, expecting: nil), 80,
      says: "own.example", "--rp-id")
    try await box.keybackup(["wallet", "list", "--rp-id", "own.example"], home: other)
    expectFailure(
      try await box.keybackup(["wallet", "list"], home: other, expecting: nil), 80,
      says: "--rp-id")
    try await box.keybackup(["rotate", "--rp-id", "own.example"], home: other)
    try await box.keybackup(["wallet", "list"], home: other)
  }

  /// Opening with a key of another relying party does not give the new key that relying party.
  @Test func `The new keys relying party is its own`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init", "--rp-id", "own.example"])
    let other = try box.newHome()
    let keys = ["--key", box.keyState, "--key", box.root + "/spare.json"]
    let added = try await box.keybackup(
      ["key", "add", "--unlock-rp-id", "own.example", "--json"], key: keys, home: other)
    #expect(try added.json()["rp_id"].text == "keybackup:")
    #expect(!added.err.contains("web page"))
    try await box.keybackup(
      ["wallet", "list"], key: ["--state", box.root + "/spare.json"], home: other)
    let third = try await box.keybackup(
      ["key", "add", "--rp-id", "own.example", "--json"],
      key: ["--key", box.keyState, "--key", box.root + "/third.json"], home: other)
    #expect(try third.json()["rp_id"].text == "own.example")
    #expect(third.err.contains("web page of own.example"))
  }

  /// `derive` would print the secret that opens the backup.
  @Test func `Derive refuses what opens a backup wherever it is`() async throws {
    let box = try Sandbox()
    let elsewhere = ["KEYBACKUP_FOLDER": box.root + "/elsewhere"]
    try Files.makeFolder(box.root + "/elsewhere")
    let id = try await box.keybackup(["init", "--rp-id", "own.example", "--json"])
      .json()["credential_id"].text
    let derive = ["derive", "--rp-id", "own.example", "--salt", "x"]
    let named = derive + ["--credential", try #require(id)]
    try Files.remove(box.home + "/.config")
    for command in [named, derive] {
      expectFailure(
        try await box.keybackup(command, environment: elsewhere, expecting: nil), 64,
        says: "opens a backup")
    }
    // A computer that has only opened it.
    let other = try box.newHome()
    try await box.keybackup(["wallet", "list", "--rp-id", "own.example"], home: other)
    expectFailure(
      try await box.keybackup(named, home: other, environment: elsewhere, expecting: nil), 64,
      says: "opens a backup")
    // A file of the named folder that nobody enrolled claims so too: it is told. No other folder is asked.
    let mine = try await box.makeCredential()
    let attacker = Attacker(box: box)
    let namespace = try #require(Files.tree(box.folder + "/cspp-namespaces").first?.prefix(32))
    try await attacker.plant(
      "key",
      [
        "--namespace", String(namespace), "--credential-id", mine, "--key-id",
        String(repeating: "ab", count: 16),
      ])
    let claimed = ["derive", "--salt", "x", "--credential", mine]
    expectFailure(
      try await box.keybackup(claimed + ["--folder", box.folder], expecting: nil), 64,
      says: "abababab", "move it away")
    try await box.keybackup(claimed)
    // What is deleted is gone, so every folder counts there.
    expectFailure(
      try await box.keybackup(["credential", "delete", mine], expecting: nil), 64, says: "--force")
  }

  /// A folder that does not answer would delay the secret.
  @Test func `A derived secret asks no folder`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    _ = try await box.makeCredential()
    let log = box.root + "/calls"
    for command in [["derive", "--salt", "x"], ["credential", "list"]] {
      try await box.keybackup(
        command, wrapper: Tracing.wrapper(log: log, ["-e", "trace=%file,getdents64"]))
      let calls = try Files.text(log)
      #expect(calls.contains(".local/state/keybackup"), "\(calls)")
      #expect(!calls.contains("cspp-namespaces"), "\(calls)")
      #expect(!calls.contains("\"\(box.folder)"), "\(calls)")
    }
  }

  /// On a network, every look at a file takes its time.
  @Test func `One unlock opens each file of a key slot once`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let log = box.root + "/calls"
    try await box.keybackup(
      ["wallet", "list"], wrapper: Tracing.wrapper(log: log, ["-e", "trace=openat,openat2"]))
    let calls = try Files.text(log).split(separator: "\n")
    let keys = Files.tree(box.folder).filter {
      $0.contains("/keys/") || $0.contains("/master-key/")
    }
    #expect(keys.count == 2, "\(keys)")
    for key in keys {
      let name = try #require(key.split(separator: "/").last)
      let opened = calls.count { $0.contains("\"\(name)\"") }
      #expect(opened == 1, "\(key): \(calls.filter { $0.contains(name) })")
    }
  }
}

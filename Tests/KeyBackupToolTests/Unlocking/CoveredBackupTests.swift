import Testing

/// Namespaces that somebody with access to the synced folder puts beside the backup.
///
/// Nothing that is readable in them without a key makes one the backup.
@Suite struct CoveredBackupTests {
  /// Before every honest time, and in a future that no clock has seen.
  static let times = [1, 4_102_444_800]

  /// A computer that knows the backup misses a deleted wallet as it would without the cover.
  @Test(arguments: times)
  func `A cover hides no deleted wallet`(time: Int) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await backup.rollBackAnImport()
    let cover = try await backup.cover(time: time)
    let status = try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: 89
    ).json()
    #expect(status["namespace_id"].text == backup.namespaceID)
    #expect(status["others"].items.map(\.text) == [cover], "\(status)")
    #expect(status["keys"].number == 1 && status["wallets"]["current"].number == 3, "\(status)")
    let trace = try await box.traced {
      let restored = try await box.keybackup(["restore", "--json"], expecting: 89)
      let json = try restored.json()
      #expect(json["restored"].number == 3 && json["others"].items.map(\.text) == [cover])
      #expect(restored.err.contains("is not used"), "\(restored.err)")
    }
    #expect(TrafficTests.Cost(trace).touches == 1, "\(trace)")
  }

  /// A computer that knows the backup still uses it as before.
  @Test func `A known backup is used as before`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    let cover = try await backup.cover(time: Self.times[1])
    let before = try Files.contents(backup.place(of: cover))
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "New").utf8))
    let deep = try await box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(deep["namespace_id"].text == backup.namespaceID)
    #expect(deep["wallets"]["current"].number == 4, "\(deep)")
    #expect(deep["others"].items.map(\.text) == [cover])
    let listed = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    #expect(listed["keys"].items.map { $0["key_id"].text } == [backup.keyID], "\(listed)")
    let verified = try await box.keybackup(["verify"], key: nil, pin: .none)
    #expect(verified.out.contains(cover) && verified.out.contains(backup.namespaceID))
    #expect(try Files.contents(backup.place(of: cover)) == before)
  }

  /// A computer that knows nothing asks, and says how the user can tell them apart.
  @Test(arguments: times)
  func `A new computer says which one opened`(time: Int) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    var covers: [String] = []
    for _ in 0..<2 { covers.append(try await backup.cover(time: time)) }
    for command in [["restore", "--out", box.root + "/out"], ["wallet", "import", "-"]] {
      let trace = try await box.traced {
        let outcome = try await box.keybackup(
          command, input: Array(Samples.entry(id: "new", name: "New").utf8), expecting: nil)
        expectFailure(
          outcome, 90, says: "the folder holds 3 backups", "opens \(backup.namespaceID)",
          "3 wallets, the newest of 2026-05-28", "--namespace")
        for id in covers + [backup.namespaceID] {
          #expect(outcome.err.split(separator: id, omittingEmptySubsequences: false).count == 2)
        }
      }
      // There are three salts, and one touch takes two.
      #expect(TrafficTests.Cost(trace).touches <= 2, "\(trace)")
    }
    #expect(Files.tree(box.root + "/out").isEmpty)
    let keyless = try await box.keybackup(["status"], key: nil, pin: .none, expecting: nil)
    expectFailure(keyless, 90, says: "the folder holds 3 backups", backup.namespaceID)
    let named = try await box.keybackup(
      ["restore", "--json", "--namespace", backup.namespaceID])
    #expect(try named.json()["restored"].number == 3)
    // From now on it is known.
    let known = try await box.keybackup(["restore", "--json"]).json()
    #expect(known["restored"].number == 3)
    #expect(Set(known["others"].items.compactMap(\.text)) == Set(covers))
  }

  /// A cover with damaged key slots does not block the backup beside it.
  @Test func `A damaged cover is passed over`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    for digit in ["0", "f"] {
      let place = backup.place(of: String(repeating: digit, count: 32)) + "/keybackup/"
      for folder in ["keys", "log"] { try Files.makeFolder(place + folder) }
      try Files.write("{}", to: place + "keys/\(String(repeating: digit, count: 32)).json")
    }
    let outcome = try await box.keybackup(["restore"], expecting: nil)
    expectFailure(outcome, 90, says: "opens \(backup.namespaceID)", "3 wallets")
  }
}

extension PreparedBackup {
  /// The path of a namespace.
  func place(of id: String) -> String { box.folder + "/cspp-namespaces/" + id }

  /// Adds a complete namespace that no key opens and that names this backup's credential.
  func cover(time: Int) async throws -> String {
    let outcome = try await box.run(
      Python.script("attacks/plant.py")
        + [
          "namespace", box.folder, "--time", "\(time)", "--wallet", "Stranger",
          "--credential-id", credentialID,
        ], key: nil)
    guard outcome.code == 0, let id = try JSON(outcome.output)["namespace_id"].text else {
      throw NotThatJSON(text: outcome.text)
    }
    return id
  }
}

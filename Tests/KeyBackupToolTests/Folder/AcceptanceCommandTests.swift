import Testing

/// A folder that lost something.
///
/// The loss is reported until a user accepts it, and a later loss is reported again.
@Suite struct AcceptanceCommandTests {
  private let status = ["status", "--json"]

  /// A backup that this computer has seen, restored to the state before its last import.
  private func rolledBack() async throws -> PreparedBackup {
    let backup = try await PreparedBackup()
    try await backup.rollBackAnImport()
    return backup
  }

  private func without(
    _ box: Sandbox, _ arguments: [String], _ code: Int32
  ) async throws -> Outcome {
    try await box.keybackup(arguments, key: ["--no-key"], pin: .none, expecting: code)
  }

  @Test func `A rollback is reported until it is accepted`() async throws {
    let backup = try await rolledBack()
    let box = backup.box
    let report = try await without(box, status, 89).json()
    #expect(report["advice"].items.contains { $0.text?.contains("status --accept") == true })
    try await box.keybackup(["restore"], expecting: 89)
    // If nobody can be asked, or the user says no, nothing is accepted.
    let unasked = try await box.keybackup(
      ["status", "--accept"], key: ["--no-key"], pin: .none, expecting: nil)
    #expect(unasked.code == 64 && unasked.err.contains("1 change"), "\(unasked.text)")
    let refused = try await box.keybackup(
      ["status", "--accept"], key: ["--no-key"], pin: .none,
      terminal: [.expect("report it no more?"), .type("n\n")], expecting: 85)
    #expect(refused.screen.contains("nothing was accepted"))
    _ = try await without(box, status, 89)
    let before = try Files.contents(box.folder)
    let accepted = try await without(box, ["status", "--accept", "--yes", "--json"], 0).json()
    #expect(accepted["accepted"]["rolled_back"].number == 1)
    #expect(try Files.contents(box.folder) == before)
    _ = try await without(box, status, 88)
    try await box.keybackup(["restore"])
    let nothing = try await without(box, ["status", "--accept"], 0)
    #expect(nothing.out.contains("nothing to accept"))
    // Work continues, and a second rollback is reported again.
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fifth", name: "Fifth").utf8))
    _ = try await without(box, status, 88)
    try Files.remove(box.folder)
    try Files.copy(box.root + "/old", to: box.folder)
    _ = try await without(box, status, 89)
  }

  @Test func `A person at a terminal accepts what is shown`() async throws {
    let backup = try await rolledBack()
    let accepted = try await backup.box.keybackup(
      ["status", "--accept"], key: ["--no-key"], pin: .none,
      terminal: [.expect("report it no more?"), .type("y\n")])
    #expect(accepted.screen.contains("1 change of computer"))
    _ = try await without(backup.box, status, 88)
  }

  @Test func `A backup that is gone is said and forgotten`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    try Files.remove(box.folder + "/cspp-namespaces")
    for command in [["status"], ["wallet", "list"], ["verify"], ["restore"]] {
      let gone = try await box.keybackup(
        command, pin: ["status", "verify"].contains(command[0]) ? .none : .file, expecting: nil)
      expectFailure(gone, 89, says: backup.namespaceID, "status --accept")
    }
    let accepted = try await without(box, ["status", "--accept", "--yes", "--json"], 0).json()
    #expect(accepted["accepted"]["vanished"].items.map(\.text) == [backup.namespaceID])
    expectFailure(
      try await box.keybackup(["status"], pin: .none, expecting: nil), 66,
      says: "there is no backup")
    let none = try await box.keybackup(["status", "--accept"], pin: .none, expecting: nil)
    expectFailure(none, 66, says: "there is no backup")
  }

  /// Another backup in the place of the known one does not prove that all is well.
  @Test func `Another backup in its place is said`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    try Files.remove(box.folder + "/cspp-namespaces")
    let other = try Sandbox()
    try await other.keybackup(["init"])
    try Files.copy(other.folder + "/cspp-namespaces", to: box.folder + "/cspp-namespaces")
    let report = try await without(box, ["status"], 89)
    #expect(report.out.contains(backup.namespaceID) && report.out.contains("is gone"))
    let named = try await box.keybackup(
      ["restore", "--namespace", backup.namespaceID], expecting: nil)
    expectFailure(named, 89, says: backup.namespaceID, "is gone")
    _ = try await without(box, ["status", "--accept", "--yes"], 0)
    _ = try await without(box, ["status"], 88)
  }

  @Test func `A fork is accepted and a new one is not`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    // Two homes that are copies of each other write separately, like two clones.
    func importing(_ id: String, _ folder: String) async throws {
      let clone = box.root + "/clone"
      if Files.exists(clone) { try Files.remove(clone) }
      try Files.copy(box.home, to: clone)
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: id, name: id).utf8),
        home: clone)
      try Files.copy(box.folder, to: folder)
    }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "own", name: "Own").utf8))
    let start = box.root + "/start"
    try Files.copy(box.folder, to: start)
    for id in ["one", "two", "three"] {
      try Files.remove(box.folder)
      try Files.copy(start, to: box.folder)
      try await importing(id, box.root + "/" + id)
    }
    try Files.remove(box.folder)
    try Files.copy(start, to: box.folder)
    for id in ["one", "two"] { try await merge(box, id) }
    let forked = try await without(box, ["status"], 89)
    #expect(forked.out.contains("contradict each other"))
    _ = try await without(box, ["status", "--accept", "--yes"], 0)
    _ = try await without(box, status, 88)
    try await box.keybackup(["verify", "--deep"])
    try await merge(box, "three")
    _ = try await without(box, status, 89)
    let all = try await box.keybackup(["restore", "--json"], expecting: 89).json()
    #expect(all["restored"].number == 7)
  }

  private func merge(_ box: Sandbox, _ name: String) async throws {
    let outcome = try await box.run(
      ["cp", "-a", box.root + "/" + name + "/.", box.folder], key: nil)
    #expect(outcome.code == 0)
  }
}

import Testing

/// `--wait-sync`: commands that wait for files that the sync program has not brought.
@Suite struct WaitSyncTests {
  /// A computer whose clock brings the removed file back after four seconds.
  private func waiting(
    _ backup: PreparedBackup, for path: String, from aside: String, home: String? = nil
  ) throws -> OwnWorld {
    let own = try OwnWorld(backup.box, home: home)
    own.clock.at(.seconds(4)) {
      do {
        try Files.copy(aside, to: path + ".part")
        try Files.move(path + ".part", to: path)
      } catch {
        Issue.record("the file was not brought: \(error)")
      }
    }
    return own
  }

  /// Runs a command of a process while a script brings back the removed file, once `ASIDE.now` is there.
  private func bringing(_ path: String, from aside: String) -> [String] {
    [
      "sh", "-c",
      #"""
      (until [ -e "$0.now" ]; do sleep 0.05; done; cp -r "$0" "$1.part"; mv -T "$1.part" "$1") &
      shift; exec "$@"
      """#, aside, path,
    ]
  }

  private func take(_ path: String, _ box: Sandbox) throws -> String {
    let aside = box.root + "/aside"
    try Files.copy(path, to: aside)
    try Files.remove(path)
    return aside
  }

  @Test(arguments: [["restore", "--json"], ["wallet", "list", "--json"], ["status", "--json"]])
  func `An empty wallet is waited for`(_ command: [String]) async throws {
    let backup = try await PreparedBackup()
    let path = backup.wallets[0]
    let aside = try take(path, backup.box)
    try Files.write([], to: path)
    let isStatus = command[0] == "status"
    let own = try waiting(backup, for: path, from: aside)
    let outcome = try await own.run(
      command + ["--wait-sync", "60"], pin: !isStatus, expecting: isStatus ? 88 : 0)
    #expect(outcome.err.contains("Waiting for 1 file to be synchronised"), "\(outcome)")
    #expect(own.clock.passed >= .seconds(4) && own.clock.passed < .seconds(10))
  }

  @Test(arguments: ["", "/cspp-namespaces"])
  func `A whole backup is waited for`(_ part: String) async throws {
    let backup = try await PreparedBackup()
    let path = backup.box.folder + part
    let aside = try take(path, backup.box)
    let own = try waiting(backup, for: path, from: aside)
    let outcome = try await own.run(["restore", "--json", "--wait-sync", "60"])
    #expect(try outcome.json()["restored"].number == 3)
    #expect(outcome.err.contains("Waiting for the folder"), "\(outcome)")
  }

  /// A file that was seen here once and is gone may also be on its way.
  ///
  /// Here it comes while a process really waits.
  @Test func `What this computer knew is waited for`() async throws {
    let backup = try await PreparedBackup()
    try await backup.box.keybackup(["wallet", "list"])
    let path = backup.operations[1]
    let aside = try take(path, backup.box)
    let outcome = try await backup.box.keybackup(
      ["restore", "--json", "--wait-sync", "3600"], wrapper: bringing(path, from: aside),
      meanwhile: [.expect("Waiting for"), .write("", to: aside + ".now")])
    #expect(try outcome.json()["failed"].items.isEmpty)
    // And if it does not come, the command says so.
    try Files.remove(path)
    let never = try await backup.box.keybackup(["restore", "--wait-sync", "1"], expecting: 89)
    #expect(never.err.contains("older than what this computer has seen"))
  }

  /// An operation that only another, sealed one names is discovered after the touch.
  @Test func `What only the opened log names is waited for`() async throws {
    let backup = try await PreparedBackup()
    let other = backup.box.root + "/other-home"
    try Files.makeFolder(other)
    let path = backup.operations[1]
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "new").utf8),
      home: other)
    let aside = try take(path, backup.box)
    let third = backup.box.root + "/third-home"
    try Files.makeFolder(third)
    let never = try await backup.box.keybackup(
      ["wallet", "remove", "new", "--wait-sync", "1"], home: third, expecting: nil)
    expectFailure(never, 75, says: "not synchronised after 1 s")
    let own = try waiting(backup, for: path, from: aside, home: third)
    let outcome = try await own.run(["restore", "--json", "--wait-sync", "60"])
    #expect(try outcome.json()["restored"].number == 4)
  }

  /// Sealed operations of which only the ones around it are here.
  @Test func `A missing change of a computer without the key is waited for`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for name in ["a", "b", "c"] { try await computers.serverAdds(name, as: name) }
    let second = try #require(
      Files.tree(computers.box.folder).first {
        $0.contains("/sealed/") && $0.contains("/00000002-")
      })
    let path = computers.box.folder + "/" + second
    let aside = try take(path, computers.box)
    let third = computers.box.root + "/third"
    let own = try waiting(computers.backup, for: path, from: aside, home: third)
    let list = try await own.run(["file", "list", "--json", "--wait-sync", "60"]).json()
    #expect(list["files"].items.count == 3 && list["gaps"].items.isEmpty, "\(list)")
  }

  @Test func `After the time it is said what is lacking`() async throws {
    let backup = try await PreparedBackup()
    try Files.write([], to: backup.wallets[0])
    let name = NotHereYetTests.split(backup.wallets[0]).1
    let trace = try await backup.box.traced {
      let outcome = try await backup.box.keybackup(["restore", "--wait-sync", "1"], expecting: nil)
      expectFailure(outcome, 75, says: "1 file is not synchronised after 1 s", name, "hint: ")
    }
    #expect(trace.isEmpty, "the key was asked: \(trace)")
    let json = try await backup.box.keybackup(
      ["wallet", "list", "--json", "--wait-sync", "0"], expecting: nil)
    try expectFailure(json, 75, word: "incomplete")
    let status = try await backup.box.keybackup(
      ["status", "--wait-sync", "1"], pin: .none, expecting: 75)
    #expect(status.out.contains(name), "\(status)")
    let nothing = try Sandbox()
    let empty = try await nothing.keybackup(["restore", "--wait-sync", "1"], expecting: nil)
    expectFailure(empty, 66, says: "there is no backup in")
  }

  @Test func `Interrupting ends the wait at once`() async throws {
    let backup = try await PreparedBackup()
    try Files.write([], to: backup.wallets[0])
    try await backup.box.keybackup(
      ["restore", "--wait-sync", "86400"], terminal: [.expect("Waiting for"), .interrupt],
      expecting: 130)
  }

  @Test func `Many files are one line`() async throws {
    let backup = try await PreparedBackup()
    for path in backup.wallets + [backup.operations[1], backup.wrapper] {
      try Files.write([], to: path)
    }
    let status = try await backup.box.keybackup(["status"], pin: .none, expecting: 75)
    let lines = status.out.split(separator: "\n").filter { $0.hasPrefix("incomplete") }
    #expect(lines.count == 1 && lines[0].contains("5 files are not here yet"), "\(status)")
    let all = try await backup.box.keybackup(["status", "-v"], pin: .none, expecting: 75)
    #expect(all.out.split(separator: "\n").count { $0.hasPrefix("incomplete") } == 5, "\(all)")
  }

  @Test(arguments: [["status", "--wait-sync", "-1"], ["status", "--wait-sync", "86401"]])
  func `The time is checked`(_ command: [String]) async throws {
    let box = try Sandbox()
    try await box.keybackup(command, pin: .none, expecting: 64)
  }

  /// It cannot know whether a backup is on its way.
  @Test func `Init does not wait`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init", "--wait-sync", "1"], expecting: 64)
  }
}

import Testing

/// Ways in with guards are made, renewed and ended, also after an interruption.
@Suite struct GuardLifeTests {
  @Test func `Guards that want an invite get it in a second run`() async throws {
    let backup = try await PreparedBackup()
    let circle = try await GuardCircle(3, in: backup.box)
    for number in 1...3 { try circle.ask(number, forInvite: "code-\(number)") }
    let pinFile = backup.box.root + "/pin-of-guards"
    let command =
      ["guard", "add", "--pin", "--threshold", "2", "--yes", "--json", "--pin-out", pinFile]
      + circle.servers
    let uninvited = try await backup.box.keybackup(command, expecting: nil)
    #expect(uninvited.code == 85 && uninvited.text.contains("--invite URL=CODE"))
    #expect(uninvited.text.contains("it wants an invite"), "\(uninvited.text)")
    let wrong = try await backup.box.keybackup(command + ["--invite", "wrong"], expecting: nil)
    #expect(
      wrong.code == 85 && wrong.text.contains("it does not know this invite, or it was used"),
      "\(wrong.text)")
    let invites = circle.members.enumerated().flatMap { ["--invite", "\($1.url)=code-\($0 + 1)"] }
    let other = try await backup.box.keybackup(
      [
        "guard", "add", "--pin", "--threshold", "1", "--yes", "--pin-out", pinFile, "--server",
        circle.members[0].url,
      ], expecting: nil)
    expectFailure(other, 64, says: "another way in with guards is unfinished", "--restart")
    try await backup.box.keybackup(command + invites)
    try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin-file", pinFile], key: ["--no-key"], pin: .none)
  }

  @Test(arguments: ["accounts", "evaluate", "confirm"])
  func `A guard that fails in the middle of an enrolment is waited for`(call: String) async throws {
    let backup = try await PreparedBackup()
    let circle = try await GuardCircle(3, in: backup.box)
    let pinFile = backup.box.root + "/pin-of-guards"
    let command =
      ["guard", "add", "--pin", "--threshold", "2", "--yes", "--json", "--pin-out", pinFile]
      + circle.servers
    try circle.fail(2, at: call)
    let stopped = try await backup.box.keybackup(command, expecting: nil)
    #expect(stopped.code == 69, "\(stopped.text)")
    #expect(
      try stopped.json()["error"]["hint"].text?.contains("run the same command again within a day")
        == true, "\(stopped.text)")
    #expect(!Files.exists(pinFile))
    try circle.fail(2, at: "nothing")
    let done = try await backup.box.keybackup(command)
    #expect(done.err.contains("An unfinished way in was found"), "\(done.text)")
    // The accounts are the same, and each evaluated once.
    for number in 1...3 { #expect(try circle.accounts(number).count == 1) }
    try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin-file", pinFile], key: ["--no-key"], pin: .none)
    let status = try await backup.box.keybackup(
      ["guard", "status", "--json"], key: nil, pin: .none)
    #expect(try status.json()["ways"][0]["tries_left"].number == 30)
  }

  @Test func `A renewed PIN replaces the earlier one, whose accounts end when a person says so`()
    async throws
  {
    let guarded = try await GuardedBackup()
    let box = guarded.box
    let newPIN = box.root + "/new-pin"
    let renewed = try await box.keybackup(
      ["guard", "renew", "--yes", "--json", "--pin-out", newPIN]).json()
    #expect(renewed["replaces"].text == guarded.keyID)
    let listed = try await box.keybackup(["key", "list"], key: nil, pin: .none)
    #expect(listed.out.contains("earlier one") && listed.out.contains("new one"), "\(listed.text)")
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: nil)
    #expect(status.out.contains("keybackup guard renew --finish"), "\(status.text)")
    // A PIN that never opened anything here does not end the earlier one unasked.
    let untried = try await box.keybackup(["guard", "renew", "--finish"], expecting: nil)
    expectFailure(untried, 64, says: "has not opened the backup on this computer", "--yes")
    // Both open the backup until then; nothing makes a third.
    try await guarded.alone(["wallet", "list"] + guarded.opening(newPIN))
    try await guarded.alone(
      ["wallet", "list", "--guard-way", guarded.keyID] + guarded.opening())
    let again = try await box.keybackup(
      ["guard", "renew", "--yes", "--pin-out", box.root + "/third"], expecting: nil)
    expectFailure(again, 64, says: "has a new way in already", "--finish")
    let finished = try await box.keybackup(["guard", "renew", "--finish", "--json"]).json()
    #expect(finished["removed"].text == guarded.keyID)
    #expect(finished["retired"].items.count == 3 && finished["failed"].items.isEmpty)
    try await guarded.alone(["wallet", "list"] + guarded.opening(newPIN))
    for number in 1...3 {
      let phases = try guarded.circle.accounts(number).map { $0["phase"].text ?? "" }.sorted()
      #expect(phases == ["confirmed", "retired"])
    }
  }

  @Test func `Retiring ends a way in at all guards, also at one that was down`() async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(1, be: "down")
    let retired = try await guarded.box.keybackup(
      ["guard", "retire", "PIN with guards", "--yes"], expecting: nil)
    #expect(retired.code == 87, "\(retired.text)")
    let gone = try await guarded.alone(["wallet", "list"] + guarded.opening(), expecting: nil)
    expectFailure(gone, 66, says: "no way in with a PIN and guards")
    try guarded.circle.make(1, be: "honest")
    let again = try await guarded.box.keybackup(["guard", "retire", "--json"]).json()
    #expect(again["failed"].items.isEmpty && again["retired"].items.count == 1)
    // What is retired is told once, also where a guard is down later.
    try guarded.circle.make(2, be: "down")
    let later = try await guarded.box.keybackup(["guard", "retire", "--json"])
    #expect(try later.json()["retired"].items.isEmpty)
    #expect(!later.err.contains("not retired"), "\(later.text)")
    for number in 1...3 {
      #expect(try guarded.circle.accounts(number)[0]["phase"].text == "retired")
    }
  }
}

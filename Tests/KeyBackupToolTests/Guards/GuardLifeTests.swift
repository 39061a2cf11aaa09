import Glibc
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

  @Test func `A run that ended between the PIN's file and the way in is continued`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let circle = try await GuardCircle(3, in: box)
    let pinFile = box.root + "/pin-of-guards"
    let command =
      ["guard", "add", "--pin", "--threshold", "2", "--yes", "--pin-out", pinFile]
      + circle.servers
    try circle.fail(2, at: "confirm")
    try await box.keybackup(command, expecting: 69)
    // This computer and the folder as they are before the last guard has confirmed.
    try Files.copy(box.home, to: box.root + "/home-before")
    try Files.copy(box.folder, to: box.root + "/cloud-before")
    try circle.fail(2, at: "nothing")
    try await box.keybackup(command)
    let pin = try Files.text(pinFile)
    for place in ["home", "cloud"] {
      try Files.remove(box.root + "/" + place)
      try Files.copy("\(box.root)/\(place)-before", to: box.root + "/" + place)
    }
    // Only the PIN itself, which nobody else can read, counts as written.
    for (text, mode) in [(pin + "0\n", 0o600), ("111111\n", 0o600), ("", 0o600), (pin, 0o644)]
      as [(String, mode_t)]
    {
      try Files.write(text, to: pinFile, mode: mode)
      let refused = try await box.keybackup(command, expecting: nil)
      expectFailure(refused, 73, says: "cannot be created", "goes on with another name")
      #expect(try Files.text(pinFile) == text)
    }
    // To begin again needs another file, and forgets nothing before it has one.
    try Files.write(pin, to: pinFile, mode: 0o600)
    try await box.keybackup(command + ["--restart"], expecting: 73)
    try await box.keybackup(command)
    #expect(try Files.text(pinFile) == pin)
    try await box.keybackup(
      ["wallet", "list", "--guard-pin-file", pinFile], key: ["--no-key"], pin: .none)
    // Nothing is unfinished any more.
    try await box.keybackup(command, expecting: 73)
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

  @Test func `After a rotation each renewal is a command that can be copied`() async throws {
    let guarded = try await GuardedBackup()
    let box = guarded.box
    let second = try await box.keybackup(
      [
        "guard", "add", "--pin", "--threshold", "2", "--yes", "--json", "--label", "second PIN",
        "--pin-out", box.root + "/second-pin",
      ] + guarded.circle.servers
    ).json()
    let ids = [guarded.keyID, try #require(second["key_id"].text)].map { $0.prefix(8) }
    let rotated = try await box.keybackup(["rotate", "--master-key"])
    let listed = try await box.keybackup(["key", "list"], key: nil, pin: .none)
    let lines = zip(["PIN with guards", "second PIN"], ids)
      .map { "To renew \"\($0)\": keybackup guard renew \($1)\n" }
    for line in lines {
      #expect(rotated.err.contains(line), "\(rotated.text)")
      #expect(listed.err.contains(line), "\(listed.text)")
    }
    try await box.keybackup(
      ["guard", "renew", String(ids[1]), "--yes", "--pin-out", box.root + "/new-pin"])
    // The earlier one of a renewal waits for its end, and is not renewed again.
    let after = try await box.keybackup(["key", "list"], key: nil, pin: .none)
    #expect(after.err.contains(lines[0]) && !after.err.contains(lines[1]), "\(after.text)")
  }

  @Test func `Where only guards are left, no guard is asked to make an account`() async throws {
    let guarded = try await GuardedBackup()
    try await guarded.alone(
      ["key", "remove", guarded.backup.keyID, "--last", "--yes"] + guarded.opening())
    let before = guarded.circle.count("accounts")
    let refused = try await guarded.alone(
      [
        "guard", "add", "--pin", "--threshold", "2", "--yes", "--pin-out",
        guarded.box.root + "/other",
      ]
        + guarded.circle.servers + guarded.opening(), expecting: nil)
    expectFailure(refused, 64, says: "guards cannot be the only way into a backup", "key add")
    #expect(!refused.text.contains("run the same command again"))
    #expect(guarded.circle.count("accounts") == before)
    #expect(!Files.exists(guarded.box.root + "/other"))
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

  @Test func `An account is retired only where the guard is that does not know it`() async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(1, be: "elsewhere")
    let retired = try await guarded.box.keybackup(
      ["guard", "retire", "PIN with guards", "--yes"], expecting: nil)
    #expect(retired.code == 87, "\(retired.text)")
    #expect(retired.err.contains("not at its address any more"), "\(retired.text)")
    // The guard signs its description, and lost its accounts.
    try guarded.circle.make(1, be: "forgetful")
    let again = try await guarded.box.keybackup(["guard", "retire", "--json"]).json()
    // The other two are known to be retired.
    #expect(again["failed"].items.isEmpty && again["retired"].items.count == 1)
  }
}

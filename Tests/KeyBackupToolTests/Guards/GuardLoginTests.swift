import Testing

/// A login opens the backup after its delay, unless somebody vetoes it.
@Suite struct GuardLoginTests {
  /// A backup with a login and three guards, two of which are needed.
  private struct LoginBackup {
    let backup: PreparedBackup
    let circle: GuardCircle
    /// The variables of a computer with a browser, which follows redirects by itself.
    let browser: [String: String]
    var box: Sandbox { backup.box }

    init(delay: String) async throws {
      backup = try await PreparedBackup()
      circle = try await GuardCircle(3, in: backup.box)
      let bin = backup.box.root + "/bin"
      try Files.makeFolder(bin)
      try Files.write(
        "#!/bin/sh\nexec /usr/bin/python3 -c 'import sys,urllib.request as r; r.urlopen(sys.argv[1]).read()' \"$1\"\n",
        to: bin + "/xdg-open", mode: 0o755)
      browser = ["PATH": bin + ":/usr/bin:/bin", "DISPLAY": ":7"]
      try await backup.box.keybackup(
        [
          "guard", "add", "--login", circle.issuer, "--client-id", "client", "--delay", delay,
          "--threshold", "2", "--yes",
        ] + circle.servers, environment: browser)
    }

    func restore(
      to out: String, home: String? = nil, _ more: [String] = [], expecting: Int32?
    ) async throws -> Outcome {
      try await box.keybackup(
        ["restore", "--guard-login", "--out", box.root + "/" + out] + more, key: ["--no-key"],
        pin: .none, home: home, environment: browser, expecting: expecting)
    }
  }

  @Test func `A login without a delay opens the backup at once`() async throws {
    let login = try await LoginBackup(delay: "0")
    let opened = try await login.restore(to: "one", expecting: 0)
    #expect(opened.out.contains("Restored 3 wallets"), "\(opened.text)")
    #expect(opened.err.contains("A browser opens for the login at 127.0.0.1"), "\(opened.text)")
    // One guard lies about its secret, and another takes its place.
    try login.circle.make(1, be: "wrong-release")
    let replaced = try await login.restore(to: "two", expecting: 0)
    #expect(replaced.err.contains(login.circle.members[0].guardID), "\(replaced.text)")
    try login.circle.make(2, be: "down")
    let few = try await login.restore(to: "three", expecting: nil)
    expectFailure(few, 65, says: "gave a wrong answer")
    // The release that was begun stays: the next run collects it, and says how to begin another.
    let again = try await login.restore(to: "three", expecting: nil)
    expectFailure(again, 65, says: "gave a wrong answer", "--new-login")
    #expect(!again.err.contains("A browser opens"), "\(again.text)")
    // Another person at the same provider gets nothing.
    for number in 1...3 { try login.circle.make(number, be: "honest") }
    try login.circle.logIn(as: "another")
    let other = try await login.restore(to: "four", ["--new-login"], expecting: nil)
    expectFailure(other, 85, says: "the guards do not accept the login")
    try login.circle.logIn(as: "nobody")
    let refused = try await login.restore(to: "five", expecting: nil)
    expectFailure(refused, 85, says: "was refused")
  }

  @Test func `A pasted address without a login is told from one that the provider refused`()
    async throws
  {
    let login = try await LoginBackup(delay: "0")
    let asked = "The address at which the browser ended"
    let pasted = try await login.box.keybackup(
      ["restore", "--guard-login", "--paste-login", "--out", login.box.root + "/pasted"],
      key: ["--no-key"], pin: .none,
      terminal: [
        .expect(asked), .type("https://example.com/foo\r"), .expect("has no login in it"),
        .expect(asked), .type("http://127.0.0.1/?error=access_denied\r"),
        .expect("The provider refused: access_denied."), .expect(asked), .type("\r"),
      ], expecting: nil)
    #expect(pasted.code == 85, "\(pasted.text)")
  }

  @Test func `A release waits for its delay, and needs no second login then`() async throws {
    let login = try await LoginBackup(delay: "24h")
    try login.circle.stopClock(at: 2_000_000_000)
    let begun = try await login.restore(to: "one", expecting: nil)
    expectFailure(begun, 75, says: "release the backup at 2033-05-19 03:33", "guard veto")
    // Nobody can be asked to log in again, and the release that waits is kept.
    let unattended = try await login.restore(
      to: "one", ["--no-input", "--new-login"], expecting: nil)
    expectFailure(unattended, 78, says: "--no-input asks nobody", "--events-fd")
    let logins = login.circle.requests(1).count { $0.hasPrefix("/issuer/token") }
    try login.circle.stopClock(at: 2_000_086_399)
    let early = try await login.restore(to: "one", ["--no-input"], expecting: nil)
    expectFailure(early, 75, says: "2033-05-19 03:33")
    // Any computer sees it, without a key. The one that logged in knows that it was itself.
    let seen = try await login.box.keybackup(["guard", "status"], key: nil, pin: .none)
    #expect(
      seen.out.contains("Your login of 2033-05-18 03:33 UTC on this computer"), "\(seen.text)")
    let home = login.box.root + "/another-home"
    try Files.makeFolder(home)
    let other = try await login.box.keybackup(
      ["guard", "status"] + login.circle.named, key: nil, pin: .none, home: home, expecting: 88)
    #expect(other.out.contains("Somebody logged in at 2033-05-18 03:33"), "\(other.text)")
    let status = try await login.box.keybackup(
      ["status", "--guards", "--json"], key: nil, pin: .none, expecting: nil)
    let release = try status.json()["guarded_ways"][0]["releases"][0]
    #expect(release["own"].flag == true && release["used_at"].number == nil)
    // The session's secret suffices, whatever became of the times beside it.
    let root = login.box.root
    let times = try #require(
      Files.tree(root).first { $0.wholeMatch(of: /.*\/guards\/login-[0-9a-f]+\.json/) != nil })
    try Files.write("{\"", to: root + "/" + times, mode: 0o600)
    let damaged = try await login.restore(to: "one", expecting: nil)
    expectFailure(damaged, 75, says: "2033-05-19 03:33", "is damaged, so all guards are asked")
    try login.circle.stopClock(at: 2_000_086_400)
    let opened = try await login.restore(to: "one", expecting: 0)
    #expect(opened.out.contains("Restored 3 wallets"), "\(opened.text)")
    #expect(login.circle.requests(1).count { $0.hasPrefix("/issuer/token") } == logins)
    let used = try await login.box.keybackup(["guard", "status"], key: nil, pin: .none)
    #expect(used.out.contains("opened the backup on this computer"), "\(used.text)")
  }

  @Test func `A vetoed release opens nothing, and a new login begins another`() async throws {
    let login = try await LoginBackup(delay: "24h")
    try login.circle.stopClock(at: 2_000_000_000)
    let begun = try await login.restore(to: "one", expecting: 75)
    let id = try #require(begun.err.firstMatch(of: /guard veto ([0-9a-f]{32})/)).1
    // Another ID stops nothing.
    let last = id.last == "0" ? "1" : "0"
    let mistyped = try await login.box.keybackup(
      ["guard", "veto", String(id.dropLast()) + last], expecting: nil)
    expectFailure(mistyped, 66, says: "no guard knows a login with this ID; nothing was stopped")
    #expect(login.circle.count("veto") == 0)
    try login.circle.make(3, be: "down")
    let unsure = try await login.box.keybackup(["guard", "veto", "0000"], expecting: nil)
    #expect(unsure.code != 0 && login.circle.count("veto") == 0, "\(unsure.text)")
    let vetoed = try await login.box.keybackup(
      ["guard", "veto", String(id.prefix(8)), "--json"], expecting: 87)
    #expect(try vetoed.json()["confirmed"].items.count == 2)
    try login.circle.make(2, be: "down")
    let few = try await login.box.keybackup(["guard", "veto", String(id)], expecting: nil)
    expectFailure(few, 69, says: "may still open the backup")
    // A guard that does not know the account has stopped nothing.
    for word in ["elsewhere", "forgetful"] {
      for number in 1...3 { try login.circle.make(number, be: word) }
      let unknown = try await login.box.keybackup(["guard", "veto", String(id)], expecting: nil)
      expectFailure(unknown, 69, says: "may still open the backup")
    }
    for number in 1...3 { try login.circle.make(number, be: "honest") }
    try login.circle.stopClock(at: 2_000_090_000)
    let stopped = try await login.restore(to: "one", expecting: nil)
    expectFailure(stopped, 85, says: "stopped this login")
    let again = try await login.restore(to: "one", expecting: nil)
    expectFailure(again, 75, says: "2033-05-20 04:33")
  }
}

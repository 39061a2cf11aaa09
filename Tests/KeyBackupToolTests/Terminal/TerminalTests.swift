import Testing

/// A user at a terminal: prompts, Ctrl-C, the progress bar.
@Suite struct TerminalTests {
  @Test func `Asks for the PIN and shows the tries left`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let piped = try await box.keybackup(Sandbox.derive)
    let outcome = try await box.keybackup(
      Sandbox.derive, pin: .none,
      terminal: [
        .expect("PIN for Virtual Key (8 tries left): "), .type(Sandbox.pin + "\n"),
        .expect("Touch Virtual Key now"),
      ])
    // Only the result goes to standard output; the PIN is not echoed.
    #expect(outcome.out == piped.out && outcome.stepsLeft.isEmpty)
    #expect(outcome.terminalIsSane)
    #expect(!outcome.screen.contains(String(piped.out.dropLast())))
  }

  @Test func `A person may type another PIN and the same one is not sent twice`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none,
        terminal: [
          .expect("(8 tries left): "), .type("wrong-one\n"), .expect("Wrong PIN."),
          .expect("(7 tries left): "), .type("wrong-one\n"), .expect("not sent again"),
          .expect("(7 tries left): "), .type("abc\n"), .expect("too short"),
          .expect("(7 tries left): "), .type(Sandbox.pin + "\n"),
        ])
      #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane, "\(outcome.screen)")
      #expect(!outcome.screen.contains("wrong-one"))
    }
    #expect(PINTests.tries(trace) == 2, "\(trace)")
  }

  /// Each file that is waited for is told: a descriptor for each would soon be one too many.
  @Test func `The terminal is opened once`() async throws {
    let backup = try await PreparedBackup()
    let log = backup.box.root + "/calls"
    let asked = try await backup.box.keybackup(
      ["wallet", "remove", PreparedBackup.ids[0]], pin: .none,
      wrapper: Tracing.wrapper(log: log, ["-e", "trace=open,openat"]),
      terminal: [
        .expect("tries left): "), .type(Sandbox.pin + "\n"), .expect("[y/N] "), .type("n\n"),
      ], expecting: 85)
    #expect(asked.stepsLeft.isEmpty, "\(asked.text)")
    let calls = String(decoding: try Files.read(log), as: UTF8.self).split(separator: "\n")
    #expect(calls.filter { $0.contains("\"/dev/tty\"") }.count == 1, "\(asked.text)")
  }

  @Test func `End of input at the prompt ends it`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["credential", "create"], pin: .none,
      terminal: [.expect("tries left): "), .type("\u{4}")], expecting: nil)
    #expect(outcome.code == 78 && outcome.terminalIsSane, "\(outcome)")
  }

  // MARK: Ctrl-C

  @Test func `Interrupted at the PIN prompt`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive, pin: .none, terminal: [.expect("tries left): "), .pause(100), .interrupt],
      expecting: 130)
    #expect(outcome.out.isEmpty && outcome.terminalIsSane, "\(outcome)")
    #expect(outcome.screen.contains("interrupted"))
  }

  /// The key is free at once: the second command, on the same plugged-in key,
  /// gets its touch.
  @Test func `Interrupted while waiting for the touch`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let script = """
      trap : INT
      "$@" --touch-me; code=$?
      echo "code $code"
      stty -a | tr ';' '\\n' | grep -qw -- -echo && echo "no echo"
      "$@"; echo "code $?"
      """.replacing(" --touch-me", with: "")
    let command = ["sh", "-c", script, "sh", Build.keybackup] + Sandbox.derive
    let outcome = try await box.run(
      command + ["--credential", id], key: ["--set", "untouched=1"],
      terminal: [
        .expect("tries left): "), .type(Sandbox.pin + "\n"), .expect("Touch Virtual Key now"),
        .find("WAITING", in: box.tracePath), .interrupt, .expect("tries left): "),
        .type(Sandbox.pin + "\n"),
      ])
    let lines = outcome.out.split(separator: "\n").map(String.init)
    #expect(outcome.terminalIsSane && outcome.stepsLeft.isEmpty)
    #expect(lines.count == 3 && lines.first == "code 130" && lines.last == "code 0", "\(outcome)")
    #expect(box.trace.contains("CANCEL"))
  }

  @Test(arguments: ["TERM", "HUP", "INT"])
  func `Ended by a signal while waiting for the touch`(_ signal: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    // Not in a shell's background, where SIGINT is ignored, and stays so.
    let script =
      #"(until grep -q WAITING "$0"; do sleep 0.02; done; kill -\#(signal) $$) & exec "$@""#
    try await box.keybackup(
      Sandbox.derive, key: ["--touch", "never"], wrapper: ["sh", "-c", script, box.tracePath],
      expecting: 130)
  }

  @Test func `Interrupted init leaves nothing half done`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["init"], key: ["--touch", "never"],
      terminal: [.expect("Touch Virtual Key now (1 of 3"), .pause(200), .interrupt],
      expecting: 130)
    #expect(outcome.terminalIsSane)
    #expect(Files.tree(box.folder).isEmpty)
    try await box.keybackup(["init"])
  }

  @Test func `An init that fails takes the folder it made away again`() async throws {
    let box = try Sandbox()
    let new = box.root + "/new"
    try await box.keybackup(
      ["init", new], key: ["--no-key"], pin: .none, environment: ["KEYBACKUP_FOLDER": ""],
      expecting: 69)
    #expect(!Files.exists(new))
    try await box.keybackup(["init", new], environment: ["KEYBACKUP_FOLDER": ""])
    #expect(Files.exists(new))
  }

  // MARK: Results

  @Test func `A secret is not shown on a terminal unasked`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, terminal: [], standardOutput: .terminal, expecting: 64)
      #expect(outcome.screen.contains("--reveal"))
    }
    #expect(!trace.contains("TOUCH"))
    let shown = try await box.keybackup(
      Sandbox.derive + ["--reveal"], terminal: [], standardOutput: .terminal)
    let piped = try await box.keybackup(Sandbox.derive)
    #expect(shown.screen.contains(piped.out.dropLast()))
  }

  @Test func `Many wallets show a progress bar on a terminal only`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    let entries = (0..<300).map { Samples.entry(id: "w\($0)", name: "\($0)") }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
    let restore = ["restore", "--out", box.root + "/out"]
    let seen = try await box.keybackup(restore, terminal: [])
    #expect(seen.screen.contains("of 300") && seen.screen.contains("[="), "\(seen.screen)")
    // It is gone at the end, and nowhere else.
    let last = seen.screen.split(separator: "\r").last ?? ""
    #expect(!last.contains("of 300"))
    #expect(!seen.out.contains("of 300"))
    for (options, environment) in [(["--quiet"], [:]), ([], ["TERM": "dumb"])] {
      let quiet = try await box.keybackup(
        ["restore"] + options, environment: environment, terminal: [])
      #expect(!quiet.screen.contains("[="))
    }
    let piped = try await box.keybackup(["restore"])
    #expect(!piped.text.contains("[="))
  }

  @Test func `New PI ns are typed twice`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["pin", "set"], key: ["no-pin"], pin: .none,
      terminal: [
        .expect("New PIN: "), .type("one-pin-1\n"), .expect("again: "), .type("two-pin-2\n"),
        .expect("not the same"), .expect("New PIN: "), .type(Sandbox.pin + "\n"),
        .expect("again: "), .type(Sandbox.pin + "\n"),
      ])
    #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane)
    _ = try await box.makeCredential()
  }

  @Test func `A wallets words are typed unseen`() async throws {
    let backup = try await PreparedBackup()
    // From a terminal, standard input is a hidden prompt or plain lines; typed text must not appear
    // on the screen.
    let outcome = try await backup.box.keybackup(
      ["wallet", "add", "--name", "Typed", "--network", "bitcoin", "--mnemonic", "-"],
      terminal: [
        .expect("(hidden): "), .type(Samples.mnemonic + "\n"), .pause(300), .type("\u{4}"),
      ],
      expecting: nil, secrets: true)
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(!outcome.screen.contains("abandon abandon"), "echoed: \(outcome.screen)")
  }

  /// A bare Enter is not a PIN that the key refused: none was sent.
  @Test func `An empty PIN is told to be too short`() async throws {
    let backup = try await PreparedBackup()
    let outcome = try await backup.box.keybackup(
      ["wallet", "list"], pin: .none,
      terminal: [
        .expect("PIN for"), .type("\n"), .expect("too short"), .expect("8 tries left"),
        .type(Sandbox.pin + "\n"),
      ])
    #expect(!outcome.screen.contains("refused"), "\(outcome.screen)")
  }

  @Test func `Removing a wallet asks first`() async throws {
    let backup = try await PreparedBackup()
    let remove = ["wallet", "remove", "first-wallet"]
    let kept = try await backup.box.keybackup(
      remove, terminal: [.expect("[y/N]"), .type("n\n")], expecting: nil)
    #expect(kept.code == 85 && kept.screen.contains("nothing was removed"), "\(kept)")
    try await backup.box.keybackup(remove, terminal: [.expect("[y/N]"), .type("y\n")])
    let left = try await backup.box.keybackup(["restore", "--json"])
    #expect(try left.json()["restored"].number == 2)
  }
}

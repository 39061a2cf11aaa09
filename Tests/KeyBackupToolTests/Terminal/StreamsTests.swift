import Testing

/// Streams, and texts that must never be on any of them.
@Suite struct StreamsTests {
  /// As a shell starts a program; the simulated key's ignores SIGPIPE, and so would its child.
  private static let asByShell = ["env", "--default-signal=PIPE"]

  @Test func `A reader that went away is no crash`() async throws {
    let backup = try await PreparedBackup()
    _ = try await backup.box.makeCredential(["--rp-id", "pipe.example"])
    for command in [
      Sandbox.derive, ["wallet", "list"], ["status"], ["--help"], ["--version"], ["key", "list"],
      ["restore"],
    ] {
      let arguments = command == Sandbox.derive ? command + ["--rp-id", "pipe.example"] : command
      let outcome = try await backup.box.keybackup(
        arguments,
        pin: ["status", "--help", "--version", "key"].contains(command[0]) ? .none : .file,
        wrapper: Self.asByShell, standardOutput: .brokenPipe, expecting: nil)
      // The end by SIGPIPE that a shell expects, without a word. Nobody was to be told more.
      #expect(outcome.code == 141, "\(arguments): \(outcome)")
      #expect(!outcome.err.contains("could not be written"), "\(outcome.err)")
    }
    // A process that is started to ignore SIGPIPE gets an error.
    for command in ["status", "--help", "--version"] {
      let ignoring = try await backup.box.keybackup(
        [command], pin: .none, wrapper: ["sh", "-c", #"trap "" PIPE; exec "$@""#, "sh"],
        standardOutput: .brokenPipe, expecting: 74)
      #expect(ignoring.err.contains("could not be written: Broken pipe"), "\(ignoring.err)")
      let full = try await backup.box.keybackup(
        [command], pin: .none, standardOutput: .full, expecting: 74)
      #expect(full.err.contains("could not be written: No space left"), "\(full.err)")
    }
  }

  /// A command that has changed something says so: the reader does not know.
  @Test func `A change is told where the reader went away`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let added = try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "New").utf8),
      wrapper: Self.asByShell, standardOutput: .brokenPipe, expecting: 74)
    #expect(added.err.contains("hint: "), "\(added.err)")
    #expect(try await box.keybackup(["restore", "--json"]).json()["restored"].number == 4)
    let out = box.root + "/out"
    let restored = try await box.keybackup(
      ["restore", "--out", out], wrapper: Self.asByShell, standardOutput: .brokenPipe,
      expecting: 74)
    #expect(restored.err.contains("hint: 4 wallets are in \(out)"), "\(restored.err)")
    #expect(Files.tree(out).count == 4)
    _ = try await box.makeCredential(["--rp-id", "pipe.example"])
    for command in [
      ["wallet", "show", "new"], Sandbox.derive + ["--rp-id", "pipe.example", "--json"],
    ] {
      let file = box.root + "/" + command[0]
      let written = try await box.keybackup(
        command + ["--out", file], wrapper: Self.asByShell, standardOutput: .brokenPipe,
        expecting: 74)
      // An error in JSON goes to the reader that is gone: the code is all that is left.
      if !command.contains("--json") {
        #expect(written.err.contains("\(file) was written all the same"), "\(written.err)")
      }
      #expect(Files.exists(file))
    }
    // A code that nobody could read is no way in, and its page is gone.
    let page = box.root + "/kit.html"
    let kit = try await box.keybackup(
      ["recovery-kit", "create", "--reveal", "--out", page], wrapper: Self.asByShell,
      standardOutput: .brokenPipe, expecting: 74)
    #expect(kit.err.contains("no way in was added"), "\(kit.err)")
    #expect(!Files.exists(page) && Files.tree(backup.place + "/keybackup/keys").count == 1)
  }

  @Test func `Results go to standard output and nothing else`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let derived = try await box.keybackup(Sandbox.derive)
    #expect(derived.out.wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
    #expect(derived.err.contains("Touch Virtual Key now"))
    let quiet = try await box.keybackup(["init", "--json", "--quiet"])
    _ = try quiet.json()
    #expect(quiet.out.filter { $0 == "\n" }.count == 1, "one object, one line")
    for command in [["status"], ["verify"], ["key", "list"], ["devices"], ["wallet", "list"]] {
      let isPlain = ["status", "verify", "key", "devices"].contains(command[0])
      let outcome = try await box.keybackup(
        command + ["--json"], pin: isPlain ? .none : .file, expecting: nil)
      _ = try outcome.json()
    }
  }

  /// Every run of the suite is searched for secrets.
  ///
  /// This test also searches everything that is written into the folder, the home and the temporary
  /// folder.
  @Test func `No secret is written in plain`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(
      [
        "wallet", "add", "--name", "Secret name", "--network", "bitcoin", "--mnemonic", "-",
        "--trace",
      ].filter { $0 != "--trace" }, input: Array(Samples.mnemonic.utf8))
    for folder in [box.folder, box.home, box.root + "/tmp"] {
      for (name, bytes) in try Files.contents(folder) {
        let text = String(decoding: bytes, as: UTF8.self)
        for secret in Samples.secrets + ["Secret name", "Name of first-wallet"] {
          #expect(!text.contains(secret), "\(name)")
          #expect(!text.contains(hex(Array(secret.utf8))), "\(name)")
        }
        #expect(!name.contains("Secret") && !name.contains("first-wallet"))
      }
    }
  }

  @Test func `Nothing in the folder or home is for others`() async throws {
    let backup = try await PreparedBackup()
    try await backup.box.keybackup(["restore", "--out", backup.box.root + "/out"])
    for folder in [backup.box.folder, backup.box.home, backup.box.root + "/out"] {
      for name in Files.tree(folder) {
        #expect(Files.mode(folder + "/" + name) & 0o077 == 0, "\(name)")
      }
    }
  }

  @Test func `No input never waits`() async throws {
    let box = try Sandbox()
    for arguments in [
      ["derive", "--salt", "x"], ["init"], ["credential", "list"], ["pin", "set"],
      ["pin", "change"],
    ] {
      let outcome = try await box.keybackup(
        arguments + ["--no-input"], pin: .none, terminal: [], expecting: nil)
      #expect(outcome.code != 0, "\(outcome)")
      let keyless = try await box.keybackup(
        arguments + ["--no-input"], key: ["--no-key"], pin: .none, terminal: [],
        expecting: 69)
      #expect(!keyless.text.contains("Insert"), "it waited: \(keyless.text)")
    }
  }
}

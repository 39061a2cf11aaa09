import Testing

/// The messages of `init` when something fails after the credential was made.
///
/// The user must never have to guess whether that credential may be deleted.
@Suite struct InitEndingTests {
  /// The backup is made and only its announcement fails: the credential is the only way into it.
  @Test func `A made backups credential is never called unused`() async throws {
    let box = try Sandbox()
    let full = try await box.keybackup(["init"], standardOutput: .full, expecting: 74)
    #expect(!full.err.contains("credential delete"), "\(full.err)")
    #expect(!full.err.contains("unused"), "\(full.err)")
    #expect(Files.tree(box.folder).contains { $0.contains("/keybackup/log/") })
  }

  /// The next step that init names works as it is written.
  @Test func `The next step is a command that works`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["init", box.folder])
    let next = made.err.split(separator: "\n").first { $0.hasPrefix("  keybackup wallet add ") }
    let words = box.root + "/words"
    try Files.write(Samples.mnemonic, to: words)
    let arguments = try #require(next).split(separator: " ").dropFirst()
      .map(String.init)
    // At a terminal it asks for the words; here a file has them.
    try await box.keybackup(arguments + ["--mnemonic", words])
  }

  @Test func `A configuration that cannot be written is a warning`() async throws {
    let box = try Sandbox()
    try Files.write("", to: box.home + "/.config")
    let made = try await box.keybackup(["init", "--json", box.folder])
    #expect(try made.json()["namespace_id"].text?.count == 32)
    #expect(made.err.contains("cannot be written"))
    #expect(!made.err.contains("credential delete"), "\(made.err)")
  }

  @Test func `A state folder that cannot be written is told before the first touch`() async throws {
    let box = try Sandbox()
    let plain = box.home + "/plain"
    try Files.write("", to: plain)
    let refused = try await box.keybackup(
      ["init", box.folder], environment: ["XDG_STATE_HOME": plain + "/state"], expecting: 77)
    expectFailure(refused, 77, says: "\(plain) cannot be written")
    #expect(box.trace.isEmpty, "the key was asked for nothing")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `A home that is read-only is told before the first touch`() async throws {
    let box = try Sandbox()
    let refused = try await box.keybackup(["init", box.folder], readOnly: box.home)
    expectFailure(refused, 73, says: "\(box.home) cannot be written")
    #expect(box.trace.isEmpty, "the key was asked for nothing")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `A credential that nothing uses is named`() async throws {
    let box = try Sandbox()
    let failed = try await box.keybackup(
      ["init"], key: ["--fault", "hmac-secret-unstable"], expecting: 86)
    #expect(failed.err.contains("credential delete --force"), "\(failed.err)")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `A key that stores nothing is sent to non discoverable`() async throws {
    let box = try Sandbox()
    for command in [["init"], ["credential", "create"]] {
      let refused = try await box.keybackup(command, key: ["--set", "no-rk"], expecting: nil)
      expectFailure(refused, 93, says: "--non-discoverable")
      try await box.keybackup(command + ["--non-discoverable"], key: ["--set", "no-rk"])
    }
  }

  @Test func `A credential left by ctrl C is named`() async throws {
    let box = try Sandbox()
    let ended = try await box.keybackup(
      ["init"], key: ["--set", "untouched=2"],
      terminal: [
        .expect("1 of 3"), .expect("2 of 3"), .find("WAITING", in: box.tracePath), .interrupt,
      ], expecting: 130)
    #expect(ended.text.contains("credential delete --force"), "\(ended.text)")
    #expect(ended.terminalIsSane)
  }
}

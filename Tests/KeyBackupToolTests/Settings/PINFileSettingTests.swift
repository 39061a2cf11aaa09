import CLinux
import Glibc
import Testing

/// The PIN files of KEYBACKUP_PIN_FILE and keybackup.conf.
@Suite struct PINFileSettingTests {
  /// Where a PIN file is named.
  enum Place: CaseIterable {
    case variable, file

    /// Names a PIN file; what to set in the environment.
    func name(_ path: String, in box: Sandbox) throws -> [String: String] {
      if self == .variable { return ["KEYBACKUP_PIN_FILE": path] }
      try box.configure("# where the PIN is\npin-file = \(path)\n")
      return [:]
    }

    /// What the advice names.
    func words(in box: Sandbox) -> String {
      self == .variable
        ? "KEYBACKUP_PIN_FILE" : "pin-file in \(box.configurationFile), line 2"
    }
  }

  @Test(arguments: Place.allCases)
  func `The PIN is read`(_ place: Place) async throws {
    let box = try Sandbox()
    let environment = try place.name(box.pinFile, in: box)
    try await box.keybackup(["credential", "create"], pin: .none, environment: environment)
    // Options come first.
    try await box.keybackup(
      Sandbox.derive, pin: .descriptor(Sandbox.pin),
      environment: try place.name("/no/such/file", in: box))
    try await box.keybackup(Sandbox.derive, environment: try place.name("/no/such/file", in: box))
  }

  @Test(arguments: Place.allCases)
  func `Only a private regular file will do`(_ place: Place) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let bad = box.root + "/bad"
    let cases: [(make: () throws -> Void, code: Int32, says: String, names: Bool)] = [
      ({}, 66, "names is not there", true),
      ({ try Files.write(Sandbox.pin, to: bad, mode: 0o640) }, 78, "others can read", false),
      ({ try Files.makeFolder(bad) }, 78, "no regular file", true),
      (
        {
          guard unsafe mkfifo(bad, 0o600) == 0 else { throw SystemFailure(bad) }
        }, 78, "no regular file", true
      ),
      ({ try Files.link(bad, to: "/dev/zero") }, 78, "no regular file", true),
    ]
    for (make, code, says, names) in cases {
      try make()
      let trace = try await box.traced {
        let outcome = try await box.keybackup(
          Sandbox.derive, pin: .none, environment: try place.name(bad, in: box),
          expecting: nil)
        expectFailure(outcome, code, says: says)
        // What is not there may be the PIN itself.
        #expect(outcome.err.contains(bad) == (code == 78), "\(outcome.err)")
        if names { #expect(outcome.err.contains(place.words(in: box)), "\(outcome.err)") }
        #expect(!outcome.err.contains("--pin-file"), "\(outcome.err)")
      }
      #expect(PINTests.tries(trace) == 0)
      try? Files.remove(bad)
    }
  }

  /// The file's PIN is the first key's: a second one, with another PIN, loses no try.
  @Test(arguments: Place.allCases)
  func `A second key is not sent the PIN`(_ place: Place) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let second = box.root + "/second.json"
    let other = "other-5521-heron"
    // Makes the second key, with a PIN of its own.
    try await box.keybackup(
      ["credential", "create"], key: ["--key", second, "--pin", other], pin: .descriptor(other))
    let both = ["--key", box.keyState, "--key", second]
    let environment = try place.name(box.pinFile, in: box)
    let trace = try await box.traced {
      let alone = try await box.keybackup(
        ["key", "add"], key: both, pin: .none, environment: environment, expecting: nil)
      expectFailure(alone, 78, says: "the PIN of", "only for the first key of a command")
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
    // A person is asked for the new key's.
    let added = try await box.keybackup(
      ["key", "add", "--label", "spare"], key: both, pin: .none, environment: environment,
      terminal: [.expect("(8 tries left): "), .type(other + "\n")])
    #expect(added.stepsLeft.isEmpty, "\(added.text)")
    let restored = try await box.keybackup(
      ["restore", "--json"], key: ["--key", second], pin: .descriptor(other))
    #expect(try restored.json()["restored"].number == 3)
  }

  /// Scripts rely on it: an option's PIN is for both keys, whatever the file says.
  @Test func `An option is for both keys`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try box.configure("pin-file = /no/such/file\n")
    let both = ["--key", box.keyState, "--key", box.root + "/second.json"]
    try await box.keybackup(["key", "add", "--label", "spare"], key: both)
  }

  @Test func `A kits second key is not sent the PIN`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let second = box.root + "/second.json"
    let other = "other-5521-heron"
    let made = try await box.keybackup(
      ["credential", "create", "--json"], key: ["--key", second, "--pin", other],
      pin: .descriptor(other))
    let credential = try #require(try made.json()["credential_id"].text)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        [
          "recovery-kit", "create", "--out", box.root + "/kit.html", "--secret-credential",
          credential,
        ], key: ["--key", box.keyState, "--key", second], pin: .none,
        environment: ["KEYBACKUP_PIN_FILE": box.pinFile], expecting: nil)
      expectFailure(outcome, 78, says: "only for the first key of a command")
    }
    #expect(PINTests.tries(trace) == 1, "\(trace)")
  }

  @Test func `A changed PIN that the file still has is told`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write("second-pin-55", to: box.root + "/new", mode: 0o600)
    let changed = try await box.keybackup(
      ["pin", "change", "--new-pin-file", box.root + "/new"], pin: .none,
      environment: ["KEYBACKUP_PIN_FILE": box.pinFile])
    #expect(changed.err.contains("\(box.pinFile) still holds the old PIN"), "\(changed.err)")
  }

  /// The program of the file, and the line that names one that is not there.
  @Test func `The askpass program of the file is the one that is wrong`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try box.configure("askpass = /no/such/program\n")
    let outcome = try await box.keybackup(Sandbox.derive, pin: .none, expecting: nil)
    expectFailure(
      outcome, 78, says: "/no/such/program", "askpass in \(box.configurationFile), line 1")
    #expect(!outcome.err.contains("SSH_ASKPASS"), "\(outcome.err)")
  }

  @Test func `A PIN file of another user is refused`() async throws {
    let box = try Sandbox()
    // Readable, so that it is the owner that counts.
    try Files.setMode(box.pinFile, 0o644)
    try await box.giveAway(box.pinFile)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(["credential", "create"], expecting: nil)
      expectFailure(outcome, 78, says: "the PIN file \(box.pinFile) belongs to somebody else")
    }
    #expect(PINTests.tries(trace) == 0, "\(trace)")
    let shown = try await box.settings([:], ["--pin-file", box.pinFile])
    #expect(shown["pin-file"]?.problem == "belongs to somebody else")
  }
}

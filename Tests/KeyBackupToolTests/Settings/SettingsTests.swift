import Testing

/// keybackup.conf, variables and options: what is in force.
@Suite struct SettingsTests {
  @Test func `An option comes before a variable and that before the file`() async throws {
    let box = try Sandbox()
    try box.remember("/remembered")
    // The space that a person sees around a sign is no part of the value; what follows is.
    try box.configure(
      """
      # A comment

        folder=/from # file
      pin-file\t=  ~/pin of mine
      askpass = /usr/bin/true
      wait = 7
      timeout = 9\r

      """)
    try Files.write(Sandbox.pin, to: box.home + "/pin of mine", mode: 0o600)
    let file = box.configurationFile
    var shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(
      shown["folder"] == Shown("/from # file", "file", file: file, line: 3, "does not exist"))
    #expect(
      shown["pin-file"]
        == Shown(box.home + "/pin of mine", "file", file: file, line: 4))
    #expect(shown["askpass"] == Shown("/usr/bin/true", "file", file: file, line: 5))
    #expect(shown["wait"] == Shown("7", "file", file: file, line: 6))
    #expect(shown["timeout"] == Shown("9", "file", file: file, line: 7))

    let variables = [
      "KEYBACKUP_FOLDER": box.folder, "KEYBACKUP_PIN_FILE": box.pinFile,
      "KEYBACKUP_ASKPASS": "no-such-program",
    ]
    shown = try await box.settings(variables)
    #expect(shown["folder"] == Shown(box.folder, "variable", named: "KEYBACKUP_FOLDER"))
    #expect(shown["pin-file"] == Shown(box.pinFile, "variable", named: "KEYBACKUP_PIN_FILE"))
    #expect(
      shown["askpass"]
        == Shown(nil, "variable", named: "KEYBACKUP_ASKPASS", "there is no such program"))

    shown = try await box.settings(
      variables,
      ["--folder", box.home, "--pin-file", file, "--wait", "1", "--timeout", "2"])
    #expect(shown["folder"] == Shown(box.home, "option", named: "--folder"))
    #expect(shown["pin-file"] == Shown(file, "option", named: "--pin-file", "others can read it"))
    #expect(shown["wait"] == Shown("1", "option", named: "--wait"))
    #expect(shown["timeout"] == Shown("2", "option", named: "--timeout"))
  }

  @Test func `A file without folder hides not what init remembered`() async throws {
    let box = try Sandbox()
    var shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["folder"] == Shown(nil, "default") && shown["pin-file"] == Shown(nil, "default"))
    #expect(shown["timeout"] == Shown("60", "default"))
    try box.remember(box.folder)
    try box.configure("wait = 3\n")
    shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["folder"] == Shown(box.folder, "remembered"))
    let text = try await box.keybackup(
      ["config", "show"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(text.out.contains(/folder +keybackup init +\S+\/cloud\n/), "\(text.out)")
    #expect(text.out.contains(/wait +keybackup.conf, line 1 +3\n/), "\(text.out)")
    #expect(text.out.contains("File: \(box.configurationFile)\n"), "\(text.out)")
  }

  @Test func `A byte order mark before the first line is no part of it`() async throws {
    let box = try Sandbox()
    try box.configure("\u{FEFF}wait = 7\n")
    #expect(try await box.settings(["KEYBACKUP_FOLDER": ""])["wait"]?.value == "7")
    try box.configure("wait = 7\n\u{FEFF}timeout = 5\n")
    let later = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
    expectFailure(later, 78, says: "line 2")
  }

  /// The service manager's credential is the service's own: it comes before a file that is
  /// there for every command.
  @Test func `The credential comes between the variable and the file`() async throws {
    let box = try Sandbox()
    try Files.makeFolder(box.root + "/credentials")
    try Files.write(Sandbox.pin, to: box.root + "/credentials/keybackup.pin", mode: 0o400)
    try box.configure("pin-file = /no/such/file\n")
    let credential = ["CREDENTIALS_DIRECTORY": box.root + "/credentials"]
    let shown = try await box.settings(credential)
    #expect(
      shown["pin-file"] == Shown(box.root + "/credentials/keybackup.pin", "credential"))
    _ = try await box.keybackup(
      ["credential", "create"], pin: .none, environment: credential)
    let variable = try await box.keybackup(
      Sandbox.derive, pin: .none,
      environment: credential.merging(["KEYBACKUP_PIN_FILE": "/no/such/one"]) { $1 },
      expecting: nil)
    expectFailure(variable, 66, says: "is not there", "check KEYBACKUP_PIN_FILE")
    #expect(!variable.err.contains("--pin-file"))
  }

  @Test func `What is in force is used`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let askpass = try box.program("askpass", Helper.askpass)
    try box.configure("folder = \(box.folder)\naskpass = \(askpass)\n")
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    let restored = try await box.keybackup(
      ["restore", "--json"], pin: .none, environment: unnamed)
    #expect(try restored.json()["restored"].number == 3)
    #expect(box.programsRun == ["askpass"])
    try box.configure("folder = \(box.folder)\npin-file = \(box.pinFile)\ntimeout = 1\nwait = 2\n")
    let again = try await box.keybackup(
      ["restore", "--json"], pin: .none, environment: unnamed)
    #expect(try again.json()["restored"].number == 3 && box.programsRun == ["askpass"])
    // A touch that never comes is waited for that long.
    let (late, touch) = try await box.listening(
      to: ["restore"], key: ["--touch", "never"], pin: .none, environment: unnamed)
    #expect(late.code == 84, "\(late.text)")
    #expect(
      touch.contains { $0["event"].text == "touch" && $0["seconds_left"].number == 1 }, "\(touch)")
    let (none, insert) = try await box.listening(
      to: ["restore"], key: ["--no-key"], pin: .none, environment: unnamed)
    #expect(none.code == 69, "\(none.text)")
    #expect(
      insert.contains { $0["event"].text == "insert" && $0["seconds_left"].number == 2 },
      "\(insert)")
  }
}

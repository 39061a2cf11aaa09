import Testing

/// A PIN in the place of a path or a name: no message repeats it.
@Suite struct PINInSettingsTests {
  @Test func `A PIN where its file or a program belongs is not repeated`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    for (name, value) in [
      ("KEYBACKUP_ASKPASS", "739104"), ("KEYBACKUP_ASKPASS", "/739104"),
      ("KEYBACKUP_ASKPASS", "qu7391ka"), ("KEYBACKUP_ASKPASS", "quokka"),
      ("KEYBACKUP_PIN_FILE", "/739104"),
      ("KEYBACKUP_PIN_FILE", "/home/739104"), ("KEYBACKUP_PIN_FILE", "739104"),
      ("KEYBACKUP_PIN_FILE", "/qu7391ka"), ("KEYBACKUP_PIN_FILE", "/qu@ka/w7391"),
    ] {
      for arguments in [["config", "show"], ["config", "show", "--json"], Sandbox.derive] {
        let told = try await box.keybackup(
          arguments, pin: .none, environment: [name: value], expecting: nil)
        #expect(!told.text.contains("7391") && !told.text.contains("quokka"), "\(told.text)")
        #expect(arguments.last == "--json" || told.text.contains(name), "\(told.text)")
      }
    }
    for value in ["/739104", "/739104x", "~/739104", "/qu ka/739104"] {
      try box.configure("pin-file = \(value)\n")
      for arguments in [["config", "show"], Sandbox.derive] {
        let told = try await box.keybackup(arguments, pin: .none, expecting: nil)
        #expect(!told.text.contains("739104") && told.text.contains("line 1"), "\(told.text)")
      }
    }
    try Files.remove(box.configurationFile)
    for value in [" 7391", "~/7391", "7391 04", "quokka7391", "qu@ka/w7391"] {
      for arguments in [["config", "show"], ["config", "show", "--json"], Sandbox.derive] {
        let told = try await box.keybackup(
          arguments + ["--pin-file=" + value], pin: .none, expecting: nil)
        #expect(!told.text.contains("7391") && told.text.contains("--pin-file"), "\(told.text)")
      }
    }
    // A file is shown, whatever its name.
    try Files.write(Sandbox.pin, to: box.root + "/739104", mode: 0o600)
    try box.configure("pin-file = \(box.root)/739104\n")
    let shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["pin-file"]?.value == box.root + "/739104")
  }

  @Test(arguments: [
    "pin = 7391-quokka", "pin-file = 7391-quokka", "pin-file = ~7391-quokka", "7391-quokka",
    "7391-quokka = x", "pin=7391-quokka\npin=7391-quokka", "wait = 7391-quokka",
    "folder = 7391-quokka", "pin-file = 7391-quokka\u{7}",
  ])
  func `A PIN in keybackup.conf is never repeated`(_ content: String) async throws {
    let box = try Sandbox()
    try box.configure(content)
    for arguments in [["devices"], ["config", "show"], ["config", "show", "--json"], ["status"]] {
      let outcome = try await box.keybackup(
        arguments, key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: 78)
      #expect(!outcome.text.contains("7391") && !outcome.text.contains("quokka"))
    }
    try Files.remove(box.configurationFile)
    for value in ["7391-quokka", "7391-quokka\u{1b}[31m", "~/7391-quokka"] {
      for arguments in [
        ["derive", "--salt", "x"], ["config", "show"], ["config", "show", "--json"],
      ] {
        let outcome = try await box.keybackup(
          arguments, key: nil, pin: .none, environment: ["KEYBACKUP_PIN_FILE": value],
          expecting: 78)
        #expect(outcome.text.contains("KEYBACKUP_PIN_FILE is no path"), "\(outcome.text)")
        #expect(!outcome.text.contains("7391") && !outcome.text.contains("--pin-file"))
      }
    }
  }
}

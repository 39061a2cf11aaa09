import Testing

/// What commands make of keybackup.conf, and say about it.
@Suite struct SettingsInUseTests {
  @Test func `Init leaves the file as it is`() async throws {
    let box = try Sandbox()
    try Files.write("wait = 1\n", to: box.root + "/mine.conf")
    try Files.makeFolder(box.home + "/.config/keybackup")
    try Files.link(box.configurationFile, to: box.root + "/mine.conf")
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    try await box.keybackup(["init", box.folder], environment: unnamed)
    #expect(try Files.text(box.root + "/mine.conf") == "wait = 1\n")
    #expect(Files.mode(box.configurationFile) & 0o777 == 0o777, "still a link")
    #expect(try await box.settings(unnamed)["folder"] == Shown(box.folder, "remembered"))
    // Another folder is in force here: which line says so is told.
    try Files.makeFolder(box.root + "/other")
    try Files.makeFolder(box.root + "/third")
    try Files.write("wait = 1\nfolder = \(box.root)/other\n", to: box.root + "/mine.conf")
    let third = try await box.keybackup(["init", box.root + "/third"], environment: unnamed)
    #expect(third.err.contains("still uses \(box.root)/other"), "\(third.err)")
    #expect(third.err.contains("\(box.configurationFile), line 2"), "\(third.err)")
    #expect(
      try await box.settings(unnamed)["folder"]
        == Shown(box.root + "/other", "file", file: box.configurationFile, line: 2))
  }

  @Test func `A folder that is not there is told with what names it`() async throws {
    let box = try Sandbox()
    try box.configure("folder = /no/such/folder\n")
    let file = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: nil)
    expectFailure(
      file, 66, says: "/no/such/folder", "folder in \(box.configurationFile), line 1")
    let variable = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": "/no/such/one"],
      expecting: nil)
    expectFailure(variable, 66, says: "/no/such/one", "check KEYBACKUP_FOLDER")
  }

  @Test func `Doctor tells what is wrong in the file`() async throws {
    let box = try Sandbox()
    try box.configure("wait = 1\nfolder = cloud\n")
    let failed = try await box.keybackup(["doctor"], pin: .none, expecting: 78)
    #expect(
      failed.out.contains("FAILED   settings: \(box.configurationFile), line 2: "),
      "\(failed.text)")
    try box.configure("folder = /no/such/folder\n")
    let gone = try await box.keybackup(
      ["doctor"], pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: 66)
    #expect(gone.out.contains("check folder in \(box.configurationFile), line 1"), "\(gone.text)")
  }

  /// `keybackup` alone says so, too.
  @Test func `The front page tells that the file is wrong`() async throws {
    let box = try Sandbox()
    try box.configure("nonsense\n")
    let front = try await box.keybackup(
      [], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(front.out.hasPrefix("Attention: \(box.configurationFile), line 1"), "\(front.out)")
  }
}

import Testing

/// The places where decrypted wallets may go.
@Suite struct RestorePlaceTests {
  /// A folder that was there before stays, also an empty one.
  @Test(arguments: [["restore"], ["restore", "--only", "files"], ["file", "restore", "x"]])
  func `An interrupted run leaves no empty folder that it made`(_ command: [String]) async throws {
    let box = try await PreparedBackup().box
    let (new, old) = (box.root + "/new", box.root + "/old")
    try Files.makeFolder(old)
    for out in [new, old] {
      try await box.keybackup(
        command + ["--out", out], key: ["--touch", "never"],
        terminal: [.expect("Touch"), .pause(200), .interrupt], expecting: 130)
      #expect(Files.exists(out) == (out == old))
    }
  }

  /// In that place, the sync program would carry the secrets to the cloud.
  @Test func `Not into the synced folder`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = try Files.contents(box.folder)
    try await box.run(
      ["ln", "-s", box.folder, box.root + "/link"], key: nil
    ).expectSuccess()
    let asked = try await box.traced {
      for place in [
        box.folder, box.folder + "/out", box.folder + "/out//", box.folder + "/a/b/", backup.place,
        box.root + "/link/out",
      ] {
        let refused = try await box.keybackup(["restore", "--out", place], expecting: nil)
        expectFailure(refused, 73, says: "synced folder")
      }
      let shown = try await box.keybackup(
        ["wallet", "show", PreparedBackup.ids[0], "--out", box.folder + "/entry.json"],
        expecting: nil)
      expectFailure(shown, 73, says: "synced folder")
    }
    #expect(asked.isEmpty)
    #expect(try Files.contents(box.folder) == before)
    #expect(!Files.exists(box.folder + "/out"))
    try await box.keybackup(["restore", "--out", box.folder + "-restored"])
  }

  /// No sync program is known here, and one that takes the place around the folder has both.
  @Test func `Beside the backup's folder it is said`() async throws {
    let box = try await PreparedBackup().box
    let says = "lies beside the backup's folder"
    let beside = try await box.keybackup(["restore", "--out", box.root + "/out"])
    #expect(beside.err.contains(says), "\(beside.err)")
    try Files.makeFolder(box.root + "/elsewhere")
    let apart = try await box.keybackup(["restore", "--out", box.root + "/elsewhere/out"])
    #expect(!apart.err.contains(says), "\(apart.err)")
  }

  /// Files of an interrupted restore are no obstacle.
  ///
  /// Other files are never overwritten, and do not keep any other wallet or file from being restored.
  @Test func `Into a folder that holds some already`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.write("notes", to: box.root + "/notes")
    try await box.keybackup(["file", "add", box.root + "/notes"])
    try await box.keybackup(["restore", "--out", box.root + "/all"])
    let whole = try Files.contents(box.root + "/all")
    #expect(whole.keys.contains { $0.hasSuffix("/notes") })
    let names = whole.keys.filter { !$0.contains("/") }.sorted()
    try #require(names.count >= 3)
    let out = box.root + "/out"
    try await box.run(
      [
        "sh", "-c",
        #"mkdir "$1" && cp "$2/$3" "$1/" && head -c 9 "$2/$4" >"$1/$4""#, "sh", out,
        box.root + "/all", names[0], names[1],
      ], key: nil
    ).expectSuccess()
    let refused = try await box.keybackup(["restore", "--out", out], expecting: nil)
    #expect(refused.code == 73 && refused.out.contains("Restored 1 file"), "\(refused.text)")
    for words in [names[1], "all other wallets were written"] {
      #expect(refused.err.contains(words), "\(refused.text)")
    }
    var expected = whole
    expected[names[1]] = whole[names[1]].map { Array($0.prefix(9)) }
    #expect(try Files.contents(out) == expected)
    try await box.run(["rm", out + "/" + names[1]], key: nil).expectSuccess()
    try await box.keybackup(["restore", "--out", out])
    #expect(try Files.contents(out) == whole)
  }
}

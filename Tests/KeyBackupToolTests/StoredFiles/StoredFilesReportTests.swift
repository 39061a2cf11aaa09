import Testing

/// Files: reports without a key, and what people are told.
@Suite struct StoredFilesReportTests {
  @Test func `Status without a key knows the last look at the files`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("common")
    // Nobody has looked yet: only the number of changes is known.
    let first = try await computers.box.keybackup(["status", "--json"], pin: .none, expecting: nil)
      .json()
    #expect(first["unopened_sealed"].number == 1, "\(first)")
    let clone = computers.box.root + "/clone"
    try Files.copy(computers.serverHome, to: clone)
    try await computers.serverAdds("one")
    try await computers.serverAdds("other", home: clone)
    try await computers.laptop(["file", "list"])
    let status = try await computers.box.keybackup(["status"], pin: .none, expecting: 94)
    #expect(status.out.contains("some files need your decision"), "\(status.text)")
    #expect(status.out.contains("Files      1 conflict"), "\(status.text)")
    #expect(status.out.contains("No touch   1 computer: \"node\""), "\(status.text)")
    let json = try await computers.box.keybackup(["status", "--json"], pin: .none, expecting: 94)
      .json()
    #expect(json["files"]["conflict"].number == 1 && json["unopened_sealed"].number == 0)
    try await computers.serverAdds("newer", as: "other file")
    let later = try await computers.box.keybackup(["status"], pin: .none, expecting: 94)
    #expect(later.out.contains("1 change not opened here yet"), "\(later.text)")

    let history = try await computers.laptop(["file", "history", "channel.backup", "--json"]).json()
    let version = try #require(history["versions"][0]["version"].text)
    try await computers.laptop(["file", "keep", "channel.backup", version])
    let settled = try await computers.box.keybackup(
      ["status", "--json"], pin: .none, expecting: 88
    ).json()
    #expect(settled["files"]["conflict"].number == 0 && settled["files"]["current"].number == 2)
  }

  @Test func `A backup of files only restores without words about wallets`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    try Files.write("contents", to: box.home + "/note")
    try await box.keybackup(["file", "add", box.home + "/note"])
    let out = box.root + "/out"
    let restored = try await box.keybackup(["restore", "--out", out, "--names"])
    #expect(!restored.text.contains("holds no wallets"), "\(restored.text)")
    #expect(Files.tree(out).count == 1 && !Files.exists(out + "/README.txt"), "\(Files.tree(out))")
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "A").utf8))
    try await box.keybackup(["restore", "--out", out + "2", "--names"])
    let explained = try Files.text(out + "2/README.txt")
    #expect(explained.contains("The folders hold the files of other programs"), "\(explained)")
    // A run that fails leaves no folder.
    let none = try await box.keybackup(
      ["file", "restore", "nobody", "--out", out + "3"], expecting: 66)
    #expect(!Files.exists(out + "3"), "\(none.text)")
    try Files.makeFolder(out + "4")
    try await box.keybackup(["file", "restore", "nobody", "--out", out + "4"], expecting: 66)
    #expect(Files.exists(out + "4"))
    // All files are removed: the way back is named.
    try await box.keybackup(["file", "remove", "note", "--yes"])
    let removed = try await box.keybackup(["restore", "--out", out + "5"])
    #expect(removed.text.contains("1 removed file was left out"), "\(removed.text)")
    #expect(removed.text.contains("keybackup restore --only files --removed"), "\(removed.text)")
    let back = try await box.keybackup(["restore", "--removed", "--out", out + "5"])
    #expect(back.text.contains("1 removed file was written, too"), "\(back.text)")
    #expect(!back.text.contains("has to choose"), "\(back.text)")
  }

  @Test func `A version of digits only is shown`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("contents")
    for arguments in [
      ["file", "keep", "channel.backup", "12345678"],
      ["file", "restore", "channel.backup", "--version", "12345678", "--out", "out"],
    ] {
      let unknown = try await computers.laptop(arguments, expecting: 66)
      #expect(unknown.err.contains("no version 12345678"), "\(unknown.text)")
    }
  }

  @Test func `Commands for another computer carry no folder of this one`() async throws {
    let computers = try await FileComputers()
    let folder = ["--folder", computers.box.folder]
    let made = try await computers.server(["writers", "request", "--label", "node", "--json"])
      .json()
    let line = try #require(made["line"].text)
    try await computers.laptop(["writers", "authorise", line, "--yes"])
    try await computers.laptop(["writers", "retire", "node"])
    let laptop = try await computers.laptop(
      ["writers", "authorise", line, "--yes"] + folder, expecting: 73)
    #expect(laptop.err.contains("keybackup writers request --new-key\n"), "\(laptop.text)")
    let request = try await computers.server(["writers", "request"] + folder)
    let next = "Then run on the other computer: keybackup writers authorise LINE"
    #expect(request.err.contains(next), "\(request.err)")
    let watch = try await computers.server(
      ["file", "watch", computers.serverHome + "/x"] + folder, expecting: 78)
    #expect(watch.err.contains("keybackup writers authorise LINE"), "\(watch.err)")
    #expect(watch.err.contains("keybackup writers accept --folder"), "\(watch.err)")
    let add = try await computers.server(
      ["file", "add", computers.box.pinFile] + folder, expecting: 69)
    #expect(add.err.contains("to add files here without a key"), "\(add.err)")
    #expect(add.err.contains("keybackup writers request --folder"), "\(add.err)")
  }

  @Test func `Old versions are given up with a key only`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/large"
    for count in 1...3 {
      try Files.write(String(repeating: "\(count)", count: 70_000), to: path)
      let added = try await computers.laptop(
        ["file", "add", path, "--keep", "1", "--json"]
      ).json()
      // Seven days have not passed.
      #expect(added["dropped"].number == 0, "\(added)")
    }
    try await computers.authoriseServer()
    try Files.write("x", to: computers.serverHome + "/x")
    let refused = try await computers.server(
      ["file", "add", computers.serverHome + "/x", "--keep", "1"], expecting: 64)
    #expect(refused.err.contains("keybackup file prune --keep N"), "\(refused.err)")
    try await computers.laptop(["file", "add", path, "--keep", "0"], expecting: 64)
  }
}

import Testing

/// A server without a security key backs its files up.
@Suite struct SilentServerTests {
  @Test func `A server backs up without a key and a third computer restores`() async throws {
    let computers = try await FileComputers()
    let refused = try await computers.server(
      ["file", "add", computers.box.pinFile], expecting: nil)
    #expect(refused.code != 0)
    try await computers.authoriseServer()
    let path = computers.serverHome + "/channel.backup"
    try Files.write("first", to: path, mode: 0o640)
    try Files.setModified(path, 1_700_000_000)
    let added = try await computers.server(["file", "add", path, "--json"]).json()
    #expect(added["silent"].flag == true)
    #expect(added["files"][0]["changed"].flag == true)
    #expect(added["files"][0]["size"].number == 5)
    let unchanged = try await computers.server(["file", "add", path])
    #expect(unchanged.out.contains("has not changed"), "\(unchanged.text)")
    try await computers.serverAdds("second, and longer")

    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.count == 1)
    #expect(list[0]["name"].text == "channel.backup" && list[0]["computer"].text == "node")
    #expect(list[0]["versions"].number == 2 && list[0]["state"].text == "current")
    let history = try await computers.third(["file", "history", "channel.backup", "--json"]).json()
    #expect(history["versions"].items.map { $0["state"].text } == ["current", "replaced"])
    #expect(history["versions"][1]["modified"].number == 1_700_000_000)
    let table = try await computers.third(["file", "history", "channel.backup"])
    #expect(table.out.contains("2023-11-14") && table.out.contains("current"), "\(table.out)")

    let out = computers.target()
    let restored = try await computers.third(
      ["file", "restore", "channel.backup", "--out", out, "--json"]
    ).json()
    #expect(restored["restored"].number == 1)
    #expect(restored["files"][0]["file"].text == "node/channel.backup")
    #expect(try Files.text(out + "/node/channel.backup") == "second, and longer")
    #expect(Files.mode(out + "/node/channel.backup") == 0o600)
    // Again into the same folder: it is there.
    try await computers.third(["file", "restore", "channel.backup", "--out", out])
    let old = try #require(history["versions"][1]["version"].text)
    try await computers.third(
      ["file", "restore", "node/channel.backup", "--version", old, "--out", out + "2"])
    #expect(try Files.text(out + "2/node/channel.backup") == "first")
    #expect(Files.modified(out + "2/node/channel.backup") == 1_700_000_000)
    #expect(Files.tree(out) == ["node/channel.backup"])
  }

  @Test func `One touch makes this computer a silent writer`() async throws {
    let computers = try await FileComputers()
    let box = computers.box
    let path = computers.files + "/wallet.dat"
    try Files.write("contents", to: path, mode: 0o700)
    let seen = try await box.traced {
      let made = try await computers.laptop(["writers", "authorise", "--json"]).json()
      #expect(made["this_computer"].flag == true && made["line"] == .null)
    }
    #expect(seen.count { $0 == "TOUCH" } == 1, "\(seen)")
    let silent = try await box.traced {
      let added = try await computers.laptop(["file", "add", path])
      #expect(added.out.contains("wallet.dat"), "\(added.text)")
      try await computers.server(["file", "add", path], home: box.home)
    }
    #expect(silent.isEmpty, "\(silent)")
    let out = computers.target()
    let restored = try await computers.third(["restore", "--out", out, "--json"]).json()
    #expect(restored["restored"].number == 3)
    #expect(restored["restored_files"].number == 1)
    let file = try #require(Files.tree(out).first { $0.hasSuffix("/wallet.dat") })
    #expect(try Files.text(out + "/" + file) == "contents")
    #expect(Files.mode(out + "/" + file) == 0o700)
    // Each by itself.
    try await computers.third(["restore", "--only", "files", "--out", out + "-files"])
    #expect(Files.tree(out + "-files") == [file])
    try await computers.third(["restore", "--only", "wallets", "--out", out + "-wallets"])
    #expect(Files.tree(out + "-wallets").count == 3)
  }

  @Test func `Without authorisation a file is added with the key`() async throws {
    let computers = try await FileComputers()
    let box = computers.box
    let path = computers.files + "/notes"
    try Files.write(String(repeating: "text ", count: 2000), to: path)
    let seen = try await box.traced {
      let added = try await computers.laptop(["file", "add", path, "--json"]).json()
      #expect(added["silent"].flag == false && added["files"][0]["changed"].flag == true)
    }
    #expect(seen.count { $0 == "TOUCH" } == 1, "\(seen)")
    let unchanged = try await computers.laptop(["file", "add", path, "--json"]).json()
    #expect(unchanged["files"][0]["changed"].flag == false)
    try Files.write("short", to: path)
    try await computers.laptop(["file", "add", path])
    let history = try await computers.third(["file", "history", "notes", "--json"]).json()
    #expect(history["versions"].items.map { $0["size"].number } == [5, 10_000])
    #expect(history["versions"].items.map { $0["state"].text } == ["current", "replaced"])
  }

  @Test func `Standard input is added under a name`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let nameless = try await computers.server(["file", "add", "-"], input: "x", expecting: nil)
    expectFailure(nameless, 64, says: "--name")
    // The program that should have printed it failed.
    let empty = try await computers.server(["file", "add", "-", "--name", "dump"], expecting: nil)
    expectFailure(empty, 66, says: "standard input was empty")
    try await computers.server(["file", "add", "-", "--name", "dump"], input: "printed")
    let out = computers.target()
    try await computers.laptop(["file", "restore", "dump", "--out", out])
    #expect(try Files.text(out + "/node/dump") == "printed")
  }

  @Test func `A node's database is refused from standard input as from a file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let path = computers.box.root + "/copy"
    try await computers.box.makeNodeDatabase(path)
    for (arguments, input) in [
      ([path], []), (["-", "--name", "dump"], try Files.read(path)),
    ] {
      let refused = try await computers.box.keybackup(
        ["file", "add"] + arguments, key: nil, pin: .none, input: input,
        home: computers.serverHome, expecting: nil)
      expectFailure(refused, 65, says: "Eclair")
    }
  }

  @Test func `A lost change of a server is told, and what is here comes back`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for name in ["a", "b", "c"] { try await computers.serverAdds(name, as: name) }
    let lost = try #require(
      Files.tree(computers.box.folder).first {
        $0.contains("/sealed/") && $0.contains("/00000002-")
      })
    try Files.remove(computers.box.folder + "/" + lost)
    let says = "some changes of \"node\" are not here"
    let out = computers.target()
    for command in [
      ["file", "list"], ["file", "history", "a"], ["restore", "--out", out],
      ["file", "restore", "a", "--out", out + "2"],
    ] {
      let told = try await computers.third(command, expecting: 75)
      #expect(told.err.contains(says), "\(told.text)")
      let json = try await computers.third(command + ["--json"], expecting: 75).json()
      #expect(json["gaps"].items.map(\.text) == ["node"], "\(json)")
    }
    // It may add no wallets.
    try await computers.third(["wallet", "list"])
    #expect(try ["a", "c"].map { try Files.text(out + "/node/" + $0) } == ["a", "c"])
    #expect(!Files.exists(out + "/node/b"))
    // The server finds it itself.
    let again = try await computers.serverAdds("b", as: "b")
    #expect(again["changed"].flag == true, "\(again)")
    try await computers.third(["file", "restore", "b", "--out", out + "3"], expecting: 75)
    #expect(try Files.text(out + "3/node/b") == "b")
    // A person accepts that the lost change never comes.
    try await computers.box.keybackup(
      ["status", "--accept", "--yes"], key: nil, pin: .none, home: computers.box.root + "/third",
      expecting: nil)
    for command in [["file", "list"], ["verify", "--deep"], ["restore"]] {
      let told = try await computers.third(command)
      #expect(!told.err.contains(says), "\(told.text)")
    }
  }

  /// Sealed operations that were opened here before.
  @Test func `What a server wrote and is gone is told with and without the key`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "all")
    for text in ["one", "two"] { try await computers.serverAdds(text) }
    try await computers.laptop(["verify", "--deep"])
    let gone = try #require(
      Files.tree(computers.box.folder).last { $0.contains("/sealed/") })
    try Files.move(computers.box.folder + "/" + gone, to: computers.box.root + "/gone")
    let out = computers.target()
    for command in [
      ["status"], ["verify"], ["file", "list"], ["file", "history", "channel.backup"],
      ["file", "restore", "channel.backup", "--out", out], ["wallet", "list"],
    ] {
      if command.count > 1 {
        try await computers.laptop(command, expecting: 89)
      } else {
        let told = try await computers.box.keybackup(command, key: nil, pin: .none, expecting: 89)
        #expect(told.text.contains("older than what this computer has seen"), "\(told.text)")
      }
    }
    try Files.move(computers.box.root + "/gone", to: computers.box.folder + "/" + gone)
    try await computers.laptop(["file", "restore", "channel.backup", "--out", out + "2"])
    let status = try await computers.laptop(["status"], expecting: nil)
    #expect(status.code != 89, "\(status.text)")
  }

  @Test func `A wallet of a server that has not arrived is told`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer(may: "all")
    for name in ["a", "b", "c"] { try await computers.serverAdds(name, as: name) }
    let gone = try #require(
      Files.tree(computers.box.folder).first {
        $0.contains("/sealed/") && $0.contains("/00000002-")
      })
    try Files.remove(computers.box.folder + "/" + gone)
    for command in [
      ["wallet", "list"], ["restore", "--only", "wallets", "--out", computers.target()],
    ] {
      let told = try await computers.third(command, expecting: 75)
      #expect(told.code == 75, "\(told.text)")
    }
  }

  /// Its key never returns, so its files are new ones.
  @Test func `A computer that was retired and authorised again leaves its old file to be removed`()
    async throws
  {
    let computers = try await FileComputers()
    let path = computers.files + "/notes.txt"
    for text in ["old", "new"] {
      try Files.write(text, to: path)
      try await computers.laptop(["writers", "authorise", "--label", "laptop"])
      try await computers.laptop(["file", "add", path])
      if text == "old" { try await computers.laptop(["writers", "retire", "laptop"]) }
    }
    let out = computers.target()
    let restored = try await computers.third(
      ["restore", "--only", "files", "--out", out], expecting: 94)
    let aside = try #require(
      Files.tree(out).first { (try? Files.text(out + "/" + $0)) == "old" })
    let old = try #require(aside.firstMatch(of: /\.of-([0-9a-f]{8})-/)).1
    for words in ["2 files are called laptop/notes.txt: ", "\(old) (of laptop, retired, 2"] {
      #expect(restored.err.contains(words), "\(restored.err)")
    }
    #expect(restored.err.contains("keybackup file history \(old)"), "\(restored.err)")
    #expect(restored.err.split(separator: "keybackup file history ").count == 3)
    #expect(!restored.err.contains("file remove"), "none is called the wrong one")
    let refused = try await computers.third(
      ["file", "restore", "notes.txt", "--out", out], expecting: nil)
    expectFailure(refused, 90, says: "\(old) (of laptop, retired, ", " (of laptop, 2")
    try await computers.laptop(["file", "remove", String(old), "--yes"])
    // The one that is left has the name.
    try await computers.third(["file", "restore", "notes.txt", "--out", out])
    #expect(try Files.text(out + "/laptop/notes.txt") == "new")
  }

  @Test func `A removed file is kept and can be brought back`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("contents")
    let removed = try await computers.laptop(["file", "remove", "channel.backup", "--yes"])
    let back = try #require(
      removed.err.firstMatch(of: /keybackup file keep channel.backup ([0-9a-f]{8})\n/))
    #expect(removed.err.contains("keybackup file history channel.backup\n"), "\(removed.err)")
    let list = try await computers.laptop(["file", "list", "--json"]).json()["files"]
    #expect(list.items.allSatisfy { $0["state"].text == "removed" })
    let out = computers.target()
    try await computers.laptop(["restore", "--only", "files", "--out", out])
    #expect(Files.tree(out).isEmpty)
    try await computers.laptop(
      ["restore", "--only", "files", "--removed", "--out", out])
    let aside = Files.tree(out)
    #expect(aside.count == 1 && aside[0].hasPrefix("node/channel.backup.removed-"), "\(aside)")
    try await computers.laptop(["file", "keep", "channel.backup", String(back.1)])
    try await computers.laptop(["file", "restore", "channel.backup", "--out", out])
    #expect(try Files.text(out + "/node/channel.backup") == "contents")
  }

  @Test func `Large files are told about as they go`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let path = computers.serverHome + "/large"
    try Files.write("", to: path)
    try Files.extend(path, to: 12_000_000)
    let added = try await computers.server(["file", "add", path, "--events-fd", "2"])
    let events = added.err.split(separator: "\n").compactMap { try? JSON(Array($0.utf8)) }
    let progress = events.filter { $0["event"].text == "progress" }
    #expect(progress.count > 2, "\(added.err)")
    #expect(progress.last?["done"].number == 12_000_000)
    #expect(progress.allSatisfy { $0["total"].number == 12_000_000 })
    let out = computers.target()
    let restored = try await computers.laptop(
      ["file", "restore", "large", "--out", out, "--events-fd", "2"])
    #expect(restored.err.contains(#""event":"progress""#), "\(restored.err)")
    #expect(try Files.read(out + "/node/large") == [UInt8](repeating: 0, count: 12_000_000))
  }

  @Test func `A computer that knows that it was retired uses the key again`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/f"
    try Files.write("one", to: path)
    try await computers.laptop(["writers", "authorise", "--label", "lapw"])
    try await computers.laptop(["file", "add", path])
    try await computers.laptop(["writers", "retire", "lapw", "--yes"])
    try Files.write("two", to: path)
    let added = try await computers.laptop(["file", "add", path, "--json"]).json()
    #expect(added["counts"] == .null, "\(added)")
    let keyless = { (arguments: [String]) in
      try await computers.box.keybackup(arguments, key: nil, pin: .none, expecting: nil)
    }
    let status = try await keyless(["status"])
    #expect(status.text.contains("this computer was retired"), "\(status.text)")
    let watch = try await keyless(["file", "watch", "--once", path])
    #expect(watch.code == 78)
    #expect(watch.err.contains("may not write without a key"), "\(watch.text)")
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out], expecting: nil)
    let texts = try Files.tree(out).filter { $0.hasSuffix("/f") }
      .map { try Files.text(out + "/" + $0) }
    #expect(texts.contains("two"), "\(Files.tree(out))")
  }

  /// A computer remembers a folder by its path.
  @Test func `A folder that was moved is told, with the way to go on`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("one")
    let moved = computers.box.root + "/moved"
    try Files.move(computers.box.folder, to: moved)
    let file = computers.serverHome + "/channel.backup"
    let refused = try await computers.server(
      ["file", "watch", "--once", file, "--folder", moved], expecting: 78)
    #expect(refused.err.contains("If the folder was moved"), "\(refused.text)")
    let status = try await computers.server(["status", "--folder", moved], expecting: nil)
    let command = try #require(status.text.firstMatch(of: /mv -T --backup=numbered .*/))
    // As a person runs it, also where something is remembered of the new place.
    let place = try #require(command.0.split(separator: " ").last.map(String.init))
    try Files.makeFolder(place)
    try Files.write("kept", to: place + "/something")
    let run = try await computers.box.run(["sh", "-c", String(command.0)], key: nil)
    #expect(run.code == 0, "\(run.text)")
    #expect(try Files.text(place + ".~1~/something") == "kept")
    try Files.write("two", to: file)
    let added = try await computers.server(["file", "add", file, "--folder", moved])
    #expect(added.out.contains("Saved"), "\(added.text)")
  }

  @Test func `A copy is not taken for a folder that was moved`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("one")
    let copy = computers.box.root + "/copy"
    try Files.copy(computers.box.folder, to: copy)
    let status = try await computers.server(["status", "--folder", copy], expecting: nil)
    #expect(!status.text.contains("mv -T"), "\(status.text)")
    try Files.remove(computers.box.folder)
    let alone = try await computers.server(["status", "--folder", copy], expecting: nil)
    #expect(alone.text.contains("mv -T"), "\(alone.text)")
  }
}

import TestSupport
import Testing

/// Which file of the backup an addition is a version of.
@Suite struct FileOwnershipTests {
  @Test func `A second file of one name is refused, without a key and with one`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let run = { (isSilent: Bool, arguments: [String], code: Int32) in
      isSilent
        ? try await computers.server(["file", "add"] + arguments, expecting: code)
        : try await computers.laptop(["file", "add"] + arguments, expecting: code)
    }
    for (isSilent, home) in [(true, computers.serverHome), (false, computers.files)] {
      for name in ["a", "b"] {
        try Files.makeFolder(home + "/" + name)
        try Files.write(name, to: home + "/\(name)/wallet.dat")
      }
      _ = try await run(isSilent, [home + "/a/wallet.dat"], 0)
      let refused = try await run(isSilent, [home + "/b/wallet.dat"], 64)
      #expect(refused.err.contains("is the name of \(home)/a/wallet.dat"), "\(refused.err)")
      #expect(refused.err.contains("--replace"), "\(refused.err)")
      _ = try await run(isSilent, [home + "/b/wallet.dat", "--name", "b.dat"], 0)
      _ = try await run(isSilent, [home + "/b/wallet.dat", "--replace"], 0)
      // What was moved is the same file.
      try Files.write("moved", to: home + "/wallet.dat")
      try Files.remove(home + "/b/wallet.dat")
      _ = try await run(isSilent, [home + "/wallet.dat"], 0)
    }
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.map { $0["versions"].number } == [1, 1, 3, 3], "\(list)")
    // The watcher keeps them apart, too.
    let other = computers.serverHome + "/a/wallet.dat"
    let watch = try await computers.server(["file", "watch", "--once", other], expecting: nil)
    #expect(watch.code == 64 && watch.err.contains("is the name of"), "\(watch.text)")
  }

  @Test func `Of two runs at one moment, one is refused`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let home = computers.serverHome
    for name in ["a", "b"] {
      try Files.makeFolder(home + "/" + name)
    }
    for round in 1...4 {
      for name in ["a", "b"] {
        try Files.write("\(name) \(round)", to: home + "/\(name)/new\(round)")
      }
      async let one = computers.server(["file", "add", home + "/a/new\(round)"], expecting: nil)
      async let other = computers.server(["file", "add", home + "/b/new\(round)"], expecting: nil)
      #expect(try await Set([one.code, other.code]) == [0, 64])
    }
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.map { $0["versions"].number } == [1, 1, 1, 1], "\(list)")
  }

  @Test func `A list of paths that cannot be read is told`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("one")
    let state = try #require(
      Files.tree(computers.serverHome).first { $0.hasSuffix("/paths.json") })
    try Files.write("", to: computers.serverHome + "/" + state)
    try Files.write("two", to: computers.serverHome + "/channel.backup")
    let add = ["file", "add", computers.serverHome + "/channel.backup"]
    let told = try await computers.server(add)
    #expect(told.err.contains("paths.json could not be read"), "\(told.text)")
    // It has a new one then.
    #expect(try await computers.server(add).err.contains("paths.json") == false)
  }

  /// For as long as it is silent.
  @Test func `A file that came from a disk that is gone may lie elsewhere now`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let (home, mount) = (computers.serverHome, computers.box.root + "/mount")
    for path in [home + "/behind", mount] { try Files.makeFolder(path) }
    try Files.write("old", to: home + "/behind/wallet.dat")
    let system = try FailingFileSystem(backing: home + "/behind", path: mount)
    defer { system.unmount() }
    try await computers.server(["file", "add", mount + "/wallet.dat"])
    try Files.write("new", to: home + "/wallet.dat")
    try await computers.server(["file", "add", home + "/wallet.dat"], expecting: 64)
    try system.tell("rule op=any hang")
    try await computers.server(["file", "add", home + "/wallet.dat"])
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(list.items.map { $0["versions"].number } == [2], "\(list)")
  }

  @Test func `Computers of one host name do not replace each other's files`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/notes"
    try Files.write("laptop", to: path)
    try await computers.laptop(["file", "add", path])
    try Files.write("third", to: computers.box.root + "/third/notes")
    let third = computers.box.root + "/third/notes"
    let refused = try await computers.third(["file", "add", third], expecting: 90)
    #expect(refused.err.contains("a computer of the same name as this one"), "\(refused.err)")
    let list = try await computers.third(["file", "list", "--json"]).json()["files"]
    let id = try #require(list[0]["file_id"].text)
    #expect(list.items.count == 1 && list[0]["versions"].number == 1)
    try await computers.third(["file", "add", third, "--to", String(id.prefix(8))])
    // From now on it is this computer's file as well.
    try Files.write("third again", to: third)
    try await computers.third(["file", "add", third])
    try Files.write("laptop again", to: path)
    try await computers.laptop(["file", "add", path])
    let after = try await computers.third(["file", "list", "--json"]).json()["files"]
    #expect(after.items.count == 1 && after[0]["versions"].number == 4, "\(after)")
  }

  @Test func `An answer ends the requests before it, and what was accepted last is in force`()
    async throws
  {
    let computers = try await FileComputers()
    let old = try await computers.server(["writers", "request", "--label", "node", "--json"]).json()
    let line = try #require(old["line"].text)
    try await computers.authoriseServer()
    let late = try await computers.laptop(
      ["writers", "authorise", line, "--yes", "--json"]
    ).json()
    let answer = try #require(late["line"].text)
    let refused = try await computers.server(
      ["writers", "accept", answer, "--yes"], expecting: nil)
    #expect(refused.code == 65, "\(refused.text)")
    for count in 1...3 {
      let made = try await computers.authoriseServer(label: "node \(count)")
      try await computers.serverAdds("\(count)")
      let status = try await computers.server(["status", "--json"], expecting: nil).json()
      #expect(status["silent_here"].items.count == 1, "\(status)")
      #expect(status["silent_here"][0]["writer_id"] == made["writer_id"], "\(status)")
    }
  }
}

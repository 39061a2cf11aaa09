import Testing

/// `rotate --master-key` of a backup with files, and with a server that writes without a touch.
@Suite struct RotatedFilesCommandTests {
  @Test func `A new computer restores every file, and the server goes on`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("first")
    try await computers.serverAdds("second")
    let large = String(repeating: "0123456789abcdef\n", count: 20_000)
    try await computers.serverAdds(large, as: "wallet.dat")
    let path = computers.files + "/id_ed25519"
    try Files.write("a key\n", to: path)
    try await computers.laptop(["file", "add", path])

    let rotated = try await computers.laptop(["rotate", "--master-key", "--json"]).json()
    #expect(rotated["files"].number == 3 && rotated["failed"].items.isEmpty, "\(rotated)")
    #expect(rotated["silent_writers"].items.map(\.text) == ["node"])
    try await restore(
      computers, "one", ["node/channel.backup": "second", "node/wallet.dat": large])
    let key = Files.tree(computers.target("one")).first { $0.hasSuffix("/id_ed25519") }
    #expect(try Files.text(computers.target("one") + "/" + #require(key)) == "a key\n")

    // The server has not heard of it: what it writes is late, and restored under its own name.
    let third = try await computers.serverAdds("third")
    try await restore(
      computers, "two", ["node/channel.backup": "third", "node/wallet.dat": large])
    let listed = try await computers.third(["file", "list", "--json"], expecting: nil).json()
    let states = listed["files"].items.map { "\($0["name"].text ?? "") \($0["state"].text ?? "")" }
    #expect(Set(states) == ["channel.backup late", "wallet.dat current", "id_ed25519 current"])
    let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: 94).json()
    #expect(deep["files"]["late"].number == 1, "\(deep)")
    let table = try await computers.laptop(["writers", "list"])
    #expect(table.out.contains(/node .*authorise it again/), "\(table.out)")

    try await computers.authoriseServer()
    let fourth = try await computers.serverAdds("fourth")
    #expect(third["file_id"].text != nil && third["file_id"] == fourth["file_id"])
    try await restore(
      computers, "three", ["node/channel.backup": "fourth", "node/wallet.dat": large])
    let again = try await computers.third(["file", "history", "channel.backup", "--json"]).json()
    #expect(again["versions"].items.count { $0["state"].text == "current" } == 1, "\(again)")
  }

  @Test func `A computer that was authorised again may ask for more`() async throws {
    let computers = try await FileComputers()
    let first = try await computers.authoriseServer()
    try await computers.serverAdds("first")
    try await computers.laptop(["rotate", "--master-key"])
    let again = try await computers.authoriseServer()
    #expect(again["signing_key"] == first["signing_key"])
    // The old backup still lies there: for more, the server has a new key all the same.
    let more = try await computers.authoriseServer(may: "wallets")
    #expect(more["signing_key"] != first["signing_key"])
    try await computers.serverAdds("second")
    try await restore(computers, "one", ["node/channel.backup": "second"])
    // Rotated once more, it keeps the key with the files.
    try await computers.laptop(["rotate", "--master-key"])
    let third = try await computers.authoriseServer()
    #expect(third["signing_key"] == first["signing_key"])
    let line = try await computers.server(["writers", "request", "--json"]).json()["line"].text
    let repeated = try await computers.laptop(
      ["writers", "authorise", try #require(line), "--yes", "--json"]
    ).json()
    #expect(repeated["signing_key"] != first["signing_key"])
  }

  @Test func `The computer itself goes on with its files when it is authorised again`()
    async throws
  {
    let computers = try await FileComputers()
    let path = computers.files + "/note"
    try Files.write("one", to: path)
    try await computers.laptop(["writers", "authorise"])
    try await computers.laptop(["writers", "authorise", "--may", "wallets"])
    let first = try await computers.laptop(["file", "add", path, "--json"]).json()
    try await computers.laptop(["rotate", "--master-key"])
    try await computers.laptop(["writers", "authorise"])
    try Files.write("two", to: path)
    let second = try await computers.laptop(["file", "add", path, "--json"]).json()
    let ids = [first, second].map { $0["files"][0]["file_id"].text }
    #expect(ids[0] != nil && ids[0] == ids[1], "\(first) \(second)")
    let listed = try await computers.third(["file", "list", "--json"]).json()
    #expect(listed["files"].items.map { $0["state"].text } == ["current"], "\(listed)")
  }

  @Test func `The earlier backup may go only when all contents are here and whole`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/large"
    try Files.write(String(repeating: "0123456789abcdef\n", count: 10_000), to: path)
    try await computers.laptop(["file", "add", path])
    let old = try #require(
      try await computers.laptop(["rotate", "--master-key", "--json"])
        .json()["previous_namespace_id"].text)
    func deletable(_ code: Int32) async throws -> [String?] {
      let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: code).json()
      return deep["deletable"].items.map { $0["namespace_id"].text }
    }
    #expect(try await deletable(0) == [old])
    let all = computers.box.folder + "/cspp-namespaces"
    let name = Files.tree(all).first { $0.hasSuffix(".bin") && !$0.hasPrefix(old) }
    let object = try all + "/" + #require(name)
    let whole = try Files.read(object)
    var changed = whole
    changed[70_000] ^= 1
    try Files.write(changed, to: object)
    #expect(try await deletable(65) == [])
    try await computers.laptop(["key", "repair"])
    #expect(try Files.read(object) == whole)
    // What is lost here is copied from there.
    try Files.remove(object)
    let told = try await computers.laptop(["verify", "--deep"], expecting: nil)
    #expect(told.text.contains("To copy them: keybackup key repair"), "\(told.text)")
    #expect(try await deletable(0) == [])
    let repaired = try await computers.laptop(["key", "repair"])
    #expect(repaired.out.contains("the contents of 1 version"))
    #expect(try Files.read(object) == whole)
    let again = try await computers.laptop(["key", "repair", "--json"]).json()
    #expect(again["copied_contents"].number == 0, "\(again)")
    #expect(try await deletable(0) == [old])
  }

  @Test func `Large contents are told about as they go along`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/large"
    try Files.write("", to: path)
    try Files.extend(path, to: 12_000_000)
    try await computers.laptop(["file", "add", path])
    let rotated = try await computers.laptop(["rotate", "--master-key", "--events-fd", "2"])
    let events = rotated.err.split(separator: "\n").compactMap { try? JSON(Array($0.utf8)) }
    for what in ["Copying files", "Reading files back"] {
      let told = events.filter { $0["event"].text == "progress" && $0["what"].text == what }
      #expect(told.count > 2 && told.count <= 101, "\(rotated.err)")
      #expect(told.last?["done"].number == 12_000_000, "\(rotated.err)")
      #expect(told.allSatisfy { $0["total"].number == 12_000_000 }, "\(rotated.err)")
    }
  }

  @Test func `What is missing stops it, and a person may go on`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for text in ["first", "second", "third"] { try await computers.serverAdds(text) }
    let all = computers.box.folder + "/cspp-namespaces"
    let name = try #require(
      Files.tree(all).first { $0.contains("/sealed/") && $0.contains("/00000002-") })
    try Files.remove(all + "/" + name)
    let refused = try await computers.laptop(["rotate", "--master-key"], expecting: 75)
    #expect(refused.err.contains("--despite-gaps"), "\(refused.err)")
    let wrong = try await computers.laptop(["rotate", "--despite-gaps"], expecting: 64)
    #expect(wrong.err.contains("--master-key"), "\(wrong.err)")
    // What that does not help against does not name it.
    let logs = Files.tree(all).filter { $0.contains("/log/") }
    let kept = try Files.read(all + "/" + #require(logs.last))
    try Files.remove(all + "/" + #require(logs.last))
    for more in [[], ["--despite-gaps"]] {
      let torn = try await computers.laptop(["rotate", "--master-key"] + more, expecting: 75)
      #expect(!torn.err.contains("--despite-gaps"), "\(torn.err)")
    }
    try Files.write(kept, to: all + "/" + #require(logs.last))
    let rotated = try await computers.laptop(["rotate", "--master-key", "--despite-gaps"])
    #expect(rotated.err.contains("authorise them again"), "\(rotated.text)")
    // The first version is not known to be replaced: both are there.
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out], expecting: 94)
    let texts = try Files.tree(out).map { try Files.text(out + "/" + $0) }
    #expect(texts.sorted() == ["first", "third"])
  }

  private func restore(
    _ computers: FileComputers, _ name: String,
    _ texts: [String: String], at location: SourceLocation = #_sourceLocation
  ) async throws {
    let out = computers.target(name)
    try await computers.third(
      ["restore", "--only", "files", "--out", out], at: location)
    let found = Files.tree(out).filter { $0.hasPrefix("node/") }
    #expect(found == texts.keys.sorted(), sourceLocation: location)
    for (file, text) in texts where found.contains(file) {
      #expect(try Files.text("\(out)/\(file)") == text, sourceLocation: location)
    }
  }

  @Test func `After a rotation a computer still knows which files are its own`() async throws {
    let computers = try await FileComputers()
    let paths = ["a", "b"].map { computers.files + "/\($0)/f" }
    for path in paths {
      try Files.makeFolder(String(path.dropLast(2)))
      try Files.write(path, to: path)
    }
    try await computers.laptop(["file", "add", paths[0]])
    // Another computer, of the same name as all here, rotates the master key.
    try await computers.third(["rotate", "--master-key"])
    let refused = try await computers.laptop(["file", "add", paths[1]], expecting: 64)
    #expect(refused.err.contains("is the name of"), "\(refused.text)")
    try Files.write("new", to: paths[0])
    let again = try await computers.laptop(["file", "add", paths[0], "--json"]).json()
    #expect(again["files"][0]["changed"].flag == true, "\(again)")
    let listed = try await computers.laptop(["file", "list", "--json"]).json()
    #expect(listed["files"].items.count == 1, "\(listed)")
  }

  /// Plain `verify` reads them, and says so.
  @Test func `A deep check reads the contents of versions that were replaced, too`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/large"
    for letter in ["a", "b"] {
      try Files.write(String(repeating: letter, count: 100_000), to: path)
      try await computers.laptop(["file", "add", path])
    }
    try await computers.laptop(["verify", "--deep"])
    let folder = computers.backup.place + "/keybackup/objects/"
    for object in Files.tree(folder) {
      let whole = try Files.read(folder + object)
      var changed = whole
      changed[70_000] ^= 1
      try Files.write(changed, to: folder + object)
      try await computers.laptop(["verify"], expecting: 65)
      try await computers.laptop(["verify", "--deep"], expecting: 65)
      try Files.write(whole, to: folder + object)
    }
  }

  /// Both rotations had succeeded, and what was added after each of them counts.
  @Test func `Two rotations by one key that did not know of each other are both read`() async throws
  {
    let computers = try await FileComputers()
    let box = computers.box
    let other = box.root + "/other"
    try Files.copy(box.folder, to: other)
    let apart = { (arguments: [String]) in
      try await box.keybackup(
        arguments, home: box.root + "/third", environment: ["KEYBACKUP_FOLDER": other])
    }
    try await computers.laptop(["rotate", "--master-key"])
    _ = try await apart(["rotate", "--master-key"])
    for name in ["here", "there"] { try Files.write(name, to: computers.files + "/" + name) }
    try await computers.laptop(["file", "add", computers.files + "/here"])
    _ = try await apart(["file", "add", computers.files + "/there"])
    // The sync program brings everything to both.
    let merged = try await box.run(["cp", "-rn", other + "/.", box.folder], key: nil)
    #expect(merged.code == 0, "\(merged.text)")
    let out = computers.target()
    for (number, home) in ["/new", "/home", "/third"].enumerated() {
      try? Files.makeFolder(box.root + home)
      // A person decides on what is only in the one that is not in charge.
      try await box.keybackup(
        ["restore", "--only", "files", "--out", "\(out)-\(number)"], home: box.root + home,
        expecting: 94)
      let texts = try Files.tree("\(out)-\(number)").map {
        try Files.text("\(out)-\(number)/" + $0)
      }
      #expect(texts.sorted() == ["here", "there"], "\(home): \(texts)")
    }
    // The next change takes everything into one, which needs no other one.
    try Files.write("more", to: computers.files + "/here")
    try await computers.laptop(["file", "add", computers.files + "/here"])
    let listed = try await box.keybackup(
      ["file", "list", "--json"], home: box.root + "/new"
    ).json()
    #expect(
      Set(listed["files"].items.map { $0["name"].text }) == ["here", "there"], "\(listed)")
    let late = try #require(listed["files"].items.first { $0["name"].text == "there" })
    try await computers.laptop(
      ["file", "keep", "there", try #require(late["version"].text)])
    // One key is one way in, and nothing needs the other rotation's backup.
    for home in ["/new", "/home", "/third"] {
      let deep = try await box.keybackup(
        ["verify", "--deep", "--json"], home: box.root + home
      ).json()
      #expect(deep["waiting"].items.isEmpty && deep["ways"].items.count == 1, "\(deep)")
      #expect(deep["deletable"].items.count == 2, "\(deep)")
    }
  }

  @Test func `A name means the file that has it byte for byte`() async throws {
    let computers = try await FileComputers()
    let names = ["caf\u{E9}", "cafe\u{301}"]
    for name in names {
      try Files.write(name, to: computers.files + "/" + name)
      try await computers.laptop(["file", "add", computers.files + "/" + name])
    }
    for name in names {
      let shown = try await computers.laptop(["file", "show", name, "--json"]).json()
      let text = try #require(shown["file"]["name"].text)
      #expect(Array(text.utf8) == Array(name.utf8))
    }
    try await computers.laptop(["file", "remove", names[0], "--yes"])
    let out = computers.target()
    let removed = try await computers.laptop(
      ["file", "restore", names[0], "--out", out], expecting: 66)
    #expect(removed.err.contains("was removed"), "\(removed.text)")
    try await computers.laptop(["file", "restore", names[1], "--out", out])
  }

  /// The earlier backup may have the contents that are missing here.
  @Test func `While contents are missing no earlier backup is offered for deletion`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/notes"
    let objects = { Set(Files.tree(computers.box.folder).filter { $0.hasSuffix(".bin") }) }
    for letter in ["x", "y"] {
      try Files.write(String(repeating: letter, count: 40_000), to: path)
      try await computers.laptop(["file", "add", path])
    }
    try await computers.laptop(["rotate", "--master-key"])
    let before = objects()
    try Files.write(String(repeating: "x", count: 40_000), to: path)
    try await computers.laptop(["file", "add", path])
    let made = objects().subtracting(before)
    #expect(made.count == 1)
    for object in made { try Files.remove(computers.box.folder + "/" + object) }
    let lacking = try await computers.laptop(["verify", "--deep", "--json"], expecting: 75).json()
    #expect(lacking["deletable"].items.isEmpty, "\(lacking)")
    // The earlier one has them, and a choice takes them over.
    let listed = try await computers.laptop(["file", "list", "--json"]).json()
    let version = try #require(listed["files"].items.first?["version"].text)
    try await computers.laptop(["file", "keep", "notes", version])
    let deep = try await computers.laptop(["verify", "--deep", "--json"]).json()
    #expect(deep["deletable"].items.count == 1, "\(deep)")
  }

  @Test func `A late version beside a current one is told`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for text in ["one", "two"] { try await computers.serverAdds(text) }
    try await computers.laptop(["rotate", "--master-key"])
    let history = try await computers.laptop(["file", "history", "channel.backup", "--json"]).json()
    let first = try #require(
      history["versions"].items.first { $0["state"].text == "replaced" }?["version"].text)
    try await computers.laptop(["file", "keep", "channel.backup", first])
    try await computers.serverAdds("three")
    let listed = try await computers.laptop(["file", "list", "--json"]).json()
    #expect(listed["files"].items.first?["late"].number == 1, "\(listed)")
    let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: 94).json()
    #expect(deep["files"]["late-versions"].number == 1, "\(deep)")
    try await computers.laptop(
      ["restore", "--only", "files", "--out", computers.target()], expecting: 94)
  }

  /// A thief of the server writes on, into what was deleted.
  @Test(arguments: [1, 2])
  func `What a retired computer writes to a deleted backup stops nothing`(
    rotations: Int
  ) async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("one")
    try await computers.laptop(["writers", "retire", "node", "--yes"])
    var place = ""
    for number in 1...rotations {
      let old = try #require(
        try await computers.laptop(["rotate", "--master-key", "--json"])
          .json()["previous_namespace_id"].text)
      if number == 1 { place = computers.box.folder + "/cspp-namespaces/" + old + "/" }
    }
    // Another computer knows the backup in charge.
    let other = computers.box.root + "/other"
    try Files.makeFolder(other)
    try await computers.box.keybackup(["verify", "--deep"], home: other)
    let deep = try await computers.laptop(["verify", "--deep", "--json"]).json()
    #expect(deep["deletable"].items.count == rotations, "\(deep)")
    for spent in deep["deletable"].items {
      let id = try #require(spent["namespace_id"].text)
      let kept = spent["keep"].items.compactMap(\.text)
      #expect(kept.contains("keybackup/keys") && kept.count > 1, "\(deep)")
      let folder = computers.box.folder + "/cspp-namespaces/" + id + "/"
      for file in Files.tree(folder) where !kept.contains(where: { file.hasPrefix($0) }) {
        try Files.remove(folder + file)
      }
      // Empty folders of sync programs do no harm, but a person deletes them.
      for name in ["keybackup/sealed", "keybackup/objects"] { try? Files.remove(folder + name) }
      try await computers.box.keybackup(
        ["status", "--accept", "--yes", "--namespace", id], key: nil, pin: .none, expecting: nil)
    }
    let after = try await computers.laptop(["verify", "--deep", "--json"]).json()
    #expect(after["deletable"].items.isEmpty, "\(after)")
    // So it is on every computer: no backup has to be named.
    try await computers.box.keybackup(["verify", "--deep"], home: other, expecting: 89)
    try await computers.box.keybackup(
      ["status", "--accept", "--yes"], key: nil, pin: .none, home: other, expecting: nil)
    try await computers.box.keybackup(["verify", "--deep"], home: other)
    // Whoever did as told is not frightened.
    let new = try await computers.third(["file", "list"])
    #expect(!new.err.contains("another rotation"), "\(new.text)")
    try Files.write("evil", to: computers.serverHome + "/channel.backup")
    try await computers.server(
      ["file", "add", computers.serverHome + "/channel.backup"], expecting: nil)
    #expect(Files.tree(place).contains { $0.contains("/sealed/") })
    try await computers.laptop(["verify", "--deep"])
    try await computers.laptop(["file", "list"])
    try await restore(computers, "one", ["node/channel.backup": "one"])
    try await computers.laptop(["rotate", "--master-key"])
  }
}

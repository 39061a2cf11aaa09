import Glibc
import TestSupport
import Testing

/// The file that a command line means, where somebody else may have chosen names.
@Suite struct NamedFileTests {
  @Test func `A name that is not UTF-8 never means another file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try Files.write("other", to: computers.serverHome + "/bad\u{FFFD}name")
    let script = #"cd "$1"; shift; exec "$@" "$(printf 'bad\377name')""#
    let wrapper = ["sh", "-c", script, "sh", computers.serverHome]
    for json in [[], ["--json"]] {
      let refused = try await computers.box.keybackup(
        ["file", "add"] + json, key: nil, pin: .none, home: computers.serverHome,
        wrapper: wrapper, expecting: 64)
      #expect(refused.text.contains("is not UTF-8; nothing was done"), "\(refused.text)")
      #expect(refused.text.contains("keybackup file add - --name NAME"), "\(refused.text)")
      if !json.isEmpty { #expect(try refused.json()["error"]["code"].text == "usage") }
    }
    #expect(try await computers.laptop(["file", "list", "--json"]).json()["files"].items.isEmpty)
  }

  @Test func `A file that a retired computer plants takes no name from a file that counts`()
    async throws
  {
    let computers = try await FileComputers()
    let path = computers.files + "/f.txt"
    try Files.write("good", to: path)
    let added = try await computers.laptop(["file", "add", path, "--json"]).json()["files"][0]
    let good = try #require(added["file_id"].text)
    try await computers.authoriseServer()
    try await computers.laptop(["writers", "retire", "node"])
    for name in ["f.txt", String(good.prefix(8))] {
      let planted = try await computers.serverAdds("evil", as: name)
      let shown = try await computers.laptop(["file", "history", name, "--json"]).json()
      #expect(shown["file_id"].text == good, "\(shown)")
      let id = try #require(planted["file_id"].text)
      // Nothing else has that name.
      for own in ["node/" + name, String(id.prefix(8)), id] {
        let shown = try await computers.laptop(["file", "history", own, "--json"]).json()
        #expect(shown["file_id"].text == id && shown["state"].text == "held-back", "\(shown)")
      }
    }
    let out = computers.target()
    try await computers.third(["file", "restore", "f.txt", "--out", out])
    #expect(try Files.tree(out).map { try Files.text(out + "/" + $0) } == ["good"])
    let removed = try await computers.laptop(["file", "remove", "f.txt", "--yes", "--json"]).json()
    #expect(removed["file_id"].text == good)
  }

  @Test func `A version under another name does not hide a file`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let own = computers.files + "/channel.backup"
    try Files.write("good", to: own)
    let added = try await computers.laptop(["file", "add", own, "--json"]).json()["files"][0]
    let id = try #require(added["file_id"].text)
    // Whoever has the key gives a version another name.
    let other = computers.files + "/other"
    try Files.write("evil", to: other)
    try await computers.laptop(["file", "add", other, "--to", id])
    for name in ["other", "channel.backup"] {
      let shown = try await computers.third(["file", "history", name, "--json"]).json()
      #expect(shown["file_id"].text == id, "\(shown)")
    }
    // A file that has the name now is meant before one that had it.
    let meant = try #require(try await computers.serverAdds("node's")["file_id"].text)
    let removed = try await computers.laptop(["file", "remove", "channel.backup", "--yes"])
    #expect(removed.text.contains("file history \(meant.prefix(8))"), "\(removed.text)")
    #expect(removed.text.contains("file keep \(meant.prefix(8)) "), "\(removed.text)")
    let state = try await computers.laptop(["file", "history", id, "--json"]).json()["state"]
    #expect(state.text == "current")
  }

  @Test func `A hint names a file by its ID where another file had its name`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let id = try #require(try await computers.serverAdds("before")["file_id"].text)
    let own = computers.files + "/x"
    let named = computers.files + "/channel.backup"
    for path in [own, named] { try Files.write(path, to: path) }
    let added = try await computers.laptop(["file", "add", own, "--json"]).json()["files"][0]
    let other = try #require(added["file_id"].text)
    try await computers.laptop(["file", "add", named, "--to", other])
    try await computers.laptop(["file", "add", own, "--to", other])
    try await computers.laptop(["writers", "retire", "node"])
    try await computers.serverAdds("after")
    let shown = try await computers.laptop(["file", "history", "channel.backup"])
    #expect(shown.text.contains("file keep \(id.prefix(8)) VERSION"), "\(shown.text)")
    let out = computers.target()
    let restored = try await computers.third(
      ["file", "restore", "channel.backup", "--out", out], expecting: 94)
    #expect(restored.err.contains("file keep node/channel.backup VERSION"), "\(restored.err)")
    #expect(try Files.text(out + "/node/channel.backup") == "before")
  }

  @Test func `A name that is taken hides no other failure`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for name in ["a", "c"] { try await computers.serverAdds(name, as: name) }
    try await computers.serverAdds(String(repeating: "long ", count: 2000), as: "b")
    let objects = computers.backup.place + "/keybackup/objects"
    for name in Files.tree(objects) { try Files.remove(objects + "/" + name) }
    let some = ["file", "restore", "a", "b", "c"]
    let runs = [
      (some, "failed"), (["restore"], "failed_files"),
      (["restore", "--only", "files"], "failed_files"),
    ]
    for (place, (run, key)) in runs.enumerated() {
      let out = computers.target("out\(place)")
      try Files.makeFolder(out + "/node")
      try Files.write("mine", to: out + "/node/a")
      let arguments = run + ["--out", out]
      let outcome = try await computers.third(arguments + ["--json"], expecting: 87)
      let failed = try outcome.json()[key].items
      #expect(Set(failed.map { $0["code"].text }) == ["cannot-create", "incomplete"], "\(failed)")
      #expect(failed.contains { $0["reason"].text?.contains("nothing was overwritten") == true })
      let told = try await computers.third(arguments, expecting: 87)
      #expect(
        told.err.contains("nothing was overwritten, and 1 other version could not be read"),
        "\(told.err)")
      #expect(!told.err.contains("all other files were written"), "\(told.err)")
      #expect(try Files.text(out + "/node/a") == "mine" && Files.text(out + "/node/c") == "c")
    }
    let out = computers.target("out0")
    let alone = ["file", "restore", "a", "c", "--out", out]
    let json = try await computers.third(alone + ["--json"], expecting: 73).json()
    #expect(json["failed"].items.count == 1 && json["restored"].number == 1)
    let told = try await computers.third(alone, expecting: 73)
    #expect(told.err.contains("all other files were written"), "\(told.err)")
  }

  @Test func `A prune that gave nothing up does not say that it did`() async throws {
    let computers = try await FileComputers()
    let full = try await computers.box.keybackup(
      ["file", "prune"], wrapper: ["sh", "-c", "exec \"$@\" >/dev/full", "sh"], expecting: 74)
    #expect(full.err.contains("no version was given up"), "\(full.err)")
    #expect(!full.err.contains("all the same"), "\(full.err)")
  }

  @Test func `A link to a file that must not be copied is refused, too`() async throws {
    let computers = try await FileComputers()
    try Files.write("live database", to: computers.files + "/channel.db")
    let direct = try await computers.laptop(
      ["file", "add", computers.files + "/channel.db"], expecting: nil)
    try Files.link(computers.files + "/innocent", to: computers.files + "/channel.db")
    let linked = try await computers.laptop(
      ["file", "add", computers.files + "/innocent"], expecting: nil)
    #expect(direct.code != 0 && linked.code == direct.code, "\(linked.text)")
  }

  /// It would be read for hours otherwise.
  @Test func `A file that is too large is refused at once`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/huge"
    try Files.write("", to: path)
    #expect(unsafe truncate(path, 1 << 40 + 1) == 0)
    let refused = try await computers.laptop(["file", "add", path], expecting: 65)
    #expect(refused.err.contains("larger than 1 TiB"), "\(refused.text)")
  }

  @Test func `Commands about files say that the folder is older`() async throws {
    let computers = try await FileComputers()
    for name in ["k1", "k2"] {
      try Files.write(name, to: computers.files + "/" + name)
      try await computers.laptop(["file", "add", computers.files + "/" + name])
    }
    let log = computers.backup.place + "/keybackup/log"
    let last = try #require(Files.tree(log).filter { $0.hasSuffix(".json") }.max())
    try Files.remove(log + "/" + last)
    let commands = [
      ["file", "list"], ["file", "history", "k1"], ["file", "show", "k1"],
      ["file", "restore", "k1", "--out", computers.target("a")],
      ["restore", "--only", "files", "--out", computers.target("b")],
    ]
    for command in commands {
      let told = try await computers.laptop(command, expecting: 89)
      #expect(told.err.contains("older than what this computer has seen"), "\(told.text)")
      let json = try await computers.laptop(command + ["--json"], expecting: 89).json()
      #expect(json["history"].text == "rolled-back", "\(json)")
    }
  }

  /// FAT takes no file of 4 GiB: the others are written all the same.
  @Test func `A file that is too large for the disk does not end the others`() async throws {
    let computers = try await FileComputers()
    try Files.write("a", to: computers.files + "/small")
    try Files.write(String(repeating: "b", count: 400_000), to: computers.files + "/large")
    for name in ["small", "large"] {
      try await computers.laptop(["file", "add", computers.files + "/" + name])
    }
    let wrapper = ["bash", "-c", #"trap '' XFSZ; ulimit -f 256; exec "$@""#, "bash"]
    let restore = { (more: [String]) in
      try await computers.box.keybackup(
        ["file", "restore", "large", "small"] + more, wrapper: wrapper, expecting: 87)
    }
    let told = try await restore(["--out", computers.target("a")])
    #expect(told.err.contains("1 file of 2 was not restored"), "\(told.text)")
    let json = try await restore(["--out", computers.target("b"), "--json"]).json()
    #expect(json["restored"].number == 1 && json["failed"].items.count == 1, "\(json)")
    #expect(json["failed"][0]["name"].text == "large", "\(json)")
  }
}

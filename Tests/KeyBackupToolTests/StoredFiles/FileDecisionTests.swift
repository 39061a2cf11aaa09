import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// Files about which a person decides: conflicts, retired computers, names that fit several.
@Suite struct FileDecisionTests {
  @Test func `A cloned server makes a conflict that a person ends`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("common")
    let clone = computers.box.root + "/clone"
    try Files.copy(computers.serverHome, to: clone)
    try await computers.serverAdds("one")
    try await computers.serverAdds("other", home: clone)
    let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: 94).json()
    #expect(deep["files"]["conflict"].number == 1 && deep["files"]["current"].number == 0)
    let out = computers.target()
    let restored = try await computers.third(
      ["restore", "--out", out, "--json"], expecting: 94
    ).json()
    #expect(restored["restored"].number == 3 && restored["restored_files"].number == 2)
    #expect(restored["stored_files"].items.allSatisfy { $0["aside"].flag == true })
    let aside = Files.tree(out).filter { $0.hasPrefix("node/channel.backup.conflict-") }
    #expect(try Set(aside.map { try Files.text(out + "/" + $0) }) == ["one", "other"])
    #expect(!Files.exists(out + "/node/channel.backup"))

    let history = try await computers.laptop(["file", "history", "channel.backup", "--json"]).json()
    let chosen = try #require(history["versions"].items.first { $0["content"] != .null })
    let version = try #require(chosen["version"].text)
    try await computers.laptop(["file", "keep", "channel.backup", String(version.prefix(8))])
    try await computers.third(["verify", "--deep"])
    try await computers.third(
      ["file", "restore", "channel.backup", "--out", out + "2", "--json"])
    #expect(Files.tree(out + "2") == ["node/channel.backup"])
    let unknown = try await computers.third(
      ["file", "keep", "channel.backup", "00000000"], expecting: nil)
    expectFailure(unknown, 66, says: "has no version")
  }

  @Test func `What a retired server writes is held back until a person accepts it`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("before")
    let retired = try await computers.laptop(["writers", "retire", "node", "--json"]).json()
    #expect(retired["changed"].flag == true && retired["silent"].flag == true)
    let again = try await computers.laptop(["writers", "retire", "node", "--json"]).json()
    #expect(again["changed"].flag == false)
    // It does not know, and goes on.
    try await computers.serverAdds("after")
    let list = try await computers.laptop(["writers", "list", "--json"]).json()["silent"]
    #expect(list[0]["retired"].flag == true && list[0]["held_back"].number == 1)
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out], expecting: 94)
    #expect(try Files.text(out + "/node/channel.backup") == "before")
    let aside = try #require(
      Files.tree(out).first { $0.hasPrefix("node/channel.backup.held-back-") })
    #expect(try Files.text(out + "/" + aside) == "after")
    let version = try #require(aside.split(separator: "-").last.map(String.init))
    try await computers.laptop(["file", "keep", "node/channel.backup", version])
    let decided = try await computers.laptop(["writers", "list", "--json"]).json()["silent"]
    #expect(decided[0]["held_back"].number == 0)
    try await computers.third(["file", "restore", "channel.backup", "--out", out + "2"])
    #expect(try Files.text(out + "2/node/channel.backup") == "after")
    // A new request makes it a silent writer again.
    try await computers.authoriseServer(label: "node 2")
    try await computers.serverAdds("new")
    let ambiguous = try await computers.third(
      ["file", "restore", "channel.backup", "--out", out + "3"], expecting: nil)
    expectFailure(ambiguous, 90, says: "2 files are called", "node/channel.backup")
    try await computers.third(["file", "restore", "node 2/channel.backup", "--out", out + "3"])
    #expect(try Files.text(out + "3/node 2/channel.backup") == "new")
  }

  /// A version is kept only after its contents were read.
  @Test func `A version without its contents is not kept`() async throws {
    let computers = try await FileComputers()
    let path = computers.files + "/large"
    var objects: [String] = []
    for text in ["one ", "two "] {
      try Files.write(String(repeating: text, count: 50_000), to: path)
      try await computers.laptop(["file", "add", path])
      let now = Files.tree(computers.box.folder).filter { $0.hasSuffix(".bin") }
      objects.append(try #require(now.first { !objects.contains($0) }))
    }
    let history = try await computers.laptop(["file", "history", "large", "--json"]).json()
    let old = try #require(history["versions"].items.last?["version"].text)
    let object = computers.box.folder + "/" + objects[0]
    let whole = try Files.contents(computers.box.folder)
    let (before, size) = (whole.count, try #require(whole[objects[0]]).count)
    try Files.write(String(repeating: "x", count: size), to: object)
    let damaged = try await computers.laptop(["file", "keep", "large", old], expecting: nil)
    expectFailure(damaged, 65, says: "damaged")
    try Files.remove(object)
    let missing = try await computers.laptop(["file", "keep", "large", old], expecting: nil)
    expectFailure(missing, 75, says: "not here")
    #expect(try Files.contents(computers.box.folder).count == before - 1)
    let out = computers.target()
    try await computers.third(["file", "restore", "large", "--out", out])
    #expect(try Files.tree(out).contains { try Files.text(out + "/" + $0).hasPrefix("two ") })
  }

  @Test func `What a retired server writes is refused`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("before")
    try await computers.serverAdds("only", as: "other")
    try await computers.laptop(["writers", "retire", "node"])
    for text in ["evil", "worse"] { try await computers.serverAdds(text) }
    try await computers.serverAdds("bad", as: "planted")
    let history = try await computers.laptop(["file", "history", "channel.backup"])
    #expect(history.text.contains("To refuse them, keep the current one"), "\(history.text)")
    let json = try await computers.laptop(["file", "history", "channel.backup", "--json"]).json()
    let current = try #require(
      json["versions"].items.first { $0["state"].text == "current" }?["version"].text)
    let kept = try await computers.laptop(["file", "keep", "channel.backup", current])
    #expect(kept.text.contains("Refused 2 versions of a retired computer"), "\(kept.text)")
    let planted = try await computers.laptop(["file", "history", "planted"])
    #expect(planted.text.contains("To refuse them: keybackup file remove"), "\(planted.text)")
    let removed = try await computers.laptop(["file", "remove", "planted", "--json"]).json()
    #expect(removed["changed"].flag == true)
    let again = try await computers.laptop(["file", "keep", "channel.backup", current, "--json"])
    #expect(try again.json()["changed"].flag == false)
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out])
    #expect(Files.tree(out).sorted() == ["node/channel.backup", "node/other"])
    try await computers.laptop(["verify", "--deep"])
  }

  @Test func `A version that was accepted follows the current one, and says what is left`()
    async throws
  {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("good")
    try await computers.laptop(["writers", "retire", "node"])
    var versions: [String] = []
    for text in ["1", "2", "3"] {
      versions.append(try #require(try await computers.serverAdds(text)["version"].text))
    }
    let accepted = try await computers.laptop(["file", "keep", "channel.backup", versions[1]])
    #expect(accepted.text.contains("counts now"), "\(accepted.text)")
    #expect(accepted.text.contains("Held back still: 1 version."), "\(accepted.text)")
    #expect(accepted.text.contains("Refused 1 version of a retired"), "\(accepted.text)")
    let out = computers.target()
    try await computers.third(["file", "restore", "channel.backup", "--out", out], expecting: 94)
    #expect(try Files.text(out + "/node/channel.backup") == "2")
  }

  @Test func `A removed file is added again by the computer that may write without the key`()
    async throws
  {
    let computers = try await FileComputers()
    try await computers.laptop(["writers", "authorise", "--label", "laptop"])
    let path = computers.files + "/notes"
    try Files.write("Dear Alice", to: path)
    let add = ["file", "add", path]
    try await computers.laptop(add)
    try await computers.laptop(["file", "remove", "notes"])
    // A watcher leaves it removed until it changes; a person who adds it means it.
    let watched = try await computers.box.keybackup(
      ["file", "watch", path, "--once"], key: nil, pin: .none)
    #expect(watched.text.contains("has not changed"), "\(watched.text)")
    #expect(try await computers.laptop(add).text.contains("Saved"))
    #expect(try await computers.laptop(add).text.contains("has not changed since this computer"))
    try await computers.third(["file", "restore", "notes", "--out", computers.target()])
    // An old version was made current: what is on the disk counts when a person says so.
    try Files.write("Dear Bob", to: path)
    try await computers.laptop(add)
    let versions = try await computers.laptop(["file", "history", "notes", "--json"]).json()
    let old = try #require(versions["versions"].items.last?["version"].text)
    try await computers.laptop(["file", "keep", "notes", old])
    let unchanged = try await computers.laptop(add)
    #expect(unchanged.text.contains("another version is the current one"), "\(unchanged.text)")
    #expect(try await computers.laptop(add + ["--again"]).text.contains("Saved"))
  }

  @Test func `A server that knows nothing of a removal adds a file again when told so`()
    async throws
  {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("x")
    try await computers.laptop(["file", "remove", "channel.backup"])
    #expect(try await computers.serverAdds("x")["changed"].flag == false)
    let path = computers.serverHome + "/channel.backup"
    let again = try await computers.server(["file", "add", path, "--again", "--json"]).json()
    #expect(again["files"][0]["changed"].flag == true)
    try await computers.third(["file", "restore", "channel.backup", "--out", computers.target()])
  }

  @Test func `A server that was retired goes on after a rotation once it is authorised again`()
    async throws
  {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("one")
    try await computers.laptop(["writers", "retire", "node"])
    try await computers.laptop(["rotate", "--master-key"])
    let request = try await computers.server(["writers", "request", "--new-key", "--json"]).json()
    #expect(request["label"].text == "node", "it keeps its name")
    let answer = try await computers.laptop(
      ["writers", "authorise", try #require(request["line"].text), "--yes", "--json"]
    ).json()
    try await computers.server(
      ["writers", "accept", try #require(answer["line"].text), "--yes"])
    #expect(try await computers.serverAdds("two")["changed"].flag == true)
    let path = computers.serverHome + "/channel.backup"
    try await computers.server(["file", "watch", path, "--once"])
    let status = try await computers.server(["status"], expecting: nil)
    #expect(status.code != 90, "\(status.text)")
    let out = computers.target()
    try await computers.third(["restore", "--only", "files", "--out", out], expecting: nil)
    #expect(try Files.tree(out).map { try Files.text(out + "/" + $0) }.contains("two"))
  }

  /// Somebody who may add files named one by the digits that a list shows of another.
  @Test func `A file is not taken for another one whose digits are its name`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let file = try await computers.serverAdds("good")
    let id = try #require(file["file_id"].text)
    for name in [String(id.prefix(8)), id] {
      try await computers.serverAdds("planted", as: name)
    }
    let shown = try await computers.laptop(
      ["file", "history", String(id.prefix(8))], expecting: nil)
    #expect(shown.code == 90 && shown.err.contains("node/channel.backup"), "\(shown.text)")
    try await computers.laptop(["file", "remove", id, "--yes"])
    let list = try await computers.laptop(["file", "list", "--json"]).json()["files"].items
    for row in list {
      #expect((row["state"].text == "removed") == (row["file_id"].text == id), "\(row)")
    }
  }

  @Test func `After a rotation a computer says that what it adds is late`() async throws {
    let computers = try await FileComputers()
    try await computers.laptop(["writers", "authorise", "--label", "laptop"])
    let path = computers.files + "/notes"
    try Files.write("one", to: path)
    try await computers.laptop(["file", "add", path])
    try await computers.laptop(["rotate", "--master-key"])
    try Files.write("two", to: path)
    let late = try await computers.laptop(["file", "add", path])
    #expect(late.text.contains("The master key was rotated"), "\(late.text)")
    #expect(late.text.contains("keybackup writers authorise"), "\(late.text)")
    try await computers.laptop(["writers", "authorise"])
    try Files.write("three", to: path)
    let right = try await computers.laptop(["file", "add", path])
    #expect(!right.text.contains("rotated"), "\(right.text)")
    let out = computers.target()
    try await computers.third(["file", "restore", "notes", "--out", out])
    #expect(try Files.text(out + "/laptop/notes") == "three")
  }

  @Test func `Nothing that is there is replaced`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds("from the backup")
    let out = computers.target()
    try Files.makeFolder(out + "/node")
    try Files.write("mine", to: out + "/node/channel.backup")
    let refused = try await computers.third(
      ["file", "restore", "channel.backup", "--out", out], expecting: nil)
    expectFailure(refused, 73, says: "with other contents")
    #expect(try Files.text(out + "/node/channel.backup") == "mine")
    let all = try await computers.third(["restore", "--out", out], expecting: nil)
    #expect(all.code == 73, "\(all.text)")
    #expect(Files.tree(out).count == 4, "the wallets were not written")
    // A link in the place of the folder leads nowhere.
    let linked = computers.target("linked")
    try Files.makeFolder(linked)
    try Files.makeFolder(computers.box.root + "/elsewhere")
    try Files.link(linked + "/node", to: computers.box.root + "/elsewhere")
    let link = try await computers.third(
      ["file", "restore", "channel.backup", "--out", linked], expecting: nil)
    expectFailure(link, 73, says: "nothing was overwritten")
    #expect(Files.tree(computers.box.root + "/elsewhere").isEmpty)
  }

  @Test func `Wrong paths and names end before the key is asked for`() async throws {
    let computers = try await FileComputers()
    try Files.write("x", to: computers.files + "/channel.db")
    try Files.write("x", to: computers.files + "/a")
    try Files.makeFolder(computers.files + "/b")
    try Files.write("x", to: computers.files + "/b/a")
    let seen = try await computers.box.traced {
      for (arguments, code, says) in [
        (["nothing"], 66, "could not be opened"), (["b"], 64, "is a folder"),
        (["channel.db"], 65, "channel.backup"), (["a", "b/a"], 64, "one name"),
      ] as [([String], Int32, String)] {
        let outcome = try await computers.laptop(
          ["file", "add"] + arguments.map { computers.files + "/" + $0 }, expecting: nil)
        expectFailure(outcome, code, says: says)
      }
      for arguments in [
        ["file", "add", computers.files + "/a", "--name", "x/y"],
        ["file", "add", computers.files + "/a", "-", "--name", "x"],
        ["file", "restore", "a", "b", "--version", "12345678", "--out", "x"],
        ["file", "restore", "a", "--out", "-"], ["file", "prune", "--keep", "0"],
        ["restore", "--removed"], ["restore", "--only", "wallets", "--removed", "--out", "x"],
      ] {
        let outcome = try await computers.laptop(arguments, expecting: nil)
        expectFailure(outcome, 64)
      }
    }
    #expect(seen.isEmpty, "\(seen)")
    let missing = try await computers.laptop(["file", "show", "nobody"], expecting: nil)
    expectFailure(missing, 66, says: "nobody", "keybackup file list")
  }

  @Test func `A name is shown and steers nothing`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let name = "a\u{202E}b keybackup lock"
    try await computers.server(["file", "add", "-", "--name", name], input: "x")
    for arguments in [["file", "list"], ["restore"]] {
      let shown = try await computers.laptop(arguments)
      #expect(!shown.text.contains("\u{202E}") && !shown.text.contains("b keybackup"))
      #expect(shown.out.contains("a\u{FFFD}b"), "\(shown.text)")
    }
    let out = computers.target()
    try await computers.laptop(["file", "restore", name, "--out", out])
    #expect(Files.tree(out) == ["node/" + name])
  }

  @Test func `Contents that are gone or changed are told`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    try await computers.serverAdds(String(repeating: "long ", count: 2000))
    try await computers.serverAdds(String(repeating: "other ", count: 2000), as: "second")
    let objects = computers.backup.place + "/keybackup/objects"
    let files = Files.tree(objects)
    #expect(files.count == 2)
    var bytes = try Files.read(objects + "/" + files[0])
    bytes[100] ^= 1
    try Files.write(bytes, to: objects + "/" + files[0])
    let out = computers.target()
    let partial = try await computers.third(
      ["restore", "--only", "files", "--out", out, "--json"], expecting: 87
    ).json()
    #expect(partial["restored_files"].number == 1 && partial["failed_files"].items.count == 1)
    try await computers.third(["verify", "--deep"], expecting: 65)
    try Files.remove(objects + "/" + files[0])
    try await computers.third(["verify", "--deep"], expecting: 75)
    #expect(Files.tree(out).count == 1)
  }

  /// By a file system that refuses, because root may read everything.
  @Test func `Contents that may not be read keep no other file back`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    for name in ["first", "second", "third"] {
      try await computers.serverAdds(String(repeating: name, count: 2000), as: name)
    }
    let (folder, backing) = (computers.box.folder, computers.box.root + "/backing")
    try Files.move(folder, to: backing)
    try Files.makeFolder(folder)
    let system = try FailingFileSystem(backing: backing, path: folder)
    let objects = Files.tree(backing).filter { $0.contains("/objects/") }
    #expect(objects.count == 3)
    let denied = try #require(objects.min())
    try system.tell("rule op=open name=\(denied) errno=EACCES")
    let out = computers.target()
    let partial = try await computers.third(
      ["restore", "--only", "files", "--out", out, "--json"], expecting: 87
    ).json()
    #expect(partial["restored_files"].number == 2)
    #expect(partial["failed_files"].items.map { $0["code"].text } == ["permission-denied"])
    #expect(Files.tree(out).count == 2)
    try system.tell("rule op=open name=*/objects/* errno=EACCES")
    try await computers.third(["restore", "--only", "files", "--out", out + "2"], expecting: 77)
    system.unmount()
  }

  @Test func `The server says what it is without a key`() async throws {
    let computers = try await FileComputers()
    try await computers.server(["writers", "request", "--label", "node"])
    let asked = try await computers.server(["status"], expecting: 88)
    #expect(asked.out.contains("has no answer yet"), "\(asked.out)")
    try await computers.authoriseServer()
    try await computers.serverAdds("x")
    let status = try await computers.server(["status"], expecting: 88)
    #expect(status.out.contains("this computer, as \"node\": 1 file"), "\(status.out)")
    let json = try await computers.server(["status", "--json"], expecting: 88).json()
    #expect(json["silent_here"].items.contains { $0["files"][0]["name"].text == "channel.backup" })
  }

  @Test func `A watched file that is newer than its backup is told`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let path = computers.serverHome + "/channel.backup"
    try Files.write("saved", to: path)
    try await computers.server(["file", "watch", path, "--once"])
    let saved = try await computers.server(["status", "--json"], expecting: 88).json()
    #expect(saved["watched"][0]["state"].text == "saved")
    try Files.write("changed since", to: path)
    try Files.setModified(path, 1_700_000_000)
    let records = computers.serverHome + "/.local/state/keybackup/watched"
    let record = records + "/" + (try #require(Files.tree(records).first { $0 != ".lock" }))
    let text = try Files.text(record)
    try Files.write(text.replacing(/"since":\d+/, with: "\"since\":1"), to: record)
    let late = try await computers.server(["status"], expecting: 87)
    #expect(late.out.contains("newer than the backup for ten minutes"), "\(late.out)")
    #expect(late.out.hasPrefix("Attention: a watched file is not backed up."), "\(late.out)")
    try await computers.server(["file", "watch", path, "--once"])
    try await computers.server(["status"], expecting: 88)
  }

  @Test func `Large files are told to go to restic`() {
    #expect(AddedFiles.large == 1 << 30)
    #expect(PrintableSize.text(0) == "0 bytes" && PrintableSize.text(1) == "1 byte")
    #expect(PrintableSize.text(999) == "999 bytes" && PrintableSize.text(1000) == "1.0 kB")
    #expect(PrintableSize.text(20_480) == "20.5 kB" && PrintableSize.text(999_949) == "999.9 kB")
    #expect(PrintableSize.text(999_950) == "1.0 MB")
    #expect(PrintableSize.text(1 << 30) == "1.1 GB" && PrintableSize.text(.max) == "18.4 EB")
  }

  @Test func `A line for another computer is never taken for a secret`() {
    // Its letters may be those of a key.
    let line = "keybackup-writer1q8xprv" + String(repeating: "q", count: 100)
    #expect(SecretLook.isWriterLine(line) && SecretLook.isWriterLine(line.uppercased()))
    #expect(TypedSecrets(["writers", "authorise", line]).refusal == nil)
    #expect(!SecretLook.isWriterLine("keybackup-writer1 xprv"))
    #expect(TypedSecrets(["writers", "authorise", line + " nsec1"]).refusal != nil)
  }
}

import CSPP
import Testing

@testable import CommandKit

/// A backup that this computer knew is gone, and another one is in its place, which the same key
/// opens.
@Suite struct ReplacedBackupTests {
  private struct Scene {
    let backup: PreparedBackup
    /// The backup with one wallet in the known one's place.
    let other: String

    var box: Sandbox { backup.box }

    /// Makes the scene; the known backup is gone, or still there.
    init(removing: Bool = true) async throws {
      backup = try await PreparedBackup()
      let box = backup.box
      try await box.keybackup(["restore"])
      let elsewhere = (home: try box.newHome(), folder: box.root + "/elsewhere")
      try Files.makeFolder(elsewhere.folder)
      let environment = ["KEYBACKUP_FOLDER": elsewhere.folder]
      let made = try await box.keybackup(
        ["init", "--json"], home: elsewhere.home, environment: environment)
      other = try #require(try made.json()["namespace_id"].text)
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "other", name: "Other").utf8),
        home: elsewhere.home, environment: environment)
      if removing { try Files.remove(box.folder + "/cspp-namespaces") }
      try Files.makeFolder(box.folder + "/cspp-namespaces")
      try Files.copy(
        elsewhere.folder + "/cspp-namespaces/" + other, to: backup.place(of: other))
    }
  }

  private static let writing: [[String]] = [
    ["wallet", "import", "-"], ["wallet", "remove", "--yes", "other"],
    ["key", "label", "Virtual Key", "mine"], ["key", "repair"], ["key", "add"], ["rotate"],
    ["rotate", "--master-key"], ["recovery-kit", "create", "--out", "/tmp/never"],
    ["writers", "retire", "this"], ["conflicts", "keep", "other", "00000000"],
    ["wallet", "keep", "other", "00000000"], ["unlock", "--for", "60s"],
  ]

  /// A command that would write there, or keep its master key, refuses until a user names it.
  @Test func `Commands that write refuse a replaced backup`() async throws {
    let scene = try await Scene()
    let (box, other) = (scene.box, scene.other)
    let entry = Array(Samples.entry(id: "new", name: "New").utf8)
    let before = try Files.contents(box.folder)
    for command in Self.writing {
      let refused = try await box.keybackup(command + ["--json"], input: entry, expecting: nil)
      try expectFailure(refused, 89, word: "rollback")
      let json = try refused.json()
      #expect(json["vanished"].items.map(\.text) == [scene.backup.namespaceID], "\(command)")
      #expect(json["error"]["hint"].text?.contains(other) == true, "\(command): \(json)")
    }
    #expect(try Files.contents(box.folder) == before)
    let left = try await box.keybackup(["lock", "--json"], key: nil, pin: .none).json()
    #expect(left["forgotten"].number == 0)

    let named = try await box.keybackup(
      ["wallet", "import", "-", "--json", "--namespace", other], input: entry)
    #expect(try named.json()["vanished"].items.map(\.text) == [scene.backup.namespaceID])
    let unnamed = try await box.keybackup(["wallet", "import", "-"], input: entry, expecting: nil)
    expectFailure(unnamed, 89, says: "is gone from", scene.backup.namespaceID, "--namespace")
    try await box.keybackup(["status", "--accept", "--yes"], key: nil, pin: .none)
    let free = try await box.keybackup(["wallet", "import", "-", "--json"], input: entry).json()
    #expect(free["vanished"] == .null)
  }

  /// A command that reads does its work, and reports this by its exit code, in JSON and in words.
  @Test func `What reads ends with it`() async throws {
    let scene = try await Scene()
    let box = scene.box
    for command in [
      ["restore", "--out", box.root + "/out"], ["wallet", "list"], ["wallet", "show", "other"],
      ["wallet", "export", "other", "--format", "descriptors", "--out", box.root + "/d"],
      ["verify", "--deep"], ["conflicts", "list"], ["writers", "list"], ["key", "list"],
      ["key", "identify"], ["verify"], ["status"],
    ] {
      let needsPIN = !["key", "status"].contains(command[0])
      let read = try await box.keybackup(
        command + ["--json"], pin: needsPIN ? .file : .none, expecting: 89)
      let json = try read.json()
      #expect(json["vanished"].items.map(\.text) == [scene.backup.namespaceID], "\(command)")
      #expect(json["error"] == .null, "\(command): \(read.text)")
      if command[0] != "status", command != ["verify"] {
        #expect(read.err.contains("is gone from"), "\(command): \(read.err)")
      }
    }
    #expect(Files.tree(box.root + "/out").count == 1 && Files.exists(box.root + "/d"))
    // A secret in the result changes nothing.
    for command in [
      ["wallet", "show", "other", "--reveal"],
      ["wallet", "export", "other", "--format", "descriptors", "--reveal"],
    ] {
      let shown = try await box.keybackup(command + ["--json"], expecting: 89, secrets: true)
      #expect(try shown.json()["vanished"].items.count == 1, "\(command)")
    }
    // Reading did not make it the known backup: the earlier one is used again when it comes back.
    try Files.remove(box.folder)
    let fresh = try await PreparedBackup()
    try Files.copy(fresh.box.folder, to: box.folder)
    let back = try await box.keybackup(["restore", "--json"]).json()
    #expect(back["restored"].number == 3 && back["vanished"] == .null)
  }

  /// Beside the known backup, it is named with its contents, and not used.
  @Test func `Beside the known one it is not used`() async throws {
    let scene = try await Scene(removing: false)
    let box = scene.box
    let restored = try await box.keybackup(["restore", "--json"], expecting: nil)
    // The key itself chooses which credential it reports.
    if restored.code == 0 {
      #expect(try restored.json()["others"].items.map(\.text) == [scene.other])
    } else {
      try expectFailure(restored, 90, word: "ambiguous")
      let hint = try #require(try restored.json()["error"]["hint"].text)
      #expect(hint.contains("opens \(scene.other): 1 wallet, the newest of 2026-05-28"), "\(hint)")
    }
  }

  /// The successor of the known backup is no stranger, even if the known one was deleted.
  @Test func `Its successor takes its place`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    let rotated = try await box.keybackup(
      ["rotate", "--master-key", "--json"], home: box.newHome()
    ).json()
    try Files.remove(backup.place)
    let entry = Array(Samples.entry(id: "new", name: "New").utf8)
    let added = try await box.keybackup(["wallet", "import", "-", "--json"], input: entry).json()
    #expect(added["vanished"] == .null && added["imported"].number == 1)
    let restored = try await box.keybackup(["restore", "--json"]).json()
    #expect(restored["restored"].number == 4)
    // A backup in the place of both is a stranger.
    let next = try #require(rotated["namespace_id"].text)
    try Files.remove(backup.place(of: next))
    let stranger = try await Scene()
    try Files.copy(
      stranger.backup.place(of: stranger.other), to: backup.place(of: stranger.other))
    try Files.remove(box.keyState)
    try Files.copy(stranger.box.keyState, to: box.keyState)
    let refused = try await box.keybackup(["wallet", "import", "-"], input: entry, expecting: nil)
    expectFailure(refused, 89, says: backup.namespaceID, next)
  }

  @Test func `What has failed stays that`() {
    let gone = OtherBackups(vanished: [.init(words: [1, 2])])
    #expect(gone.ending(.success) == .rollback && gone.ending(.partial) == .rollback)
    #expect(gone.ending(.dataInvalid) == .dataInvalid && gone.ending(.wrongKey) == .wrongKey)
    #expect(OtherBackups().ending(.partial) == .partial)
    let accepted = OtherBackups(vanished: gone.vanished, isAccepted: true)
    #expect(accepted.ending(.success) == .success)
  }
}

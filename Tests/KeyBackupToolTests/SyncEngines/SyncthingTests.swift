import TestSupport
import Testing

/// Two computers that share a folder with the real Syncthing.
@Suite struct SyncthingTests {
  /// The exit codes that are allowed while files are under way.
  ///
  /// They mean: one key only; nothing here yet; not all here; a conflict. Damage or a rollback is
  /// never allowed.
  private static let honest: Set<Int32> = [88, 66, 75, 94]

  /// Syncthing keeps up to this many conflict copies; with 0 it deletes them.
  @Test(arguments: [10, 0])
  func `Two computers and a partition`(_ keptConflicts: Int) async throws {
    let pair = try await SyncthingPair(keptConflicts: keptConflicts)
    let (a, b) = (pair.computers[0], pair.computers[1])
    let made = try await a.keybackup(["init", "--json", a.folder]).json()
    #expect(made["engine"].text == "syncthing" && made["warnings"].items.isEmpty, "\(made)")
    try a.lendKey(to: b)
    try await waitUntil("the backup is on B") {
      let (answer, says, _) = try await a.isSynchronised()
      return answer == .bool(true) ? nil : says
    }
    #expect(try await a.isSynchronised().engineSays == "1 other device has everything")
    let watch = StatusWatch([a, b])

    // Both add at the same time.
    async let first: Void = a.write("one", "One")
    async let second: Void = b.write("two", "Two")
    _ = try await (first, second)
    try await pair.converge()
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One", "Two"], "\(computer.name)")
      #expect(try await computer.deep(expecting: 0) == ["current": 2], "\(computer.name)")
    }

    // One edits, the other removes.
    async let edited: Void = a.write("one", "One, edited")
    async let removed = b.keybackup(["wallet", "remove", "two", "--yes"])
    _ = try await (edited, removed)
    try await pair.converge()
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One, edited"], "\(computer.name)")
    }
    #expect(pair.conflictCopies.isEmpty, "\(pair.conflictCopies)")

    // With the network cut, both edit the same wallet and each adds one.
    pair.stop(1)
    try await a.write("one", "One by A")
    try await b.write("one", "One by B")
    try await a.write("three", "Three by A")
    try await b.write("four", "Four by B")
    try await waitUntil("A's Syncthing knows that B lacks something") {
      let (answer, says, code) = try await a.isSynchronised()
      return answer == .bool(false) && code == 75 && says.contains("still to go") ? nil : says
    }
    let unasked = try await b.isSynchronised()
    #expect(unasked.0 == .null && unasked.code == 88, "\(unasked)")
    #expect(unasked.engineSays.contains("does not run"), "\(unasked)")

    // Connected again: Syncthing leaves a conflict copy in wallets/.
    try pair.start(1)
    try await pair.converge()
    #expect(
      pair.conflictCopies.contains { $0.contains("/wallets/") } == (keptConflicts > 0),
      "\(pair.conflictCopies)")
    for computer in [a, b] {
      #expect(
        try await computer.restored()
          == ["Four by B", "One by A", "One by B", "Three by A"], "\(computer.name)")
      #expect(
        try await computer.deep(expecting: 94) == ["current": 2, "conflict": 1],
        "\(computer.name)")
    }

    // A user on B decides for A's version.
    let listed = try await b.keybackup(["conflicts", "list", "--json"], expecting: nil).json()
    let versions = listed["conflicts"][0]["versions"].items
    let wanted = versions.first { $0["name"].text == "One by A" }?["version"].text ?? "none"
    #expect(versions.count == 2, "\(listed)")
    try await b.keybackup(["conflicts", "keep", "one", wanted])
    try await pair.converge()
    for computer in [a, b] {
      #expect(
        try await computer.restored() == ["Four by B", "One by A", "Three by A"],
        "\(computer.name)")
      #expect(try await computer.deep(expecting: 0) == ["current": 3], "\(computer.name)")
    }
    try await watch.end(expecting: Self.honest)
    for computer in [a, b] {
      try await computer.keybackup(["status"], withKey: false, expecting: 88)
    }
    // The content of the conflict copy is in the wallet's own file, or was decided against: the
    // copy is deleted.
    #expect(pair.conflictCopies.isEmpty, "\(pair.conflictCopies)")
  }

  /// A file that Syncthing ignores is not called synchronised.
  @Test func `What it leaves out`() async throws {
    let pair = try await SyncthingPair()
    let a = pair.computers[0]
    try Files.write("log\n", to: a.home + "/Sync/.stignore")
    let made = try await a.keybackup(["init", "--json", a.folder]).json()
    #expect(made["warnings"][0].text?.contains("Syncthing ignores") == true, "\(made)")
    try await waitUntil("Syncthing has read its patterns") {
      let (answer, says, code) = try await a.isSynchronised()
      return answer == .bool(false) && code == 75 && says.contains("has not taken 1 file")
        ? nil : says
    }
    let text = try await a.keybackup(["status", "--synchronised"], withKey: false, expecting: 75)
    #expect(text.out.contains("Elsewhere  not yet (Syncthing: it has not taken"), "\(text.out)")
  }
}

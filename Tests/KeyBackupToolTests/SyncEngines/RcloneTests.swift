import Testing

/// Two computers and a server, with the real rclone: a mount and a bisync.
@Suite struct RcloneTests {
  private static let honest: Set<Int32> = [88, 66, 75, 94]

  @Test func `A mount and a bisync`() async throws {
    let cloud = try await RcloneCloud()
    let (a, b) = (cloud.a, cloud.b)
    let made = try await a.keybackup(["init", "--json", a.folder]).json()
    #expect(made["engine"].text == "rclone" && made["warnings"].items.isEmpty, "\(made)")
    try a.lendKey(to: b)
    try await cloud.uploaded()
    #expect(!Files.tree(cloud.files).isEmpty)
    let before = try await b.keybackup(["status"], withKey: false, expecting: nil)
    #expect(before.code == 66, "\(before.text)")
    try await cloud.bisync("--resync")
    let (answer, says, _) = try await b.isSynchronised()
    #expect(answer == .bool(true) && says == "both sides had everything at its last run")
    let watch = StatusWatch([a, b])

    // Both add a wallet, and neither knows of the other.
    try await a.write("one", "One")
    try await b.write("two", "Two")
    let waiting = try await b.isSynchronised()
    #expect(waiting.0 == .bool(false) && waiting.code == 75, "\(waiting)")
    try await cloud.converge()
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One", "Two"], "\(computer.name)")
    }

    // One edits, the other removes.
    try await a.write("one", "One, edited")
    try await b.keybackup(["wallet", "remove", "two", "--yes"])
    try await cloud.converge()
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One, edited"], "\(computer.name)")
    }

    // Both edit the same wallet: bisync keeps two files under other names.
    try await a.write("one", "One by A")
    try await cloud.uploaded()
    try await b.write("one", "One by B")
    try await cloud.converge()
    let copies = Files.tree(cloud.files).filter { $0.contains("..path") }
    #expect(copies.contains { $0.contains("/wallets/") }, "\(Files.tree(cloud.files))")
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One by A", "One by B"], "\(computer.name)")
      #expect(try await computer.deep(expecting: 94) == ["conflict": 1], "\(computer.name)")
    }

    // A user decides by writing once more.
    try await b.write("one", "One, decided")
    try await cloud.converge()
    for computer in [a, b] {
      #expect(try await computer.restored() == ["One, decided"], "\(computer.name)")
      #expect(try await computer.deep(expecting: 0) == ["current": 1], "\(computer.name)")
    }
    try await watch.end(expecting: Self.honest)
    #expect(!Files.tree(cloud.files).contains { $0.contains("..path") })
  }
}

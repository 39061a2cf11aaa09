import Testing

/// The text for anyone who finds the folder.
@Suite struct FolderReadmeTests {
  @Test func `Init writes it once and nothing reads it`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init", "--label", "my label"])
    let path = box.folder + "/README.txt"
    let text = try Files.text(path)
    for word in [
      "encrypted", "security key", "recovery code", "keybackup restore", "docs/format.md",
    ] {
      #expect(text.contains(word), "\(word)")
    }
    for word in ["my label", box.root, "http"] { #expect(!text.contains(word), "\(word)") }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 84 })
    #expect(Set(Files.tree(box.folder).map { $0.split(separator: "/")[0] }).count == 2)

    func findings() async throws -> [String] {
      let deep = try await box.keybackup(["verify", "--deep", "--json"]).json()
      let status = try await box.keybackup(
        ["status", "--json"], key: nil, pin: .none, expecting: 88
      ).json()
      return [deep, status].flatMap { $0["failed"].items.compactMap { $0["file"].text } }
    }
    #expect(try await findings().isEmpty)
    try Files.write([0xFF, 0, 0x1B], to: path)
    #expect(try await findings().isEmpty)
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "A").utf8))
    #expect(try Files.read(path) == [0xFF, 0, 0x1B])
    try Files.remove(path)
    try await box.keybackup(["restore"])
    try await box.keybackup(["wallet", "remove", "a", "--yes"])
    #expect(!Files.exists(path), "it is written once")
  }

  /// An existing file of that name stays as it is.
  @Test func `Another file is not touched`() async throws {
    let box = try Sandbox()
    try Files.write("mine", to: box.folder + "/README.txt")
    try await box.keybackup(["init"])
    #expect(try Files.text(box.folder + "/README.txt") == "mine")
  }
}

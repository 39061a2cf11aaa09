import Testing

/// What a computer without a key wrote is gone from the folder, damaged, or would not count.
@Suite struct SilentLossTests {
  private let computers: FileComputers
  private var folder: String { computers.box.folder }

  init() async throws {
    computers = try await FileComputers()
    try await computers.authoriseServer()
    for text in ["one", "two"] { try await computers.serverAdds(text) }
  }

  /// The path of a sealed operation, or of an object.
  private func path(_ part: String) throws -> String {
    try folder + "/"
      + #require(Files.tree(folder).first { $0.contains(part) && !$0.contains("/log/") })
  }

  @Test func `The computer that wrote it says that its last change is gone`() async throws {
    try Files.remove(try path("/00000002-"))
    for command in ["status", "verify"] {
      let told = try await computers.server([command], expecting: 75)
      #expect(told.text.contains("the last change that this computer wrote"), "\(told.text)")
    }
    // It is written again.
    let again = try await computers.server([
      "file", "add", computers.serverHome + "/channel.backup",
    ])
    #expect(again.out.contains("Saved"), "\(again.text)")
    try await computers.server(["verify"])
    #expect(
      try await computers.third(["file", "history", "channel.backup", "--json"])
        .json()["versions"].items.count == 2)
  }

  /// Names are digests.
  @Test func `Damage shows without a key`() async throws {
    try await computers.serverAdds(String(repeating: "large ", count: 2000), as: "large")
    try await computers.server(["verify"])
    for part in ["/00000001-", "/objects/"] {
      let file = try path(part)
      let whole = try Files.read(file)
      var changed = whole
      changed[changed.count / 2] ^= 1
      try Files.write(changed, to: file)
      let told = try await computers.server(["verify"], expecting: 65)
      #expect(told.text.contains("its bytes are not those of its name"), "\(told.text)")
      try Files.write([], to: file)
      try await computers.server(["verify"], expecting: 75)
      try Files.write(whole, to: file)
      try await computers.server(["verify"])
    }
  }

  @Test func `The computer that wrote it names files whose last version is not whole`() async throws
  {
    try await computers.serverAdds(String(repeating: "large ", count: 2000), as: "large")
    try await computers.serverAdds("three")
    try Files.remove(try path("/objects/"))
    for command in ["status", "verify"] {
      let told = try await computers.server([command], expecting: 75)
      #expect(told.text.contains("the last version of \"large\""), "\(told.text)")
    }
    // The advice works.
    try await computers.server(["file", "add", computers.serverHome + "/large"])
    #expect(try await computers.server(["status"], expecting: 88).text.contains("large") == false)
    try await computers.server(["verify"])
  }

  @Test func `A backup that is gone is known where it was written without a key`() async throws {
    try Files.move(folder + "/cspp-namespaces", to: computers.box.root + "/away")
    let told = try await computers.server(["status"], expecting: nil)
    #expect(told.code != 0 && told.code != 66, "\(told.text)")
    #expect(!told.text.contains("keybackup init"), "\(told.text)")
    let refused = try await computers.box.keybackup(
      ["init"], home: computers.serverHome, expecting: nil)
    #expect(refused.code == 75 || refused.code == 89, "\(refused.text)")
    try Files.move(computers.box.root + "/away", to: folder + "/cspp-namespaces")
    try await computers.server(["verify"])
  }

  @Test func `A damaged state is told`() async throws {
    let state = try #require(
      Files.tree(computers.serverHome).first { $0.hasSuffix(".writer") })
    let file = computers.serverHome + "/" + state
    let whole = try Files.read(file)
    try Files.write(Array(whole.prefix(100)), to: file)
    for command in [["status"], ["verify"]] {
      let told = try await computers.server(command, expecting: 65)
      #expect(told.text.contains(".writer"), "\(told.text)")
    }
    try Files.write(whole, to: file)
    try await computers.server(["verify"])
  }

  /// The change that authorised the computer is gone, or has not arrived yet.
  @Test func `What does not count yet is written, and told`() async throws {
    let log = computers.backup.place + "/keybackup/log"
    try Files.move(log, to: computers.box.root + "/log")
    let file = computers.serverHome + "/channel.backup"
    try Files.write("three", to: file)
    let says = "nothing that is written here counts"
    let added = try await computers.server(["file", "add", file], expecting: 75)
    #expect(added.out.contains("Saved") && added.err.contains(says), "\(added.text)")
    let json = try await computers.server(["file", "add", file, "--json"], expecting: 75).json()
    #expect(json["counts"].flag == false, "\(json)")
    try await computers.server(["file", "watch", "--once", file], expecting: 75)
    let status = try await computers.server(["status"], expecting: nil)
    #expect(status.code != 0 && status.text.contains(says), "\(status.text)")
    try Files.move(computers.box.root + "/log", to: log)
    let again = try await computers.server(["file", "add", file, "--json"]).json()
    #expect(again["counts"].flag == true && again["files"][0]["changed"].flag == false)
    let out = computers.target()
    try await computers.third(["file", "restore", "channel.backup", "--out", out])
    #expect(try Files.text(out + "/node/channel.backup") == "three")
  }

  @Test func `A wallet that does not count yet is written, and told`() async throws {
    let other = try await FileComputers()
    try await other.authoriseServer(may: "all")
    let log = other.backup.place + "/keybackup/log"
    try Files.move(log, to: other.box.root + "/log")
    let added = try await other.server(
      [
        "wallet", "add", "--name", "Early", "--network", "bitcoin", "--mnemonic", "-", "--id",
        "early",
      ], input: Samples.mnemonic, expecting: 75)
    #expect(added.err.contains("nothing that is written here counts"), "\(added.text)")
    try Files.move(other.box.root + "/log", to: log)
    let listed = try await other.third(["wallet", "list", "--json"]).json()
    #expect(listed["wallets"].items.contains { $0["name"].text == "Early" }, "\(listed)")
  }

  /// Anybody may put something else in the place of the computer's folder.
  @Test func `A planted name is no lost change`() async throws {
    let chain = try path("/00000001-").split(separator: "/").dropLast().joined(separator: "/")
    try Files.move("/" + chain, to: computers.box.root + "/chain")
    try Files.write("planted", to: "/" + chain)
    try await computers.serverAdds("three")
    let told = try await computers.server(["status"], expecting: nil)
    #expect(!told.text.contains("the last change that this computer wrote"), "\(told.text)")
  }

  @Test func `The earlier backup may not go while a computer may write to it`() async throws {
    let old = try #require(
      try await computers.laptop(["rotate", "--master-key", "--json"])
        .json()["previous_namespace_id"].text)
    func deletable() async throws -> [String?] {
      let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: nil).json()
      return deep["deletable"].items.map { $0["namespace_id"].text }
    }
    #expect(try await deletable() == [])
    // It has the answer, and has not written yet: it may never have accepted it.
    let request = try #require(
      try await computers.server(["writers", "request", "--json"]).json()["line"].text)
    let answer = try #require(
      try await computers.laptop(["writers", "authorise", request, "--yes", "--json"])
        .json()["line"].text)
    #expect(try await deletable() == [])
    try await computers.server(["writers", "accept", answer, "--yes"])
    try await computers.serverAdds("three")
    #expect(try await deletable() == [old])
  }

  @Test func `The earlier backup may go once the computer was retired`() async throws {
    try await computers.laptop(["rotate", "--master-key"])
    try await computers.laptop(["writers", "retire", "node", "--yes"])
    let deep = try await computers.laptop(["verify", "--deep", "--json"], expecting: nil).json()
    #expect(deep["deletable"].items.count == 1, "\(deep)")
  }
}

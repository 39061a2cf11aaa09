import Testing

/// A file of the local state is damaged, or a newer keybackup wrote it.
///
/// Nothing overwrites the file, and the wallets still come back.
@Suite struct UnusableMemoryTests {
  enum Harm: String, CaseIterable, Sendable {
    case cut
    case empty
    case garbage
    case newer

    func bytes(_ whole: [UInt8]) -> [UInt8] {
      switch self {
      case .cut: return Array(whole.prefix(whole.count - 4))
      case .empty: return []
      case .garbage: return (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 167 + 13) }
      case .newer:
        let line = whole.firstIndex(of: 10) ?? whole.count
        return whole[..<(line - 1)] + Array("9\nanything\nend\n".utf8)
      }
    }
  }

  /// A backup that this computer has opened, with one file of the local state damaged.
  private struct Scene {
    let backup: PreparedBackup
    let path: String
    let harmed: [UInt8]

    init(_ suffix: String, _ harm: Harm) async throws {
      backup = try await PreparedBackup()
      let box = backup.box
      try await box.keybackup(["key", "repair"])
      path = try MemoryFiles.path(box, backup.namespaceID + suffix)
      harmed = harm.bytes(try Files.read(path))
      try Files.write(harmed, to: path, mode: 0o600)
    }
  }

  private static let writing: [[String]] = [
    ["wallet", "import", "-"], ["key", "repair"], ["rotate", "--master-key"],
    ["unlock", "--for", "60s"],
  ]

  @Test(arguments: Harm.allCases)
  func `What writes refuses and the wallets come back`(_ harm: Harm) async throws {
    let scene = try await Scene("", harm)
    let box = scene.backup.box
    let before = try Files.contents(box.folder)
    let entry = Array(Samples.entry(id: "new", name: "New").utf8)
    for command in harm == .cut ? Self.writing : [Self.writing[0]] {
      let refused = try await box.keybackup(command, input: entry, expecting: nil)
      expectFailure(
        refused, 65, says: scene.path, harm == .newer ? "a newer keybackup" : "is damaged", "move")
    }
    let restored = try await box.keybackup(["restore", "--json"])
    let json = try restored.json()
    #expect(json["restored"].number == 3 && json["known"].flag == false)
    #expect(restored.err.contains(scene.path), "\(restored.err)")
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 65)
    #expect(status.out.hasPrefix("Attention: ") && status.out.contains(scene.path))
    #expect(try Files.read(scene.path) == scene.harmed, "the memory was written over")
    #expect(try Files.contents(box.folder) == before)
    // If the file is moved away, the computer starts again.
    try Files.remove(scene.path)
    try await box.keybackup(["wallet", "import", "-"], input: entry)
  }

  /// The files about key slots and credentials are treated the same.
  @Test(arguments: [".ways", ".credentials"])
  func `The other files are kept too`(_ suffix: String) async throws {
    for harm in [Harm.cut, .newer] {
      let scene = try await Scene(suffix, harm)
      let box = scene.backup.box
      let refused = try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "New").utf8),
        expecting: nil)
      expectFailure(refused, 65, says: scene.path)
      try await box.keybackup(["restore"])
      try await box.keybackup(["status"], key: nil, pin: .none, expecting: 65)
      #expect(try Files.read(scene.path) == scene.harmed, "the memory was written over")
    }
  }

  /// Among several backups, the one with the damaged local state is still the known one.
  @Test func `A damaged memory makes no other backup the known one`() async throws {
    let scene = try await Scene("", .garbage)
    let box = scene.backup.box
    let elsewhere = try Sandbox()
    let made = try await elsewhere.keybackup(["init", "--json"]).json()
    let id = try #require(made["namespace_id"].text)
    try Files.copy(
      elsewhere.folder + "/cspp-namespaces/" + id, to: box.folder + "/cspp-namespaces/" + id)
    let restored = try await box.keybackup(["restore", "--json"])
    #expect(try restored.json()["restored"].number == 3)
    try Files.remove(scene.backup.place)
    let gone = try await box.keybackup(["status", "--json"], key: nil, pin: .none, expecting: 65)
    #expect(try gone.json()["vanished"].items.map(\.text) == [scene.backup.namespaceID])
  }
}

/// The files of a computer's local state.
enum MemoryFiles {
  static func path(_ box: Sandbox, _ name: String) throws -> String {
    let folder = box.home + "/.local/state/keybackup/memory"
    let found = Files.tree(folder).first { $0.hasSuffix("/" + name) }
    return folder + "/" + (try #require(found))
  }
}

import FoundationEssentials
import Testing

/// A key slot that nobody has used for a year may no longer work; `status` says so.
@Suite struct LapsedProofTests {
  private static let day = 86_400
  private static let now = Int(Date().timeIntervalSince1970)

  @Test func `A key slot that was not proved for a year`() async throws {
    let box = try Sandbox()
    let id = try await Self.enrolLongAgo(box)
    // Never proved on this computer, so the enrolment counts.
    #expect(try await Self.lapsed(box) == ["500 days"])
    for use in [["verify", "--deep"], ["wallet", "list"]] {
      try await box.keybackup(use)
      #expect(try await Self.lapsed(box).isEmpty, "\(use)")
      // The local state as a run on that day would have left it.
      try Self.setProved(id, Self.now - 364 * Self.day, box)
      #expect(try await Self.lapsed(box).isEmpty)
      try Self.setProved(id, Self.now - 400 * Self.day, box)
      #expect(try await Self.lapsed(box) == ["400 days"])
    }
    // That is advice: today's problems decide the exit code of `status`.
    try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    try await box.keybackup(["restore"])
    #expect(try await Self.lapsed(box).isEmpty)
    // A rotation proves nothing before the new key slot has opened the backup.
    try await box.keybackup(["rotate"])
    #expect(try await Self.lapsed(box, home: box.newHome()) == ["500 days"])
  }

  /// Anyone who writes to the folder can claim so, and silences nothing.
  @Test func `A key slot that says it was made in the future`() async throws {
    let box = try Sandbox()
    _ = try await Self.enrolLongAgo(box, at: Self.now + 500 * Self.day)
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(status.out.contains("made in the future"), "\(status.text)")
  }

  /// A backup of one key, made 500 days ago.
  private static func enrolLongAgo(
    _ box: Sandbox, at time: Int = now - 500 * day
  ) async throws -> String {
    let credential = try await box.registerWithPython(rpID: "keybackup:", discoverable: true)
    let salt = [UInt8](repeating: 0x5A, count: 32)
    let secret = try await box.pythonFIDO2(
      rpID: "keybackup:", credential: credential, inputs: [salt])
    try Files.write("[\(Samples.entry(id: "a", name: "a"))]", to: box.root + "/entries.json")
    let written = try await box.run(
      Python.script("reader/cspp_writer.py")
        + [
          box.folder, "--prf-output", secret[0], "--prf-salt", hex(salt), "--entries",
          box.root + "/entries.json", "--rp-id", "keybackup:", "--credential-id",
          hex(credential), "--keybackup", "--time", "\(time)",
        ], key: nil)
    #expect(written.code == 0, "\(written.text)")
    let listed = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    return try #require(listed["keys"][0]["key_id"].text)
  }

  /// The times that `status` considers too long.
  private static func lapsed(_ box: Sandbox, home: String? = nil) async throws -> [String] {
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, home: home, expecting: nil)
    return try status.json()["advice"].items.compactMap(\.text)
      .filter { $0.contains("was last tested") }
      .map { advice in
        #expect(advice.contains("keybackup verify --deep"))
        return advice.split(separator: " ").drop { Int($0) == nil }.prefix(2)
          .joined(separator: " ").replacing(":", with: "")
      }
  }

  private static func setProved(_ id: String, _ time: Int, _ box: Sandbox) throws {
    let file = try #require(Files.tree(box.home).first { $0.hasSuffix(".ways") })
    let path = box.home + "/" + file
    let lines = try Files.text(path).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("proved \(id) ") })
    let changed = lines.map { $0.hasPrefix("proved \(id) ") ? "proved \(id) \(time)" : String($0) }
    try Files.write(changed.joined(separator: "\n") + "\n", to: path)
  }
}

import CSPP
import Testing

/// Copies of log files, made by somebody without a key.
///
/// They are spelled in another way and have the names of their own hashes.
@Suite struct RespelledOperationTests {
  @Test func `A copy is no second history`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    let before = try await status(box)
    let copies = try backup.operations.enumerated().map { number, path in
      try Self.respell(path, inAnotherOrder: number == 0)
    }
    let plain = try await box.keybackup(
      ["verify"], key: ["--no-key"], pin: .none, expecting: nil)
    #expect(plain.code == 0, "\(plain.text)")
    #expect(plain.out.contains("as no writer spells it"))
    let deep = try await box.keybackup(["verify", "--deep"], expecting: nil)
    #expect(deep.code == 0 && deep.out.contains("as no writer spells it"), "\(deep.text)")
    let with = try await status(box)
    #expect(with["freshness"] == before["freshness"])
    #expect(with["operations"] == before["operations"])

    // Writers continue, and nobody misses the copies afterwards.
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fourth", name: "Fourth").utf8))
    let read = try await backup.readByPython()
    #expect(read["operations"].items.count == 3 && read["unreadable"].items.isEmpty)
    let late = try await status(box)
    #expect(read["freshness"] == late["freshness"])
    for copy in copies { try Files.remove(copy) }
    let without = try await status(box)
    #expect(without["freshness"] == late["freshness"])
    let list = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(list["wallets"].items.count == 4)
  }

  @Test func `A copy in the originals place holds it all`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["restore"])
    let before = try await status(box)
    for path in backup.operations {
      _ = try Self.respell(path)
      try Files.remove(path)
    }
    let after = try await status(box)
    #expect(after["freshness"] == before["freshness"])
    #expect(after["operations"] == before["operations"])
    let list = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(list["wallets"].items.count == 3)
    #expect(list["wallets"].items.allSatisfy { $0["state"].text == "current" })
    let read = try await backup.readByPython()
    #expect(read["freshness"] == before["freshness"] && read["live"].names.count == 3)
    try await box.keybackup(["verify", "--deep"])
  }

  /// Writes a copy of a log file with one more line feed, or with its fields in another order.
  static func respell(_ path: String, inAnotherOrder: Bool = false) throws -> String {
    let bytes = try Files.read(path)
    var copy = bytes + [10]
    if inAnotherOrder {
      let file = try JSON(bytes)
      func field(_ name: String) -> String { "\"\(name)\" : \"\(file[name].text ?? "")\"" }
      let fields = ["ciphertext", "nonce", "protected", "format"].map(field)
      copy = Array("{\(fields.joined(separator: ",\n")), \"version\": 1, \"more\": [{}]}".utf8)
    }
    let name = String(path.split(separator: "/").last?.prefix(9) ?? "")
    let other = path.dropLast(46) + name + Digest(of: copy.span).hex.prefix(32) + ".json"
    try Files.write(copy, to: String(other))
    return String(other)
  }

  /// The status without an alarm: it only reports that there is one key slot.
  private func status(_ box: Sandbox) async throws -> JSON {
    try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: 88
    ).json()
  }
}

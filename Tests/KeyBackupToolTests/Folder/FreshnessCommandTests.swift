import CSPP
import FoundationEssentials
import Testing

/// The freshness word.
///
/// A new computer cannot know what is newest; a user with another computer's word can tell.
@Suite struct FreshnessCommandTests {
  @Test func `A word from another computer settles it`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let second = try SecondComputer(box)
    try await box.keybackup(["restore"])
    let early = try await word(box)
    try Files.copy(box.folder, to: box.root + "/old")
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fourth", name: "Fourth").utf8))
    let late = try await word(box)
    #expect(early != late)

    let unknown = try await second.keybackup(["status"], pin: .none, expecting: 88)
    #expect(unknown.out.contains("cannot tell whether something newer exists"))
    #expect(unknown.out.contains(grouped(late)))
    #expect(unknown.out.contains("status --freshness"))
    let same = try await second.keybackup(
      ["status", "--json", "--freshness", spoken(late)], pin: .none, expecting: 88
    ).json()
    #expect(same["comparison"]["result"].text == "same" && same["known"].flag == false)
    let newer = try await second.keybackup(
      ["status", "--freshness", early], pin: .none, expecting: 88)
    #expect(newer.out.contains("all that the word stands for, and 1 change"))
    #expect(!newer.out.contains("cannot tell whether something newer exists"))

    // An old but complete copy on a new computer: only the word tells its age.
    try Files.remove(box.folder)
    try Files.copy(box.root + "/old", to: box.folder)
    try await second.keybackup(["status"], pin: .none, expecting: 88)
    let older = try await second.keybackup(
      ["status", "--freshness", late], pin: .none, expecting: 89)
    #expect(older.out.contains("something is missing that was there"))
    let json = try await second.keybackup(
      ["status", "--json", "--freshness", late], pin: .none, expecting: 89)
    #expect(try json.json()["comparison"]["result"].text == "lacking")
    let restored = try await second.keybackup(["restore"])
    #expect(restored.text.contains("opened the backup for the first time"))
    #expect(restored.text.contains(grouped(early)))
    let again = try await second.keybackup(["restore", "--json"]).json()
    #expect(again["freshness"].text == early && again["known"].flag == true)
    let written = String(early.prefix(10))
    try await second.keybackup(["status", "--freshness", written], pin: .none, expecting: 88)
    try await second.keybackup(["status", "--freshness", early], pin: .none, expecting: 88)
    for wrong in ["", "abc", "uuuuuuuuuu"] {
      let refused = try await second.keybackup(
        ["status", "--freshness", wrong], pin: .none, expecting: nil)
      expectFailure(refused, 64, says: "16 letters and digits")
    }
  }

  /// An empty file with the right name is a claim, not a proof that anything is here.
  @Test func `Nothing is equal while something is awaited`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let word = try await word(box)
    let last = try #require(backup.operations.last)
    let bytes = try Files.read(last)
    try Files.write("", to: last)
    let json = try await box.keybackup(
      ["status", "--json", "--freshness", word], key: ["--no-key"], pin: .none, expecting: 75
    ).json()
    #expect(json["comparison"]["result"].text == "unknown")
    #expect(json["freshness_of"].text == "claimed")
    let text = try await box.keybackup(
      ["status", "--freshness", word], key: ["--no-key"], pin: .none, expecting: 75)
    #expect(text.out.contains("cannot tell") && !text.out.contains("equal:"))
    try Files.write(bytes, to: last)
    let opened = try await box.keybackup(["verify", "--deep", "--json"]).json()
    #expect(opened["freshness"].text == word && opened["freshness_of"].text == "opened")
  }

  /// An operation that no key opens changes the word of `status`, but not the word that counts.
  @Test func `The word that counts is of what opens`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = try await word(box)
    let operation = try #require(backup.operations.first)
    let file = try JSON(Files.read(operation))
    let header = try #require(file["protected"].text)
    let planted = String(
      decoding: bytes(base64: header), as: UTF8.self
    ).replacing(/"writer_id":"[0-9a-f]{32}"/, with: "\"writer_id\":\"\(Self.writer)\"")
    let protected = base64URL(planted)
    let bytes = Array(
      String(decoding: try Files.read(operation), as: UTF8.self)
        .replacing(header, with: protected).utf8)
    let name = "00000001-\(Digest(of: bytes.span).hex.prefix(32)).json"
    try Files.makeFolder("\(backup.place)/keybackup/log/\(Self.writer)")
    try Files.write(bytes, to: "\(backup.place)/keybackup/log/\(Self.writer)/\(name)")
    let claimed = try await word(box)
    #expect(claimed != before)
    let opened = try await box.keybackup(["verify", "--deep", "--json"], expecting: nil).json()
    #expect(opened["freshness"].text == before)
  }

  private static let writer = String(repeating: "ab", count: 16)

  /// A word as a person might write it down.
  private func spoken(_ word: String) -> String {
    let text = word.uppercased().replacing("0", with: "O").replacing("1", with: "l")
    return text.prefix(5) + "-" + text.dropFirst(5)
  }

  private func grouped(_ word: String) -> String {
    stride(from: 0, to: 16, by: 4).map { String(word.dropFirst($0).prefix(4)) }
      .joined(separator: "-")
  }

  private func word(_ box: Sandbox) async throws -> String {
    let report = try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: 88
    ).json()
    return try #require(report["freshness"].text)
  }
}

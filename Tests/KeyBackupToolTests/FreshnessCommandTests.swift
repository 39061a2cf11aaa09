import Testing

/// The freshness word: a new computer cannot know what is newest, a person with
/// another computer's word can tell.
@Suite struct FreshnessCommandTests {
  @Test func aWordFromAnotherComputerSettlesIt() async throws {
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
    #expect(unknown.out.contains("freshness unknown") && unknown.out.contains(late))
    #expect(unknown.out.contains("status --freshness"))
    let same = try await second.keybackup(
      ["status", "--json", "--freshness", spoken(late)], pin: .none, expecting: 88
    ).json()
    #expect(same["comparison"]["result"].text == "same" && same["known"].flag == false)
    let newer = try await second.keybackup(
      ["status", "--freshness", early], pin: .none, expecting: 88)
    #expect(newer.out.contains("newer than the word, by 1 operation"))
    #expect(!newer.out.contains("freshness unknown"))

    // An old but complete copy on a new computer: only the word tells.
    try Files.remove(box.folder)
    try Files.copy(box.root + "/old", to: box.folder)
    try await second.keybackup(["status"], pin: .none, expecting: 88)
    let older = try await second.keybackup(
      ["status", "--freshness", late], pin: .none, expecting: 89)
    #expect(older.out.contains("lacks something that was there"))
    let json = try await second.keybackup(
      ["status", "--json", "--freshness", late], pin: .none, expecting: 89)
    #expect(try json.json()["comparison"]["result"].text == "lacking")
    try await second.keybackup(["restore"])
    try await second.keybackup(["status", "--freshness", early], pin: .none, expecting: 88)
    for wrong in ["", "abc", "uuuuuuuuuu"] {
      let refused = try await second.keybackup(
        ["status", "--freshness", wrong], pin: .none, expecting: nil)
      expectFailure(refused, 64, says: "ten letters and digits")
    }
  }

  /// As a person might write it down.
  private func spoken(_ word: String) -> String {
    let text = word.uppercased().replacing("0", with: "O").replacing("1", with: "l")
    return text.prefix(5) + "-" + text.dropFirst(5)
  }

  private func word(_ box: Sandbox) async throws -> String {
    let report = try await box.keybackup(
      ["status", "--json"], key: ["--no-key"], pin: .none, expecting: 88
    ).json()
    return try #require(report["freshness"].text)
  }
}

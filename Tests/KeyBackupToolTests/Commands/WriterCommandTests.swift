import Testing

/// The computers that wrote to a backup.
@Suite struct WriterCommandTests {
  @Test func `A computer is listed and retired`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let second = try SecondComputer(box)
    try await second.keybackup(
      ["wallet", "import", "-"], input: Samples.entry(id: "fourth", name: "Fourth"))
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "fifth", name: "Fifth").utf8))
    let writers = try await box.keybackup(["writers", "list", "--json"]).json()["writers"].items
    // The one that made the backup, this one and the other.
    #expect(writers.count == 3)
    #expect(writers.compactMap { $0["operations"].number }.sorted() == [1, 1, 2])
    let own = try #require(writers.first { $0["this_computer"].flag == true })
    let label = try #require(own["label"].text)
    let id = try #require(own["writer_id"].text)
    #expect(writers.allSatisfy { $0["retired"].flag == false && $0["label"].text == label })

    let several = try await box.keybackup(["writers", "retire", label], expecting: nil)
    expectFailure(several, 90, says: String(id.prefix(8)))
    let nobody = try await box.keybackup(["writers", "retire", "nobody"], expecting: nil)
    expectFailure(nobody, 66, says: "nobody")
    let retired = try await box.keybackup(["writers", "retire", String(id.prefix(10)), "--json"])
    #expect(try retired.json()["writer_id"].text == id)
    #expect(try retired.json()["changed"].flag == true)
    let again = try await second.keybackup(["writers", "retire", id, "--json"])
    #expect(try again.json()["changed"].flag == false)

    // It continues to write under another name, without any alarm.
    try await box.keybackup(["wallet", "remove", "fifth", "--yes"])
    let after = try await second.keybackup(["writers", "list", "--json"]).json()["writers"].items
    #expect(after.count == 4)
    #expect(after.filter { $0["retired"].flag == true }.map { $0["writer_id"].text } == [id])
    #expect(after.allSatisfy { $0["after_retirement"].number == 0 })
    let table = try await second.keybackup(["writers", "list"])
    #expect(table.out.contains("retired") && table.out.contains("this computer"))
    try await second.keybackup(["verify", "--deep"])
  }

  /// A script means what it says: the other tests name no `--yes`.
  @Test func `At a terminal a person is asked before a computer is retired`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let writers = try await box.keybackup(["writers", "list", "--json"]).json()["writers"].items
    let id = try #require(writers.first?["writer_id"].text)
    let refused = try await box.keybackup(
      ["writers", "retire", id], terminal: [.expect("This cannot be undone"), .type("n\r")],
      expecting: 85)
    #expect(refused.text.contains("nothing was changed"), "\(refused.text)")
    let named = try await box.keybackup(
      ["writers", "retire", id, "--yes"], terminal: [.expect("Retired")])
    #expect(!named.text.contains("This cannot be undone"), "\(named.text)")
  }

  @Test func `What a retired computer writes is shown and said`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let second = try SecondComputer(box)
    try second.part()
    // It has written under this name before, and does so again below.
    for id in ["fourth", "fifth"] {
      try await second.keybackup(
        ["wallet", "import", "-"], input: Samples.entry(id: id, name: id))
      if id == "fifth" { break }
      let outcome = try await box.run(["cp", "-a", second.replica + "/.", box.folder], key: nil)
      #expect(outcome.code == 0)
      let writers = try await box.keybackup(["writers", "list", "--json"]).json()["writers"].items
      let newest = try #require(writers.first { $0["operations"].number == 1 })
      try await box.keybackup(["writers", "retire", newest["writer_id"].text ?? ""])
    }
    try await second.join()
    let list = try await box.keybackup(["wallet", "list", "--json"]).json()
    #expect(list["wallets"].items.count == 5)
    let deep = try await box.keybackup(["verify", "--deep"])
    #expect(deep.out.contains("a retired computer wrote again"))
    let table = try await box.keybackup(["writers", "list"])
    #expect(table.out.contains("retired, wrote again"))
  }
}

import Testing

/// An attacker has the master key that was given up for another, and writes to the folder with a
/// program of their own.
@Suite struct GivenUpKeyCommandTests {
  /// A late wallet is one that a computer wrote into the old namespace while another one rotated.
  ///
  /// It stays in sight, even if the old namespace's log says that it was removed or replaced.
  @Test(arguments: [[], ["--put", "Stranger"]])
  func `The old log hides no late wallet`(_ put: [String]) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let attacker = Attacker(box: box)
    let noted = try await attacker.plant(
      "master-key", ["--namespace", backup.namespaceID, "--prf-output", backup.prfOutput()])
    let second = try SecondComputer(box)
    try second.part()
    let entry = Samples.entry(id: "late", name: "Late")
    try await second.keybackup(["wallet", "import", "-"], input: entry)
    try await box.keybackup(["rotate", "--master-key"])
    try await second.join()
    try await attacker.plant(
      "operation",
      [
        "--namespace", backup.namespaceID, "--wallet-id", "late",
        "--master-key", try #require(noted["master_key"].text),
      ] + put)

    for home in [box.home, try box.newHome()] {
      let place = home + "/restored"
      try await box.keybackup(["restore", "--out", place], home: home, expecting: nil)
      let names = try Files.tree(place).map {
        try JSON(Files.read(place + "/" + $0))["metadata"]["name"].text
      }
      #expect(names.contains("Late"), "\(names)")
      #expect(names.count == (put.isEmpty ? 4 : 5), "\(names)")
    }
    let deep = try await box.keybackup(["verify", "--deep", "--json"], expecting: 94).json()
    #expect(deep["wallets"]["late"].number == 1, "\(deep)")
  }
}

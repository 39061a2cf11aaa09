import Testing

/// A person who names a folder beside the right one, or a path that the shell did not expand.
@Suite struct NearbyBackupTests {
  @Test func `A folder inside the backup leads to the folder above`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    for path in [box.folder + "/cspp-namespaces", backup.place, backup.place + "/wallets"] {
      for command in [["restore"], ["status"], ["wallet", "list"]] {
        let told = try await box.keybackup(
          command + ["--folder", path], key: nil, pin: .none, expecting: 66)
        expectFailure(
          told, 66, says: "there is no backup in", "name that: --folder \(box.folder)\n")
        #expect(!told.err.contains("keybackup init"), "\(told.err)")
      }
    }
    let above = try await box.keybackup(
      ["status", "--folder", box.root], key: nil, pin: .none, expecting: 66)
    expectFailure(above, 66, says: "name that: --folder \(box.folder)\n")
  }

  @Test func `To open a backup comes before to start one`() async throws {
    let box = try Sandbox()
    for (environment, code) in [(box.unnamed, 78), ([:], 66)] as [([String: String], Int32)] {
      for command in [["restore"], ["status"], ["verify"], ["wallet", "list"]] {
        let told = try await box.keybackup(
          command, key: nil, pin: .none, environment: environment, expecting: code)
        let open = try #require(told.err.firstRange(of: "keybackup restore --folder PATH"))
        let start = try #require(told.err.firstRange(of: "keybackup init"))
        #expect(open.lowerBound < start.lowerBound, "\(told.err)")
      }
    }
  }

  @Test(arguments: ["below", "above"])
  func `Another backup is not started beside one by accident`(_ side: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let path = side == "below" ? box.folder + "/second" : box.root
    let before = box.trace.count
    let refused = try await box.keybackup(["init", path, "--json"], expecting: 73)
    try expectFailure(refused, 73, word: "namespace-exists")
    let hint = try refused.json()["error"]["hint"].text ?? ""
    #expect(hint.contains("restore --folder \(box.folder) --out"), "\(hint)")
    #expect(hint.contains("--another") && box.trace.count == before, "\(hint)")
    let denied = try await box.keybackup(
      ["init", path], terminal: [.expect("beside it? [y/N]"), .type("\n")], expecting: 85)
    #expect(denied.text.contains("nothing was made"), "\(denied.text)")
    #expect(!Files.exists(box.folder + "/second"))
    try await box.keybackup(["init", path, "--another"])
  }

  @Test func `Nothing is started three levels below a backup, or inside one`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.makeFolder(box.folder + "/a/b")
    let before = box.trace.count
    let deep = try await box.keybackup(
      ["init", box.folder + "/a/b/c", "--json"], expecting: 73)
    try expectFailure(deep, 73, word: "namespace-exists")
    let copy = box.root + "/" + backup.namespaceID
    try Files.copy(backup.place, to: copy)
    for path in [
      box.folder + "/cspp-namespaces", backup.place, backup.place + "/wallets/x", copy + "/x",
    ] {
      let inside = try await box.keybackup(["init", path, "--another"], expecting: 73)
      expectFailure(inside, 73, says: "is inside a backup")
    }
    #expect(box.trace.count == before)
  }

  @Test func `A tilde that the shell left is named`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let add = ["wallet", "add", "--name", "N", "--network", "bitcoin", "--mnemonic=~/words"]
    for (arguments, code) in [
      (["status", "--folder=~/cloud"], 66), (["init", "~"], 66), (["init", "~/cloud"], 66),
      (["restore", "--out", "~"], 73), (["restore", "--out=~/out"], 73), (add, 66),
    ] as [([String], Int32)] {
      let told = try await box.keybackup(arguments, pin: .none, expecting: code)
      expectFailure(told, code, says: "the shell did not expand ~")
    }
  }

  @Test func `A folder that was moved is put into the settings by one command`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init", box.folder], environment: box.unnamed)
    try Files.move(box.folder, to: box.root + "/moved")
    let lost = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: box.unnamed, expecting: 66)
    let command = try #require(
      lost.err.firstMatch(of: /with its new path for NEW: (echo .*)\n/), "\(lost.err)"
    ).1
    let ready = String(command).replacing("NEW", with: box.root + "/moved")
    try await box.run(["sh", "-c", ready], key: nil).expectSuccess()
    let found = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: box.unnamed, expecting: 88)
    #expect(found.out.contains(box.root + "/moved"), "\(found.out)")
    // From now on that line is what has to be changed.
    try Files.move(box.root + "/moved", to: box.folder)
    let again = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: box.unnamed, expecting: 66)
    expectFailure(again, 66, says: "keybackup.conf, line 1", "write its new path there")
  }
}

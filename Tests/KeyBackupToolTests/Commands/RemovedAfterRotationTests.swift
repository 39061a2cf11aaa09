import Testing

/// Removing a way in after the master key was rotated, while the earlier backup is still here.
@Suite struct RemovedAfterRotationTests {
  /// "green" rotated, so it has a slot of its own in both backups.
  private struct Rotated {
    let keys: ThreeKeys
    let old: String
    let new: String
    var box: Sandbox { keys.box }

    init(with name: String = "green") async throws {
      keys = try await ThreeKeys()
      let json = try await keys.box.keybackup(
        ["rotate", "--master-key", "--json"], key: keys.only(name)
      ).json()
      old = try #require(json["previous_namespace_id"].text)
      new = try #require(json["namespace_id"].text)
    }
  }

  /// It had opened the earlier backup, got a file in the new one by that, and only its other slot
  /// was removed.
  @Test(arguments: [[], ["--last"]])
  func `A key does not remove itself through the earlier backup`(_ last: [String]) async throws {
    let rotated = try await Rotated()
    let (keys, box) = (rotated.keys, rotated.box)
    let id = try #require(try await keys.ids("green").first)
    for name in ["green", id] {
      for home in [box.home, try box.newHome()] {
        let before = try Files.contents(box.folder)
        let own = try await box.keybackup(
          ["key", "remove", name, "--yes"] + last, key: keys.only("green"), home: home,
          expecting: nil)
        #expect(own.code == 80 && !own.err.contains("its own file"), "\(own.text)")
        if last.isEmpty {
          expectFailure(own, 80, says: "this security key is the one to be removed")
          #expect(try Files.contents(box.folder) == before)
        }
      }
    }
    #expect(try await keys.ids("green") == [id])
  }

  @Test func `A removed key opens nothing but the earlier backup, which the command says`()
    async throws
  {
    let rotated = try await Rotated()
    let (keys, box) = (rotated.keys, rotated.box)
    let short = rotated.old.prefix(8)
    let removed = try await box.keybackup(
      ["key", "remove", "green"], key: keys.only("blue"),
      terminal: [
        .expect("and the earlier backup \(short) in this folder until that is deleted."),
        .type("y\r"), .expect("It still opens the earlier backup \(short) in this folder"),
        .expect("keybackup verify --deep"),
      ])
    #expect(removed.text.contains("Removed \"green\""), "\(removed.text)")
    #expect(!removed.text.contains("the same key still opens"), "\(removed.text)")
    #expect(try await keys.ids("green").isEmpty)
    // It opens the earlier backup alone, and gets no file in the new one.
    let entry = Array(Samples.entry(id: "new", name: "New").utf8)
    for home in [box.home, try box.newHome()] {
      let refused = try await box.keybackup(
        ["wallet", "import", "-"], key: keys.only("green"), input: entry, home: home,
        expecting: nil)
      #expect(refused.code != 0 && !refused.err.contains("its own file"), "\(refused.text)")
    }
    #expect(try await keys.ids("green").isEmpty)
    let earlier = try await box.keybackup(
      ["restore", "--json"], key: keys.only("green"), home: box.newHome(), expecting: nil)
    #expect(earlier.err.contains("from the earlier backup \(rotated.old)"), "\(earlier.err)")
  }

  /// Its box is there still, and its file may come back.
  @Test(arguments: [true, false])
  func `A key that waits, and whose file is gone, is told and can be removed`(_ here: Bool)
    async throws
  {
    let keys = try await ThreeKeys()
    let box = keys.box
    let id = try #require(try await keys.ids("red").first)
    let rotated = try await box.keybackup(
      ["rotate", "--master-key", "--json"], key: keys.only("green")
    ).json()
    let old = try #require(rotated["previous_namespace_id"].text)
    try Files.remove("\(box.folder)/cspp-namespaces/\(old)/keybackup/keys/\(id).json")
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil
    ).json()
    #expect(
      status["lost_ways"].items.map(\.text) == ["../\(old)/keybackup/keys/\(id).json"], "\(status)")
    let trace = try await box.traced {
      let slip = try await box.keybackup(
        ["key", "remove", "rad", "--yes"], key: keys.only("green"), expecting: 66)
      expectFailure(slip, 66, says: "no way into the backup is called \"rad\"")
    }
    #expect(trace.isEmpty, "\(trace)")
    let removed = try await box.keybackup(
      ["key", "remove", here ? "red" : id, "--yes", "--json"], key: keys.only("green"),
      home: here ? box.home : try box.newHome())
    #expect(try removed.json()["key_ids"].items.map(\.text) == [id], "\(removed.text)")
    let again = try await box.keybackup(
      ["rotate", "--master-key", "--json"], key: keys.only("green"))
    #expect(!again.out.contains(id), "\(again.text)")
  }

  @Test func `A key without an earlier backup is not said to open one`() async throws {
    let keys = try await ThreeKeys()
    let json = try await keys.box.keybackup(
      ["key", "remove", "red", "--yes", "--json"], key: keys.only("blue")
    ).json()
    #expect(json["still_opens"].items.isEmpty && json["still_opened_by"].items.isEmpty)
  }

  /// A kit that waits in the new backup has its file in the earlier one.
  @Test func `A revoked kit still opens the earlier backup`() async throws {
    let kit = try await PreparedKit()
    let box = kit.box
    let old = kit.backup.namespaceID
    try await box.keybackup(["rotate", "--master-key"])
    let revoked = try await box.keybackup(
      ["recovery-kit", "revoke", String(kit.keyID.prefix(8)), "--yes", "--json"])
    #expect(try revoked.json()["still_opens"].items.map(\.text) == [old], "\(revoked.text)")
  }

  /// One security key with two slots: the other one is not removed, and that is said.
  @Test func `A slot of the same key that is left is named`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let old = try #require(try await keys.ids("green").first)
    let json = try await box.keybackup(["rotate", "--json"], key: keys.only("green")).json()
    let new = try #require(json["key_id"].text)
    let removed = try await box.keybackup(
      ["key", "remove", new, "--yes", "--json"], key: keys.only("blue"))
    #expect(try removed.json()["still_opened_by"].items.map(\.text) == [old], "\(removed.text)")
    #expect(removed.err.contains("keybackup key remove \(old.prefix(8))"), "\(removed.err)")
  }

  /// The other computer knows only the earlier backup, and opens that first.
  @Test func `A key that has a slot gets no other one on another computer`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let away = try box.newHome()
    try await box.keybackup(["key", "repair"], key: keys.only("green"), home: away)
    try await box.keybackup(["rotate", "--master-key"], key: keys.only("green"))
    let ids = try await keys.ids("green")
    let repaired = try await box.keybackup(["key", "repair"], key: keys.only("green"), home: away)
    #expect(!repaired.err.contains("its own file"), "\(repaired.err)")
    try await box.keybackup(["key", "repair"], key: keys.only("green"))
    #expect(try await keys.ids("green") == ids)
  }

  // MARK: Prompts

  @Test func `Prompts name no key that was removed`() async throws {
    let rotated = try await Rotated(with: "blue")
    let (keys, box) = (rotated.keys, rotated.box)
    _ = try await keys.makeKit(openedWith: "blue")
    try await box.keybackup(["key", "remove", "green", "--yes"], key: keys.only("blue"))
    let asked = try await box.keybackup(
      ["wallet", "list", "--wait", "1"], key: ["--no-key"], expecting: nil)
    #expect(
      asked.err.contains("Insert one of your security keys: \"blue\", \"red\"."), "\(asked.err)")
    #expect(
      asked.err.contains("Other ways in: recovery code \"paper\", with --recovery-code."),
      "\(asked.err)")
    // No code will do for that.
    let rotating = try await box.keybackup(
      ["rotate", "--master-key", "--wait", "1"], key: ["--no-key"], expecting: nil)
    #expect(!rotating.err.contains("Other ways in"), "\(rotating.err)")
  }

  // MARK: Words

  @Test func `Words after a rotation are true`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let bare = try await box.keybackup(["rotate", "--master-key"], key: keys.only("blue"))
    #expect(!bare.err.contains("Print new ones"), "\(bare.err)")
    let code = try await keys.makeKit(openedWith: "blue")
    let rotated = try await box.keybackup(["rotate", "--master-key"], key: keys.only("blue"))
    #expect(rotated.err.contains("Print new ones"), "\(rotated.err)")
    let repaired = try await box.keybackup(
      ["key", "repair", "--recovery-code-file", code], key: ["--no-key"], pin: .none)
    #expect(repaired.err.contains("This recovery code has its own file"), "\(repaired.err)")
    #expect(repaired.out.contains("Nothing else to repair."), "\(repaired.out)")
    let restored = try await box.keybackup(
      ["restore"], key: keys.only("blue"), home: box.newHome())
    #expect(
      restored.err.contains("for the first time since its master key was rotated"),
      "\(restored.err)")
  }
}

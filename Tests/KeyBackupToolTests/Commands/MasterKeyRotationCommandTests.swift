import FoundationEssentials
import Testing

/// Runs `rotate --master-key` with three keys, two of which lie in a safe.
@Suite struct MasterKeyRotationCommandTests {
  @Test func `Two of three keys are absent and come later`() async throws {
    let keys = try await ThreeKeys()
    let box = keys.box
    let old = try await namespace(keys)
    let second = try await OfflineComputer(keys)
    let rotated = try await rotate(keys, from: old)
    let new = try #require(rotated["namespace_id"].text)
    try await stillThreeWays(keys)

    // The computer that rotated continues without a word; so does a new one with the same key.
    #expect(try await namespace(keys) == new)
    for home in [box.home, try box.newHome()] {
      let trace = try await box.traced {
        let restored = try await box.keybackup(
          ["restore", "--json"], key: keys.only("blue"), home: home)
        #expect(try restored.json()["restored"].number == 2 && !restored.err.contains("moved"))
      }
      #expect(TrafficTests.Cost(trace).touches == 1, "\(trace)")
    }

    // The changes of the other computer arrive.
    try await second.join(keys)
    let deep = try await box.keybackup(
      ["verify", "--deep", "--json"], key: keys.only("blue"), expecting: 94
    ).json()
    #expect(deep["wallets"]["late"].number == 1 && deep["wallets"]["current"].number == 2)
    #expect(deep["namespace_id"].text == new)
    let restored = try await box.keybackup(["restore", "--json"], key: keys.only("blue")).json()
    #expect(restored["restored"].number == 3)
    try await adopt(keys)
    try await verify("green", keys)

    try await unlock("green", keys, new: new)
    try await comeBack("green", keys, old: old, new: new)
    try await readElsewhere("red", keys, old: old)
  }

  /// One PIN and one touch.
  private func rotate(_ keys: ThreeKeys, from old: String) async throws -> JSON {
    let box = keys.box
    var json = JSON.null
    let trace = try await box.traced {
      json = try await box.keybackup(
        ["rotate", "--master-key", "--json"], key: keys.only("blue")
      ).json()
    }
    let cost = TrafficTests.Cost(trace)
    #expect(cost.touches == 1 && cost.pins == 1, "\(trace)")
    #expect(json["previous_namespace_id"].text == old && json["namespace_id"].text != old)
    #expect(json["wallets"].number == 2 && json["versions"].number == 2)
    #expect(json["waiting"].items.count == 2 && json["failed"].items.isEmpty)
    return json
  }

  /// Key slots for which a box waits are key slots like others, and no strangers.
  private func stillThreeWays(_ keys: ThreeKeys) async throws {
    let box = keys.box
    let status = try await box.keybackup(["status", "--json"], key: nil, pin: .none).json()
    #expect(status["keys"].number == 3 && status["waiting"].items.count == 2, "\(status)")
    let listed = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
    let waiting = listed["keys"].items.filter { $0["waiting"].flag == true }
    #expect(Set(waiting.compactMap { $0["label"].text }) == ["green", "red"], "\(listed)")
    let looked = try await box.keybackup(
      ["key", "identify", "--json"], key: keys.only("green"), pin: .none)
    #expect(try looked.json()["keys"][0]["label"].text == "green")
    try await box.keybackup(["key", "label", "red", "vault"], key: keys.only("blue"))
    let table = try await box.keybackup(["key", "list"], key: nil, pin: .none)
    #expect(table.out.contains(/vault .*not used yet/), "\(table.out)")
    let refused = try await box.keybackup(
      ["key", "add"], key: keys.only("blue") + keys.only("green"), expecting: nil)
    expectFailure(refused, 73, says: "enrolled already")
  }

  private func adopt(_ keys: ThreeKeys) async throws {
    let box = keys.box
    let blue = keys.only("blue")
    let listed = try await box.keybackup(["conflicts", "list", "--json"], key: blue).json()
    let late = try #require(listed["conflicts"].items.first)
    let version = try #require(late["versions"].items.first)
    #expect(version["state"].text == "late")
    try await box.keybackup(
      ["conflicts", "keep", try #require(late["id"].text), try #require(version["version"].text)],
      key: blue)
    let deep = try await box.keybackup(
      ["verify", "--deep", "--json"], key: blue, expecting: nil
    ).json()
    #expect(deep["wallets"]["late"].number == 0 && deep["wallets"]["current"].number == 3)
  }

  /// An absent key opens the new backup by a box, which is no cached master key.
  private func verify(_ name: String, _ keys: ThreeKeys) async throws {
    let id = try #require(try await keys.ids(name).first)
    let told = try await keys.box.keybackup(["verify", "--deep"], key: keys.only(name))
    #expect(!told.err.contains("knew the master key"), "\(told.err)")
    #expect(told.err.contains("\"\(name)\" was used."), "\(told.err)")
    #expect(told.err.contains("keybackup key repair"), "\(told.err)")
    let json = try await keys.box.keybackup(
      ["verify", "--deep", "--json"], key: keys.only(name)
    ).json()
    #expect(json["opened_by"].text == id)
  }

  /// A key that was absent: the command asks to compare, and then the key gets its own file.
  private func comeBack(
    _ name: String, _ keys: ThreeKeys, old: String, new: String
  ) async throws {
    let box = keys.box
    let home = try box.newHome()
    let refused = try await box.keybackup(
      ["restore", "--json"], key: keys.only(name), home: home, expecting: 87)
    #expect(try refused.json()["restored"].number == 3, "the earlier backup is not read")
    #expect(refused.err.contains(new) && refused.err.contains("--namespace"), "\(refused.err)")
    let entry = Array(Samples.entry(id: "new", name: "New").utf8)
    let unwritten = try await box.keybackup(
      ["wallet", "import", "-"], key: keys.only(name), input: entry, home: home, expecting: 90)
    #expect(unwritten.err.contains("--namespace"))

    let typed = new.prefix(8)
    let compared = try await box.keybackup(
      ["restore"], key: keys.only(name), home: home,
      terminal: [
        .expect("type its first 8 digits"), .type("\(typed.prefix(4)) \(typed.suffix(4))\r"),
      ])
    #expect(compared.text.contains("3 wallets can be restored"), "\(compared.text)")
    // That computer now knows the namespace, and gives the key a file when it writes.
    let written = try await box.keybackup(
      ["wallet", "import", "-"], key: keys.only(name), input: entry, home: home)
    #expect(written.err.contains("has its own file in the new backup"), "\(written.err)")
    try await box.keybackup(["rotate", "--key", name], key: keys.only(name), home: home)
    let trace = try await box.traced {
      let direct = try await box.keybackup(
        ["restore", "--json"], key: keys.only(name), home: box.newHome())
      #expect(try direct.json()["restored"].number == 4 && !direct.err.contains("moved"))
    }
    #expect(TrafficTests.Cost(trace).touches == 1, "\(trace)")
    // If the namespace is named, there is nothing to ask.
    let named = try await box.keybackup(
      ["restore", "--json", "--namespace", new], key: keys.only("red"), home: box.newHome())
    #expect(try named.json()["restored"].number == 4)
  }

  /// Checks that this computer keeps the master key to which the box leads.
  private func unlock(_ name: String, _ keys: ThreeKeys, new: String) async throws {
    let box = keys.box
    let home = try box.newHome()
    let unlocked = try await box.keybackup(
      ["unlock", "--for", "30m", "--json", "--namespace", new], key: keys.only(name), home: home)
    #expect(try unlocked.json()["namespace_id"].text == new)
    let listed = try await box.keybackup(
      ["restore", "--json"], key: ["--no-key"], pin: .none, home: home)
    #expect(try listed.json()["restored"].number == 3 && !listed.err.contains("moved"))
    try await box.keybackup(["lock"], key: nil, pin: .none, home: home)
  }

  /// The reader in Python reaches the wallets with a key whose only file is in the earlier
  /// namespace.
  private func readElsewhere(_ name: String, _ keys: ThreeKeys, old: String) async throws {
    let box = keys.box
    let place = box.folder + "/cspp-namespaces/\(old)/keybackup/keys"
    let files = Files.tree(place).filter { $0.hasSuffix(".json") }
    var salts: [[UInt8]] = []
    var credential: [UInt8] = []
    for file in files {
      let header = try KeyFile.header("\(place)/\(file)")
      guard header["label"].text == name else { continue }
      salts.append(bytes(hex: try #require(header["prf_salt"].text)))
      credential = bytes(base64: try #require(header["credential_id"].text))
    }
    let output = try await box.pythonFIDO2(
      rpID: "keybackup:", credential: credential, inputs: salts, key: keys.only(name))
    let dump = box.root + "/dump"
    let read = try await box.run(
      Python.script("reader/cspp_reader.py")
        + [box.folder, "--prf-output", output[0], "--follow", "--dump", dump], key: nil)
    #expect(read.code == 0, "\(read.text)")
    let opened = try JSON(read.output)
    #expect(opened["namespaces"].items.count == 2)
    #expect(Files.tree(dump).count == 4)
    try await box.keybackup(
      ["restore", "--out", box.root + "/restored"], key: keys.only("blue"))
    for file in Files.tree(dump) {
      #expect(try Files.read("\(dump)/\(file)") == Files.read("\(box.root)/restored/\(file)"))
    }
  }

  /// Whichever of the backups' IDs come first, the key is asked for one after the other.
  @Test func `A computer that was away during three rotations finds the last backup`() async throws
  {
    let keys = try await ThreeKeys()
    let box = keys.box
    let away = try box.newHome()
    let only = keys.only("blue")
    try await box.keybackup(["restore", "--json"], key: only, home: away)
    var last = ""
    for _ in 0..<3 {
      let rotated = try await box.keybackup(["rotate", "--master-key", "--json"], key: only)
      last = try #require(try rotated.json()["namespace_id"].text)
    }
    let restored = try await box.keybackup(["restore", "--json"], key: only, home: away)
    #expect(!restored.err.contains("does not open"), "\(restored.err)")
    let status = try await box.keybackup(
      ["verify", "--deep", "--json"], key: only, home: away, expecting: nil)
    #expect(try status.json()["namespace_id"].text == last, "\(status.text)")
  }

  /// The only key proves its new secret with a second touch.
  @Test func `The only key is touched twice`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let trace = try await box.traced {
      let json = try await box.keybackup(["rotate", "--master-key", "--json"]).json()
      #expect(json["wallets"].number == 3 && json["waiting"].items.isEmpty)
    }
    #expect(TrafficTests.Cost(trace).touches == 2, "\(trace)")
    let restored = try await box.keybackup(["restore", "--json"], home: box.newHome())
    #expect(try restored.json()["restored"].number == 3)
    let deep = try await box.keybackup(["verify", "--deep"])
    #expect(deep.out.contains("may be deleted") && deep.out.contains(backup.namespaceID))
  }

  /// Who caught its secret for the earlier backup must not get to the new one.
  @Test func `A key that rotates where only an earlier backup is known gets no box`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let away = try box.newHome()
    try await box.keybackup(["restore", "--json"], home: away)
    try await box.keybackup(["rotate", "--master-key"])
    let trace = try await box.traced {
      let json = try await box.keybackup(["rotate", "--master-key", "--json"], home: away).json()
      #expect(json["waiting"].items.isEmpty, "\(json)")
    }
    // One for the earlier backup, one for the next, and one proves the new secret.
    #expect(TrafficTests.Cost(trace).touches == 3, "\(trace)")
    let deep = try await box.keybackup(["verify", "--deep", "--json"], home: away).json()
    #expect(deep["waiting"].items.isEmpty && deep["ways"].items.count == 1, "\(deep)")
    // Wherever it was, the key alone leads there.
    let restored = try await box.keybackup(["restore", "--json"])
    #expect(try restored.json()["restored"].number == 3)
  }

  private func namespace(_ keys: ThreeKeys) async throws -> String {
    let status = try await keys.box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil)
    return try #require(try status.json()["namespace_id"].text)
  }
}

/// A computer that adds a wallet while it is offline.
private struct OfflineComputer {
  let home: String
  let replica: String

  init(_ keys: ThreeKeys) async throws {
    home = try keys.box.newHome()
    replica = keys.box.root + "/replica"
    // Both know the backup as it is now.
    for place in [keys.box.home, home] {
      try await keys.box.keybackup(["wallet", "list"], key: keys.only("blue"), home: place)
    }
    try Files.copy(keys.box.folder, to: replica)
  }

  func join(_ keys: ThreeKeys) async throws {
    let entry = Array(Samples.entry(id: "late", name: "Late").utf8)
    try await keys.box.keybackup(
      ["wallet", "import", "-"], key: keys.only("green"), input: entry, home: home,
      environment: ["KEYBACKUP_FOLDER": replica])
    let copied = try await keys.box.run(
      ["cp", "-a", replica + "/.", keys.box.folder], key: nil)
    #expect(copied.code == 0)
  }
}

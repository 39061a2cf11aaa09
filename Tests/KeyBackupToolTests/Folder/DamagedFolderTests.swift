import Testing

/// Folders as sync programs, disks and strangers leave them.
///
/// Every damage is named for what it is, everything that can be restored is restored, and nothing
/// is written.
@Suite struct DamagedFolderTests {
  enum Target: String, CaseIterable, Sendable {
    case wallet
    case envelope
    case wrapper
    case firstOperation
    case lastOperation

    func path(_ backup: PreparedBackup) -> String {
      switch self {
      case .wallet: backup.wallets[0]
      case .envelope: backup.envelope
      case .wrapper: backup.wrapper
      case .firstOperation: backup.operations[0]
      case .lastOperation: backup.operations[1]
      }
    }
  }

  enum Damage: String, CaseIterable, Sendable {
    case missing
    case empty
    case truncated
    case garbage
    case oversized
    case duplicatedField
    case changedCiphertext

    func apply(to path: String) throws {
      let bytes = try Files.read(path)
      switch self {
      case .missing: try Files.remove(path)
      case .empty: try Files.write([], to: path)
      case .truncated: try Files.write(Array(bytes.prefix(bytes.count / 2)), to: path)
      case .garbage:
        try Files.write((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 167 + 13) }, to: path)
      case .oversized: try Files.extend(path, to: (64 << 20) + 1)
      case .duplicatedField:
        try Files.write(
          Array(#"{"nonce":"000000000000000000000000","#.utf8) + bytes.dropFirst(), to: path)
      case .changedCiphertext:
        let start = try #require(bytes.firstRange(of: Array(#""ciphertext":""#.utf8))).upperBound
        var changed = bytes
        changed[start] = bytes[start] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try Files.write(changed, to: path)
      }
    }

    /// Whether the file counts as not here yet rather than as broken.
    var isIncomplete: Bool { self == .empty || self == .truncated }
  }

  @Test(arguments: Target.allCases, Damage.allCases)
  func `Every wallet comes back`(_ target: Target, _ damage: Damage) async throws {
    let backup = try await PreparedBackup()
    let path = target.path(backup)
    try damage.apply(to: path)
    let before = try Files.contents(backup.box.folder)

    let out = backup.box.root + "/out"
    let restored = try await backup.box.keybackup(
      ["restore", "--json", "--out", out], expecting: nil)
    // Everything is stored twice: in the log and in the CSPP files.
    #expect(try restored.json()["restored"].number == 3)
    #expect(Files.tree(out).count == 3)
    // A key slot is not needed twice. An empty log or wallet file may be something newer on its
    // way.
    let expected: Int32 =
      switch (target, damage) {
      case (.envelope, _), (.wrapper, _): 0
      case (_, .empty), (_, .truncated): 75
      case (.wallet, _): 0
      case (_, .missing): 75
      default: 87
      }
    #expect(restored.code == expected, "\(restored.text)")

    let deep = try await backup.box.keybackup(["verify", "--deep", "--json"], expecting: nil)
    let shallow = try await backup.box.keybackup(
      ["verify", "--json"], key: ["--no-key"], pin: .none, expecting: nil)
    let name = try #require(path.split(separator: "/").last)
    switch damage {
    case .missing:
      // Without the master key, only the log's chain says which files should exist. With it, the
      // log also names the key slots' files and heals them, so they need no alarm.
      #expect(shallow.code == (target == .firstOperation ? 75 : 0), "\(shallow.text)")
      let harmless = target == .envelope || target == .wrapper
      #expect(deep.code == (harmless ? 0 : 75), "\(deep.text)")
    case .changedCiphertext:
      // An operation's name carries its digest.
      let isOperation = target == .firstOperation || target == .lastOperation
      #expect(shallow.code == (isOperation ? 65 : 0), "\(shallow.text)")
      #expect(deep.code == 65 && deep.out.contains(name), "\(deep.text)")
    default:
      let code: Int32 = damage.isIncomplete ? 75 : 65
      for outcome in [deep, shallow] {
        #expect(outcome.code == code, "\(outcome.text)")
        #expect(outcome.out.contains(name), "which file? \(outcome.out)")
      }
      let status = try await backup.box.keybackup(
        ["status"], key: ["--no-key"], pin: .none, expecting: code)
      #expect(status.out.contains(name))
    }
    #expect(try Files.contents(backup.box.folder) == before, "a reading command wrote")
  }

  /// A damaged file is called damaged, not missing, if the log gives its wallet.
  @Test func `A damaged file is called that when the log gives its wallet`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let name = try #require(backup.wallets[0].split(separator: "/").last)
    try Damage.changedCiphertext.apply(to: backup.wallets[0])
    let restored = try await box.keybackup(["restore"])
    #expect(restored.out.contains("damaged file") && !restored.out.contains("missing"))
    #expect(
      restored.err.contains("damaged file, restored from the log: wallets/\(name)")
        && restored.err.contains("keybackup key repair"), "\(restored.err)")
    let json = try await box.keybackup(
      ["restore", "--json", "--out", box.root + "/out"]
    ).json()
    #expect(json["damaged"].items.map { $0["file"].text } == ["wallets/\(name)"], "\(json)")
    #expect(json["files"].items.count { $0["file_damaged"].flag == true } == 1, "\(json)")
    #expect(json["failed"].items.isEmpty && json["restored"].number == 3)
    let list = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
    let row = try #require(list.first { $0["file_damaged"].flag == true })
    #expect(row["state"].text == "missing", "the word of the contract stays")
    try await box.keybackup(["key", "repair"])
    let whole = try await box.keybackup(["restore"])
    #expect(!whole.text.contains("damaged"))
  }

  @Test(arguments: [Damage.empty, .truncated, .garbage, .changedCiphertext, .missing])
  func `Without any whole key slot it is never no backup`(_ damage: Damage) async throws {
    let backup = try await PreparedBackup()
    for path in [backup.wrapper, backup.envelope] { try damage.apply(to: path) }
    let outcome = try await backup.box.keybackup(["restore"], expecting: nil)
    let incomplete = damage.isIncomplete || damage == .missing
    expectFailure(outcome, incomplete ? 75 : 65, says: "hint: ")
    #expect(outcome.err.contains(incomplete ? "not completely here" : "damaged"))
    let json = try await backup.box.keybackup(["restore", "--json"], expecting: nil)
    try expectFailure(
      json, incomplete ? 75 : 65, word: incomplete ? "incomplete" : "data-invalid")
    // Nor may another backup be started on top of it.
    let again = try await backup.box.keybackup(["init"], expecting: nil)
    expectFailure(again, 73, says: "holds a backup already")
  }

  @Test func `A plain CSPP folder has no second copy`() async throws {
    let backup = try await PreparedBackup()
    try Files.remove(backup.place + "/keybackup")
    let wallets = backup.wallets
    try #require(wallets.count == 3)
    try Damage.garbage.apply(to: wallets[0])
    try Damage.empty.apply(to: wallets[1])
    let outcome = try await backup.box.keybackup(["restore", "--json"], expecting: 87)
    #expect(try outcome.json()["restored"].number == 1)
    let failed = try outcome.json()["failed"].items
    #expect(Set(failed.compactMap { $0["state"].text }) == ["unreadable", "incomplete"])
    #expect(failed.allSatisfy { $0["record_id"].text?.count == 64 })
    let text = try await backup.box.keybackup(["restore"], expecting: 87)
    #expect(text.err.contains("hint: "))
  }

  // MARK: Strange folders

  @Test(arguments: [true, false])
  func `Swapped wallet files are not believed`(_ withLog: Bool) async throws {
    let backup = try await PreparedBackup()
    if !withLog { try Files.remove(backup.place + "/keybackup") }
    let wallets = backup.wallets
    let first = try Files.read(wallets[0])
    try Files.write(try Files.read(wallets[1]), to: wallets[0])
    try Files.write(first, to: wallets[1])
    let verified = try await backup.box.keybackup(["verify", "--deep", "--json"], expecting: 65)
    #expect(try verified.json()["wallets"]["unreadable"].number == 2)
    // By its contents, nothing is lost, and each wallet gets its own name.
    let out = backup.box.root + "/out"
    let restored = try await backup.box.keybackup(["restore", "--out", out], expecting: nil)
    #expect([0, 75].contains(restored.code), "\(restored.text)")
    for id in PreparedBackup.ids {
      let entries = try Files.contents(out).filter {
        String(decoding: $0.value, as: UTF8.self).contains(#""wallet_id":"\#(id)""#)
      }
      #expect(entries.count == 1)
      let name = try #require(entries.keys.first)
      #expect(wallets.contains { $0.hasSuffix("/" + name) })
    }
  }

  @Test func `A namespace under another ID is refused`() async throws {
    let backup = try await PreparedBackup()
    let other = String(repeating: "ab", count: 16)
    try Files.copy(backup.place, to: backup.box.folder + "/cspp-namespaces/" + other)
    try Files.remove(backup.place)
    for command in [["restore"], ["verify", "--deep"], ["wallet", "list"]] {
      let outcome = try await backup.box.keybackup(command, expecting: nil)
      expectFailure(outcome, 65, says: "namespace_id")
    }
  }

  @Test func `Anothers key file and wallets in the folder change nothing`() async throws {
    let backup = try await PreparedBackup()
    let other = try Sandbox()
    try await other.keybackup(["init"])
    try await other.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "stranger", name: "S").utf8))
    for name in Files.tree(other.folder)
    where name.hasPrefix("cspp-namespaces/") && !name.contains("master-key") {
      let parts = name.split(separator: "/")
      let target = backup.place + "/" + parts.dropFirst(2).joined(separator: "/")
      try Files.makeFolder(target.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 })
      try Files.copy(other.folder + "/" + name, to: target)
    }
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: nil)
    #expect(try restored.json()["restored"].number == 3, "\(restored.text)")
    #expect([65, 87].contains(restored.code))
    let verified = try await backup.box.keybackup(["verify", "--deep"], expecting: 65)
    #expect(!verified.out.contains("stranger"))
  }

  @Test func `Several namespaces are told apart by name`() async throws {
    let backup = try await PreparedBackup()
    let other = try Sandbox()
    let made = try await other.keybackup(["init", "--json"]).json()
    let id = try #require(made["namespace_id"].text)
    try Files.copy(
      other.folder + "/cspp-namespaces/" + id, to: backup.box.folder + "/cspp-namespaces/" + id)
    let outcome = try await backup.box.keybackup(["restore"], expecting: nil)
    expectFailure(outcome, 90, says: "--namespace", id, backup.namespaceID)
    let named = try await backup.box.keybackup(
      ["restore", "--json", "--namespace", backup.namespaceID])
    #expect(try named.json()["restored"].number == 3)
    let wrong = try await backup.box.keybackup(["restore", "--namespace", id], expecting: nil)
    expectFailure(wrong, 80, says: ", not", id)
    let none = try await backup.box.keybackup(
      ["status", "--namespace", String(repeating: "0", count: 32)], pin: .none, expecting: nil)
    expectFailure(none, 66, says: "holds another backup", backup.namespaceID)
    #expect(!none.err.contains("no backup") && !none.err.contains("init"), "\(none)")
  }

  @Test func `No folder and no backup are two things`() async throws {
    let box = try Sandbox()
    let none = try await box.keybackup(["restore"], expecting: nil)
    expectFailure(none, 66, says: "there is no backup in", "keybackup init")
    let nowhere = try await box.keybackup(
      ["restore", "--folder", box.root + "/nowhere"], expecting: nil)
    expectFailure(nowhere, 66, says: "there is no folder")
    let file = try await box.keybackup(["restore", "--folder", box.pinFile], expecting: nil)
    expectFailure(file, 66, says: "not a folder")
    let json = try await box.keybackup(["status", "--json"], pin: .none, expecting: nil)
    try expectFailure(json, 66, word: "no-input")
    let unnamed = try await box.keybackup(
      ["status"], pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: nil)
    #expect([64, 66, 78].contains(unnamed.code) && unnamed.err.contains("--folder"), "\(unnamed)")
    #expect(box.trace.isEmpty || !box.trace.contains { $0.contains("Token") })
  }

  @Test func `Links are not followed out of the folder`() async throws {
    let backup = try await PreparedBackup()
    let outside = backup.box.root + "/outside.json"
    try Files.copy(backup.wallets[0], to: outside)
    try Files.remove(backup.wallets[0])
    let name = backup.place + "/wallets/wallet-" + String(repeating: "0", count: 64) + ".json"
    try Files.link(name, to: outside)
    let outcome = try await backup.box.keybackup(["verify", "--json"], pin: .none, expecting: 65)
    #expect(try outcome.json()["wallets"]["unreadable"].number == 1)
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: 87)
    #expect(try restored.json()["restored"].number == 3)
  }

  @Test(arguments: ["", "/cspp-namespaces", "/cspp-namespaces/NAMESPACE"])
  func `A folder that may not be read is said to be`(_ part: String) async throws {
    let backup = try await PreparedBackup()
    let path = backup.box.folder + part.replacing("NAMESPACE", with: backup.namespaceID)
    try Files.setMode(path, 0o000)
    defer { try? Files.setMode(path, 0o700) }
    for command in [["restore"], ["verify"], ["status"]] {
      let outcome = try await backup.box.keybackup(
        command, pin: command == ["restore"] ? .file : .none,
        wrapper: Sandbox.withoutPrivilege, expecting: nil)
      expectFailure(outcome, 77, says: "you may not use")
    }
    let json = try await backup.box.keybackup(
      ["verify", "--json"], pin: .none, wrapper: Sandbox.withoutPrivilege, expecting: nil)
    try expectFailure(json, 77, word: "permission-denied")
  }

  /// The content of the other folders still opens, and the obstacle is named.
  @Test(arguments: ["wallets", "keybackup", "keybackup/keys", "keybackup/log", "master-key"])
  func `A file in place of a folder stops nothing`(_ name: String) async throws {
    let backup = try await PreparedBackup()
    try Files.remove(backup.place + "/" + name)
    try Files.write("x", to: backup.place + "/" + name)
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: nil)
    #expect(try restored.json()["restored"].number == 3, "\(restored.text)")
    #expect([0, 75].contains(restored.code) && restored.err.contains("\(name): not a folder"))
    let status = try await backup.box.keybackup(["status"], pin: .none, expecting: nil)
    #expect(status.code == 65 && status.out.contains("\(name): not a folder"), "\(status)")
    // Adding a wallet does not overwrite it.
    _ = try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "new").utf8),
      expecting: nil)
    #expect(try Files.read(backup.place + "/" + name) == Array("x".utf8))
  }

  @Test func `A wallet that may not be read does not stop the others`() async throws {
    let backup = try await PreparedBackup()
    try Files.remove(backup.place + "/keybackup")
    try Files.setMode(backup.wallets[0], 0o000)
    let outcome = try await backup.box.keybackup(
      ["restore", "--json"], wrapper: Sandbox.withoutPrivilege, expecting: nil)
    #expect([77, 87].contains(outcome.code), "\(outcome.text)")
    #expect(try outcome.json()["restored"].number == 2)
    #expect(try outcome.json()["failed"][0]["reason"].text?.contains("no permission") == true)
  }
}

extension Sandbox {
  /// Makes file modes count also for root.
  static let withoutPrivilege =
    isRoot ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : []
}

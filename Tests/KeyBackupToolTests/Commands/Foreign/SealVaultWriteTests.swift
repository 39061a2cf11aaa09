import Testing

/// `keybackup foreign sealvault write`: what it keeps, deletes and believes.
@Suite struct SealVaultWriteTests {
  private let given: SealVaultBox
  private var folder: String { given.folder }
  private var newPassword: String { given.box.root + "/new-password" }

  init() async throws { given = try await SealVaultBox() }

  private func file(_ outcome: Outcome) throws -> String {
    try #require(try outcome.json()["file"].text)
  }

  @Test func `What is written Python opens, and versions only grow`() async throws {
    // Another device's, and a name that claims to be newer.
    let phone = "sealvault_backup_v1_ios_1_phone_1.zip"
    let claim = "sealvault_backup_v1_linux_1_laptop_6.zip"
    for name in [phone, claim] { try Files.write("x", to: "\(folder)/\(name)") }
    let words = ["write", given.database, folder, "--device-id", "laptop", "--json"]
    let named = ["--device-name", "Ünï \"\u{301}x\" \u{FE0F}\\"]
    func write(_ more: [String] = [], expecting: Int32? = 0) async throws -> Outcome {
      try await given.run(
        words + more + ["--password-file", given.password, "--kdf-secret", "-"],
        input: SealVaultBox.secret, expecting: expecting)
    }
    let first = try await write(named)
    #expect(try first.json()["version"].number == 7)
    let zip = try folder + "/" + file(first)
    #expect(
      try await given.python("open", zip, given.password, SealVaultBox.secret)
        == hex(Files.read(given.database)))
    #expect(Files.mode(zip) == 0o600)
    // What only claims to be an older one stays, and is named.
    #expect(try first.json()["not_deleted"].items.map(\.text) == [claim])
    #expect(first.err.contains("1 file that claims to be older stays"), "\(first.err)")
    #expect(Files.tree(folder).count == 3)
    // One that opens is deleted.
    let second = try await write()
    #expect(try second.json()["version"].number == 8)
    #expect(try second.json()["deleted"].items.map(\.text) == [file(first)])
    #expect(try Files.tree(folder) == [phone, claim, file(second)].sorted())
    try Files.remove(folder + "/" + file(second))
    let third = try await write()
    #expect(try third.json()["version"].number == 9, "the folder knows none, this computer does")
    try await given.opened("verify", folder + "/" + file(third))

    try Files.write("no database", to: given.database)
    let refused = try await write(expecting: nil)
    try expectFailure(refused, 65, word: "data-invalid")
    #expect(Files.tree(folder).count == 3)
  }

  @Test func `A database of SealVault's own keeps its data key and gets the new version inside`()
    async throws
  {
    let database = given.box.root + "/wallet.sqlite3"
    let dataKey = try await given.python(
      "data-key", database, given.password, SealVaultBox.secret, "12")
    let words = ["write", database, folder, "--device-id", "D-2"]
    let opening = ["--password-file", given.password, "--kdf-secret", "-", "--json"]
    let written = try await given.run(words + opening, input: SealVaultBox.secret)
    #expect(try written.json()["version"].number == 13)
    let out = given.box.root + "/out"
    let zip = try folder + "/" + file(written)
    let opened = try await given.opened("open", zip, "--out", out)
    #expect(opened.err.contains("The files hold unencrypted secrets"), "\(opened.err)")
    #expect(try Files.text(out + "/D-2_13.data-key") == dataKey + "\n")
    // With another secret nobody could unwrap it: such a backup is not written.
    let other = try await given.run(
      words + opening.dropLast(), input: String(SealVaultBox.secret.reversed()), expecting: nil)
    expectFailure(
      other, 80, says: "this password or KDF secret does not unwrap the data key in",
      "use those of the earlier backups")
    #expect(Files.tree(folder).count == 1)
    // The number is taken all the same, and nothing that opens is called older for it.
    try await given.opened("verify", zip)
    let next = try await given.run(words + opening, input: SealVaultBox.secret)
    #expect(try next.json()["version"].number == 15)
    // One nonce for all of them, which the data key needs.
    #expect(Files.tree(folder).count == 1)
  }

  // MARK: A new password

  @Test func `A new password is kept only once its backup is there`() async throws {
    let words = [
      "write", given.database, folder, "--device-id", "laptop", "--security-key",
      "--new-password", newPassword,
    ]
    let unplugged = try await given.run(words, expecting: nil)
    #expect(unplugged.code == 69, "\(unplugged.text)")
    #expect(!Files.exists(newPassword))
    try await given.box.keybackup(["credential", "create"])
    // The file system refuses the name of the backup.
    let failed = try await given.run(
      words, key: [], wrapper: SealVaultBox.failing("renameat2", at: folder), expecting: nil)
    #expect(failed.code == 74, "\(failed.text)")
    #expect(!Files.exists(newPassword) && Files.tree(folder).isEmpty)
    // The same command again, with nothing in its way.
    try await given.run(words, key: [])
    #expect(Files.mode(newPassword) == 0o600 && Files.tree(folder).count == 1)
  }

  @Test func `A data key takes no new password, and nothing is asked or left`() async throws {
    let database = try await given.ownDatabase(version: 3)
    let refused = try await given.run(
      [
        "write", database, folder, "--device-id", "D-2", "--security-key", "--new-password",
        newPassword,
      ], expecting: nil)
    expectFailure(refused, 64, says: "which a new password does not unwrap")
    #expect(!Files.exists(newPassword) && Files.tree(folder).isEmpty)
  }

  // MARK: Names that prove nothing

  @Test func `The real backup of a device is not replaced by one that it does not know`()
    async throws
  {
    let id = "B92B17B9-24A0-48FC-9709-281B15639BD8"
    try Files.copy(SealVaultTests.vector, to: "\(folder)/\(SealVaultTests.file)")
    let words = ["write", given.database, folder, "--device-id", id]
    let other = try await given.run(
      words + ["--new-password", newPassword, "--kdf-secret", "-"], input: SealVaultBox.secret)
    #expect(other.err.contains(SealVaultTests.file), "\(other.err)")
    #expect(Files.tree(folder).count == 2)
    // With its own password and secret the new one is its next version.
    let next = try await given.run(
      words + ["--password-file", given.password, "--kdf-secret", "-", "--json"],
      input: SealVaultBox.secret
    ).json()
    #expect(next["deleted"].items.map(\.text) == [SealVaultTests.file])
    #expect(next["not_deleted"].items.count == 1 && Files.tree(folder).count == 2)
  }

  // MARK: Deleting in part

  @Test func `An older backup that cannot be deleted is named`() async throws {
    func write(_ wrapper: [String] = [], expecting: Int32 = 0) async throws -> JSON {
      try await given.opened(
        "write", given.database, folder, "--device-id", "laptop", "--json", wrapper: wrapper,
        expecting: expecting
      ).json()
    }
    let first = try #require(try await write()["file"].text)
    let stuck = SealVaultBox.failing("?unlink,?unlinkat", at: "\(folder)/\(first)", "EPERM")
    let second = try await write(stuck, expecting: 87)
    #expect(second["not_deleted"].items.map(\.text) == [first])
    #expect(second["deleted"].items.isEmpty)
    let words = ["disable", folder, "--device-id", "laptop", "--yes"]
    let partly = try await given.run(words, wrapper: stuck, expecting: 87)
    #expect(partly.err.contains("\(first) could not be deleted"), "\(partly.err)")
    #expect(Files.tree(folder) == [first])
    let renamed = first.replacing(".zip", with: " (1).zip")
    try Files.write("x", to: "\(folder)/\(renamed)")
    let rest = try await given.run(words + ["--json"])
    #expect(try rest.json()["deleted"].items.map(\.text) == [first])
    #expect(try rest.json()["others"].items.map(\.text) == [renamed])
    #expect(rest.err.contains("stays: it may be of this device"), "\(rest.err)")
    #expect(Files.tree(folder) == [renamed])
  }

  @Test func `What fails after the backup got its name says that it is there`() async throws {
    let words = ["write", given.database, folder, "--device-id", "laptop", "--json"]
    func write(_ wrapper: [String] = []) async throws -> Outcome {
      try await given.run(
        words + ["--password-file", given.password, "--kdf-secret", "-"],
        input: SealVaultBox.secret, wrapper: wrapper, expecting: nil)
    }
    #expect(try await write().code == 0)
    // The number is remembered first, the backup second.
    let failing = SealVaultBox.failing(
      "?rename,?renameat,?renameat2", at: given.box.home + "/.local/state/keybackup/sealvault",
      when: "2+")
    let failed = try await write(failing)
    try expectFailure(failed, 74, word: "io")
    let hint = try #require(try failed.json()["error"]["hint"].text)
    #expect(hint.contains("_laptop_2.zip was written all the same"), "\(hint)")
    #expect(Files.tree(folder).count == 2)
  }

  @Test func `An empty database is no backup, and a folder is no database`() async throws {
    let words = ["write", given.database, folder, "--device-id", "laptop", "--json"]
    func write(expecting: Int32?) async throws -> Outcome {
      try await given.run(
        words + ["--password-file", given.password, "--kdf-secret", "-"],
        input: SealVaultBox.secret, expecting: expecting)
    }
    let first = try await file(write(expecting: 0))
    try Files.write("", to: given.database)
    try expectFailure(await write(expecting: nil), 65, word: "data-invalid")
    #expect(Files.tree(folder) == [first])
    try expectFailure(
      await given.run(
        ["verify", folder, "--password-file", given.password, "--json"], expecting: nil),
      64, word: "usage")
  }

  @Test func `A trigger that the new version would run is refused`() async throws {
    let database = try await given.ownDatabase(version: 12)
    try await given.sqlite(database, "CREATE TABLE kept (a)")
    try await given.sqlite(
      database,
      "CREATE TRIGGER x AFTER UPDATE ON local_settings BEGIN DELETE FROM kept; END")
    let refused = try await given.run(
      ["write", database, folder, "--device-id", "D", "--password-file", given.password]
        + ["--kdf-secret", "-", "--json"], input: SealVaultBox.secret, expecting: nil)
    try expectFailure(refused, 65, word: "data-invalid")
    #expect(refused.out.contains("a trigger on local_settings"), "\(refused.out)")
    #expect(Files.tree(folder).isEmpty)
  }

  /// Wherever the signal comes: a backup that got its name is remembered.
  @Test func `An interrupted write is remembered, or wrote nothing`() async throws {
    let write = [
      "foreign", "sealvault", "write", given.database, folder, "--device-id", "laptop",
      "--password-file", given.password, "--kdf-secret", given.box.root + "/secret",
    ]
    try Files.write(SealVaultBox.secret, to: given.box.root + "/secret", mode: 0o600)
    try await given.box.keybackup(write, key: nil, pin: .none)
    let first = try #require(Files.tree(folder).first)
    let kept = given.box.root + "/" + first
    try Files.write(Files.read(folder + "/" + first), to: kept)
    for delay in ["0.1", "0.3", "0.5", "0.7", "0.9"] {
      let script = #"""
        set -m; delay=$1; shift; "$@" >/dev/null 2>&1 & sleep "$delay"; kill -INT $!; wait $! || :
        """#
      let run = try await given.box.run(
        ["bash", "-c", script, "bash", delay, Build.keybackup] + write, key: nil)
      #expect(run.code == 0, "\(run.text)")
      let isNewer = Files.tree(folder).contains { $0 != first }
      try await given.opened("verify", kept, expecting: isNewer ? 89 : 0)
      if isNewer { return }
    }
  }

  @Test func `An older version takes nobody's place in the backup`() async throws {
    try await given.box.keybackup(["init"])
    func write() async throws -> String {
      try await file(
        given.run(
          ["write", given.database, folder, "--device-id", "laptop", "--json"]
            + ["--password-file", given.password, "--kdf-secret", "-"], input: SealVaultBox.secret))
    }
    let first = try await write()
    let old = given.box.root + "/" + first
    try Files.write(Files.read(folder + "/" + first), to: old)
    let second = try await write()
    func add(_ zip: String, expecting: Int32) async throws -> [String?] {
      let added = try await given.run(
        ["open", zip, "--add", "--json", "--password-file", given.password, "--kdf-secret", "-"],
        key: [], input: SealVaultBox.secret + "\n", expecting: expecting)
      return try added.json()["added"]["files"].items.map { $0["name"].text }
    }
    #expect(try await add(folder + "/" + second, expecting: 0) == ["sealvault-laptop.sqlite3"])
    #expect(try await add(old, expecting: 89) == ["sealvault-laptop_1.sqlite3"])
  }
}

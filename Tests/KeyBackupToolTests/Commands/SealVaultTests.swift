import Testing

/// `keybackup foreign sealvault`, beside the vectors and a second implementation in Python.
@Suite struct SealVaultTests {
  static let file =
    "sealvault_backup_v1_ios_1672054688_B92B17B9-24A0-48FC-9709-281B15639BD8_7.zip"
  static let vector = Build.root + "/Tests/Vectors/foreign/" + file
  static let database =
    (try? JSON(Files.read(Build.root + "/Tests/Vectors/foreign/sealvault.json")))?[
      "encrypted_backup"]["plaintext_hex"].text ?? ""
  static let secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  private let box: Sandbox
  private var password: String { box.root + "/password" }

  init() throws {
    box = try Sandbox()
    try Files.write("8fd93-eywzr-gb7hx-qavns\n", to: box.root + "/password", mode: 0o600)
  }

  /// Runs a command with the password in a file and the KDF secret on standard input.
  @discardableResult
  private func sealvault(
    _ words: String..., secret: String = secret, expecting: Int32? = 0
  ) async throws -> Outcome {
    try await box.keybackup(
      ["foreign", "sealvault"] + words + ["--password-file", password, "--kdf-secret", "-"],
      key: nil, pin: .none, input: Array((secret + "\n").utf8), expecting: expecting)
  }

  private func python(_ words: String...) async throws -> String {
    let outcome = try await box.run(Python.script("interop/sealvault.py") + words, key: nil)
    guard outcome.code == 0 else { throw NotThatJSON(text: outcome.text) }
    return String(outcome.out.dropLast())
  }

  // MARK: Opening

  @Test func `The known backup is found, verified and opened`() async throws {
    let found = try await box.keybackup(
      ["foreign", "sealvault", "find", Build.root + "/Tests/Vectors/foreign", "--json"], key: nil,
      pin: .none
    ).json()
    let one = try #require(found["backups"].items.first)
    #expect(one["file"].text == Self.file && one["version"].number == 7)
    #expect(one["state"].text == "named")
    // Names that another program changed, of a file that is not here, and of another scheme.
    for (name, state, version) in [
      ("sealvault_backup_v1_ios_1_A_7 (1).zip", "renamed", nil),
      (".sealvault_backup_v1_ios_1_A_7.zip.icloud", "not-downloaded", 7),
      ("sealvault_backup_v2_ios_1_A_8.zip", "unsupported", 8),
    ] as [(String, String, Int?)] {
      let folder = box.root + "/" + state
      try Files.makeFolder(folder)
      try Files.write("x", to: "\(folder)/\(name)")
      try Files.write("x", to: folder + "/another.zip")
      try Files.write("x", to: folder + "/another.txt")
      let found = try await box.keybackup(
        ["foreign", "sealvault", "find", folder, "--json"], key: nil, pin: .none
      ).json()
      #expect(found["other_zip_files"].number == 1, "\(state)")
      let listed = found["backups"]
      #expect(listed.items.count == 1, "\(state)")
      #expect(listed[0]["file"].text == name && listed[0]["state"].text == state)
      #expect(listed[0]["version"].number == version, "\(state)")
      let none = try await box.keybackup(
        ["foreign", "sealvault", "disable", folder, "--device-id", "A", "--yes"], key: nil,
        pin: .none, expecting: nil)
      expectFailure(none, 66, says: "has no backup of the device A", "look at them yourself")
    }

    let verified = try await sealvault("verify", Self.vector, "--json").json()
    #expect(verified["device_name"].text == "Agó\"s \\ iPhone")
    #expect(verified["version"].number == 7 && verified["freshness"].text == "newest-known")
    // The vector's database is no database.
    #expect(verified["database_intact"].flag == false && verified["has_data_key"].flag == false)

    let out = box.root + "/out"
    try await sealvault("open", Self.vector, "--out", out)
    let written = "\(out)/B92B17B9-24A0-48FC-9709-281B15639BD8_7.sqlite3"
    #expect(hex(try Files.read(written)) == Self.database)
    #expect(Files.mode(written) == 0o600 && Files.mode(out) == 0o700)
    // Never over an existing file.
    let again = try await sealvault("open", Self.vector, "--out", out, expecting: nil)
    expectFailure(again, 73, says: "never overwritten")
    #expect(Files.tree(out).count == 1)
  }

  @Test func `Wrong secrets, damage and lies are told apart`() async throws {
    let other = String(Self.secret.reversed())
    let wrong = try await sealvault("verify", Self.vector, secret: other, expecting: nil)
    expectFailure(wrong, 80, says: "the password with the KDF secret does not open this backup")
    let short = try await sealvault("verify", Self.vector, secret: "00", expecting: nil)
    expectFailure(short, 65, says: "the KDF secret has to be 64 hex digits")
    try Files.write("8fd93-eywzr", to: password, mode: 0o600)
    let word = try await sealvault("verify", Self.vector, expecting: nil)
    expectFailure(word, 65, says: "the SealVault password has to be 20 letters")
    try Files.write("8fd93eywzrgb7hxqavns", to: password, mode: 0o600)

    var bytes = try Files.read(Self.vector)
    bytes[100] ^= 1
    try Files.write(bytes, to: box.root + "/broken.zip")
    let broken = try await sealvault("verify", box.root + "/broken.zip", expecting: nil)
    expectFailure(broken, 65, says: "backup.sqlite3.encrypted", "is damaged")
    let lie = box.root + "/" + Self.file.replacing("_7.zip", with: "_8.zip")
    try Files.copy(Self.vector, to: lie)
    let named = try await sealvault("verify", lie, expecting: nil)
    expectFailure(named, 65, says: "not the one in metadata.json", "the right name: \(Self.file)")
    // A file that a sync program renamed claims nothing.
    try Files.copy(Self.vector, to: box.root + "/conflict (1).zip")
    try await sealvault("verify", box.root + "/conflict (1).zip")
  }

  @Test func `What Python wrote is opened with its data key and goes into the backup`()
    async throws
  {
    try Files.write("8FD93-EYWZR-GB7HX-QAVNS\n", to: password, mode: 0o600)
    let database = box.root + "/wallet.sqlite3"
    let dataKey = try await python("data-key", database, password, Self.secret, "4")
    let zip = try await python(
      "write", box.root, password, Self.secret, database,
      #"{"backup_version":4,"timestamp":1700000000,"device_id":"D-1","device_name":"Po\u0301cket","operating_system":"ios"}"#
    )
    let out = box.root + "/out"
    let opened = try await sealvault("open", zip, "--out", out, "--json").json()
    #expect(opened["version_inside"].number == 4 && opened["database_intact"].flag == true)
    #expect(try Files.text(out + "/D-1_4.data-key") == dataKey + "\n")
    #expect(try Files.read(out + "/D-1_4.sqlite3") == Files.read(database))

    // Straight into the backup: nothing unencrypted is written.
    try await box.keybackup(["init"])
    let added = try await box.keybackup(
      [
        "foreign", "sealvault", "open", zip, "--add", "--password-file", password, "--kdf-secret",
        "-", "--json",
      ], input: Array(Self.secret.utf8)
    ).json()
    #expect(
      added["added"]["files"].items.map { $0["name"].text } == [
        "sealvault-D-1.sqlite3", "sealvault-D-1.data-key",
      ])
    let back = box.root + "/back"
    try await box.keybackup(["file", "restore", "sealvault-D-1.data-key", "--out", back])
    let name = try #require(Files.tree(back).first)
    #expect(try Files.text("\(back)/\(name)") == dataKey + "\n")

    // Metadata and database may say two versions: then SealVault would not restore it.
    let later = try await python(
      "write", box.root, password, Self.secret, database,
      #"{"backup_version":5,"timestamp":1700000001,"device_id":"D-1","device_name":"p","operating_system":"ios"}"#
    )
    let refused = try await sealvault("open", later, "--out", out, expecting: nil)
    expectFailure(refused, 65, says: "the database says that it is version 4")
    // Only another command has the option that the advice names.
    let unproved = try await sealvault("verify", later, expecting: nil)
    expectFailure(
      unproved, 65,
      says: ": keybackup foreign sealvault open \(later) --any-version --out FOLDER")
    try await sealvault("open", later, "--out", out, "--any-version")
    // The older one is still to be had, and called what it is.
    let older = try await sealvault("verify", zip, expecting: 89)
    #expect(older.err.contains("version 5 of this device opened here before"), "\(older.err)")
    // Of the same version, made at another time.
    let twin = try await python(
      "write", box.root, password, Self.secret, database,
      #"{"backup_version":5,"timestamp":1700000002,"device_id":"D-1","device_name":"p","operating_system":"ios"}"#
    )
    let other = try await sealvault("verify", twin, "--json", expecting: nil)
    try expectFailure(other, 65, word: "data-invalid")
    let taken = try await sealvault(
      "open", twin, "--out", box.root + "/twin", "--any-version", "--json", expecting: 89)
    #expect(try taken.json()["freshness"].text == "other-of-same-version")
  }

  @Test func `A damaged data key takes nothing from the database`() async throws {
    try Files.write("8FD93-EYWZR-GB7HX-QAVNS\n", to: password, mode: 0o600)
    let database = box.root + "/wallet.sqlite3"
    _ = try await python("data-key", database, password, Self.secret, "4")
    let script = """
      import sqlite3,sys; c=sqlite3.connect(sys.argv[1])
      c.execute("UPDATE local_encrypted_deks SET encrypted_dek = zeroblob(72)"); c.commit()
      """
    let changed = try await box.run(["/usr/bin/python3", "-c", script, database], key: nil)
    try #require(changed.code == 0, "\(changed.text)")
    let zip = try await python(
      "write", box.root, password, Self.secret, database,
      #"{"backup_version":4,"timestamp":1700000000,"device_id":"D-1","device_name":"p","operating_system":"ios"}"#
    )
    let out = box.root + "/out"
    let opened = try await sealvault("open", zip, "--out", out, "--json")
    #expect(try opened.json()["has_data_key"].flag == false)
    #expect(opened.err.contains("does not unwrap"), "\(opened.err)")
    #expect(Files.tree(out) == ["D-1_4.sqlite3"])
  }

  @Test func `Without a way into the backup, what was written is named all the same`()
    async throws
  {
    let out = box.root + "/out"
    let failed = try await box.keybackup(
      [
        "foreign", "sealvault", "open", Self.vector, "--out", out, "--add", "--password-file",
        password, "--kdf-secret", "-", "--json",
      ], key: nil, pin: .none, input: Array(Self.secret.utf8), expecting: nil)
    #expect(failed.code != 0 && Files.tree(out).count == 1, "\(failed.text)")
    #expect(try failed.json()["error"]["hint"].text?.contains("written to \(out)") == true)
  }

  // MARK: Libraries

  /// keybackup is not linked to them: each is looked up when it is used.
  @Test(arguments: [
    ("libzip.so", "libzip-dev"), ("libargon2.so", "libargon2-1"), ("libsqlite3.so", "libsqlite3-0"),
  ])
  func `A library that is missing is named, with its package`(
    _ library: String, _ package: String
  ) async throws {
    let places = ["x86_64", "aarch64"].flatMap { machine in
      ["/lib", "/usr/lib"].flatMap { folder in
        ["", "/\(machine)-linux-gnu"].flatMap { middle in
          [0, 1, 4, 5].map { "\(folder)\(middle)/\(library).\($0)" }
        }
      }
    }
    let hidden = Tracing.wrapper(
      places.flatMap { ["-P", $0] } + ["-e", "trace=openat", "-e", "inject=openat:error=ENOENT"])
    // SQLite is opened for a database only, which the vector does not hold.
    let command =
      library.contains("sqlite")
      ? ["write", password, box.folder, "--device-id", "laptop"] : ["verify", Self.vector]
    let refused = try await box.keybackup(
      ["foreign", "sealvault"] + command + [
        "--password-file", password, "--kdf-secret", "-", "--json",
      ], key: nil, pin: .none, input: Array(Self.secret.utf8), wrapper: hidden, expecting: nil)
    try expectFailure(refused, 69, word: "library-missing")
    #expect(refused.out.contains("sudo apt install \(package)"), "\(refused.out)")
  }

  // MARK: Where the KDF secret comes from

  @Test func `A security key gives the KDF secret, and never with a backup's credential`()
    async throws
  {
    let folder = box.root + "/icloud"
    try Files.makeFolder(folder)
    let database = box.root + "/wallet.sqlite3"
    let made = try await box.run(
      [
        "/usr/bin/python3", "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE t (a)'); c.commit()",
        database,
      ], key: nil)
    try #require(made.code == 0, "\(made.text)")
    try await box.keybackup(["credential", "create"])
    let password = box.root + "/new-password"
    let words = ["foreign", "sealvault"]
    let good = try await box.keybackup(
      words + [
        "write", database, folder, "--device-id", "laptop", "--security-key", "--new-password",
        password, "--json",
      ]
    ).json()
    #expect(Files.mode(password) == 0o600)
    let zip = folder + "/" + (try #require(good["file"].text))
    // It is what derive gives for the same salt, so Python opens it with that.
    let derived = try await box.keybackup(
      ["derive", "--salt", "sealvault:KDF-SECRET_laptop"], secrets: true
    ).out.dropLast()
    #expect(try await python("open", zip, password, String(derived)) == hex(Files.read(database)))
    try await box.keybackup(
      words + ["verify", zip, "--security-key", "--password-file", password])

    let backup = try await PreparedBackup()
    try await backup.box.keybackup(["wallet", "list"])
    let refused = try await backup.box.keybackup(
      words + [
        "verify", Self.vector, "--security-key", "--credential", backup.credentialID,
        "--password-file", self.password,
      ], expecting: nil)
    expectFailure(refused, 64, says: "this credential opens a backup")
  }

  @Test func `A KDF secret beside the backups is refused`() async throws {
    let folder = box.root + "/icloud"
    try Files.makeFolder(folder)
    try Files.write(Self.secret, to: folder + "/secret", mode: 0o600)
    let beside = try await box.keybackup(
      [
        "foreign", "sealvault", "write", password, folder, "--device-id", "laptop",
        "--password-file", password, "--kdf-secret", folder + "/secret",
      ], key: nil, pin: .none, expecting: nil)
    expectFailure(beside, 78, says: "is in a synced folder")
    let backup = try await PreparedBackup()
    let inside = backup.box.folder + "/password"
    try Files.copy(password, to: inside)
    let carried = try await backup.box.keybackup(
      [
        "foreign", "sealvault", "verify", Self.vector, "--password-file", inside, "--kdf-secret",
        "-", "--folder", backup.box.folder,
      ], key: nil, pin: .none, input: Array(Self.secret.utf8), expecting: nil)
    expectFailure(carried, 78, says: "\(inside) is in a synced folder")
  }
}

import Foundation
import Testing

/// `keybackup foreign sealvault write` in a folder where somebody puts files, who knows neither
/// password nor KDF secret.
@Suite struct SealVaultPlantedTests {
  private let given: SealVaultBox
  private var folder: String { given.folder }

  init() async throws { given = try await SealVaultBox() }

  private func write(expecting: Int32? = 0) async throws -> Outcome {
    try await given.opened(
      "write", given.database, folder, "--device-id", "laptop", "--json", expecting: expecting)
  }

  private func name(_ version: String, time: Int = 1) -> String {
    "sealvault_backup_v1_linux_\(time)_laptop_\(version).zip"
  }

  @Test func `Versions that somebody made up stop nothing, and none is believed`() async throws {
    let first = try #require(try await write().json()["file"].text)
    // Up to the end of 64 bits, and the copy of a real backup under such a name.
    let planted = ["9223372036854775807", "9223372036854775806", "9007199254740991", "2000000"]
      .map { name($0) }
    for file in planted.dropLast() { try Files.write("x", to: "\(folder)/\(file)") }
    try Files.copy("\(folder)/\(first)", to: "\(folder)/\(planted[3])")
    for version in 2...3 {
      let before = Set(Files.tree(folder))
      let written = try await write()
      let json = try written.json()
      #expect(json["version"].number == version, "\(written.text)")
      #expect(Set(json["not_believed"].items.compactMap(\.text)) == Set(planted))
      #expect(json["deleted"].items.count == 1 && json["not_deleted"].items.isEmpty)
      #expect(written.err.contains("4 files that claim versions far above"), "\(written.err)")
      let deleted = Set(json["deleted"].items.compactMap(\.text))
      #expect(before.subtracting(Files.tree(folder)) == deleted)
      let file = try #require(json["file"].text)
      try await given.opened("verify", "\(folder)/\(file)")
    }
  }

  @Test func `A version that is far ahead and opens is believed`() async throws {
    let zip = try await given.python(
      "write", folder, given.password, SealVaultBox.secret, given.database,
      #"{"backup_version":5000000,"timestamp":1,"device_id":"laptop","device_name":"p","operating_system":"linux"}"#
    )
    let json = try await write().json()
    #expect(json["version"].number == 5_000_001 && json["not_believed"].items.isEmpty)
    #expect(json["deleted"].items.map(\.text) == [zip.split(separator: "/").last.map(String.init)])
  }

  /// Whole zip files, each with a nonce of its own: to open them all would take half an hour.
  @Test func `A thousand planted backups neither stop a new one nor save the older one`()
    async throws
  {
    let first = try #require(try await write().json()["file"].text)
    // Newer by their names: of the version that is remembered, of lower and of higher ones.
    let planted = try await given.python("plant", folder, "laptop", "1000")
    #expect(planted == "1000" && Files.tree(folder).count == 1001)
    let written = try await write()
    let json = try written.json()
    #expect(json["version"].number == 1001, "\(written.text.prefix(500))")
    #expect(json["deleted"].items.map(\.text) == [first])
    #expect(json["not_deleted"].items.count == 1000)
    #expect(Files.tree(folder).count == 1001)
    let file = try #require(json["file"].text)
    try await given.opened("verify", "\(folder)/\(file)")
  }

  @Test func `More names than anybody lists do not stop a new one`() async throws {
    for number in 0..<10_100 {
      try Files.write("", to: "\(folder)/" + name("1", time: 2_000_000_000 + number))
    }
    #expect(try await write().json()["version"].number == 2)
  }

  // MARK: A database that keeps SQLite busy

  /// One call of SQLite that would take hours, and looks at nothing meanwhile.
  @Test(arguments: ["write", "verify"])
  func `A signal ends what a hostile database would keep busy`(_ verb: String) async throws {
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1])
      c.execute("CREATE TABLE t2 (a, b)")
      c.execute("CREATE INDEX i ON t2 (length(a))")
      c.execute("INSERT INTO t2 VALUES (?, ?)", ("a" * 20000000, "a" * 9000000 + "b"))
      c.execute("PRAGMA writable_schema = ON")
      c.execute("UPDATE sqlite_master SET sql = 'CREATE INDEX i ON t2 (instr(a, b))' WHERE name = 'i'")
      c.commit()
      """
    let made = try await given.box.run(
      ["/usr/bin/python3", "-c", script, given.database], key: nil)
    try #require(made.code == 0, "\(made.text)")
    let secret = given.box.root + "/secret"
    try Files.write(SealVaultBox.secret, to: secret, mode: 0o600)
    var words = ["foreign", "sealvault", verb]
    if verb == "write" {
      words += [given.database, folder, "--device-id", "laptop"]
    } else {
      words.append(
        try await given.python(
          "write", folder, given.password, SealVaultBox.secret, given.database,
          #"{"backup_version":4,"timestamp":1,"device_id":"D","device_name":"p","operating_system":"ios"}"#
        ))
    }
    words += ["--password-file", given.password, "--kdf-secret", secret]
    // It has to be in that call, which takes the processor for good, before the signal comes.
    let ending = #"""
      set -m; "$@" & id=$!
      until read -r _ _ state _ _ _ _ _ _ _ _ _ _ ticks _ <"/proc/$id/stat" &&
        [ "$ticks" -gt 400 -o "$state" = Z ]; do sleep 0.1; done
      kill -INT $id; wait $id; echo $?
      """#
    let run = try await given.box.run(
      ["bash", "-c", ending, "bash", Build.keybackup] + words, key: nil)
    // In order: a process that does not listen is ended without a word, after five seconds.
    #expect(run.err.contains("interrupted"), "\(run.text)")
    #expect(run.out == "130\n", "\(run.text)")
    if verb == "write" { #expect(Files.tree(folder).isEmpty) }
  }
}

import Glibc
import Testing

/// Commands in a folder in which other programs left files, and files of ours that hold nothing.
@Suite struct JunkCommandTests {
  private static let digits = String(repeating: "0a", count: 16)

  /// Every folder of a backup, from the synchronised one down.
  private static func folders(_ backup: PreparedBackup) -> [String] {
    var found: Set = [backup.box.folder, backup.box.folder + "/cspp-namespaces", backup.place]
    for file in Files.tree(backup.place) {
      var folder = backup.place
      for part in file.split(separator: "/").dropLast() {
        folder += "/" + part
        found.insert(folder)
      }
    }
    return found.sorted()
  }

  /// Leaves junk in every folder.
  private static func leaveJunk(_ backup: PreparedBackup) throws {
    let wallet = String(backup.wallets[0].split(separator: "/").last ?? "")
    for folder in folders(backup) {
      for name in [".DS_Store", "desktop.ini", "._\(wallet)", "~$\(wallet)", "notes.json"] {
        try Files.write("junk", to: "\(folder)/\(name)")
      }
      for name in ["@eaDir", ".stfolder"] {
        try Files.makeFolder("\(folder)/\(name)")
        try Files.write("junk", to: "\(folder)/\(name)/\(wallet)@SynoEAStream")
      }
    }
  }

  private static let commands: [[String]] = [
    ["status"], ["verify"], ["verify", "--deep"], ["restore"], ["wallet", "list"],
    ["key", "repair"],
  ]

  private static func codes(_ backup: PreparedBackup) async throws -> [Int32] {
    var codes: [Int32] = []
    for (number, command) in commands.enumerated() {
      let isDeep = command != ["status"] && command != ["verify"]
      let more = command[0] == "restore" ? ["--out", backup.box.root + "/out\(number)"] : []
      let outcome = try await backup.box.keybackup(
        command + more + ["--json"], pin: isDeep ? .file : .none, expecting: nil)
      if !more.isEmpty { try Files.remove(more[1]) }
      let failed = try outcome.json()["failed"].items
      #expect(failed.allSatisfy { $0["state"].text == "foreign" }, "\(command): \(outcome.out)")
      codes.append(outcome.code)
    }
    return codes
  }

  @Test func `Junk changes no exit code`() async throws {
    let backup = try await PreparedBackup()
    _ = try await Self.codes(backup)
    let before = try await Self.codes(backup)
    // One way in only.
    #expect(before == [88, 0, 0, 0, 0, 0])
    try Self.leaveJunk(backup)
    #expect(try await Self.codes(backup) == before)
    let rotated = try await backup.box.keybackup(["rotate", "--master-key", "--json"]).json()
    #expect(rotated["wallets"].number == 3 && rotated["failed"].items.isEmpty)
  }

  @Test func `A link or a pipe in the place of a wallet's file is replaced, and that is told`()
    async throws
  {
    let backup = try await PreparedBackup()
    let (one, other) = (backup.wallets[0], backup.wallets[1])
    let elsewhere = backup.box.root + "/elsewhere"
    try Files.write("not ours", to: elsewhere)
    for file in [one, other] { try Files.remove(file) }
    try Files.link(one, to: elsewhere)
    guard unsafe mkfifo(other, 0o600) == 0 else { throw SystemFailure(other) }
    try await backup.box.keybackup(["verify", "--deep"], expecting: 65)
    let repaired = try await backup.box.keybackup(["key", "repair"])
    #expect(repaired.out.contains("Written again: 2 wallet files"), "\(repaired.text)")
    #expect(try Files.text(elsewhere) == "not ours")
    try await backup.box.keybackup(["verify", "--deep"])
    let again = try await backup.box.keybackup(["key", "repair", "--json"]).json()
    #expect(again["written_wallet_files"].number == 0, "\(again)")
  }

  /// Somebody, or an unpacked archive, made a folder with our exact name.
  @Test(arguments: ["", "notes.txt"])
  func `A folder in the place of a file of ours is put aside, and what is in it stays`(
    _ name: String
  ) async throws {
    let backup = try await PreparedBackup()
    let files = [backup.wallets[0], backup.wrapper, backup.envelope]
    try await backup.box.keybackup(["restore"])
    for (place, file) in files.enumerated() {
      let whole = try Files.read(file)
      try Files.remove(file)
      try Files.makeFolder(file)
      if !name.isEmpty { try Files.write("theirs", to: file + "/" + name) }
      let restored = try await backup.box.keybackup(["restore", "--json"])
      #expect(try restored.json()["restored"].number == 3, "\(restored.text)")
      let repaired = try await backup.box.keybackup(["key", "repair"])
      #expect(repaired.out.contains("Written again"), "\(file): \(repaired.text)")
      // A wallet's file is sealed anew.
      if place > 0 { #expect(try Files.read(file) == whole) }
    }
    try await backup.box.keybackup(["verify", "--deep"])
    let left = Files.tree(backup.place).filter { $0.contains("put-aside-") }
    #expect(left.count == (name.isEmpty ? 0 : 3), "\(left)")
    try await backup.box.keybackup(["rotate", "--master-key"])
  }

  @Test func `Contents that are cut off are named by version`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.write([UInt8](repeating: 7, count: 200_000), to: box.root + "/big")
    let added = try await box.keybackup(["file", "add", box.root + "/big", "--json"]).json()
    let version = try #require(added["files"][0]["version"].text).prefix(8)
    let objects = backup.place + "/keybackup/objects"
    let object = objects + "/" + (try #require(Files.tree(objects).first))
    try Files.extend(object, to: 1000)
    for line in [["verify", "--deep"], ["key", "repair"]] {
      let told = try await box.keybackup(line, expecting: nil)
      #expect(told.text.ranges(of: "version \(version)").count == 1, "\(told.text)")
      #expect(told.text.contains("cut off, or still arriving"), "\(told.text)")
    }
    let rotated = try await box.keybackup(
      ["rotate", "--master-key", "--despite-gaps", "--json"], expecting: 87
    ).json()
    #expect(rotated["wallets"].number == 3, "\(rotated)")
  }

  @Test func `Operations that are swapped keep nobody from a rotation`() async throws {
    let backup = try await PreparedBackup()
    let (one, other) = (backup.operations[0], backup.operations[1])
    try Files.move(one, to: one + ".x")
    try Files.move(other, to: one)
    try Files.move(one + ".x", to: other)
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: 65)
    #expect(try restored.json()["restored"].number == 3, "\(restored.text)")
    #expect(restored.out.contains("another operation than its name says"), "\(restored.text)")
    let rotated = try await backup.box.keybackup(
      ["rotate", "--master-key", "--despite-gaps", "--json"], expecting: 87)
    #expect(try rotated.json()["wallets"].number == 3, "\(rotated.text)")
  }

  @Test func `Bad conflict copies change no exit code, and the next change removes them`()
    async throws
  {
    let backup = try await PreparedBackup()
    _ = try await Self.codes(backup)
    let before = try await Self.codes(backup)
    let (other, operation) = (backup.operations[0], backup.operations[1])
    var copies = [backup.wallets[0], operation, backup.wrapper].map {
      String($0.dropLast(5)) + " (conflicted copy).json"
    }
    for copy in copies { try Files.write("nothing", to: copy) }
    // The other way round: the copy is whole.
    let whole = try Files.read(other)
    copies.append(String(other.dropLast(5)) + " (1).json")
    try Files.copy(other, to: copies[3])
    try Files.write("nothing", to: other)
    #expect(try await Self.codes(backup) == before)
    #expect(copies.dropLast().allSatisfy { !Files.exists($0) })
    #expect(try Files.read(other) == whole)
  }

  @Test(arguments: ["nothing", ""])
  func `Nonsense under names of ours keeps nobody from a rotation despite gaps`(_ text: String)
    async throws
  {
    let backup = try await PreparedBackup()
    let (writer, _) = NotHereYetTests.split(backup.operations[0])
    for path in [
      "\(writer)/00000099-\(Self.digits).json",
      "\(backup.place)/keybackup/keys/\(Self.digits).json",
      "\(backup.place)/wallets/wallet-\(Self.digits)\(Self.digits).json",
    ] { try Files.write(text, to: path) }
    let refused = try await backup.box.keybackup(["rotate", "--master-key"], expecting: 75)
    #expect(refused.err.contains("--despite-gaps"), "\(refused.err)")
    let rotated = try await backup.box.keybackup(
      ["rotate", "--master-key", "--despite-gaps", "--json"], expecting: 87
    ).json()
    #expect(rotated["wallets"].number == 3)
    let failed = rotated["failed"].items.compactMap { $0["file"].text }
    #expect(failed.contains { $0.hasSuffix("/00000099-\(Self.digits).json") })
  }
}

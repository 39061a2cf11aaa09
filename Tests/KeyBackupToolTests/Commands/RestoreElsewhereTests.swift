import TestSupport
import Testing

/// `restore --out` on file systems that cannot have every name, or become full.
@Suite struct RestoreElsewhereTests {
  private let backup: PreparedBackup
  private let system: FailingFileSystem
  private var box: Sandbox { backup.box }
  private var out: String { system.path + "/out" }

  init() async throws {
    backup = try await PreparedBackup()
    let (behind, mount) = (backup.box.root + "/behind", backup.box.root + "/mount")
    for path in [behind, mount] { try Files.makeFolder(path) }
    system = try FailingFileSystem(backing: behind, path: mount)
  }

  private func add(_ names: [String]) async throws {
    for name in names {
      try Files.write(name, to: box.root + "/" + name)
      try await box.keybackup(["file", "add", box.root + "/" + name])
    }
  }

  private func refuse(_ name: String) throws {
    for op in ["create", "rename", "link", "mkdir"] {
      try system.tell("rule op=\(op) name=\(name) errno=EINVAL")
    }
  }

  @Test func `Everything is written, under names that the file system can have`() async throws {
    let names = ["log 10:00:00.txt", "log 10_00_00.txt", "Notes.txt", "notes.txt", "z"]
    try await add(names)
    try refuse("*:*")
    try refuse("Name-of-first*")
    try system.tell("fold on")
    let json = try await box.keybackup(["restore", "--names", "--json", "--out", out]).json()
    let files = json["stored_files"].items
    #expect(json["restored_files"].number == 5 && json["failed_files"].items.isEmpty, "\(json)")
    for file in files {
      let path = try #require(file["file"].text)
      #expect(try Files.text(out + "/" + path) == file["name"].text)
      let isRenamed = path.split(separator: "/").last.map(String.init) != file["name"].text
      #expect(file["renamed"] == .bool(isRenamed), "\(file)")
    }
    #expect(files.count { $0["renamed"] == .bool(true) } == 2, "\(files)")
    let wallets = json["files"].items
    #expect(wallets.count == PreparedBackup.ids.count)
    let renamed = try #require(wallets.first { $0["renamed"] == .bool(true) })
    let record = try #require(renamed["record_id"].text)
    #expect(renamed["file"].text == "wallet-\(record).json")
    for wallet in wallets { #expect(Files.exists(out + "/" + (wallet["file"].text ?? "?"))) }
    #expect(try Files.text(out + "/README.txt").contains("wallet-\(record).json"))
    // Once more: all of it is there.
    let whole = Files.tree(system.backing)
    let told = try await box.keybackup(["restore", "--names", "--out", out])
    #expect(Files.tree(system.backing) == whole)
    #expect(told.err.contains("log 10_00_00."), "\(told.err)")
    #expect(
      files.contains { $0["name"].text == names[1] && $0["renamed"] == .bool(false) }, "\(files)")
  }

  @Test func `What cannot be written is counted, and all else is there`() async throws {
    try await add(["a", "no", "z"])
    let records = try await box.keybackup(["wallet", "list", "--json"]).json()["wallets"].items
      .compactMap { $0["record_id"].text }
    try refuse("*\(records[0])*")
    try refuse("no*")
    let json = try await box.keybackup(["restore", "--json", "--out", out], expecting: 87).json()
    #expect(json["restored"].number == records.count - 1, "\(json)")
    #expect(json["failed"].items.map { $0["record_id"].text } == [records[0]], "\(json)")
    #expect(json["failed_files"].items.map { $0["name"].text } == ["no"], "\(json)")
    #expect(json["restored_files"].number == 2)
    #expect(Files.tree(system.backing).count == records.count + 1)
    let told = try await box.keybackup(["restore", "--out", out], expecting: 87)
    for words in ["keybackup: 1 file was not written", "1 file of 3 was not restored"] {
      #expect(told.err.contains(words), "\(told.err)")
    }
  }

  @Test func `A full disk ends the restore with the count`() async throws {
    try await add(["a"])
    try system.tell("rule op=create name=wallet-* errno=ENOSPC nth=2")
    let full = try await box.keybackup(["restore", "--out", out], expecting: 74)
    #expect(full.err.contains("1 wallet is in"), "\(full.err)")
    #expect(full.err.contains("2 wallets and 1 file were not written"), "\(full.err)")
    #expect(Files.tree(system.backing).count == 1)
  }

  @Test(arguments: ["ENOSPC", "EDQUOT", "ENXIO"])
  func `A disk that ends between the files counts what is missing`(_ error: String) async throws {
    try await add(["a", "m", "z"])
    for op in ["rename", "link"] { try system.tell("rule op=\(op) name=m errno=\(error)") }
    for line in [["restore"], ["restore", "--only", "files"], ["file", "restore", "a", "m", "z"]] {
      try? Files.remove(out)
      let json = try await box.keybackup(line + ["--json", "--out", out], expecting: nil).json()
      let failed = json[line[0] == "file" ? "failed" : "failed_files"].items.count
      #expect((1...3).contains(failed), "\(json)")
      try? Files.remove(out)
      let told = try await box.keybackup(line + ["--out", out], expecting: 74)
      #expect(
        told.err.contains("keybackup: \(failed) file\(failed == 1 ? " of 3 was" : "s of 3 were")"),
        "\(told.err)")
    }
  }

  @Test func `A disk without permissions is named`() async throws {
    try await add(["a"])
    try system.tell("modes 777")
    for line in [
      ["restore", "--only", "wallets", "--out", out + "1"],
      ["restore", "--only", "files", "--out", out + "2"],
      ["wallet", "show", PreparedBackup.ids[0], "--out", system.path + "/entry"],
      // The key with which this computer writes lies in the state folder.
      ["writers", "authorise", "--label", "this"],
    ] {
      let told = try await box.keybackup(
        line, environment: line[0] == "writers" ? ["XDG_STATE_HOME": system.path + "/state"] : [:])
      #expect(told.err.contains("keeps no permissions"), "\(line): \(told.err)")
    }
    try system.tell("modes 0")
    let told = try await box.keybackup(["restore", "--out", out])
    #expect(!told.err.contains("permissions"), "\(told.err)")
  }

  @Test func `The advice about a PIN file helps where there are no permissions`() async throws {
    let pin = system.path + "/pin"
    try Files.write(Sandbox.pin + "\n", to: pin, mode: 0o644)
    func refused() async throws -> Outcome {
      try await box.keybackup(["restore", "--pin-file", pin], pin: .none, expecting: 78)
    }
    #expect(try await refused().err.contains("run: chmod 600"))
    try system.tell("modes 777")
    let told = try await refused()
    #expect(told.err.contains("chmod does not help"), "\(told.err)")
    #expect(Files.tree(system.backing) == ["pin"])
  }
}

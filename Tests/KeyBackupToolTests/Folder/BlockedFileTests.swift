import Glibc
import TestSupport
import Testing

/// A synced folder on a file system of another program, whose reads may block, fail, or never
/// answer.
@Suite(.serialized) struct BlockedFileTests {
  /// A prepared backup behind a failing file system.
  struct Mounted {
    let backup: PreparedBackup
    let system: FailingFileSystem

    init() async throws {
      backup = try await PreparedBackup()
      let backing = backup.box.root + "/backing"
      try Files.copy(backup.box.folder, to: backing)
      try Files.remove(backup.box.folder)
      try Files.makeFolder(backup.box.folder)
      system = try FailingFileSystem(backing: backing, path: backup.box.folder)
    }
  }

  static let calls = ["open", "read", "getattr", "readdir", "opendir"]

  @Test(arguments: calls)
  func `Interrupting ends the command at once`(_ call: String) async throws {
    let mounted = try await Mounted()
    try mounted.system.tell("rule op=\(call) name=*wallet* hang")
    let outcome = try await mounted.backup.box.keybackup(
      ["verify"], pin: .none,
      terminal: [.expect("Waiting for"), .interrupt], expecting: nil)
    #expect(outcome.code == 130, "\(outcome)")
    #expect(outcome.stepsLeft.isEmpty, "\(outcome)")
    #expect(outcome.out.isEmpty && outcome.screen.contains("interrupted"), "\(outcome)")
    mounted.system.unmount()
  }

  @Test func `A slow file is waited for and read`() async throws {
    let mounted = try await Mounted()
    try mounted.system.tell("rule op=read name=*wallet* hang times=1")
    let outcome = try await mounted.backup.box.keybackup(
      ["restore", "--json"],
      meanwhile: [
        .expect("Waiting for "), .write("clear\n", to: mounted.backup.box.folder + "/.failing-fs"),
      ])
    #expect(try outcome.json()["restored"].number == 3)
    #expect(outcome.err.contains("Waiting for ") && outcome.err.contains("to be downloaded"))
  }

  /// Errors from reading one file; none of them says that it is damaged.
  static let errors = [
    "EIO", "EDEADLK", "ESTALE", "ETIMEDOUT", "EAGAIN", "ENOTCONN", "EREMOTEIO", "EHOSTDOWN",
    "ENETUNREACH", "ENODATA", "ECONNABORTED", "EBUSY",
  ]

  @Test(arguments: ["open", "read"], errors)
  func `A file that cannot be read now is not here yet`(_ call: String, _ error: String)
    async throws
  {
    let mounted = try await Mounted()
    let backup = mounted.backup
    let wallet = NotHereYetTests.split(backup.wallets[0]).1
    let operation = NotHereYetTests.split(backup.operations[1]).1
    try mounted.system.tell(
      "rule op=\(call) name=\(wallet) errno=\(error)",
      "rule op=\(call) name=\(operation) errno=\(error)")
    let outcome = try await backup.box.keybackup(["restore", "--json"], expecting: 87)
    #expect(try outcome.json()["restored"].number == 2)
    let failed = try outcome.json()["failed"].items
    #expect(failed.allSatisfy { $0["state"].text == "incomplete" }, "\(outcome.out)")
    let status = try await backup.box.keybackup(["status"], pin: .none, expecting: 75)
    #expect(status.out.contains(wallet) && !status.out.contains("damaged"), "\(status)")
  }

  /// How often a call was made on files whose names contain a word.
  private func count(_ call: String, _ word: String, _ mounted: Mounted) -> Int {
    mounted.system.trace.count { $0.hasPrefix(call + " ") && $0.contains(word) }
  }

  private func importMore(_ count: Int, _ mounted: Mounted) async throws {
    let entries = (0..<count).map { Samples.entry(id: "more-\($0)", name: "more") }
    try await mounted.backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(entries.joined(separator: "\n").utf8))
  }

  @Test func `After slow failures the rest is not tried`() async throws {
    let mounted = try await Mounted()
    try await importMore(20, mounted)
    try mounted.system.tell("rule op=read name=wallet-* errno=EIO delay=1200", "trace on")
    let outcome = try await mounted.backup.box.keybackup(["restore", "--json"], expecting: 75)
    #expect(try outcome.json()["restored"].number == 23, "\(outcome.text)")
    let reads = count("read", "wallets/", mounted)
    #expect((1...6).contains(reads), "\(reads) reads of files that cannot be had")
    let status = try await mounted.backup.box.keybackup(["status"], pin: .none, expecting: 75)
    #expect(status.out.contains("23 files are not here yet"), "\(status)")
  }

  @Test func `Quick failures keep nothing back`() async throws {
    let mounted = try await Mounted()
    try await importMore(20, mounted)
    let last = NotHereYetTests.split(mounted.backup.wallets.last ?? "").1
    try Files.remove(
      mounted.system.backing + "/cspp-namespaces/\(mounted.backup.namespaceID)/keybackup/log")
    let others = mounted.backup.wallets.map { NotHereYetTests.split($0).1 }.filter { $0 != last }
    for name in others { try mounted.system.tell("rule op=read name=\(name) errno=ETIMEDOUT") }
    let outcome = try await mounted.backup.box.keybackup(["restore", "--json"], expecting: nil)
    #expect(try outcome.json()["restored"].number == 1, "\(outcome.text)")
    #expect([87, 89].contains(outcome.code), "\(outcome.text)")
  }

  /// A file that never comes is given up, and everything else comes back.
  @Test func `A file that never comes is not waited for for ever`() async throws {
    let mounted = try await Mounted()
    let name = NotHereYetTests.split(mounted.backup.wallets[0]).1
    try mounted.system.tell("rule op=read name=\(name) hang")
    let outcome = try await mounted.backup.box.keybackup(
      ["restore", "--json"], expecting: 75)
    #expect(try outcome.json()["restored"].number == 3, "\(outcome.text)")
    #expect(outcome.err.contains("Waiting for "))
    mounted.system.unmount()
  }

  /// A file system whose program has died.
  @Test func `A dead file system is not an empty folder`() async throws {
    let mounted = try await Mounted()
    try mounted.system.tell("dead ENOTCONN")
    for command in [["status"], ["restore"], ["key", "list"]] {
      let outcome = try await mounted.backup.box.keybackup(
        command, pin: command == ["restore"] ? .file : .none, expecting: nil)
      expectFailure(outcome, 75, says: "cannot be read now", "hint: ")
    }
    mounted.system.unmount()
  }
}

import Glibc
import TestSupport
import Testing

@testable import CommandKit

/// Files whose copies are dangerous are refused, and others are not.
@Suite struct CopyCheckTests {
  private func advice(_ contents: String, name: String = "file") throws -> CopyAdvice? {
    let box = try Sandbox()
    let path = box.root + "/" + name
    try Files.write(contents, to: path)
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    return CopyCheck.advice(path, descriptor)
  }

  @Test(arguments: [
    "/home/a/.lnd/data/graph/mainnet/channel.db", "channel.db", "channel.db.bak", "CHANNEL.DB",
    "channel.sqlite-wal", "/x/lightningd.sqlite3", "lightningd.sqlite3-journal",
    "lightningd.sqlite3.backup", "lightningd.sqlite3~",
  ])
  func `A database of Lightning channels is refused by its name`(_ path: String) throws {
    let found = try #require(CopyCheck.advice(path, nil))
    #expect(found.weight == .never)
    #expect(found.message(path).code == .dataInvalid)
  }

  @Test(arguments: [
    "channel.backup", "/x/emergency.recover", "hsm_secret", "channel.dbx", "wallet.dat",
    "mychannel.db", "default_wallet", "channels",
  ])
  func `Other names say nothing`(_ path: String) {
    #expect(CopyCheck.advice(path, nil) == nil)
  }

  @Test(arguments: [
    #"{"addresses": {}, "channels": {"ab": {"log": {"1": {}}, "state": "OPEN"}}, "seed_version": 60}"#,
    #"{"channels": [{"state": "FUNDED"}], "seed_version": 20}"#,
    #"{"channels": {"ab": {"state": "REDEEMED"}, "cd": {"x": {"state": "CLOSED"}, "state": "SHUTDOWN"}}}"#,
    #"{"channels": {"ab": {"constraints": {}}}}"#,
    #"{"channels": {}, "seed_version": 60},"# + "\n"
      + #"{"op": "add", "path": "/channels/00aa", "value": {"state": "OPENING"}}"#,
  ])
  func `An Electrum wallet with an open channel is refused`(_ text: String) throws {
    #expect(try advice(text) == .electrumWalletWithChannels)
  }

  @Test(arguments: [
    #"{"addresses": {}, "channels": {}, "seed_version": 60}"#,
    #"{"channels": {"ab": {"state": "REDEEMED"}, "cd": {"state": "CLOSED"}}}"#,
    #"{"channels": null, "imported_channel_backups": {"ab": {"state": "OPEN"}}}"#,
    #"{"labels": {"channels": {"a": {"state": "OPEN"}}}}"#,
    #"{"a": "\"channels\": {\"x\": {\"state\": \"OPEN\"}}"}"#,
    #"{"channels": {}},"# + "\n" + #"{"op": "add", "path": "/labels/channels/", "value": "x"}"#,
    "{", "", "text",
  ])
  func `Other text is not refused`(_ text: String) throws {
    #expect(try advice(text) == nil)
  }

  @Test func `A channel is found behind much else`() throws {
    let padding = String(repeating: #""history": ["0123456789abcdef"], "#, count: 20_000)
    #expect(
      try advice("{" + padding + #""channels": {"a": {"state": "OPEN"}}}"#)
        == .electrumWalletWithChannels)
    #expect(try advice("{" + padding + #""channels": {}}"#) == nil)
  }

  @Test func `An encrypted Electrum wallet is copied with a caution`() throws {
    #expect(try advice("QklFMQPh2n")?.weight == .caution)
    #expect(try advice("QklFMgPh2n")?.weight == .caution)
  }

  /// Real SQLite, opened as Bitcoin Core opens a wallet.
  @Test func `A database is refused while another program has it open`() async throws {
    let box = try Sandbox()
    let path = box.root + "/wallet.dat"
    let script = """
      import sqlite3, sys, time
      base = sqlite3.connect(sys.argv[1], isolation_level=None)
      base.execute("PRAGMA locking_mode=exclusive")
      base.execute("BEGIN EXCLUSIVE")
      base.execute("CREATE TABLE IF NOT EXISTS main(key BLOB, value BLOB)")
      base.execute("COMMIT")
      print("open", flush=True)
      time.sleep(3600)
      """
    var holder: BackgroundProgram? = try BackgroundProgram(
      ["python3", "-c", script, path], environment: ["PATH": "/usr/bin:/bin"],
      log: box.root + "/log")
    try await waitUntil("the database is open") {
      holder?.output.contains("open") == true ? nil : holder?.output
    }
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(CopyCheck.advice(path, descriptor) == .databaseInUse)
    #expect(CopyCheck.advice(path, descriptor)?.message(path).code == .incomplete)
    holder = nil
    #expect(CopyCheck.advice(path, descriptor) == nil)
    try Files.write("pages", to: path + "-wal")
    #expect(CopyCheck.advice(path, descriptor) == .databaseInUse)
  }

  /// Tables, and the advice about a database that has them.
  static let nodeTables: [([String], CopyAdvice?)] = [
    (["channel_htlcs", "shachains", "peers"], .coreLightningChannels),
    (["channeldb_kv"], .lndChannels), (["ldk_node_data"], .ldkChannels),
    (["ldk_data"], .ldkChannels), (["channels", "messages"], nil), ([], nil),
    // Eclair and phoenixd.
    (["local_channels", "htlc_infos"], .eclairChannels), (["htlc_infos"], nil),
  ]

  /// Real SQLite; so many tables that their list takes several pages.
  @Test(arguments: nodeTables)
  func `A node's database is refused under any name`(_ tables: [String], _ expected: CopyAdvice?)
    async throws
  {
    for (others, size) in [(0, 4096), (200, 512)] {
      let box = try Sandbox()
      let path = box.root + "/backup.db"
      let script = """
        import sqlite3, sys
        base = sqlite3.connect(sys.argv[1])
        base.execute("PRAGMA page_size=" + sys.argv[2])
        names = ["other%d" % n for n in range(int(sys.argv[3]))]
        for name in names[:100] + sys.argv[4:] + names[100:]:
          base.execute("CREATE TABLE %s(key BLOB, value BLOB, more TEXT NOT NULL DEFAULT 'x')" % name)
        base.commit()
        """
      try await box.run(
        ["python3", "-c", script, path, "\(size)", "\(others)"] + tables, key: nil
      ).expectSuccess()
      let descriptor = unsafe open(path, O_RDONLY)
      defer { close(descriptor) }
      #expect(CopyCheck.advice(path, descriptor) == expected, "\(tables) \(others)")
    }
  }

  /// Eclair's documentation names it as the file to back up.
  @Test func `The copy that Eclair writes by itself is not refused`() async throws {
    let box = try Sandbox()
    let path = box.root + "/eclair.sqlite.bak"
    try await box.makeNodeDatabase(path)
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(CopyCheck.advice(path, descriptor)?.weight == .caution)
  }

  /// Pages of bbolt: two of meta data, a branch, and a leaf with the names of buckets.
  private func bolt(_ bucket: String) -> [UInt8] {
    func little(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    func page(_ number: UInt64, flags: UInt64, count: UInt64, _ contents: [UInt8]) -> [UInt8] {
      let bytes = little(number, 8) + little(flags, 2) + little(count, 2) + little(0, 4) + contents
      return bytes + Array(repeating: 0, count: 4096 - bytes.count)
    }
    let meta = little(0xED0C_DAED, 4) + little(2, 4) + little(4096, 4) + little(0, 4) + little(3, 8)
    let branch = little(16, 4) + little(1, 4) + little(2, 8)
    return page(0, flags: 4, count: 0, meta) + page(1, flags: 4, count: 0, meta)
      + page(2, flags: 2, count: 1, Array(repeating: 7, count: 16) + Array(bucket.utf8))
      + page(3, flags: 1, count: 1, branch)
  }

  @Test(arguments: ["open-chan-bucket", "wallet-bucket"])
  func `LND's database of channels is told from other ones of bbolt`(_ bucket: String) throws {
    let box = try Sandbox()
    let path = box.root + "/copy"
    try Files.write(bolt(bucket), to: path)
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    let isLND = bucket == "open-chan-bucket"
    #expect(CopyCheck.advice(path, descriptor) == (isLND ? .lndChannels : nil))
  }
}

extension Sandbox {
  /// Makes a database with the tables of Eclair and phoenixd.
  func makeNodeDatabase(_ path: String) async throws {
    let script = """
      import sqlite3, sys
      base = sqlite3.connect(sys.argv[1])
      for name in ("local_channels", "htlc_infos"):
        base.execute("CREATE TABLE %s(channel_id BLOB)" % name)
      base.commit()
      """
    try await run(["python3", "-c", script, path], key: nil).expectSuccess()
  }
}

import Glibc
import Testing

@testable import KeyBackupTool

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
    while holder?.output.contains("open") == false { try await Task.sleep(for: .milliseconds(20)) }
    let descriptor = unsafe open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(CopyCheck.advice(path, descriptor) == .databaseInUse)
    #expect(CopyCheck.advice(path, descriptor)?.message(path).code == .incomplete)
    holder = nil
    #expect(CopyCheck.advice(path, descriptor) == nil)
    try Files.write("pages", to: path + "-wal")
    #expect(CopyCheck.advice(path, descriptor) == .databaseInUse)
  }
}

import Foundation
import Glibc
import GuardProtocol
import NIOSSL
import TestSupport
import Testing

@testable import GuardService

@Suite("keybackup-guard as a process")
struct ServedProcessTests {
  private func run(_ words: [String]) throws -> (code: Int32, output: String) {
    let run = try FinishedProgram([ServedGuard.program] + words)
    return (run.code, run.output)
  }

  @Test func `serve needs nothing, and its key is for its user only`() async throws {
    let served = try await ServedGuard.start([])
    #expect(served.line.schema == 1)
    #expect(served.line.url == "https://127.0.0.1:\(served.port)")
    #expect(served.line.ca == served.folder.path + "/tls/ca.pem")
    #expect(served.log.contains("A server key was made: \(served.folder.path)/server-key\nhint: "))
    for file in ["server-key", "tls/key.pem", "guard.sqlite"] {
      let path = served.folder.path + "/" + file
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(file)")
    }
    let limits = try String(
      contentsOfFile: "/proc/\(served.identifier)/limits", encoding: .utf8)
    let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file") })
    #expect(core.split(separator: " ").filter { $0 == "0" }.count == 2, "\(core)")
  }

  @Test func `The state folder comes from the environment`() async throws {
    let base = try TestFolder()
    for (name, value, folder) in [
      ("STATE_DIRECTORY", base.path + "/a:" + base.path + "/b", base.path + "/a"),
      ("XDG_STATE_HOME", base.path + "/c", base.path + "/c/keybackup-guard"),
      ("HOME", base.path + "/d", base.path + "/d/.local/state/keybackup-guard"),
    ] {
      let process = Process()
      process.executableURL = URL(filePath: ServedGuard.program)
      process.arguments = ["serve", "--json", "--listen", "127.0.0.1:0"]
      process.environment = [name: value]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      #expect(!output.fileHandleForReading.availableData.isEmpty)
      process.terminate()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(FileManager.default.fileExists(atPath: folder + "/server-key"))
    }
  }

  @Test func `A path is named as a shell takes it`() throws {
    let folder = try TestFolder()
    let missing = try run(["invite", "--state", folder.path + "/it's\nhere"])
    #expect(missing.code == 78)
    #expect(
      missing.output.contains("there is no guard in $'\(folder.path)/it\\047s\\012here'\n"),
      "\(missing.output)")
    let open = folder.path + "/two words"
    try FileManager.default.createDirectory(
      atPath: open, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open)
    let shared = try run(["invite", "--state", open])
    #expect(shared.code == 78)
    #expect(shared.output.contains("hint: run: chmod 700 '\(open)'\n"), "\(shared.output)")
  }

  @Test(arguments: [[], ["--json"], ["--count", "3", "--json"]] as [[String]])
  func `An invite that cannot be printed is taken back`(options: [String]) async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start([], in: folder)
    #expect(await served.end() == 0)
    let words = ["invite", "--state", folder.path] + options
    let script = #"exec "$0" "$@" >/dev/full"#
    let failed = try FinishedProgram(["/bin/sh", "-c", script, ServedGuard.program] + words)
    #expect(failed.code == 74, "\(failed.output)")
    #expect(failed.output.contains("could not be printed, so "), "\(failed.output)")
    func stored() async throws -> UInt64 {
      let store = try await GuardStore.sqlite(folder.path + "/guard.sqlite")
      let count = try await store.counts().invites
      await store.close()
      return count
    }
    #expect(try await stored() == 0)
    #expect(try run(words).code == 0)
    #expect(try await stored() == (options.contains("3") ? 3 : 1))
  }

  @Test func `What cannot be used is an error with advice, and the code of exit-codes.md`()
    async throws
  {
    let folder = try TestFolder()
    let served = try await ServedGuard.start(in: folder)
    let third = try TestFolder()
    let taken = ["serve", "--state", third.path, "--listen", "127.0.0.1:\(served.port)"]
    let other = try TestFolder()
    let base = ["serve", "--state", other.path]
    try Data("no certificate".utf8).write(to: URL(filePath: other.path + "/text"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: other.path + "/text")
    let cases: [(Int32, [String], String)] = [
      (69, taken, "cannot listen on 127.0.0.1:\(served.port): Address already in use"),
      (78, base + ["--listen", "0.0.0.0:0"], "other computers cannot trust"),
      (78, base + ["--listen", "0.0.0.0:0", "--plain"], "plain HTTP"),
      (64, base + ["--listen", "localhost:1"], "--listen takes an IP address"),
      (64, base + ["--listen", "127.0.0.1:70000"], "--listen takes an IP address"),
      (64, base + ["--listen", "unix:\(other.path)/socket"], "a Unix socket"),
      (64, base + ["--certificate", "x"], "belong together"),
      (64, base + ["--issuer", "https://idp.example"], "every --issuer needs a --client-id"),
      (64, base + ["--issuer", "http://idp.example", "--client-id", "c"], "cannot be used"),
      (64, base + ["--proxy", "proxy.example"], "no IP address"),
      (64, base + ["--url", "http://guard.example"], "--url takes"),
      (64, base + ["--database", "postgresql://anna:word@[::1/g"], "URL of the database"),
      (64, base + ["--rate", "-1"], "--rate"), (64, ["serve", "more"], "nexpected argument"),
      (
        78, base + ["--certificate", other.path + "/none", "--key", other.path + "/none"],
        "cannot read \(other.path)/none: No such file"
      ),
      (
        65, base + ["--certificate", other.path + "/text", "--key", other.path + "/text"],
        "no certificate in PEM"
      ),
      (73, ["serve", "--state", other.path + "/text"], "\(other.path)/text"),
      (78, ["invite", "--state", other.path + "/none"], "there is no guard in"),
      (65, base + ["--server-key", other.path + "/text"], "holds no server key"),
    ]
    for (code, words, text) in cases {
      let run = try run(words)
      #expect(run.code == code && run.output.contains(text), "\(words): \(run)")
      #expect(run.output.contains("keybackup-guard: "), "\(words): \(run)")
      #expect(run.output.contains("\nhint: "), "\(words): \(run)")
    }
  }

  @Test func `A database without its key, or with another, is not served`() async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start(in: folder)
    #expect(await served.end() == 0)
    let key = folder.path + "/server-key"
    try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
    let missing = try run(["serve", "--state", folder.path])
    #expect(missing.code == 78 && missing.output.contains("is not there, and the guard has one"))
    #expect(!FileManager.default.fileExists(atPath: key))
    let text = String(repeating: "ab", count: 32) + "\n"
    #expect(
      FileManager.default.createFile(
        atPath: key, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
    let other = try run(["serve", "--state", folder.path])
    #expect(other.code == 78 && other.output.contains("not the one of this database"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    let open = try run(["serve", "--state", folder.path])
    #expect(open.code == 78 && open.output.contains("chmod 600"))
  }

  @Test func `A server key with a new database is told to the operator`() async throws {
    let folder = try TestFolder()
    let warning = "the server key was there, and the database is new"
    for _ in 0..<2 {
      let served = try await ServedGuard.start(in: folder)
      #expect(!served.log.contains(warning))
      #expect(await served.end() == 0)
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasPrefix("guard.sqlite") {
      try FileManager.default.removeItem(atPath: folder.path + "/" + file)
    }
    let served = try await ServedGuard.start(in: folder)
    #expect(served.log.contains(warning), "\(served.log)")
    #expect(await served.end() == 0)
  }

  @Test func `clock says whether the guard trusts its clock`() async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start(in: folder)
    _ = await served.end()
    #expect(try run(["clock", "--state", folder.path]).code == 0)
    let json = try run(["clock", "--accept", "--json", "--state", folder.path])
    #expect(json.code == 0 && json.output == "{\"schema\":1,\"halted\":false}\n")
  }

  @Test(arguments: [false, true])
  func `Invites that were made are printed, also when a later one cannot be`(
    _ isJSON: Bool
  ) async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start(in: folder)
    #expect(await served.end() == 0)
    func stored() async throws -> Int {
      let store = try await GuardStore.sqlite(folder.path + "/guard.sqlite")
      let count = try await store.counts().invites
      await store.close()
      return Int(count)
    }
    var before = try await stored()
    var partial = 0
    for at in 1... {
      let run = try FinishedProgram(
        [
          BuiltProduct.path("crash-at"), "--under", folder.path, "--only", "write,fsync", "--at",
          "\(at)", "--errno", "ENOSPC", "--times", "0", "--", ServedGuard.program, "invite",
          "--count", "3", "--state", folder.path,
        ] + (isJSON ? ["--json"] : []))
      // 78: SQLite could not even begin its log.
      try #require([0, 69, 78].contains(run.code), "\(run.code): \(run.output)")
      let printed = run.output.matches(of: #/\b[0-9a-z]{26}\b/#).count
      let documents = run.output.split(separator: "\n").filter { $0.hasPrefix("{") }
      #expect(documents.count == (isJSON && printed > 0 ? 1 : 0), "\(run.output)")
      for document in documents {
        _ = try JSONSerialization.jsonObject(with: Data(document.utf8))
      }
      let after = try await stored()
      // The one that failed may be there all the same.
      #expect((printed...printed + 1).contains(after - before), "\(run.output)")
      before = after
      if run.code == 0 {
        #expect(printed == 3)
        break
      }
      if printed > 0 { partial += 1 }
    }
    #expect(partial > 1)
  }

  @Test func `A second server on one SQLite file is refused; other commands work beside the first`()
    async throws
  {
    let folder = try TestFolder()
    let first = try await ServedGuard.start(in: folder)
    let second = ["serve", "--state", folder.path, "--listen", "127.0.0.1:0"]
    for words in [second, second + ["--database", folder.path + "/guard.sqlite"]] {
      let refused = try run(words)
      #expect(refused.code == 75, "\(refused)")
      #expect(refused.output.contains("another keybackup-guard serves \(folder.path)/guard.sqlite"))
      #expect(refused.output.contains("\nhint: stop it first"))
    }
    #expect(try run(["clock", "--state", folder.path]).code == 0)
    #expect(try run(["invite", "--state", folder.path]).code == 0)
    // The lock ends with the process, however that ends.
    first.send(signal: SIGKILL)
    _ = await first.end(terminating: false)
    let third = try await ServedGuard.start(in: folder)
    #expect(try run(["export", "--state", folder.path, folder.path + "/export"]).code == 0)
    #expect(await third.end() == 0)
  }

  @Test func `A guard moves: the old one answers no more, the new one leaves three tries`()
    async throws
  {
    let (old, new) = (try TestFolder(), try TestFolder())
    let first = try await ServedGuard.start(in: old)
    let account = try TestAccount(20)
    let created: CreateAccountAnswer = try await first.call(
      .createAccount, account.pinRequest(), by: account.ask
    ).read()
    _ = try await first.call(
      .confirm, CounterRequest(account: account.id, counter: created.counter), by: account.reset
    ).read(AccountAnswer.self)
    // A file that is there is not replaced, and the guard goes on.
    let there = try run(["export", "--state", old.path, old.path + "/log"])
    #expect(there.code == 73 && there.output.contains("/log: File exists\nhint: name a new file"))
    #expect(
      try await first.call(.status, AccountRequest(account: account.id), by: account.ask).status
        == 200)
    let file = old.path + "/export"
    let exported = try run(["export", "--state", old.path, "--json", file])
    #expect(exported.code == 0 && exported.output == "{\"schema\":1,\"accounts\":1}\n")
    // Also the server that still runs.
    let moved = ServedGuard.Answer(status: 503, body: Array(#"{"error":"stopped"}"#.utf8))
    #expect(
      try await first.call(.status, AccountRequest(account: account.id), by: account.ask) == moved)
    #expect(!first.log.contains("This guard was exported"))
    #expect(await first.end() == 0)
    // Started again, it tells its operator and its clients.
    let again = try await ServedGuard.start(in: old)
    #expect(again.log.contains("warning: This guard was exported. "))
    #expect(
      try await again.call(.status, AccountRequest(account: account.id), by: account.ask) == moved)
    #expect(await again.end() == 0)
    // Without the key nothing is taken up, and none is made.
    let keyless = try run(["import", "--state", new.path, file])
    #expect(keyless.code == 78 && !FileManager.default.fileExists(atPath: new.path + "/server-key"))
    try FileManager.default.copyItem(
      atPath: old.path + "/server-key", toPath: new.path + "/server-key")
    // A damaged file is no reason to restore a backup, which gives tries back.
    let garbage = new.path + "/garbage"
    try Data("no export\n".utf8).write(to: URL(filePath: garbage))
    let refused = try run(["import", "--state", new.path, garbage])
    #expect(refused.code == 65 && refused.output.contains("the exported file is damaged"))
    #expect(refused.output.contains("repeat the export"), "\(refused.output)")
    let imported = try run(["import", "--state", new.path, file])
    #expect(imported.code == 0)
    #expect(imported.output.hasPrefix("1 account was imported. "), "\(imported.output)")
    #expect(imported.output.contains("options: keybackup-guard serve --state \(new.path)\n"))
    #expect(try run(["import", "--state", new.path, file]).code == 73)
    let second = try await ServedGuard.start(in: new)
    #expect(second.guardID == first.guardID)
    let status: AccountAnswer = try await second.call(
      .status, AccountRequest(account: account.id), by: account.ask
    ).read()
    guard case .tries(3, _) = status.detail else { throw Missing("3 tries: \(status)") }
    #expect(status.counter > 1 << 32)
    let metrics = try await second.request("GET", "/metrics").answer.text
    #expect(metrics.contains("keybackup_guard_restored 1\n"))
  }

  @Test func `It tells systemd that it is ready, alive and ending`() async throws {
    let folder = try TestFolder()
    let socket = try NotifyListener(folder.path + "/notify")
    let served = try await ServedGuard.start(
      in: folder,
      environment: ["NOTIFY_SOCKET": folder.path + "/notify", "WATCHDOG_USEC": "400000"])
    #expect(socket.next() == "READY=1")
    #expect(socket.next() == "WATCHDOG=1")
    #expect(socket.next() == "WATCHDOG=1")
    #expect(await served.end() == 0)
    var last = socket.next()
    while last == "WATCHDOG=1" { last = socket.next() }
    #expect(last == "STOPPING=1")
  }

  @Test func `SIGHUP reads the certificate again, and open connections go on`() async throws {
    let (folder, files, others) = (try TestFolder(), try TestFolder(), try TestFolder())
    let first = try #require(try ServerCertificate.find(.loopback(folder: files.path)))
    let second = try #require(try ServerCertificate.find(.loopback(folder: others.path)))
    let served = try await ServedGuard.start(
      ["--open", "--certificate", first.certificate, "--key", first.key], in: folder)
    func shown() throws -> Bool {
      let run = try FinishedProgram([
        "/usr/bin/openssl", "s_client", "-connect", "127.0.0.1:\(served.port)", "-CAfile",
        second.authority ?? "", "-verify_return_error", "-brief",
      ])
      return run.code == 0
    }
    #expect(try !shown())
    // What is no certificate leaves the old one.
    try Data("broken".utf8).write(to: URL(filePath: first.certificate))
    served.send(signal: SIGHUP)
    try await waitUntil("it keeps the certificate") {
      served.log.contains("certificate-unchanged") ? nil : served.log
    }
    for (from, to) in [(second.certificate, first.certificate), (second.key, first.key)] {
      try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
    }
    served.send(signal: SIGHUP)
    try await waitUntil("it reads the certificate") {
      served.log.contains("certificate-reloaded") ? nil : served.log
    }
    #expect(try shown())
    #expect(await served.end() == 0)
  }

  @Test func `A Unix socket is served to a reverse proxy`() async throws {
    let folder = try TestFolder()
    let served = try await ServedGuard.start(
      ["--plain", "--listen", "unix:\(folder.path)/socket", "--url", "https://guard.example"],
      in: folder)
    #expect(served.line.listening == "unix:\(folder.path)/socket")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/socket")
    #expect(attributes[.posixPermissions] as? Int == 0o660)
    let run = try FinishedProgram([
      "/usr/bin/curl", "--silent", "--unix-socket", folder.path + "/socket",
      "http://guard/healthz",
    ])
    #expect(run.output == #"{"state":"ok"}"#)
    #expect(await served.end() == 0)
  }

  @Test func `The versions of both programs agree, and help names every command`() throws {
    let version = try run(["--version"])
    let keybackup = try FinishedProgram([BuiltProduct.path("keybackup"), "--version"])
    #expect(version.output.replacing("-guard", with: "") == keybackup.output)
    let help = try run(["--help"])
    #expect(help.code == 0)
    for command in ["serve", "invite", "export", "import", "clock", "ask"] {
      #expect(help.output.contains("\n  \(command) "), "\(command)")
    }
  }
}

/// A socket that hears what a service tells systemd.
private final class NotifyListener {
  private let socket: Int32

  init(_ path: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe place.copyBytes(from: Array(path.utf8))
    }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(socket, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Missing("a socket: errno \(errno)") }
  }

  deinit { close(socket) }

  /// The next message; empty if none comes.
  func next() -> String {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, Int32(Backstop.milliseconds)) > 0 else { return "" }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(socket, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
  }
}

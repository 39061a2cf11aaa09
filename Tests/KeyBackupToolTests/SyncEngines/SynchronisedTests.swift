import Glibc
import TestSupport
import Testing

@testable import SyncFolders

/// Asks simulated sync engines, with every answer that they can give, and none.
///
/// For the real ones see ``SyncthingTests``, ``RcloneTests`` and ``NextcloudTests``.
@Suite struct SynchronisedTests {
  /// An engine's answer, and the verdict on it.
  struct Answer: Sendable, CustomTestStringConvertible {
    /// The behaviour of the simulated engine.
    var mode: String
    var says: String
    /// The expected result; nil for unknown.
    var isSynchronised: Bool?

    var testDescription: String { mode }
  }

  /// Simulates an engine's socket: answers every question with the word, or misbehaves.
  private static let sockets = """
    import os, socket, sys, time
    path, mode = sys.argv[1:]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen(5)
    while True:
        c = server.accept()[0]
        if mode == "closes": c.close(); continue
        if mode == "silent": time.sleep(86400)
        questions = c.makefile("r", newline="\\n"); f = c.makefile("w", newline="\\n")
        try:
            f.write("REGISTER_PATH:/x\\nUPDATE_VIEW:/x\\n"); f.flush()
            while mode == "floods": f.write("STATUS:OK:/somewhere/else\\n")
            while mode == "endless": f.write("x" * 65536)
            first = True
            while True:
                line = questions.readline()
                if not line: break
                if mode == "garbage": f.write("STATUS\\x00:\\n" * 100)
                state = "OK" if mode == "one-not" and not first else mode if mode != "one-not" else "SYNC"
                if mode == "repeats": state = "OK" if first else "SYNC"
                f.write("STATUS:%s:%s" % (state, line.split(":", 1)[1]) * (100 if state == "OK" and mode == "repeats" else 1))
                first = False
                f.flush()
        except OSError: pass
    """

  private func status(_ box: Sandbox) async throws -> (Outcome, JSON) {
    let outcome = try await box.keybackup(
      ["status", "--json", "--synchronised"], key: nil, pin: .none,
      environment: ["XDG_RUNTIME_DIR": box.root + "/run"], expecting: nil)
    return (outcome, try outcome.json())
  }

  private func expect(
    _ answer: Answer, of engine: String, from box: Sandbox,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let (outcome, json) = try await status(box)
    #expect(json["engine"].text == engine, "\(outcome.text)", sourceLocation: location)
    #expect(
      json["synchronised"] == (answer.isSynchronised.map { .bool($0) } ?? .null),
      "\(outcome.text)", sourceLocation: location)
    #expect(
      json["engine_says"].text?.contains(answer.says) == true, "\(outcome.text)",
      sourceLocation: location)
    #expect(
      outcome.code == (answer.isSynchronised == false ? 75 : 88), "\(outcome.text)",
      sourceLocation: location)
  }

  private func play(
    _ path: String, _ mode: String, _ box: Sandbox
  ) async throws -> BackgroundProgram {
    let program = try BackgroundProgram(
      ["python3", "-c", Self.sockets, path, mode],
      environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], log: box.root + "/engine.log")
    try await waitUntil("the engine listens") { Files.exists(path) ? nil : program.output }
    return program
  }

  @Test(arguments: [
    Answer(mode: "OK", says: "every file is uploaded", isSynchronised: true),
    Answer(mode: "OK+SWM", says: "every file is uploaded", isSynchronised: true),
    Answer(mode: "one-not", says: "1 file still to go", isSynchronised: false),
    Answer(mode: "repeats", says: "files still to go", isSynchronised: false),
    Answer(mode: "SYNC", says: "files still to go", isSynchronised: false),
    Answer(mode: "NOP", says: "files still to go", isSynchronised: false),
    Answer(mode: "", says: "files still to go", isSynchronised: false),
    Answer(mode: "ERROR", says: "errors", isSynchronised: false),
    Answer(mode: "IGNORE", says: "leaves out", isSynchronised: false),
    Answer(mode: "garbage", says: "no answer that keybackup understands"),
    Answer(mode: "closes", says: "does not answer"),
    Answer(mode: "silent", says: "answer"), Answer(mode: "floods", says: "answer"),
    Answer(mode: "endless", says: "answer"),
  ])
  func `What is made of the answers of a client of Nextcloud`(_ answer: Answer) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try box.place(
      "[Accounts]\n0\\Folders\\1\\localPath=\(box.folder)/\n",
      at: ".config/Nextcloud/nextcloud.cfg")
    let engine = try await play(box.root + "/run/Nextcloud/socket", answer.mode, box)
    try await expect(answer, of: "nextcloud", from: box)
    withExtendedLifetime(engine) {}
  }

  @Test func `Engines that do not run`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let (none, nothing) = try await status(box)
    #expect(none.code == 88 && nothing["synchronised"] == .null && nothing["engine"] == .null)
    #expect(nothing["engine_says"].text?.contains("nothing that keybackup knows") == true)
    try box.setUpSyncthing(box.folder)
    try await expect(Answer(mode: "", says: "does not run"), of: "syncthing", from: box)
    try Files.remove(box.home + "/.config/syncthing")
    try box.setUpDropbox(box.folder)
    try await expect(Answer(mode: "", says: "no way to ask Dropbox"), of: "dropbox", from: box)
    try Files.remove(box.home + "/.dropbox")
    let client = "[Accounts]\n0\\Folders\\1\\localPath=\(box.folder)/\n"
    try box.place(client, at: ".config/ownCloud/owncloud.cfg")
    try await expect(Answer(mode: "", says: "no way to ask ownCloud"), of: "owncloud", from: box)
    try Files.remove(box.home + "/.config/ownCloud")
    try box.place(client, at: ".config/Nextcloud/nextcloud.cfg")
    try await expect(Answer(mode: "", says: "does not run"), of: "nextcloud", from: box)
    try Files.remove(box.home + "/.config/Nextcloud")
    try box.place("sync_dir = \"\(box.folder)\"", at: ".config/onedrive/config")
    try await expect(Answer(mode: "", says: "no way to ask OneDrive"), of: "onedrive", from: box)
    let text = try await box.keybackup(
      ["status", "--synchronised"], key: nil, pin: .none, expecting: 88)
    #expect(
      text.out.contains(
        "Elsewhere  written here; whether it reached another place is not known (OneDrive: "))
    // Plain status asks nobody.
    let plain = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: 88)
    #expect(try plain.json()["engine"] == .null && !plain.out.contains("synchronised\""))
  }

  /// Simulates Syncthing's interface; its output is the requests that it got.
  private static let interface = """
    import sys, time
    from http.server import BaseHTTPRequestHandler, HTTPServer
    mode = sys.argv[1]
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            print(self.path, self.headers["X-API-Key"], flush=True)
            if mode == "silent": time.sleep(86400)
            if mode == "drips":
                while True: self.wfile.write(b"HTTP/1.0 200 OK\\r\\n"); time.sleep(0.2)
            self.send_response(403 if mode == "403" else 200); self.end_headers()
            if mode == "html": self.wfile.write(b"<html>")
            elif mode == "deep": self.wfile.write(b"[" * 1000000)
            elif mode == "wrong": self.wfile.write(b'{"myID":7,"devices":[{}]}')
        do_POST = do_GET
        def log_message(self, *a): pass
    HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
    """

  private func interface(_ mode: String, _ box: Sandbox, as user: [String] = []) async throws
    -> BackgroundProgram
  {
    let port = try BackgroundProgram.freePort()
    try box.setUpSyncthing(box.folder)
    let file = box.home + "/.config/syncthing/config.xml"
    try Files.write(
      Files.text(file).replacing("127.0.0.1:1<", with: "127.0.0.1:\(port)<")
        .replacing("<apikey>k<", with: "<apikey>secret-of-the-interface<"), to: file)
    let program = try BackgroundProgram(
      user + ["python3", "-c", Self.interface, mode, "\(port)"],
      environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], log: box.root + "/engine.log")
    let digits = String(port, radix: 16, uppercase: true)
    try await waitUntil("the engine listens") {
      try Files.text("/proc/net/tcp").contains("0100007F:\(digits)") ? nil : program.output
    }
    return program
  }

  @Test(arguments: ["silent", "drips", "403", "html", "deep", "wrong"])
  func `A syncthing that misbehaves`(_ mode: String) async throws {
    let backup = try await PreparedBackup()
    let engine = try await interface(mode, backup.box)
    try await expect(Answer(mode: mode, says: "answer"), of: "syncthing", from: backup.box)
    #expect(engine.output.contains("/rest/system/status secret-of-the-interface"))
  }

  /// Another user has taken the port while Syncthing does not run.
  @Test func `The key is not told to another user`() async throws {
    let backup = try await PreparedBackup()
    let engine = try await interface(
      "html", backup.box,
      as: (isRoot ? [] : ["sudo", "-n"]) + [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
      ])
    try await expect(
      Answer(mode: "", says: "not on this computer, or it does not run"), of: "syncthing",
      from: backup.box)
    #expect(!engine.output.contains("/rest/"), "\(engine.output)")
  }

  // MARK: Parts

  @Test(
    arguments: [
      ("127.0.0.1:8384", LocalAddress.tcp(port: 8384, isIPv6: false)),
      (":5572", .tcp(port: 5572, isIPv6: false)), ("0.0.0.0:1", .tcp(port: 1, isIPv6: false)),
      ("localhost:80", .tcp(port: 80, isIPv6: false)), ("[::1]:9", .tcp(port: 9, isIPv6: true)),
      ("unix:///run/x", .unix("/run/x")), ("/run/x", .unix("/run/x")),
      ("192.168.1.7:8384", nil), ("example.org:80", nil), ("127.0.0.1:0", nil), ("", nil),
      ("127.0.0.1:99999", nil), ("127.0.0.1", nil),
    ] as [(String, LocalAddress?)])
  func `Addresses of sync programs are read strictly`(_ text: String, _ address: LocalAddress?) {
    #expect(LocalAddress(text) == address)
  }

  @Test(arguments: [
    ("rclone mount x: /mnt/x", "", false, "localhost:5572"),
    ("rclone mount x: /mnt/x --rc", "", true, "localhost:5572"),
    ("rclone mount x: /mnt/x --rc --rc-addr :7", "", true, ":7"),
    ("rclone mount --rc=true --rc-addr=[::1]:7 x: /mnt/x", "", true, "[::1]:7"),
    ("rclone mount x: /mnt/x", "RCLONE_RC=true\nRCLONE_RC_ADDR=:8", true, ":8"),
    ("rclone mount x: /mnt/x --rc=false --rc-addr", "RCLONE_RC=true", false, "localhost:5572"),
  ])
  func `How an rclone is asked`(
    _ line: String, _ environment: String, _ isControlled: Bool, _ address: String
  ) {
    let process = RcloneProcess(
      line.split(separator: " ").map(String.init),
      environment: environment.split(separator: "\n").map(String.init))
    #expect(process.isControlled == isControlled && process.address == address)
  }
}

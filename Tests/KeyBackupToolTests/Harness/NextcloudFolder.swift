import TestSupport
import Testing

/// A folder that the real desktop client of Nextcloud synchronises.
///
/// The server is Tests/interop/nextcloud_server.py: a server of Nextcloud needs a database and PHP.
final class NextcloudFolder: @unchecked Sendable {
  let box: Sandbox
  /// The computer with the client.
  let computer: SyncedComputer
  /// The server's files.
  let files: String
  private var port = 0
  private var server: BackgroundProgram?
  private var client: BackgroundProgram?

  /// Starts the server, and the client with an empty folder.
  init() async throws {
    let box = try Sandbox()
    self.box = box
    files = box.root + "/server"
    computer = SyncedComputer(box: box, name: "A", folder: box.root + "/A/Nextcloud/keybackup")
    for folder in [files, computer.home + "/Nextcloud", computer.home + "/run"] {
      try Files.makeFolder(folder)
    }
    try Files.setMode(computer.home + "/run", 0o700)
    try await startServer()
    try startClient()
  }

  /// Starts the server, after ``stopServer()`` at the same port.
  func startServer() async throws {
    for attempt in 1... {
      if client == nil { port = try BackgroundProgram.freePort() }
      let started = try BackgroundProgram(
        Python.script("interop/nextcloud_server.py") + [files, "\(port)"],
        environment: ["PATH": "/usr/bin:/bin"], log: box.root + "/server.log")
      do {
        try await waitUntil("the server runs") {
          let answer = try await box.run(
            ["curl", "--silent", "--fail", "http://127.0.0.1:\(port)/status.php"], key: nil)
          // Another program that has taken the port may answer too.
          if attempt < 20, PortTaken.isSaid(started.output) { throw PortTaken() }
          return answer.code == 0 ? nil : started.output
        }
        server = started
        return
      } catch is PortTaken {
        try await Task.sleep(for: .milliseconds(200))
      }
    }
  }

  /// Ends the server; the client keeps running.
  func stopServer() { server = nil }

  /// Ends the client.
  func stopClient() { client = nil }

  /// Lets the server refuse uploads from now on.
  func refuseUploads() throws { try Files.write("", to: files + ".refuses") }

  private func startClient() throws {
    let settings = computer.home + "/.config/Nextcloud"
    try Files.makeFolder(settings)
    // "dummy": the client's own word for an account without a password.
    try Files.write(
      """
      [General]
      skipUpdateCheck=true
      useNewBigFolderSizeLimit=false

      [Accounts]
      version=2
      0\\version=1
      0\\url=http://127.0.0.1:\(port)
      0\\authType=dummy
      0\\user=u
      0\\dav_user=u
      0\\Folders\\1\\version=2
      0\\Folders\\1\\localPath=\(computer.home)/Nextcloud/
      0\\Folders\\1\\targetPath=/
      0\\Folders\\1\\journalPath=.sync_0123456789ab.db

      """, to: settings + "/nextcloud.cfg")
    client = try BackgroundProgram(
      ["nextcloud", "--logfile", "-", "--background"],
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": computer.home, "XDG_RUNTIME_DIR": computer.home + "/run",
        "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen", "QT_QUICK_BACKEND": "software",
      ], log: box.root + "/client.log")
  }

  /// Waits for an answer that says something.
  func wait(for words: String, _ isSynchronised: JSON) async throws {
    try await waitUntil(words) {
      let (answer, says, _) = try await computer.isSynchronised()
      return answer == isSynchronised && says.contains(words)
        ? nil : "\(says)\n\(client?.output.suffix(2000) ?? "")"
    }
  }

  /// Waits until the client says that everything is uploaded, and compares with the server's files.
  func uploaded(at location: SourceLocation = #_sourceLocation) async throws {
    try await wait(for: "every file is uploaded", .bool(true))
    let here = Files.tree(computer.folder + "/cspp-namespaces")
    #expect(!here.isEmpty, sourceLocation: location)
    for file in here {
      let name = "cspp-namespaces/\(file)"
      #expect(
        try Files.read("\(computer.folder)/\(name)") == Files.read("\(files)/keybackup/\(name)"),
        "\(file)", sourceLocation: location)
    }
  }
}

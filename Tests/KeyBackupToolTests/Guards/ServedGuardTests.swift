import TestSupport
import Testing

/// The real server, `keybackup-guard serve`, three times.
@Suite struct ServedGuardTests {
  /// A guard that serves on the loopback interface.
  private struct Served: Sendable {
    let program: BackgroundProgram
    let url: String
    let state: String

    init(_ number: Int, in box: Sandbox, invites: Bool) async throws {
      state = "\(box.root)/served-\(number)"
      try Files.makeFolder(state)
      let log = "\(box.root)/served-\(number).log"
      program = try BackgroundProgram(
        [
          BuiltProduct.path("keybackup-guard"), "serve", "--state", state, "--plain", "--listen",
          "127.0.0.1:0", "--json", "--quiet",
        ] + (invites ? [] : ["--open"]),
        environment: ["PATH": "/usr/bin:/bin", "HOME": box.home, "LANG": "C.UTF-8"], log: log)
      var found: String?
      try await waitUntil("the guard listens") {
        let output = (try? Files.text(log)) ?? ""
        let line = output.split(separator: "\n")
          .first { $0.hasPrefix("{") && $0.contains("listening") }
        guard let line, let address = try? JSON(Array(line.utf8))["listening"].text else {
          return output
        }
        found = "http://" + address
        return nil
      }
      url = try #require(found, "\(program.output)")
    }

    /// An invite, as its operator makes it.
    func invite(_ box: Sandbox) async throws -> String {
      let made = try await box.run(
        [BuiltProduct.path("keybackup-guard"), "invite", "--state", state], key: nil)
      return made.out.split(separator: "\n").map(String.init).last ?? ""
    }
  }

  @Test func `The PIN opens the backup with three real guards, also when one is gone`() async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    var guards: [Served] = []
    for number in 1...3 {
      guards.append(try await Served(number, in: box, invites: true))
    }
    let pinFile = box.root + "/guard-pin"
    var command = [
      "guard", "add", "--pin", "--threshold", "2", "--yes", "--json", "--pin-out", pinFile,
    ]
    for served in guards {
      command += [
        "--server", served.url, "--invite", "\(served.url)=\(try await served.invite(box))",
      ]
    }
    let added = try await box.keybackup(command).json()
    let named = added["guards"].items.flatMap {
      ["--guard-server", "\($0["guard_id"].text ?? "")=\($0["url"].text ?? "")"]
    }
    let home = box.root + "/new-home"
    try Files.makeFolder(home)
    let wrong = box.root + "/wrong"
    try Files.write("753951\n", to: wrong, mode: 0o600)
    let refused = try await box.keybackup(
      ["wallet", "list", "--guard-pin-file", wrong] + named, key: ["--no-key"], pin: .none,
      home: home, expecting: nil)
    expectFailure(refused, 81, says: "29 tries left")
    _ = guards.removeLast()
    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/out", "--guard-pin-file", pinFile] + named,
      key: ["--no-key"], pin: .none, home: home)
    #expect(restored.out.contains("Restored 3 wallets"), "\(restored.text)")
    let status = try await box.keybackup(
      ["guard", "status", "--json"], key: nil, pin: .none, expecting: nil)
    #expect(try status.json()["ways"][0]["guards"][0]["tries_left"].number == 20)
    let retired = try await box.keybackup(
      ["guard", "retire", "PIN with guards", "--yes", "--json"], expecting: 87)
    #expect(try retired.json()["retired"].items.count == 2)
  }
}

import Foundation
import Testing

/// Nothing typed goes to guards that a person did not confirm, and no easy PIN is taken.
@Suite struct GuardCareTests {
  @Test func `A planted way in sees nothing without the person's word`() async throws {
    let guarded = try await GuardedBackup()
    // Somebody who writes to the folder replaces the guards by their own.
    let planted = try await GuardCircle(3, in: guarded.box, name: "planted")
    let path = guarded.backup.place + "/keybackup/keys/\(guarded.keyID).json"
    let before = try Files.text(path)
    let header = try #require(before.firstMatch(of: /"protected":"([^"]+)"/)).1
    var text = String(decoding: bytes(base64: String(header)), as: UTF8.self)
    for (own, other) in zip(guarded.circle.members, planted.members) {
      text = text.replacing(own.url, with: other.url).replacing(own.guardID, with: other.guardID)
    }
    let forged = base64URL(text)
    try Files.write(before.replacing(header, with: forged), to: path)
    let home = try guarded.newHome()
    let unattended = try await guarded.alone(
      ["restore", "--no-input"] + guarded.opening(), home: home, expecting: nil)
    expectFailure(unattended, 64, says: "nobody can be asked", "--guard-server")
    // The options that name the real guards do not confirm others, which the folder has instead.
    let named = try await guarded.alone(
      ["restore", "--no-input"] + guarded.opening() + guarded.circle.named, home: home,
      expecting: nil)
    expectFailure(named, 64, says: "no way in of this backup has the guard")
    let shown = try await guarded.alone(
      ["restore"] + guarded.opening(), home: home,
      terminal: [.expect("Are these your guards?"), .type("n\r")], expecting: nil)
    #expect(shown.code == 85, "\(shown.text)")
    for member in planted.members { #expect(shown.screen.contains(member.guardID)) }
    for number in 1...3 {
      #expect(planted.requests(number).isEmpty && guarded.circle.count("evaluate") == 3)
    }
    // A planted address is quoted where it stands in a command to copy.
    let evil = planted.members[0]
    let worse = text.replacing(evil.url, with: evil.url + "/;reboot;$(id)")
    let quoted = before.replacing(header, with: base64URL(worse))
    try Files.write(quoted, to: path)
    let copied = try await guarded.alone(
      ["restore", "--no-input"] + guarded.opening(), home: home, expecting: nil)
    expectFailure(
      copied, 64, says: "--guard-server '\(evil.guardID)=\(evil.url)/;reboot;$(id)'")
    // A computer that knows the way in from the log asks the real guards, or none.
    let known = try await guarded.alone(["wallet", "list"] + guarded.opening(), expecting: nil)
    #expect(known.code != 0)
    for number in 1...3 { #expect(planted.requests(number).isEmpty, "\(known.text)") }
  }

  @Test func `A guard with another ID than the named one is refused before anything is made`()
    async throws
  {
    let backup = try await PreparedBackup()
    let circle = try await GuardCircle(3, in: backup.box)
    let pinFile = backup.box.root + "/guard-pin"
    let command = ["guard", "add", "--pin", "--threshold", "2", "--yes", "--pin-out", pinFile]
    func servers(_ ids: [String]) -> [String] {
      zip(ids, circle.members).flatMap { ["--server", "\($0)=\($1.url)"] }
    }
    let ids = circle.members.map(\.guardID)
    let before = try Files.contents(backup.box.folder)
    let swapped = try await backup.box.keybackup(
      command + servers([ids[0], String(repeating: "0", count: 32), ids[2]]), expecting: nil)
    expectFailure(swapped, 65, says: "another guard than 0000", ids[1], "nothing was made")
    #expect(circle.count("accounts") == 0 && !Files.exists(pinFile))
    #expect(try Files.contents(backup.box.folder) == before)
    for wrong in [["--server", "12=\(circle.members[0].url)"], servers([ids[0], ids[0]])] {
      try await backup.box.keybackup(command + wrong, expecting: 64)
    }
    // An unfinished way in is continued with the guards that are named, and with no others.
    try circle.fail(2, at: "accounts")
    try await backup.box.keybackup(command + servers(ids), expecting: 69)
    try circle.fail(2, at: "nothing")
    let other = try await backup.box.keybackup(
      command + servers([ids[1], ids[0], ids[2]]), expecting: nil)
    expectFailure(other, 64, says: "another way in with guards is unfinished")
    try await backup.box.keybackup(command + servers(ids.map { $0.uppercased() }))
    try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin-file", pinFile], key: ["--no-key"], pin: .none)
  }

  @Test func `Easily guessed PINs and passwords are refused`() async throws {
    let backup = try await PreparedBackup()
    let circle = try await GuardCircle(1, in: backup.box)
    let file = backup.box.root + "/own"
    let pins = [
      "123456", "654321", "111111", "121212", "123123", "112233", "310184", "198405",
      "147258", "12345", "31121999", "123457", "223456", "987653", "765432109", "890124",
    ]
    for pin in pins {
      try Files.write(pin + "\n", to: file, mode: 0o600)
      let refused = try await backup.box.keybackup(
        ["guard", "add", "--pin", "--threshold", "1", "--yes", "--new-guard-pin-file", file]
          + circle.servers, expecting: nil)
      expectFailure(refused, 65, says: "would be guessed early")
      #expect(!refused.text.contains(pin))
    }
    for password in ["password123", "short", "aaaaaaaaaaaa"] {
      try Files.write(password + "\n", to: file, mode: 0o600)
      let refused = try await backup.box.keybackup(
        ["guard", "add", "--password", "--threshold", "1", "--yes", "--new-guard-pin-file", file]
          + circle.servers, expecting: nil)
      expectFailure(refused, 65, says: "would be guessed early")
    }
    for pin in [" 739164", "739164 ", "739\t164", "739\u{1}164", "739164\u{A0}", "739164\u{85}"] {
      try Files.write(pin + "\n", to: file, mode: 0o600)
      let refused = try await backup.box.keybackup(
        ["guard", "add", "--pin", "--threshold", "1", "--yes", "--new-guard-pin-file", file]
          + circle.servers, expecting: nil)
      expectFailure(refused, 65, says: "cannot be typed alike everywhere")
    }
    #expect(circle.count("accounts") == 0)
    try Files.write("correct horse battery\n", to: file, mode: 0o600)
    let added = try await backup.box.keybackup(
      [
        "guard", "add", "--password", "--threshold", "1", "--yes", "--json", "--new-guard-pin-file",
        file,
      ] + circle.servers)
    #expect(try added.json()["guesses"][0].number == 105)
    try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin-file", file], key: ["--no-key"], pin: .none)
    try Files.write("another horse battery\n", to: file, mode: 0o600)
    let wrong = try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin-file", file], key: ["--no-key"], pin: .none, expecting: nil)
    expectFailure(wrong, 81, says: "the password is wrong; 104 tries left, the next now")
  }

  @Test func `A person sees the guards and what they can do, and the PIN once`() async throws {
    let backup = try await PreparedBackup()
    let circle = try await GuardCircle(3, in: backup.box)
    let made = try await backup.box.keybackup(
      ["guard", "add", "--pin", "--threshold", "2", "--digits", "7"] + circle.servers,
      terminal: [.expect("Go on?"), .type("y\r"), .expect("opens the backup now")],
      standardOutput: .terminal, expecting: nil)
    #expect(made.code == 0, "\(made.text)")
    for member in circle.members { #expect(made.screen.contains(member.guardID)) }
    for text in [
      "30 in all (3 days), if all guards are honest", "40 in all (3 days), if 1 guard is dishonest",
      "2 guards with a copy of the folder can test every PIN", "never counts as the second way in",
      "1. Write down the guards' addresses and IDs:", "\(circle.members[0].url)  ",
    ] {
      #expect(made.screen.contains(text), "\(made.screen)")
    }
    let pin = try #require(made.screen.firstMatch(of: /(?m)^(\d{7})\s*$/)).1
    let typed = try await backup.box.keybackup(
      ["wallet", "list", "--guard-pin"], key: ["--no-key"], pin: .none,
      terminal: [.expect("30 tries left"), .type(pin + "\r")], expecting: nil)
    #expect(typed.code == 0, "\(typed.text)")
    // It never counts as the second way in.
    let status = try await backup.box.keybackup(
      ["status"], key: ["--no-key"], pin: .none, expecting: 88)
    #expect(!status.text.contains(pin))
    let without = try await backup.box.keybackup(
      ["guard", "add", "--pin", "--threshold", "1", "--yes", "--server", circle.members[0].url],
      expecting: nil)
    expectFailure(without, 64, says: "no terminal to show the PIN", "--pin-out")
  }
}

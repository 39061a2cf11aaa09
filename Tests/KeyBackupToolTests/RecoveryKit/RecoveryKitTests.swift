import Foundation
import SecretStores
import TestSupport
import Testing

/// A recovery kit opens the backup alone, and nothing else can replace it.
@Suite struct RecoveryKitTests {
  @Test func `The code alone restores everything`() async throws {
    let kit = try await PreparedKit()
    #expect(Files.mode(kit.page) == 0o600 && Files.mode(kit.offline) == 0o600)
    #expect(try Files.text(kit.page).contains(kit.code))
    // The command neither asks for a key nor waits for one: there is none.
    let out = kit.box.root + "/out"
    let restored = try await kit.alone(["restore", "--out", out] + kit.opening)
    #expect(!restored.text.contains("Insert") && !restored.text.contains("Touch"))
    try kit.expectAllRestored(out)
    let without = try await kit.alone(["restore", "--wait", "0"], expecting: nil)
    expectFailure(without, 69, says: "--recovery-code")
    // Writing works too.
    try await kit.box.keybackup(
      ["wallet", "add", "--name", "New", "--network", "bitcoin", "--mnemonic", "-"] + kit.opening,
      key: ["--no-key"], pin: .none, input: Array(Samples.mnemonic.utf8))
    let before = try Files.contents(kit.box.folder)
    let tested = try await kit.alone(["recovery-kit", "test", "--json"] + kit.opening).json()
    #expect(tested["key_id"].text == kit.keyID && tested["wallets"].number == 4)
    #expect(try Files.contents(kit.box.folder) == before)
    let listed = try await kit.alone(["key", "list", "--json"]).json()["keys"].items
    #expect(listed.first { $0["key_id"].text == kit.keyID }?["proved_at"].number != nil)
    // The page's freshness word is an earlier state of this folder.
    let word = try #require(
      try Files.text(kit.page).firstMatch(
        of: /Freshness word<\/th><td class="mono">([0-9a-z]{4}(?:-[0-9a-z]{4}){3})</))
    let status = try await kit.alone(["status", "--freshness", String(word.1)], expecting: nil)
    #expect(status.text.contains("all that the word stands for"), "\(status.text)")
  }

  @Test func `The offline kit and the wallet files are enough`() async throws {
    let kit = try await PreparedKit()
    try kit.loseAllButWallets()
    let lost = try await kit.alone(["restore"] + kit.opening, expecting: nil)
    expectFailure(lost, 75, says: "--recovery-kit FILE")
    let before = try Files.contents(kit.box.folder)
    let out = kit.box.root + "/out"
    let restored = try await kit.box.keybackup(
      ["restore", "--out", out, "--recovery-kit", kit.offline] + kit.opening,
      key: ["--no-key"], pin: .none, home: kit.box.root + "/new-home", expecting: nil)
    // Everything is restored; nobody can say whether newer wallets were lost with the log.
    #expect(restored.code == 75 && restored.out.contains("Restored 3 wallets"), "\(restored.text)")
    // The command that is suggested opens the backup in the same way.
    let again = "NAME --reveal --recovery-kit \(kit.offline) --recovery-code-file \(kit.codeFile)"
    #expect(restored.err.contains(again), "\(restored.err)")
    try kit.expectAllRestored(out)
    #expect(try Files.contents(kit.box.folder) == before)
    let read = try await kit.box.run(
      Python.script("reader/kit_reader.py")
        + [kit.box.folder, "--code-file", kit.codeFile, "--kit", kit.offline], key: nil)
    #expect(read.code == 0, "\(read.text)")
    #expect(try JSON(read.output)["wallets"].items.count == 3)
    // Typed from the printed page.
    let lines = try Files.text(kit.page)
      .matches(of: /<tr><th>(\d\d)<\/th><td>([^<]*)<\/td><td>([0-9a-f]{4})<\/td>/)
      .map { "\($0.1)  \($0.2.replacing("&quot;", with: "\""))   \($0.3.uppercased())" }
    let typed = kit.box.root + "/typed"
    try Files.write(lines.joined(separator: "\r\n\n"), to: typed)
    _ = try await kit.alone(["recovery-kit", "test", "--recovery-kit", typed] + kit.opening)
    // Spaces that nobody types, and others that nobody printed.
    let close = lines.map { $0.filter { $0 != " " } }
    let wide = close.map { $0.map(String.init).joined(separator: " ") }
    for others in [close, wide] {
      try Files.write(others.joined(separator: "\n"), to: typed)
      _ = try await kit.alone(["recovery-kit", "test", "--recovery-kit", typed] + kit.opening)
    }
    try Files.write(lines.dropFirst().joined(separator: "\n"), to: typed)
    let missing = try await kit.alone(
      ["recovery-kit", "test", "--recovery-kit", typed] + kit.opening, expecting: nil)
    expectFailure(missing, 65, says: "line 1", "missing")
    try Files.write(lines.joined(separator: "\n").replacing("eyJ", with: "eyj"), to: typed)
    let mistyped = try await kit.alone(
      ["recovery-kit", "test", "--recovery-kit", typed] + kit.opening, expecting: nil)
    expectFailure(mistyped, 65, says: "line 1", "mistyped")
  }

  @Test func `An independent reader opens the folder with the code`() async throws {
    let secret = "a second secret that is any file\n"
    let kit = try await PreparedKit(second: secret)
    let file = kit.second
    let command =
      Python.script("reader/kit_reader.py")
      + [kit.box.folder, "--code-file", kit.codeFile]
    let read = try await kit.box.run(command + ["--secret-file", file], key: nil)
    #expect(read.code == 0, "\(read.text)")
    let found = try JSON(read.output)
    #expect(found["wallets"].items.count == 3 && found["unreadable"].items.isEmpty)
    #expect(try await kit.box.run(command, key: nil).code != 0)

    // The command: both secrets, one, and a wrong one.
    _ = try await kit.alone(["recovery-kit", "test", "--secret-file", file] + kit.opening)
    expectFailure(
      try await kit.alone(["restore"] + kit.opening, expecting: nil), 64, says: "--secret-file")
    // Beside a kit that the code does not open, too.
    try await kit.box.keybackup(["recovery-kit", "create", "--reveal", "--label", "another"])
    expectFailure(
      try await kit.alone(["restore"] + kit.opening, expecting: nil), 64, says: "--secret-file")
    try Files.write("another file", to: file)
    expectFailure(
      try await kit.alone(["restore", "--secret-file", file] + kit.opening, expecting: nil), 80,
      says: "second secret")
  }

  @Test func `A second secret lies outside of the folder`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = try Files.contents(box.folder)
    try Files.link(box.root + "/link", to: box.folder)
    for path in [box.folder + "/second", box.root + "/link/second"] {
      let outcome = try await box.keybackup(
        ["recovery-kit", "create", "--reveal", "--secret-file", path], expecting: nil)
      expectFailure(outcome, 73, says: "synced folder")
    }
    #expect(try Files.contents(box.folder) == before)
    // A secret file that does not exist is created, for its owner alone.
    let made = box.root + "/made"
    try await box.keybackup(["recovery-kit", "create", "--reveal", "--secret-file", made])
    #expect(Files.mode(made) == 0o600)
    #expect(try Files.read(made).count == 65)
  }

  @Test func `The desktops keyring as second secret`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let session = try await DesktopSession(box)
    let made = try await box.keybackup(
      ["recovery-kit", "create", "--json", "--reveal", "--secret-from-keyring"]
        + ["--out", box.root + "/page.html"],
      environment: session.environment
    ).json()
    #expect(made["second_secret"].text == "keyring")
    let code = box.root + "/code"
    try Files.write(try #require(made["code"].text), to: code, mode: 0o600)
    // Another program follows the steps on the page.
    #expect(try Files.text(box.root + "/page.html").contains("as 64 hexadecimal digits"))
    let keyID = try #require(made["key_id"].text)
    let second = box.root + "/second"
    try Files.write(try session.secret(["kit": keyID]), to: second)
    let read = try await box.run(
      Python.script("reader/kit_reader.py")
        + [box.folder, "--code-file", code, "--secret-file", second], key: nil)
    #expect(read.code == 0, "\(read.text)")
    let command = ["recovery-kit", "test", "--recovery-code-file", code]
    try await box.keybackup(
      command, key: ["--no-key"], pin: .none, environment: session.environment)
    expectFailure(
      try await box.keybackup(command, key: ["--no-key"], pin: .none, expecting: nil), 78,
      says: "D-Bus", "the kit was made on a computer")
    try await session.lock()
    expectFailure(
      try await box.keybackup(
        command + ["--no-input"], key: ["--no-key"], pin: .none, environment: session.environment,
        expecting: nil), 77, says: "locked")
  }

  @Test func `A page that cannot be written leaves no second secret in the keyring`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let session = try await DesktopSession(box)
    // No file may have more than 4 KiB.
    let failed = try await box.keybackup(
      ["recovery-kit", "create", "--secret-from-keyring", "--out", box.root + "/page.html"],
      environment: session.environment,
      wrapper: ["sh", "-c", #"trap '' XFSZ; ulimit -f 8; exec "$@""#, "sh"], expecting: 74)
    #expect(failed.err.contains("File too large"), "\(failed.text)")
    #expect(!Files.exists(box.root + "/page.html"))
    var service = try SecretService(session.address, isPromptAllowed: false)
    #expect(try service.look(for: ["xdg:schema": "keybackup.RecoveryKit"]) == .absent)
  }

  @Test func `Another code and a mistyped one`() async throws {
    let kit = try await PreparedKit()
    let cases: [(typed: String, code: Int32, says: String)] = [
      (String(repeating: "0", count: 21), 80, "does not open this backup"),
      (String(kit.code.dropLast()) + (kit.code.hasSuffix("0") ? "1" : "0"), 65, "two changed"),
      ("hello", 65, "21 letters and digits"), ("", 65, "this has 0"),
      (kit.code.dropLast(3) + "U-0", 65, "character 20"),
    ]
    for (typed, code, says) in cases {
      try Files.write(typed, to: kit.codeFile, mode: 0o600)
      let outcome = try await kit.alone(["restore"] + kit.opening, expecting: nil)
      expectFailure(outcome, code, says: says)
      #expect(typed.isEmpty || typed == "hello" || !outcome.text.contains(typed))
    }
    try Files.setMode(kit.codeFile, 0o644)
    expectFailure(
      try await kit.alone(["restore"] + kit.opening, expecting: nil), 78, says: "chmod 600")
  }

  @Test func `A revoked kit opens nothing`() async throws {
    let kit = try await PreparedKit()
    // A kit cannot revoke itself, and a key slot that is no kit cannot be revoked.
    expectFailure(
      try await kit.alone(
        ["recovery-kit", "revoke", "Safe", "--yes"] + kit.opening, expecting: nil), 80,
      says: "another way in")
    expectFailure(
      try await kit.box.keybackup(
        ["recovery-kit", "revoke", kit.backup.keyID, "--yes"], expecting: nil), 66)
    let revoked = try await kit.box.keybackup(["recovery-kit", "revoke", "Safe", "--yes"])
    #expect(revoked.out.contains("Removed \"Safe\""))
    let after = try await kit.alone(["restore"] + kit.opening, expecting: nil)
    expectFailure(after, 66, says: "no recovery kit")
    // The message says that this reaches no old copy; the offline kit is one.
    #expect(revoked.err.contains("rotate --master-key"))
    let offline = try await kit.alone(
      ["restore", "--recovery-kit", kit.offline] + kit.opening, expecting: nil)
    #expect(offline.out.contains("Name of first-wallet"), "\(offline.text)")
  }

  /// Anyone who writes to the folder may put any number of kits there.
  @Test func `Planted kits keep nobody out`() async throws {
    let kit = try await PreparedKit()
    for (memory, passes) in [(8, 1), (524_288, 8), (524_288, 7), (4_194_304, 64), (8, 1_000_000)] {
      try kit.backup.plant { header in
        header["kind"] = "recovery_code"
        header["label"] = "planted"
        let fields =
          #"{"kdf":"argon2id","kdf_salt":"\#(String(repeating: "5a", count: 16))","#
          + #""kdf_memory_kib":\#(memory),"kdf_passes":\#(passes),"kdf_lanes":1,"#
        header.text = fields + header.text.dropFirst()
      }
    }
    // The kit that is known to be enrolled comes first. The others are never tried, and values
    // beyond all bounds count as damage.
    let opened = try await kit.alone(["recovery-kit", "test"] + kit.opening)
    #expect(opened.err.contains("Trying recovery kit 1 of 4."), "\(opened.err)")
    #expect(!opened.err.contains("Trying recovery kit 2 of 4."))
    #expect(opened.err.contains("invalid field kdf_memory_kib"))
    #expect(opened.err.contains("invalid field kdf_passes"))
    // With the ID on the page, no other kit is tried.
    let named = try await kit.alone(
      ["recovery-kit", "test", "--kit-id", String(kit.keyID.prefix(8))] + kit.opening)
    #expect(!named.err.contains("Trying"))
  }

  @Test func `A code is asked for hidden and shown once`() async throws {
    let backup = try await PreparedBackup()
    let shown = try await backup.box.keybackup(
      ["recovery-kit", "create"], terminal: [], standardOutput: .terminal)
    let code = try #require(
      shown.screen.firstMatch(of: /[0-9A-Z]{4}(-[0-9A-Z]{4}){4}-[0-9A-Z]/)?.0)
    #expect(shown.screen.contains("opens the backup now"))
    let typed = code.lowercased().replacing("-", with: " ")
    let restored = try await backup.box.keybackup(
      ["restore", "--recovery-code"], key: ["--no-key"], pin: .none,
      terminal: [
        .expect("Recovery code: "), .type("what\n"), .expect("21 letters and digits"),
        .expect("Recovery code: "), .type(typed + "\n"),
      ])
    #expect(restored.out.contains("Name of first-wallet") && restored.terminalIsSane)
    #expect(!restored.text.contains(typed), "what is typed is not echoed")
    // Askpass is asked as for a PIN; with --no-input nobody is asked.
    let script = backup.box.root + "/askpass"
    try Files.write("#!/bin/sh\necho '\(code)'\n", to: script, mode: 0o700)
    try await backup.box.keybackup(
      ["restore", "--recovery-code"], key: ["--no-key"], pin: .none,
      environment: ["KEYBACKUP_ASKPASS": script])
    expectFailure(
      try await backup.box.keybackup(
        ["restore", "--recovery-code", "--no-input"], key: ["--no-key"], pin: .none,
        expecting: nil), 78, says: "--recovery-code-file")
  }

  /// Killed at any point: there is no kit, or its code is on the page.
  @Test func `A key slot is never without its page`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let page = box.root + "/page.html"
    try await box.keybackup(["wallet", "list"])
    for name in ["cloud", "home"] {
      try Files.copy(box.root + "/" + name, to: box.root + "/kept-" + name)
    }
    func create(_ options: [String], expecting: Int32?) async throws -> Outcome {
      for name in ["cloud", "home"] {
        try Files.remove(box.root + "/" + name)
        try Files.copy(box.root + "/kept-" + name, to: box.root + "/" + name)
      }
      for path in [page, page + ".keybackup-part"] where Files.exists(path) {
        try Files.remove(path)
      }
      return try await box.keybackup(
        ["recovery-kit", "create", "--out", page],
        wrapper: [BuiltProduct.path("crash-at"), "--under", box.root] + options + ["--"],
        expecting: expecting)
    }
    _ = try await create(["--report", box.root + "/calls"], expecting: 0)
    let count = try Files.text(box.root + "/calls").split(separator: "\n").last ?? ""
    let calls = Int(count.split(separator: " ").last ?? "") ?? 0
    #expect(calls >= 15)
    var kits: Set<Int> = []
    for place in stride(from: 1, through: calls, by: everyCall ? 1 : max(1, calls / 7)) {
      let killed = try await create(["--at", "\(place)"], expecting: nil)
      #expect(killed.code == 137, "\(place): \(killed.text)")
      let slots = try await box.keybackup(["key", "list", "--json"], key: nil, pin: .none).json()
      let found = slots["keys"].items.count { $0["kind"].text == "recovery_code" }
      kits.insert(found)
      if found > 0 {
        let code = try #require(
          try Files.text(page).firstMatch(of: /class="digits">([0-9A-Z-]{26})</)?.1)
        try Files.write(String(code), to: box.root + "/code", mode: 0o600)
        try await box.keybackup(
          ["recovery-kit", "test", "--recovery-code-file", box.root + "/code"],
          key: ["--no-key"], pin: .none)
      }
      let deep = try await box.keybackup(["verify", "--deep"], expecting: nil)
      #expect(deep.code == 0, "\(place): \(deep.text)")
    }
    #expect(kits == [0, 1])
  }

  private let everyCall = ProcessInfo.processInfo.environment["KEYBACKUP_TEST_EVERY_CALL"] != nil

  /// A refusal or a failure leaves the folder unchanged, and no page.
  @Test func `Nothing is left behind`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let before = try Files.contents(box.folder)
    expectFailure(
      try await box.keybackup(["recovery-kit", "create"], expecting: nil), 64, says: "--out FILE")
    try Files.write("mine", to: box.root + "/taken")
    expectFailure(
      try await box.keybackup(
        ["recovery-kit", "create", "--out", box.root + "/taken"], expecting: nil), 73,
      says: "never overwritten")
    expectFailure(
      try await box.keybackup(
        ["recovery-kit", "create", "--out", box.folder + "/page.html"], expecting: nil), 73,
      says: "synced folder")
    #expect(try Files.contents(box.folder) == before)
  }
}

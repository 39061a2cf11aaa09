import FoundationEssentials
import Testing

/// The messages for a user who is unsure: which key is wanted now, what to do next.
///
/// Each sentence replaces an earlier one that was not true.
@Suite struct NervousMomentTests {
  // MARK: Which key

  /// The key that has just opened the backup is still plugged in.
  @Test func `The new key is asked for`() async throws {
    let keys = try await ThreeKeys()
    let plugged = keys.box.root + "/plugged"
    let (outcome, events) = try await keys.box.listening(
      to: ["key", "add", "--wait", "3600", "--label", "fourth"],
      key: keys.only("blue") + ["--key", keys.box.root + "/fourth.json,plug-after-ms=\(plugged)"],
      meanwhile: [.expect("insert the new one"), .write("", to: plugged)])
    outcome.expectSuccess()
    #expect(
      outcome.err.contains("This is the key you already have. Now insert the new one."),
      "\(outcome.err)")
    #expect(!outcome.text.contains("does not open this backup"), "\(outcome.text)")
    #expect(!outcome.text.contains("Insert the right one"), "\(outcome.text)")
    let insert = try #require(events.first { $0["event"].text == "insert" })
    #expect(insert["why"].text == "to enrol" && insert["unsuitable"].number == 1)
    #expect(try await keys.box.checkedNames().contains("insert"))
  }

  /// A key that opens the backup is not said to open nothing.
  @Test func `Another key is needed`() async throws {
    let keys = try await ThreeKeys()
    let outcome = try await keys.box.keybackup(
      ["rotate", "--key", "green", "--wait", "1"], key: keys.only("blue"), expecting: nil)
    expectFailure(outcome, 80, says: "not the one that is needed now. Insert", "plug in")
    #expect(!outcome.text.contains("does not open this backup"), "\(outcome.text)")
  }

  /// A key does not remove itself.
  @Test func `The key to be removed is there`() async throws {
    let keys = try await ThreeKeys()
    let outcome = try await keys.box.keybackup(
      ["key", "remove", "green", "--yes", "--wait", "1"], key: keys.only("green"), expecting: nil)
    expectFailure(
      outcome, 80, says: "is the one to be removed, or does not open this backup. Insert",
      "plug in",
      "\"blue\"")
    #expect(!outcome.text.contains("needed now"), "\(outcome.text)")
  }

  // MARK: Derive

  @Test func `A key without a credential is told from a wrong one`() async throws {
    let box = try Sandbox()
    let none = try await box.keybackup(["derive", "--salt", "a"], expecting: nil)
    expectFailure(
      none, 80, says: "holds no credential for keybackup-derive:", "keybackup credential create;")
    let other = try await box.keybackup(
      ["derive", "--salt", "a", "--rp-id", "mine.example"], expecting: nil)
    expectFailure(other, 80, says: "keybackup credential create --rp-id mine.example;")
  }

  /// An empty standard input, as from a command that failed.
  @Test func `An empty salt is refused`() async throws {
    let box = try Sandbox()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(["derive", "--salt", "-"], expecting: nil)
      expectFailure(outcome, 64, says: "the salt is empty")
    }
    #expect(trace.isEmpty, "\(trace)")
  }

  /// The message says so and costs no further touch; `derive` then needs one named.
  @Test func `A second credential of one name is asked about`() async throws {
    let box = try Sandbox()
    let first = try await box.keybackup(["credential", "create", "--json"])
    #expect(first.err.count(of: "already holds") == 0, "\(first.err)")
    #expect(try first.json()["others"].items.isEmpty)
    let id = try #require(try first.json()["credential_id"].text)
    _ = try await box.makeCredential(["--rp-id", "other.example"])
    let trace = try await box.traced {
      let second = try await box.keybackup(["credential", "create"])
      #expect(
        second.err.contains(
          "Virtual Key already holds a credential for keybackup-derive: with the ID \(id)"),
        "\(second.err)")
      #expect(second.err.contains("derive needs --credential"), "\(second.err)")
    }
    #expect(trace.count { $0.hasSuffix("TOUCH") } == 1, "\(trace)")
    let unclear = try await box.keybackup(["derive", "--salt", "a"], expecting: nil)
    expectFailure(unclear, 90, says: "--credential", id)
  }

  /// A key that cannot list its credentials still makes one.
  @Test(arguments: [
    "no-cred-mgmt,no-cred-mgmt-preview", "fault=error:credentialManagementPreview=0x7F",
  ])
  func `Credentials that cannot be listed`(_ setting: String) async throws {
    let box = try Sandbox()
    for _ in 0..<2 {
      let made = try await box.keybackup(
        ["credential", "create", "--json"], key: ["--key", box.keyState + "," + setting])
      #expect(try made.json()["others"].items.isEmpty)
    }
  }

  @Test(arguments: [["derive"], ["credential", "create"]])
  func `A spare key derives another secret`(_ command: [String]) async throws {
    let help = try await Sandbox().keybackup(command + ["--help"], key: nil, pin: .none)
    let text = help.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("derives other secrets"), "\(text)")
    #expect(text.contains("spare key that opens the same backup"), "\(text)")
  }

  // MARK: The recovery code

  /// Programs that are to ask for the code, and cannot.
  @Test(arguments: ["KEYBACKUP_ASKPASS", "KEYBACKUP_PINENTRY"])
  func `The code is not called APIN`(_ variable: String) async throws {
    let kit = try await PreparedKit()
    for program in ["/nonexistent/asker", "/bin/true"] {
      let outcome = try await kit.box.keybackup(
        ["recovery-kit", "test"], key: ["--no-key"], pin: .none,
        environment: [variable: program], expecting: nil)
      #expect([65, 78, 85].contains(outcome.code), "\(outcome.text)")
      #expect(outcome.err.contains("recovery code"), "\(outcome.err)")
      let words = outcome.err.replacing("KEYBACKUP_PINENTRY", with: "")
      #expect(!words.contains("PIN"), "\(outcome.err)")
    }
  }

  /// The command in the yearly reminder proves the kit when it is typed as it stands.
  @Test(arguments: [nil, "a second secret"])
  func `The reminders command proves the kit`(_ second: String?) async throws {
    let kit = try await PreparedKit(second: second)
    let file = kit.backup.place + "/keybackup/keys/\(kit.keyID).json"
    let whole = try Files.text(file)
    let header = try #require(try JSON(Array(whole.utf8))["protected"].text)
    let made = Int(Date().timeIntervalSince1970) - 500 * 86_400
    let old = String(decoding: bytes(base64: header), as: UTF8.self)
      .replacing(/"created_at":\d+/, with: "\"created_at\":\(made)")
    let encoded = Data(old.utf8).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    try Files.write(whole.replacing(header, with: encoded), to: file)
    // Only the file's claim is known here: as if the kit had been made so long ago.
    let status = try await kit.box.keybackup(
      ["status", "--json"], key: nil, pin: .none, home: kit.box.newHome(), expecting: nil)
    let advice = try status.json()["advice"].items.compactMap(\.text)
    let reminder = try #require(advice.first { $0.contains("500 days") }, "\(advice)")
    let words = try #require(reminder.split(separator: ": ").last).split(separator: " ")
      .map(String.init)
    try Files.write(whole, to: file)
    let command = words.prefix(while: { $0 != "asks" }).dropFirst()
      .map { $0 == "FILE" ? kit.second : $0 }
    let page = try Files.text(kit.page)
    let onPaper = second == nil ? "" : " --secret-file FILE"
    let line = "keybackup recovery-kit test --kit-id \(kit.keyID.prefix(8))\(onPaper)"
    #expect(page.contains("<code>\(line)</code>"))
    #expect(command.contains("--kit-id") && command.contains("--secret-file") == (second != nil))
    let tested = try await kit.box.keybackup(
      Array(command), key: ["--no-key"], pin: .none,
      terminal: [.expect("Recovery code: "), .type(kit.code + "\n")])
    #expect(tested.out.contains("opens the backup: 3 wallets"), "\(tested.text)")
  }
}

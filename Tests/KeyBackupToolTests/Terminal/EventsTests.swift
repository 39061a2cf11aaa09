import Testing

/// The events that a calling program gets on `--events-fd`; it cannot disturb the work.
@Suite struct EventsTests {
  @Test func `A PIN and a touch are announced`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let (outcome, events) = try await box.listening(to: Sandbox.derive)
    outcome.expectSuccess()
    #expect(try await box.checkedNames() == ["pin", "touch", "done"])
    #expect(
      events.at(0)["key"].text == "Virtual Key" && events.at(0)["retries"].number == 8
        && events.at(0)["minimum_length"].number == 4 && events.at(0)["reason"].text == "first"
        && events.at(0)["source"].text == "file" && events.at(0)["path"].text == "/dev/hidraw0")
    #expect(
      events.at(1)["transport"].text == "usb" && events.at(1)["seconds_left"].number == 60
        && events.at(1)["why"] == .null)
    #expect(events.at(2)["code"].number == 0 && events.at(2)["word"].text == "ok")
  }

  @Test func `Each PIN that a person types is asked for with its reason`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let (outcome, events) = try await box.listening(
      to: Sandbox.derive, pin: .none,
      terminal: [
        .expect("(8 tries left): "), .type("wrong-one\n"), .expect("(7 tries left): "),
        .type("wrong-one\n"), .expect("(7 tries left): "), .type("abc\n"),
        .expect("(7 tries left): "), .type(Sandbox.pin + "\n"),
      ])
    #expect(outcome.code == 0 && outcome.stepsLeft.isEmpty, "\(outcome.screen)")
    _ = try await box.checkedNames()
    let pins = events.filter { $0["event"].text == "pin" }
    #expect(pins.map { $0["reason"].text } == ["first", "wrong", "same", "policy"])
    #expect(pins.map { $0["retries"].number } == [8, 7, 7, 7])
    #expect(pins.allSatisfy { $0["source"].text == "terminal" })
  }

  /// A touch is announced only when the key waits for it.
  @Test func `A wrong PIN is followed by no touch`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let (outcome, _) = try await box.listening(
      to: Sandbox.derive, pin: .descriptor("wrong-one"))
    #expect(outcome.code == 81)
    #expect(try await box.checkedNames() == ["pin", "done"])
  }

  @Test func `Inits touches say what each is for`() async throws {
    let box = try Sandbox()
    let (outcome, events) = try await box.listening(to: ["init"])
    outcome.expectSuccess()
    _ = try await box.checkedNames()
    let reasons = events.compactMap { $0["why"].text?.prefix(6) }
    #expect(reasons == ["1 of 3", "2 of 3", "3 of 3"])
  }

  @Test func `A key that is missing is asked for`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let (outcome, events) = try await box.listening(
      to: Sandbox.derive + ["--wait", "3600"], key: ["--plug-after-ms", box.root + "/plugged"],
      meanwhile: [.expect("Insert"), .write("", to: box.root + "/plugged")])
    outcome.expectSuccess()
    #expect(try await box.checkedNames() == ["insert", "pin", "touch", "done"])
    #expect(events.at(0)["seconds_left"].number == 3600 && events.at(0)["path"] == .null)
  }

  /// The key is named by its label, and the message says that the one plugged in is not suitable.
  @Test func `The right key is asked for by its label`() async throws {
    let keys = try await SeveralKeysTests.TwoKeys()
    let (outcome, events) = try await keys.box.listening(
      to: ["restore", "--wait", "3600"],
      key: keys.both(own: ",plug-after-ms=\(keys.box.root)/plugged"),
      meanwhile: [.expect("Insert"), .write("", to: keys.box.root + "/plugged")])
    outcome.expectSuccess()
    #expect(try await keys.box.checkedNames().prefix(4) == ["insert", "pin", "touch", "progress"])
    #expect(events.at(0)["accepts"].items == [.string("blue key")])
    #expect(events.at(0)["unsuitable"].number == 1)
    #expect(events.at(2)["key"].text?.contains("blue key") == true)
  }

  @Test func `A choice by touch names the candidates`() async throws {
    let box = try Sandbox()
    let keys = [
      "--key", box.root + "/a.json,product=Alpha", "--key",
      box.root + "/b.json,product=Beta,touch=never",
    ]
    let (outcome, events) = try await box.listening(
      to: ["credential", "create"], key: keys, terminal: [.expect("Touch the one")])
    #expect(outcome.code == 0 && outcome.stepsLeft.isEmpty, "\(outcome.text)")
    #expect(try await box.checkedNames() == ["select", "pin", "touch", "done"])
    #expect(Set(events.at(0)["candidates"].items.map { $0["key"].text }) == ["Alpha", "Beta"])
    #expect(events.at(0)["why"].text?.isEmpty == false)
  }

  @Test(arguments: ["INT", "TERM", "HUP"])
  func `An interrupted command says so`(_ signal: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write("", to: box.eventsPath)
    let script = """
      (while ! grep -q touch "$0"; do sleep 0.1; done; kill -\(signal) $$) &
      exec "$@" 8>>"$0"
      """
    try await box.keybackup(
      Sandbox.derive + ["--events-fd", "8"], key: ["--touch", "never"],
      wrapper: ["sh", "-c", script, box.eventsPath], expecting: 130)
    #expect(try await box.checkedNames() == ["pin", "touch", "done"])
    let text = String(decoding: try Files.read(box.eventsPath), as: UTF8.self)
    #expect(text.contains(#""word":"interrupted""#))
  }

  @Test func `A restore tells how far it has come`() async throws {
    let backup = try await PreparedBackup()
    let (outcome, events) = try await backup.box.listening(to: ["restore"])
    outcome.expectSuccess()
    _ = try await backup.box.checkedNames()
    let progress = events.filter { $0["event"].text == "progress" }
    #expect(progress.map { $0["done"].number } == [1, 2, 3])
    #expect(progress.allSatisfy { $0["total"].number == 3 })
  }

  @Test(arguments: [
    (["devices", "--wait", "0"], ["--no-key"], 69, "no-authenticator"),
    (["derive"], [], 64, "usage"),
    (["nonsense"], [], 64, "usage"),
  ])
  func `Errors end the stream too`(
    _ arguments: [String], _ key: [String], _ code: Int, _ word: String
  ) async throws {
    let box = try Sandbox()
    let (outcome, events) = try await box.listening(to: arguments, key: key, pin: .none)
    #expect(outcome.code == Int32(code))
    #expect(try await box.checkedNames().last == "done")
    #expect(events.last?["code"].number == code && events.last?["word"].text == word)
    #expect(events.last?["message"].text?.isEmpty == false)
  }

  @Test func `A secret is never in it`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let (derived, _) = try await box.listening(to: Sandbox.derive)
    let (wrong, _) = try await box.listening(
      to: Sandbox.derive, pin: .descriptor("wrong-one"))
    #expect(derived.code == 0 && wrong.code == 81)
    let text = String(decoding: try Files.read(box.eventsPath), as: UTF8.self)
    for secret in [Sandbox.pin, "wrong-one", String(derived.out.dropLast())] {
      #expect(!text.contains(secret))
    }
  }

  // MARK: Descriptors that do not serve

  @Test(arguments: [
    ("exec \"$@\" 8>&-", "is not open"), ("exec \"$@\" 8</dev/null", "not open for writing"),
  ])
  func `A descriptor that cannot be written is a usage error`(
    _ script: String, _ text: String
  ) async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["devices", "--events-fd", "8"], pin: .none, wrapper: ["sh", "-c", script, "sh"],
      expecting: nil)
    expectFailure(outcome, 64, says: "--events-fd", text)
  }

  @Test func `Standard output is for the result`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["devices", "--events-fd", "1"], pin: .none, expecting: nil)
    expectFailure(outcome, 64, says: "standard output is for the result")
  }

  /// Nobody reads: the reader is gone, its pipe is full, or the disk is.
  @Test(arguments: [
    "set -o pipefail; { \"$@\" 8>&1 >&3 | true; } 3>&1",
    "exec 8<>$0; head -c 65536 /dev/zero >&8; exec \"$@\"",
    "exec \"$@\" 8>/dev/full",
  ])
  func `A reader that does not read does not stop the work`(_ script: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let plain = try await box.keybackup(Sandbox.derive)
    let fifo = box.root + "/fifo"
    _ = try await box.run(["mkfifo", fifo], key: nil)
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--events-fd", "8"], wrapper: ["bash", "-c", script, fifo])
    #expect(outcome.out == plain.out && outcome.err == plain.err)
  }

  // MARK: Reminders

  @Test func `A touch that does not come is reminded of`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let touch = box.root + "/touch"
    let outcome = try await box.keybackup(
      Sandbox.derive, key: ["--touch", touch],
      terminal: [
        .expect("Touch Virtual Key now."),
        .expect("Still waiting for a touch on Virtual Key (52 s left). It may be blinking."),
        .write("", to: touch),
      ])
    #expect(outcome.stepsLeft.isEmpty)
    #expect(outcome.screen.count(of: "Still waiting") == 1)
    let atOnce = try await box.keybackup(Sandbox.derive, terminal: [])
    #expect(!atOnce.screen.contains("Still waiting"))
  }

  @Test func `A key that does not come is reminded of`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["credential", "create", "--wait", "60"], key: ["--no-key"],
      terminal: [.expect("Still waiting for a security key (52 s left)."), .interrupt],
      expecting: 130)
    #expect(outcome.screen.count(of: "Still waiting") == 1)
  }
}

extension [JSON] {
  /// An event, or null: a test that fails must not end the others.
  fileprivate func at(_ place: Int) -> JSON { indices.contains(place) ? self[place] : .null }
}

extension Sandbox {
  /// The events of all runs of `listening`.
  var eventsPath: String { root + "/events" }

  /// Runs the command with its events in a file.
  func listening(
    to arguments: [String], key: [String] = [], pin: PINGiven = .file,
    environment: [String: String] = [:], terminal: [TerminalStep]? = nil,
    meanwhile: [TerminalStep] = []
  ) async throws -> (Outcome, [JSON]) {
    let before = (try? Files.read(eventsPath).count) ?? 0
    let outcome = try await keybackup(
      arguments + ["--events-fd", "8"], key: key, pin: pin, environment: environment,
      wrapper: ["sh", "-c", "exec \"$@\" 8>>\"$0\"", eventsPath], terminal: terminal,
      meanwhile: meanwhile, expecting: nil)
    let lines = try Files.read(eventsPath).dropFirst(before).split(separator: 10)
    return (outcome, try lines.map { try JSON(Array($0)) })
  }

  /// The names of the events so far, each checked against the schema.
  func checkedNames() async throws -> [String] {
    let outcome = try await run(Python.script("interop/check_events.py") + [eventsPath], key: nil)
    outcome.expectSuccess()
    return outcome.out.split(separator: "\n").map(String.init)
  }
}

extension String {
  /// How often `text` occurs in it.
  func count(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}

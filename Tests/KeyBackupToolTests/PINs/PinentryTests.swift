import Testing

/// PINs from pinentry: Debian's own, and programs that break the protocol.
@Suite struct PinentryTests {
  @Test(arguments: ["pinentry-curses", "pinentry-tty"])
  func `Debian's pinentry asks for the PIN`(_ program: String) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none, environment: ["KEYBACKUP_PINENTRY": program],
        terminal: [
          .expect("8 tries left"), .expect("PIN:"), .unechoed, .type("wrong%one\r"),
          .expect("7 tries left"), .expect("PIN:"), .unechoed, .type(Sandbox.pin + "\r"),
        ])
      #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane, "\(outcome)")
      #expect(outcome.screen.contains("Wrong PIN."))
      #expect(!outcome.screen.contains(Sandbox.pin))
    }
    #expect(PINTests.tries(trace) == 2)
  }

  @Test func `Debians pinentry is interrupted`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive, pin: .none, environment: ["KEYBACKUP_PINENTRY": "pinentry-curses"],
      terminal: [.expect("8 tries left"), .unechoed, .interrupt], expecting: nil)
    #expect(outcome.code == 130, "\(outcome)")
    #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane)
  }

  @Test func `Pinentry is told what to show and its answer decoded`() async throws {
    let box = try Sandbox()
    let pin = "100%-n\u{e9}\u{e9}"
    let key = ["--pin", pin]
    try await box.keybackup(["credential", "create"], key: key, pin: .descriptor(pin))
    let pinentry = try box.program(
      "asker",
      """
      echo '# hello'; echo 'OK Pleased to meet you'
      while read -r line; do
        echo "$line" >>"$0.log"
        case $line in
          GETPIN) echo 'S STATUS'; echo 'D 100%25-'; printf 'D n%%C3%%A9\\303\\251\\nOK\\n' ;;
          OPTION*) echo 'ERR 83886254 Unknown option <Pinentry>' ;;
          *) echo OK ;;
        esac
      done
      """)
    let outcome = try await box.keybackup(
      Sandbox.derive, key: key, pin: .none,
      environment: ["KEYBACKUP_PINENTRY": pinentry, "LC_ALL": "C.UTF-8"], expecting: nil)
    #expect(outcome.code == 0, "\(outcome.text)")
    let log = String(decoding: try Files.read(pinentry + ".log"), as: UTF8.self)
    for line in [
      "OPTION ttyname=/dev/tty", "OPTION ttytype=xterm", "OPTION lc-ctype=C.UTF-8",
      "SETDESC PIN for Virtual Key%0A8 tries left", "SETPROMPT PIN:", "GETPIN",
    ] {
      #expect(log.contains(line + "\n"), "\(log)")
    }
  }

  @Test(arguments: [
    ("ERR 83886179 Operation cancelled <Pinentry>", 85, "cancelled"),
    ("ERR 83886142 Timeout <Pinentry>", 85, "in time"),
    ("ERR 83918950 Inappropriate ioctl <Pinentry>", 78, "Inappropriate ioctl"),
    ("ERR", 78, "ended unexpectedly"),
    ("OK", 65, "too short"),
    ("D wrong-one\nOK", 81, "not sent again"),
    (
      "D \(String(repeating: "x", count: 900))\nD \(String(repeating: "y", count: 900))\nOK", 65,
      "too long"
    ),
    ("D \(String(repeating: "x", count: 6000))\nOK", 78, "too long"),
  ])
  func `A pinentry that does not deliver`(
    _ answer: String, _ code: Int32, _ text: String
  ) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write(answer + "\n", to: box.root + "/answer")
    let pinentry = try box.program(
      "asker",
      """
      echo OK
      while read -r line; do
        case $line in
          GETPIN) cat '\(box.root)/answer'; [ "$(cat '\(box.root)/answer')" = ERR ] && exit ;;
          *) echo 'D surprise'; echo OK ;;
        esac
      done
      """)
    let outcome = try await box.keybackup(
      Sandbox.derive, pin: .none, environment: ["KEYBACKUP_PINENTRY": pinentry], expecting: nil)
    expectFailure(outcome, code, says: text)
  }
}

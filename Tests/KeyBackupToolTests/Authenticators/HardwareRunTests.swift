import Testing

/// `make hardware-test`, on a simulated key in place of a real one.
@Suite struct HardwareRunTests {
  private static let command = [Build.deviceSuite, "hardware"]
  /// The steps before the first behaviour.
  private static let begin: [TerminalStep] = [
    .expect("Type yes to begin: "), .type("yes\n"), .expect("(8 tries left): "),
    .type(Sandbox.pin + "\n"),
  ]

  /// A person who follows the instructions.
  ///
  /// The ninth instruction is not to touch; without the discoverable credential it is the eighth.
  private static let obedient = ["--set", "untouched=9"]

  /// The credentials stored on the sandbox's key.
  private func stored(_ box: Sandbox) async throws -> [JSON] {
    let outcome = try await box.keybackup(["credential", "list", "--json"])
    return try outcome.json()["credentials"].items
  }

  @Test func `It names what it does and leaves the key as it was`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let before = try await stored(box)
    var outcome: Outcome?
    let trace = try await box.traced {
      outcome = try await box.run(
        Self.command, key: Self.obedient, terminal: Self.begin)
    }
    let run = try #require(outcome)
    run.expectSuccess()
    #expect(run.stepsLeft.isEmpty && run.terminalIsSane)
    // Everything is named before the question.
    let announced = run.screen.split(separator: "Type yes").first ?? ""
    for text in [
      "/dev/hidraw0", "make 1 discoverable credential", "delete it", "8 touches", "8 tries",
    ] {
      #expect(announced.contains(text), "\(text) in \(announced)")
    }
    // It keeps its promise.
    #expect(trace.count { $0 == "TOUCH" } == 8, "\(trace)")
    #expect(!trace.contains { $0.contains("reset") || $0.contains("changePIN") })
    #expect(!trace.contains("STATUS 0x31"), "a wrong PIN was sent")
    #expect(try await stored(box) == before)
    // The report names these, and nothing that is private.
    for text in [
      "keybackup hardware report", "Virtual Key", "usb 1209:f1d0", "FIDO_2_1", "hmac-secret",
      "12 of 12 passed", "held before",
    ] {
      #expect(run.out.contains(text), "\(text) in \(run.out)")
    }
    #expect(run.out.contains(/libfido2 +1\.[0-9]+\.[0-9]+/))
    #expect(!run.out.contains("NOT PASSED") && !run.text.contains(Sandbox.pin))
    #expect(!run.text.contains(id) && !run.text.contains("CredentialID"))
  }

  @Test(arguments: ["no\n", "y\n", "YES\n", "\n", "\u{4}"])
  func `Without a typed yes nothing is done`(answer: String) async throws {
    let box = try Sandbox()
    let trace = try await box.traced {
      let outcome = try await box.run(
        Self.command, terminal: [.expect("Type yes to begin: "), .type(answer)])
      #expect(outcome.code == 85 && outcome.out.isEmpty, "\(outcome)")
      #expect(outcome.text.contains("Nothing was done"))
    }
    #expect(!trace.contains { $0.contains("makeCredential") || $0.contains("PinToken") })
  }

  @Test func `It never runs unattended`() async throws {
    let box = try Sandbox()
    let trace = try await box.traced {
      let outcome = try await box.run(
        Self.command, input: Array("yes\n\(Sandbox.pin)\n".utf8))
      #expect(outcome.code == 64 && outcome.err.contains("no terminal"), "\(outcome)")
    }
    #expect(trace.isEmpty)
  }

  @Test func `It does not guess between keys`() async throws {
    let box = try Sandbox()
    let keys = Self.obedient + ["--key", ",product=One", "--key", ",product=Two"]
    let outcome = try await box.run(Self.command, key: keys, terminal: [])
    #expect(outcome.code == 90, "\(outcome)")
    for text in ["/dev/hidraw0", "One", "/dev/hidraw1", "Two", "DEVICE="] {
      #expect(outcome.text.contains(text), "\(outcome.text)")
    }
    let named = try await box.run(
      Self.command + ["--device", "/dev/hidraw1"], key: keys, terminal: Self.begin)
    named.expectSuccess()
    #expect(named.out.contains("Two") && !named.out.contains("One"))
    let none = try await box.run(
      Self.command + ["--device", "/dev/hidraw7"], key: keys, terminal: [])
    #expect(none.code == 69, "\(none)")
  }

  @Test(
    arguments: [
      (["--no-key"], Int32(69), "No security key"),
      (["--set", "no-hmac-secret"], 86, "no hmac-secret"), (["no-pin"], 83, "pin set"),
      (["--set", "force-pin-change"], 81, "pin change"),
      (["--set", "pin-retries=2"], 82, "Only 2 PIN tries"),
      (["--unreadable"], 77, "udev"),
    ])
  func `A key that might suffer is refused`(key: [String], code: Int32, says: String) async throws {
    let outcome = try await Sandbox().run(Self.command, key: key, terminal: [])
    #expect(outcome.code == code && outcome.text.contains(says), "\(outcome)")
  }

  @Test func `A wrong PIN is sent once`() async throws {
    let box = try Sandbox()
    for key in [[], ["--set", "no-cred-mgmt"]] {
      let trace = try await box.traced {
        let outcome = try await box.run(
          Self.command, key: key,
          terminal: [
            .expect("Type yes to begin: "), .type("yes\n"), .expect("tries left): "),
            .type("wrong-one\n"),
          ])
        #expect(outcome.code == 1 && outcome.terminalIsSane, "\(outcome)")
        #expect(!outcome.screen.contains("wrong-one"))
      }
      #expect(PINTests.tries(trace) == 1, "\(trace)")
    }
  }

  @Test func `A card on a reader`() async throws {
    let box = try Sandbox()
    let outcome = try await box.run(Self.command, key: ["--bus", "pcsc"], terminal: Self.begin)
    outcome.expectSuccess()
    #expect(outcome.screen.contains("lie on the reader") && outcome.out.contains("nfc"))
    #expect(outcome.out.contains("11 of 11 passed"), "\(outcome)")
  }

  @Test func `A key that cannot delete stores nothing`() async throws {
    let box = try Sandbox()
    let outcome = try await box.run(
      Self.command, key: ["--set", "no-cred-mgmt", "--set", "untouched=8"],
      terminal: Self.begin)
    outcome.expectSuccess()
    #expect(outcome.out.contains("left out") && outcome.out.contains("could not delete"))
    #expect(!outcome.screen.contains("make 1 discoverable"))
    #expect(try await stored(box).isEmpty)
  }

  /// Wherever it is interrupted, the key is left as it was found.
  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
  func `Interrupted it deletes what it made`(signal: String, code: Int) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let before = try await stored(box)
    // The signal comes while the key waits for a touch, which the person does not give.
    for untouched in 2...4 {
      let script = """
        "$@" & child=$!
        until grep -q '^WAITING' "$TRACE"; do sleep 0.05; done
        kill -\(signal) $child
        wait $child
        """
      let trace = box.root + "/trace-\(untouched)"
      try Files.write("", to: trace)
      let outcome = try await box.run(
        ["env", "TRACE=" + trace, "sh", "-c", script, "sh"] + Self.command,
        key: ["--set", "untouched=\(untouched)", "--trace", trace], terminal: Self.begin)
      #expect(outcome.code == Int32(code), "\(outcome)")
      #expect(outcome.terminalIsSane)
      #expect(outcome.out.contains("held before"), "\(outcome)")
      #expect(try await stored(box) == before)
    }
  }

  @Test func `Interrupted at the prompt it does nothing`() async throws {
    let box = try Sandbox()
    for steps in [Array(Self.begin.prefix(1)), Array(Self.begin.prefix(3))] {
      let trace = try await box.traced {
        let outcome = try await box.run(
          Self.command, terminal: steps + [.pause(100), .interrupt])
        #expect(outcome.code == 130 && outcome.terminalIsSane, "\(outcome)")
      }
      #expect(!trace.contains { $0.contains("makeCredential") })
    }
  }

  @Test func `What an earlier run left is deleted`() async throws {
    let box = try Sandbox()
    let kept = try await box.makeCredential()
    _ = try await box.makeCredential(["--rp-id", "keybackup-device-suite:"])
    let outcome = try await box.run(
      Self.command, key: Self.obedient, terminal: Self.begin)
    outcome.expectSuccess()
    #expect(outcome.out.contains("earlier run"), "\(outcome)")
    #expect(try await stored(box).map { $0["credential_id"].text } == [kept])
  }

  /// The third listing fails: the credential exists, and its own test cannot delete it.
  @Test func `What a failed test made is deleted`() async throws {
    let box = try Sandbox()
    let fault = "error:credentialManagementPreview=0x7F@3"
    let outcome = try await box.run(
      Self.command, key: Self.obedient + ["--fault", fault], terminal: Self.begin)
    #expect(outcome.code == 1 && outcome.out.contains("11 of 12 passed"), "\(outcome)")
    #expect(outcome.out.contains("1 made by an interrupted test deleted"), "\(outcome)")
    #expect(try await stored(box).isEmpty)
  }

  @Test func `Unplugged it says that a credential may be left`() async throws {
    let box = try Sandbox()
    let outcome = try await box.run(
      Self.command, key: ["--fault", "unplug:getAssertion@2"], terminal: Self.begin)
    #expect(outcome.code == 1 && outcome.out.contains("NOT KNOWN"), "\(outcome)")
  }
}

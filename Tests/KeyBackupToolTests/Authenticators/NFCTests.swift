import Testing

/// Keys on NFC readers: a real pcscd with a virtual reader, and cards in Swift.
@Suite struct NFCTests {
  /// The main job, by an ordinary user, with answers in the smallest pieces.
  @Test(arguments: [
    Sandbox.onReader(), Sandbox.onReader("piece-size=16", "select=FIDO_2_0"),
    Sandbox.onReader("no-waiting", "touch=300"),
  ])
  func `The whole job on a reader`(key: [String]) async throws {
    let box = try Sandbox()
    let user = box.ordinaryUser
    let made = try await box.keybackup(["init", "--json"], key: key, wrapper: user)
    #expect(made.err.contains("Hold the key on Simulated Reader still"))
    #expect(!made.err.contains("Touch"))
    let entries = ["a", "b"].map { Samples.entry(id: $0, name: "Wallet \($0)") }
    try await box.keybackup(
      ["wallet", "import", "-"], key: key, input: Array(entries.joined(separator: "\n").utf8),
      wrapper: user)
    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/home/out", "--json"], key: key, wrapper: user
    ).json()
    #expect(restored["restored"].number == 2)
    // The same key, plugged in, opens the same backup. The PIN file has to be the caller's own.
    if isRoot { try await box.run(["chown", "0:0", box.pinFile], key: nil).expectSuccess() }
    let plugged = try await box.keybackup(
      ["restore", "--out", box.root + "/out", "--json"]
    ).json()
    #expect(plugged["restored"].number == 2)
    #expect(try Files.contents(box.root + "/home/out") == Files.contents(box.root + "/out"))
  }

  @Test func `The secret is the same as over USB`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let derive = Sandbox.derive + ["--credential", id]
    let plugged = try await box.keybackup(derive)
    for settings in [[], ["piece-size=9"], ["select=FIDO_2_0"], ["pin-protocols=1"]] {
      let key = Sandbox.onReader() + settings.flatMap { ["--set", $0] }
      #expect(try await box.keybackup(derive, key: key).out == plugged.out, "\(settings)")
    }
  }

  @Test func `Python FIDO 2 gets the same secret from the reader`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential(key: Sandbox.onReader())
    let ours = try await box.keybackup(
      Sandbox.derive + ["--credential", id], key: Sandbox.onReader())
    let credential = bytes(base64: id)
    let theirs = try await box.pythonFIDO2(
      rpID: "keybackup-derive:", credential: credential,
      salts: [[UInt8](repeating: 7, count: 32)], key: Sandbox.onReader("piece-size=100"),
      reader: "Simulated Reader")
    #expect(theirs == [String(ours.out.dropLast())])
  }

  /// One SELECT to find the key and one to open it; then as over USB.
  @Test func `Derive costs no more commands than over USB`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let derive = Sandbox.derive + ["--credential", id]
    let asked = try await box.traced { try await box.keybackup(derive, key: Sandbox.onReader()) }
    let plugged = try await box.traced { try await box.keybackup(derive) }
    #expect(asked.count { $0 == "SELECT" } == 2)
    #expect(
      asked.filter { $0.hasPrefix("CBOR") }.map { $0.dropFirst(10) } == [
        "getInfo", "getAssertion up=false", "clientPIN getPINRetries",
        "clientPIN getKeyAgreement", "clientPIN getTokenUsingPIN", "getAssertion",
      ])
    #expect(asked.filter { $0.hasPrefix("CBOR") } == plugged.filter { $0.hasPrefix("CBOR") })
  }

  // MARK: Which it is

  @Test func `Devices tells what the readers hold`() async throws {
    let box = try Sandbox()
    let json = try await box.keybackup(["devices", "--json"], key: Sandbox.onReader(), pin: .none)
      .json()
    #expect(json["pcscd"].text == "running")
    #expect(json["devices"][0]["path"].text == Sandbox.reader)
    #expect(json["devices"][0]["transport"].text == "nfc")
    #expect(json["devices"][0]["pin_retries"].number == 8)
    #expect(
      json["readers"].items.map { $0["state"].text } == ["authenticator", "no-card"])
    let text = try await box.keybackup(["devices"], key: Sandbox.onReader(), pin: .none)
    #expect(text.out.contains("Simulated Reader 00 01: no card"))
  }

  @Test func `Devices tells a card without FIDO beside a key`() async throws {
    let box = try Sandbox()
    let keys = ["--key", box.keyState, "--key", box.root + "/card.json,bus=pcsc,no-fido"]
    let json = try await box.keybackup(["devices", "--json"], key: keys, pin: .none).json()
    #expect(json["devices"].items.map { $0["transport"].text } == ["usb"])
    #expect(json["readers"][0]["state"].text == "no-fido")
    let none = try await box.keybackup(["devices", "--json"], pin: .none).json()
    #expect(none["pcscd"].text == "not-running" && none["readers"].items.isEmpty)
  }

  @Test func `No key says what is on the readers`() async throws {
    let box = try Sandbox()
    let empty = try await box.keybackup(
      Sandbox.derive, key: ["--bus", "pcsc", "--no-key"], expecting: nil)
    expectFailure(empty, 69, says: "no security key found", "hold one on the reader")
    let other = try await box.keybackup(
      Sandbox.derive, key: Sandbox.onReader("no-fido"), expecting: nil)
    expectFailure(other, 69, says: "no security key found", "is no security key")
    let named = try await box.keybackup(
      Sandbox.derive + ["--device", Sandbox.reader], key: Sandbox.onReader("no-fido"),
      expecting: nil)
    expectFailure(named, 86, says: "is no FIDO2 security key")
    let elsewhere = try await box.keybackup(
      Sandbox.derive + ["--device", "reader:Another 00 00"], key: Sandbox.onReader(),
      expecting: nil)
    expectFailure(elsewhere, 69, says: "reader:Another 00 00")
    let nothing = try await box.keybackup(Sandbox.derive, key: ["--no-key"], expecting: nil)
    expectFailure(nothing, 69, says: "no security key found")
    #expect(!nothing.err.contains("Insert"), "it waited: \(nothing.err)")
  }

  @Test(arguments: ["--exclusive", "--transaction"])
  func `A card in another programs hands is busy`(slot: String) async throws {
    let box = try Sandbox()
    let holder = Python.script("interop/hold_card.py") + [slot, "--"]
    let named = try await box.keybackup(
      Sandbox.derive + ["--device", Sandbox.reader], key: Sandbox.onReader(), wrapper: holder,
      expecting: nil)
    expectFailure(named, 75, says: "another program is using", "gpgconf --kill scdaemon")
    let any = try await box.keybackup(
      Sandbox.derive, key: Sandbox.onReader(), wrapper: holder, expecting: nil)
    expectFailure(any, 69, says: "another program has the card", "gpgconf --kill scdaemon")
    for outcome in [named, any] { #expect(!outcome.err.contains("Waiting:"), "\(outcome.err)") }
  }

  /// pcscd refuses a user whom polkit refuses; a broken pcscd does not answer.
  @Test(arguments: [
    ("refusing", "refuses you", "refused"), ("silent", "does not answer", "no-answer"),
  ])
  func `A service that is no help`(manner: String, text: String, word: String) async throws {
    let box = try Sandbox()
    let service = Python.script("interop/fake_pcscd.py") + [manner, "--"]
    let none = try await box.keybackup(
      Sandbox.derive, key: ["--no-key"], wrapper: service, expecting: nil)
    expectFailure(none, 69, says: "no security key found", text)
    // A key that is plugged in is not affected.
    let id = try await box.makeCredential()
    try await box.keybackup(Sandbox.derive + ["--credential", id], wrapper: service)
    let json = try await box.keybackup(["devices", "--json"], pin: .none, wrapper: service).json()
    #expect(json["devices"].items.count == 1 && json["pcscd"].text == word)
  }

  // MARK: Pulled away

  @Test(arguments: ["getInfo", "getAssertion@1", "clientPIN@1", "clientPIN@3", "getAssertion@2"])
  func `A card pulled away is said at once`(command: String) async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let key = Sandbox.onReader() + ["--fault", "unplug:" + command]
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id, "--json"], key: key, expecting: nil)
    try expectFailure(outcome, 91, word: "authenticator-lost")
    #expect(outcome.out.contains("taken off the reader") && outcome.out.contains("hold it still"))
  }

  /// The card may be taken away at any step before the PIN is sent.
  @Test(arguments: 0..<5)
  func `Put back it goes on`(commands: Int) async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let plugged = try await box.keybackup(Sandbox.derive + ["--credential", id])
    let key = Sandbox.onReader("pull-after-apdus=\(commands)", "return-after-ms=700")
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id, "--wait", "3600"], key: key)
    #expect(outcome.out == plugged.out)
    // Without the credential's ID, too, the key is opened again.
    let any = try await box.keybackup(Sandbox.derive + ["--wait", "3600"], key: key)
    #expect(any.out == plugged.out)
  }

  @Test func `A PIN is not sent twice to a card that was pulled away`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let key = Sandbox.onReader("return-after-ms=500") + ["--fault", "unplug:getAssertion@2"]
    let asked = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive + ["--credential", id, "--wait", "3600"], key: key, expecting: nil)
      expectFailure(outcome, 91, says: "taken off the reader")
    }
    #expect(asked.count { $0.hasSuffix("getTokenUsingPIN") } == 1)
  }

  /// A user takes the key away to type.
  @Test func `Taken away while the PIN is typed`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let (away, back) = (box.root + "/away", box.root + "/back")
    let key = Sandbox.onReader("unplug-after-ms=\(away)", "return-after-ms=\(back)")
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id, "--reveal"], key: key, pin: .none,
      terminal: [
        .expect("tries left): "), .write("", to: away), .find("UNPLUGGED", in: box.tracePath),
        .type(Sandbox.pin + "\n"), .expect("Put it back and hold it still."),
        .write("", to: back), .expect("Hold the key on"),
      ], secrets: true)
    #expect(outcome.stepsLeft.isEmpty, "\(outcome.text)")
  }

  // MARK: Several, waiting, stopping

  /// A key is never chosen only because it lies on a reader.
  @Test func `A key on a reader is not chosen by lying there`() async throws {
    let box = try Sandbox()
    let touch = box.root + "/touch"
    let keys = [
      "--key", box.root + "/usb.json,touch=\(touch)",
      "--key", box.root + "/card.json,bus=pcsc",
    ]
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        ["credential", "create"], key: keys,
        terminal: [.expect("Touch the one"), .write("", to: touch)])
      #expect(outcome.screen.contains("--device 'reader:"), "\(outcome.screen)")
    }
    #expect(trace.contains { $0.hasSuffix("makeCredential") })
    let card = try? Files.text(box.root + "/card.json")
    #expect(card?.contains("credRandomWithUV") != true)
  }

  @Test func `A key plugged in and one on a reader`() async throws {
    let box = try Sandbox()
    let usb = ["--key", box.root + "/usb.json,pin=\(Sandbox.pin)"]
    let card = ["--key", box.root + "/card.json,bus=pcsc,pin=\(Sandbox.pin)"]
    let onUSB = try await box.makeCredential(key: usb)
    let onCard = try await box.makeCredential(key: card)
    for (id, selects) in [(onUSB, false), (onCard, true)] {
      let asked = try await box.traced {
        try await box.keybackup(Sandbox.derive + ["--credential", id], key: usb + card)
      }
      // A card is not touched while a plugged-in key is sufficient.
      #expect(asked.contains { $0.hasSuffix("SELECT") } == selects, "\(asked)")
    }
    let json = try await box.keybackup(["devices", "--json"], key: usb + card, pin: .none).json()
    #expect(json["devices"].items.map { $0["transport"].text } == ["usb", "nfc"])
  }

  @Test func `Waits for a card to be put on the reader`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let plugged = box.root + "/plugged"
    let key = Sandbox.onReader() + ["--plug-after-ms", plugged]
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--credential", id, "--wait", "3600"], key: key,
      meanwhile: [.expect("Insert your security key"), .write("", to: plugged)])
    #expect(outcome.stepsLeft.isEmpty)
    let late = try await box.keybackup(
      Sandbox.derive + ["--wait", "1"], key: ["--bus", "pcsc", "--no-key"], expecting: nil)
    #expect(late.code == 69 && late.seconds > 0.9, "\(late)")
  }

  @Test(arguments: [Sandbox.onReader("touch=never"), Sandbox.onReader("touch=never", "no-waiting")])
  func `A card that wants a touch that never comes`(key: [String]) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--timeout", "1"], key: key, expecting: nil)
    expectFailure(outcome, 84, says: "was not touched in time")
    let interrupted = try await box.keybackup(
      Sandbox.derive + ["--reveal"], key: key,
      terminal: [.expect("Hold the key on"), .pause(300), .interrupt], expecting: nil)
    #expect(interrupted.code == 130, "\(interrupted.text)")
  }
}

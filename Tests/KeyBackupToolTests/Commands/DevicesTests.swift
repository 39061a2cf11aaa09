import Testing

@Suite struct DevicesTests {
  /// Tests the harness itself: a program of Debian's sees the simulated key.
  @Test func `Other programs see the simulated key`() async throws {
    let box = try Sandbox()
    let seen = try await box.run(["fido2-token", "-L"])
    #expect(seen.code == 0, "\(seen.text)")
    #expect(seen.out.contains("/dev/hidraw0"))
  }

  @Test func `Tells what a key can do`() async throws {
    let box = try Sandbox()
    let json = try await box.keybackup(["devices", "--json"], pin: .none).json()
    let device = json["devices"][0]
    #expect(json["devices"].items.count == 1)
    #expect(device["path"].text == "/dev/hidraw0")
    #expect(device["product"].text == "Virtual Key")
    #expect(device["transport"].text == "usb")
    #expect(device["aaguid"].text == "76697274-7561-6c6b-6579-203230323621")
    #expect(device["versions"].items.contains(.string("FIDO_2_1")))
    #expect(device["hmac_secret"].flag == true)
    #expect(device["pin_set"].flag == true)
    #expect(device["pin_retries"].number == 8)
    #expect(device["uv"].flag == false)
    let text = try await box.keybackup(["devices"], pin: .none)
    #expect(text.out.contains("/dev/hidraw0") && text.out.contains("8 tries left"))
  }

  @Test func `A key at another path is not asked to be plugged in`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["devices", "--device", "/dev/hidraw7"], pin: .none, expecting: nil)
    expectFailure(outcome, 69, says: "/dev/hidraw7", "keybackup devices")
  }

  @Test func `Tells two keys apart`() async throws {
    let box = try Sandbox()
    let keys = ["--key", box.root + "/a.json,product=Alpha,no-hmac-secret"]
    let json = try await box.keybackup(
      ["devices", "--json"], key: keys + ["--key", box.root + "/b.json,product=Beta"], pin: .none
    ).json()
    let products = json["devices"].items.map { $0["product"].text }
    #expect(products.sorted { ($0 ?? "") < ($1 ?? "") } == ["Alpha", "Beta"])
    for device in json["devices"].items {
      #expect(device["hmac_secret"].flag == (device["product"].text == "Beta"))
    }
  }

  @Test func `No key is an error`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(
      ["devices"], key: ["--no-key"], pin: .none, expecting: nil)
    expectFailure(outcome, 69, says: "no security key found", "plug one in")
  }

  @Test func `A node that may not be opened is said to be`() async throws {
    let box = try Sandbox()
    let outcome = try await box.keybackup(Sandbox.derive, key: ["--unreadable"], expecting: nil)
    expectFailure(outcome, 77, says: "may not open", "udev")
    let json = try await box.keybackup(
      Sandbox.derive + ["--json"], key: ["--unreadable"], expecting: nil)
    try expectFailure(json, 77, word: "permission-denied")
  }

  @Test func `Waits for a key to be plugged in`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--wait", "3600"], key: ["--plug-after-ms", box.root + "/plugged"],
      meanwhile: [.expect("Insert your security key"), .write("", to: box.root + "/plugged")])
    #expect(outcome.stepsLeft.isEmpty)
    #expect(outcome.out.count == 65)
    let late = try await box.keybackup(
      Sandbox.derive + ["--wait", "1"], key: ["--no-key"], expecting: nil)
    #expect(late.code == 69 && late.seconds > 0.9, "\(late)")
  }
}

import Foundation
import Testing

/// Keys that come, go and are shared, under a real kernel and udev.
@Suite struct KeyTests {
  static let buses = ["uhid", "gadget"]

  private func step(_ bus: String, _ name: String) async throws -> Step {
    try await Scenario.keys.step("\(bus)-\(name)")
  }

  /// The output of the bus's key for the scenario's salt: 64 hexadecimal digits.
  private func output(_ bus: String) async throws -> String {
    let step = try await step(bus, "derive")
    try #require(step.code == 0, "\(step.text)")
    try #require(step.out.count == 65)
    return step.out
  }

  @Test(arguments: buses)
  func `Debian's fido2-assert gives the same output`(bus: String) async throws {
    let created = try await step(bus, "create")
    #expect(created.code == 0, "\(created.text)")
    let theirs = try await step(bus, "fido2-assert")
    #expect(theirs.code == 0, "\(theirs.text)")
    #expect(theirs.out == (try await output(bus)))
  }

  @Test(arguments: buses)
  func `Debian's fido2-token sees the same key`(bus: String) async throws {
    let step = try await step(bus, "fido2-token")
    #expect(step.out.hasPrefix("/dev/hidraw0: vendor=0x1209, product=0xf1d0"), "\(step.text)")
  }

  private struct Devices: Decodable {
    struct Device: Decodable {
      let path: String
      let manufacturer: String
      let product: String
      let transport: String
    }
    let devices: [Device]
  }

  @Test(arguments: buses)
  func `Two keys are listed`(bus: String) async throws {
    let step = try await step(bus, "two")
    #expect(step.code == 0, "\(step.text)")
    let devices = try JSONDecoder().decode(Devices.self, from: Data(step.out.utf8)).devices
    #expect(Set(devices.map(\.path)) == ["/dev/hidraw0", "/dev/hidraw1"])
    #expect(devices.allSatisfy { $0.transport == "usb" })
  }

  /// The names that the USB device gives, as the kernel passes them on.
  @Test func `Keys on a USB bus are listed with their names`() async throws {
    let step = try await step("gadget", "two")
    let devices = try JSONDecoder().decode(Devices.self, from: Data(step.out.utf8)).devices
    let products = devices.sorted { $0.path < $1.path }
      .map { "\($0.manufacturer): \($0.product)" }
    #expect(products == ["Beta Ltd: Key Two", "Alpha Works: Key One"])
    let token = try await self.step("gadget", "fido2-token")
    #expect(token.out.contains("(Alpha Works Key One)"))
  }

  /// The key that holds the credential is second in the list.
  @Test(arguments: buses)
  func `Of two keys the right one is used`(bus: String) async throws {
    let step = try await step(bus, "two-derive")
    #expect(step.code == 0, "\(step.text)")
    #expect(step.out == (try await output(bus)))
  }

  @Test(arguments: buses)
  func `A key plugged in while waiting is used`(bus: String) async throws {
    let step = try await step(bus, "wait")
    #expect(step.code == 0, "\(step.text)")
    #expect(step.out == (try await output(bus)))
    #expect(step.err.contains("Insert"), "it was there too early: \(step.text)")
  }

  @Test(arguments: buses)
  func `A key pulled out while it waits for a touch ends it at once`(bus: String) async throws {
    let step = try await step(bus, "unplug")
    #expect(step.code == 91, "\(step.text)")
    #expect(step.out.isEmpty)
    #expect(step.err.contains("unplugged"), "\(step.text)")
  }

  /// libfido2 locks the node (flock).
  ///
  /// The second process waits its turn, or says that the key is in use; it never disturbs the
  /// first.
  @Test(arguments: buses)
  func `Two processes on one key do not disturb each other`(bus: String) async throws {
    let expected = try await output(bus)
    let first = try await step(bus, "first")
    #expect(first.code == 0, "\(first.text)")
    #expect(first.out == expected)
    let second = try await step(bus, "second")
    if second.code == 0 {
      #expect(second.out == expected)
    } else {
      #expect(second.code == 75, "\(second.text)")
      #expect(second.err.contains("another program"), "\(second.text)")
    }
    let after = try await step(bus, "after")
    #expect(after.out == expected, "\(after.text)")
  }
}

/// The computer goes to sleep and wakes up during the wait for a touch.
@Suite struct SuspendTests {
  @Test func `A command survives a computer that stops all programs and goes on`() async throws {
    let bus = "uhid"
    let before = try await Scenario.suspend.step("\(bus)-before")
    #expect(before.code == 0, "\(before.text)")
    let asleep = try await Scenario.suspend.step("\(bus)-asleep")
    #expect(asleep.out == "woke up\n", "it did not sleep: \(asleep.text)")
    let across = try await Scenario.suspend.step("\(bus)-across")
    #expect(across.code == 0, "\(across.text)")
    #expect(across.out == before.out)
    let after = try await Scenario.suspend.step("\(bus)-after")
    #expect(after.out == before.out, "\(after.text)")
  }
}

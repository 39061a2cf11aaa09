import Foundation
import Testing

/// Tests who may use a key under a real kernel and udev.
@Suite struct PermissionTests {
  /// Each by itself, Debian's rules and ours recognise a key and give it to the logged-in user.
  @Test(arguments: ["debian", "own"])
  func `udev recognises a security key`(rules: String) async throws {
    let step = try await Scenario.permissions.step("\(rules)-udev")
    #expect(step.code == 0, "\(step.text)")
    #expect(step.properties["ID_FIDO_TOKEN"] == "1")
    let tags = step.properties["TAGS"]?.split(separator: ":") ?? []
    #expect(tags.contains("uaccess"), "\(step.text)")
  }

  @Test func `Our rule gives the key to the group plugdev and nobody else`() async throws {
    let step = try await Scenario.permissions.step("own-udev")
    #expect(step.properties["MODE"] == "660:plugdev")
    let outsider = try await Scenario.permissions.step("own-outsider")
    #expect(outsider.code == 77, "\(outsider.text)")
  }

  /// Proves the scenario itself: without rules, none of what is tested above exists.
  @Test func `Without a rule a key is root's`() async throws {
    let step = try await Scenario.permissions.step("none-udev")
    #expect(step.properties["ID_FIDO_TOKEN"] == nil && step.properties["TAGS"] == nil)
    #expect(step.properties["MODE"] == "600:root")
  }

  @Test(arguments: ["none-derive", "own-outsider"])
  func `Who may not open the key reads which rule to add`(name: String) async throws {
    let step = try await Scenario.permissions.step(name)
    #expect(step.code == 77, "\(step.text)")
    #expect(step.out.isEmpty)
    #expect(step.err.contains("/dev/hidraw0"))
    #expect(step.err.contains("70-keybackup.rules, then replug"))
  }

  @Test func `doctor says it to the letter, and it helps`() async throws {
    let step = try await Scenario.permissions.step("none-follow-doctor")
    #expect(step.out.contains("/dev/hidraw0"), "\(step.text)")
    #expect(step.out.contains("\nrules: 2\n"), "\(step.text)")
    #expect(step.code == 0, "\(step.text)")
  }

  @Test func `devices shows a key that may not be opened`() async throws {
    let step = try await Scenario.permissions.step("none-devices")
    #expect((step.out + step.err).contains("/dev/hidraw0"), "\(step.text)")
    #expect((step.out + step.err).contains("70-keybackup.rules"), "\(step.text)")
  }

  @Test func `An unprivileged user enrols, backs up, restores and derives`() async throws {
    let step = try await Scenario.permissions.step("own-main-job")
    #expect(step.code == 0, "\(step.text)")
    let lines = step.out.split(separator: "\n")
    #expect(lines.first == "4242")
    #expect(step.out.contains(#""restored":1"#), "\(step.text)")
    #expect(step.out.contains("abandon abandon abandon"), "\(step.text)")
    let usb = try await Scenario.permissions.step("own-main-job-usb")
    #expect(usb.code == 0, "\(usb.text)")
    // The same key on another bus gives the same output.
    #expect(lines.last.map { $0 + "\n" } == usb.out)
    #expect(usb.out.count == 65)
  }
}

import Testing

@testable import CommandKit
@testable import FileCommands
@testable import all_commands

/// The systemd units of the watcher, by systemd's own check.
@Suite struct UnitFileTests {
  private static let units = [
    (
      path: "systemd/keybackup-watch@.service", name: "keybackup-watch@tmp-file.service", user: true
    ),
    (
      path: "systemd/examples/keybackup-watch-lnd.service", name: "keybackup-watch-lnd.service",
      user: false
    ),
  ]

  @Test(arguments: [0, 1])
  func `systemd has nothing to say against a unit`(_ number: Int) async throws {
    let unit = Self.units[number]
    let box = try Sandbox()
    let text = try Files.text(Build.root + "/" + unit.path)
    let copy = box.root + "/" + unit.name
    try Files.write(text.replacing("/usr/bin/keybackup", with: Build.keybackup), to: copy)
    let command =
      ["systemd-analyze", "verify", "--man=no"] + (unit.user ? ["--user"] : []) + [copy]
    let run = try await box.run(command, key: nil, environment: ["XDG_RUNTIME_DIR": box.root])
    #expect(run.code == 0 && run.text.isEmpty, "\(run.text)")
    // It only warns of a word that it does not know.
    try Files.write(text.replacing("WatchdogSec=", with: "WatchdogSecs="), to: copy)
    let wrong = try await box.run(command, key: nil, environment: ["XDG_RUNTIME_DIR": box.root])
    #expect(wrong.text.contains("WatchdogSecs"), "\(wrong.text)")
  }

  @Test(arguments: [0, 1])
  func `A unit runs a command line that the program takes, and asks nobody`(_ number: Int) throws {
    let text = try Files.text(Build.root + "/" + Self.units[number].path)
    let line = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("ExecStart=/usr/bin/keybackup ") })
    let arguments = line.split(separator: " ").dropFirst().map(String.init)
    let command = try #require(AllCommands.parseLeaf(arguments) as? FileWatchCommand, "\(line)")
    #expect(command.paths.count == 1 && command.common.noInput)
    // Its code when it is asked to end is no failure, and the watchdog gets its signs of life.
    #expect(text.contains("SuccessExitStatus=\(ExitReason.interrupted.rawValue)\n"))
    #expect(text.contains("\nType=notify\n") && text.contains("\nWatchdogSec="))
    for line in ["NoNewPrivileges=yes", "PrivateNetwork=yes", "ProtectSystem=strict"] {
      #expect(text.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test func `Both ways to install bring the units, and enable nothing`() throws {
    let install = try Files.text(Build.root + "/debian/keybackup.install")
    let makefile = try Files.text(Build.root + "/Makefile")
    for unit in Self.units {
      #expect(install.contains(unit.path + " ") && makefile.contains(unit.path))
    }
    #expect(
      try Files.text(Build.root + "/debian/rules").contains("override_dh_installsystemduser:\n"))
    #expect(!makefile.contains("systemctl"))
  }
}

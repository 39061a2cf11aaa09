import Foundation
import TestSupport
import Testing

/// What comes with the program: systemd's unit, by systemd's own checks, and the manual page.
@Suite("The guard's unit and its manual page")
struct GuardUnitTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  /// A copy whose program is the built one.
  private func copy(_ change: (String) -> String = { $0 }) throws -> (TestFolder, String) {
    let folder = try TestFolder()
    let path = folder.path + "/keybackup-guard.service"
    let unit = try text("systemd/keybackup-guard.service")
      .replacing("/usr/bin/keybackup-guard", with: ServedGuard.program)
    try Data(change(unit).utf8).write(to: URL(filePath: path))
    return (folder, path)
  }

  @Test func `systemd has nothing to say against the unit`() throws {
    let (folder, path) = try copy()
    let run = try FinishedProgram(["/usr/bin/systemd-analyze", "verify", "--man=no", path])
    #expect(run.code == 0 && run.output.isEmpty, "\(run.output)")
    let (other, wrong) = try copy { $0.replacing("WatchdogSec=", with: "WatchdogSecs=") }
    let said = try FinishedProgram(["/usr/bin/systemd-analyze", "verify", "--man=no", wrong])
    #expect(said.output.contains("WatchdogSecs"))
    withExtendedLifetime((folder, other)) {}
  }

  @Test func `systemd rates its exposure at 1_5 or less`() throws {
    let (folder, path) = try copy()
    let analyze = ["/usr/bin/systemd-analyze", "security", "--offline=true", "--no-pager"]
    // In tenths, of 100.
    let run = try FinishedProgram(analyze + ["--threshold=15", path])
    #expect(run.code == 0, "\(run.output.suffix(200))")
    let (other, weak) = try copy { $0.replacing("SystemCallFilter=", with: "#") }
    #expect(try FinishedProgram(analyze + ["--threshold=15", weak]).code != 0)
    withExtendedLifetime((folder, other)) {}
  }

  /// A start with a clock that is ahead gives tries early, and nothing notices it.
  @Test func `The unit starts after the clock was set`() throws {
    let lines = try text("systemd/keybackup-guard.service").split(separator: "\n")
    for field in ["After=", "Wants="] {
      let line = try #require(lines.first { $0.hasPrefix(field) })
      #expect(line.contains("time-sync.target"), "\(line)")
    }
    let page = try text("docs/run-a-guard.md")
    #expect(page.contains("systemd-time-wait-sync"))
  }

  @Test func `A reverse proxy can reach a socket in the unit's folder`() throws {
    let unit = try text("systemd/keybackup-guard.service")
    #expect(unit.contains("\nRuntimeDirectory=keybackup-guard\nRuntimeDirectoryMode=0755\n"))
    let page = try text("docs/run-a-guard.md")
    #expect(page.contains("--listen unix:/run/keybackup-guard/socket --proxy unix"))
  }

  @Test func `Both ways to install bring the unit, and start nothing`() throws {
    #expect(try text("debian/keybackup-guard.install").contains("systemd/keybackup-guard.service "))
    #expect(try text("debian/rules").contains("--package=keybackup-guard --no-enable --no-start"))
    let makefile = try text("Makefile")
    #expect(makefile.contains("systemd/keybackup-guard.service >"))
    #expect(!makefile.contains("systemctl"))
  }

  @Test(arguments: ["serve", "invite", "export", "import", "clock", "ask"])
  func `The manual page has every option of`(_ command: String) throws {
    let page = try text("debian/keybackup-guard.8").replacing("\\-", with: "-")
    let help = try FinishedProgram([ServedGuard.program, command, "--help"])
    #expect(help.code == 0)
    let options = Set(
      help.output.matches(of: #/\n  (--[a-z][a-z-]+)/#).map { String($0.output.1) })
    #expect(!options.isEmpty)
    for option in options.subtracting(["--help", "--version"]) {
      #expect(page.contains(option), "\(option)")
    }
  }
}

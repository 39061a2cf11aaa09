import Testing

@testable import CommandKit

/// Tests how the process may be started, and what may happen to it from outside.
@Suite struct SurroundingsTests {
  /// A shell line that becomes the command.
  private static func started(_ line: String) -> [String] { ["sh", "-c", line, "sh"] }

  /// A file that got the number of a closed stream would be overwritten.
  @Test func `A closed stream is no other file`() async throws {
    let backup = try await PreparedBackup()
    // A file that gets the number 1 is not the one that the caller meant.
    let outcome = try await backup.box.keybackup(
      ["wallet", "list", "--pin-fd", "1"], pin: .none,
      wrapper: Self.started(#"exec "$@" >&-"#), expecting: nil)
    #expect(
      outcome.code == 64 && outcome.err.contains("names is not open"), "\(outcome.err)")
    let unsaid = try await backup.box.keybackup(
      ["wallet", "show", PreparedBackup.ids[0]],
      wrapper: Self.started(#"exec "$@" >&-"#), expecting: nil)
    #expect(unsaid.code == 74, "\(unsaid.text)")
    // One at a time: the simulation opens a socket beside every device, which would get the other's
    // number.
    for closed in ["<&-", "2>&-"] {
      try await backup.box.keybackup(
        ["wallet", "list"], wrapper: Self.started(#"exec "$@" \#(closed)"#))
    }
  }

  @Test func `Of a folder to be made directly below the root, the root is asked`() {
    do throws(UserMessage) {
      try FileCheck.requireWritable(future: "/keybackup-absent/state")
      #expect(isRoot)
    } catch {
      #expect(!isRoot && error.message.hasPrefix("/ cannot be written"), "\(error)")
    }
  }

  /// libdispatch would report there that a person may not raise a thread's priority.
  @Test func `Nothing is written to the system's log`() async throws {
    let backup = try await PreparedBackup()
    let log = backup.box.root + "/calls"
    // Root may raise it, unless it is root of a user namespace only.
    let rights = isRoot ? ["unshare", "--user", "--map-root-user"] : []
    try await backup.box.keybackup(
      ["wallet", "list"], wrapper: rights + Tracing.wrapper(log: log, ["-e", "trace=connect"]))
    let calls = try Files.text(log)
    #expect(calls.contains("umockdev") && !calls.contains("/dev/log"), "\(calls)")
  }

  /// As under nohup.
  @Test func `A signal that was to be ignored is`() async throws {
    let backup = try await PreparedBackup()
    let touch = backup.box.root + "/touch"
    try await backup.box.keybackup(
      ["wallet", "list"], key: ["--touch", touch],
      wrapper: Self.started(
        """
        trap '' HUP; (until grep -q WAITING '\(backup.box.tracePath)'; do sleep 0.02; done
          kill -HUP $$; : >'\(touch)') & exec "$@"
        """))
  }

  @Test func `The terminals quit key leaves it sane`() async throws {
    let backup = try await PreparedBackup()
    let outcome = try await backup.box.keybackup(
      ["wallet", "list"], pin: .none,
      terminal: [.expect("left): "), .pause(100), .type("\u{1C}")], expecting: 130)
    #expect(outcome.terminalIsSane)
  }

  /// A shell would get the terminal without echo.
  @Test func `A hidden prompt is not suspended`() async throws {
    let backup = try await PreparedBackup()
    let outcome = try await backup.box.keybackup(
      ["wallet", "list"], pin: .none,
      terminal: [.expect("left): "), .type("\u{1A}"), .pause(300), .interrupt],
      expecting: 130)
    #expect(outcome.terminalIsSane)
  }

  /// Reading blocks, and the signal comes to another thread.
  @Test func `Interrupted while an input is typed`() async throws {
    let backup = try await PreparedBackup()
    try await backup.box.keybackup(
      ["wallet", "import", "-"],
      terminal: [.type("{"), .pause(700), .interrupt], expecting: 130)
  }

  @Test func `Interrupted while nobody writes to AFIFO`() async throws {
    let backup = try await PreparedBackup()
    let fifo = backup.box.root + "/fifo"
    try await backup.box.run(["mkfifo", fifo], key: nil).expectSuccess()
    for arguments in [["wallet", "import", fifo], ["wallet", "list", "--pin-file", fifo]] {
      try await backup.box.keybackup(
        arguments, pin: .none, terminal: [.pause(900), .interrupt], expecting: 130)
    }
  }
}

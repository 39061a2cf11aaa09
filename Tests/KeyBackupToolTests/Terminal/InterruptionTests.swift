import TestSupport
import Testing

/// Ends, stops or kills the command while the key waits for its touch.
///
/// The key must be free for the next run, and nothing may be left behind.
@Suite struct InterruptionTests {
  /// Runs the command in the background of a script, in view of one key.
  ///
  /// The script has it as "$@" and waits for its touch prompt with `touched`.
  private func script(
    _ lines: String, key: [String], _ options: [String] = []
  ) async throws -> (Sandbox, Outcome) {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let prelude = """
      touched() { until grep -q Touch "$1"; do sleep 0.02; done; }

      """
    let outcome = try await box.run(
      ["sh", "-c", prelude + lines, "sh", Build.keybackup] + Sandbox.derive
        + ["--pin-file", box.pinFile] + options,
      key: key, environment: ["box": box.root])
    #expect(!outcome.timedOut)
    return (box, outcome)
  }

  /// The key is usable at once after every end except a kill.
  @Test(arguments: ["TERM", "HUP"])
  func `The next run finds the key free`(_ signal: String) async throws {
    let (box, outcome) = try await script(
      """
      "$@" >/dev/null 2>"$box/one" & job=$!; touched "$box/one"; sleep 0.2
      kill -\(signal) $job; wait $job; echo "one $?"; "$@" >"$box/two" 2>&1; echo "two $?"
      """, key: ["--touch", "700"])
    #expect(outcome.out == "one 130\ntwo 0\n", "\(outcome.text)")
    #expect(box.trace.contains("CANCEL"))
  }

  /// Kills the command outright: the key still blinks.
  ///
  /// The next run reports that at once, or waits for its end if there is time.
  @Test func `Killed while the key blinks`() async throws {
    let (_, outcome) = try await script(
      """
      "$@" >/dev/null 2>"$box/one" & job=$!; touched "$box/one"; sleep 0.3
      kill -9 $job; wait $job; echo "one $?"
      "$@" >/dev/null 2>"$box/two"; echo "two $?"; grep -c "another program" "$box/two"
      "$@" --wait 60 >"$box/three" 2>&1; echo "three $?"
      """, key: ["--touch", "3000", "--set", "touch-timeout-ms=3500"])
    #expect(outcome.out == "one 137\ntwo 75\n1\nthree 0\n", "\(outcome.text)")
  }

  /// Stopped, as by Ctrl-Z or a closed laptop, touched meanwhile, and continued.
  @Test func `A command that was stopped and continued goes on`() async throws {
    let (_, outcome) = try await script(
      """
      "$@" >"$box/plain" 2>&1; "$@" >"$box/one" 2>"$box/said" & job=$!; touched "$box/said"
      sleep 0.2; kill -STOP $job; sleep 2; kill -CONT $job; wait $job; echo "$?"
      grep -v Touch "$box/plain" | cmp - "$box/one" && echo same
      """, key: ["--touch", "1000"])
    #expect(outcome.out == "0\nsame\n", "\(outcome.text)")
  }

  /// Stopped for longer than the wait for a touch: it ends, and the key is free.
  @Test func `Stopped for too long`() async throws {
    let (_, outcome) = try await script(
      """
      "$@" >/dev/null 2>"$box/said" & job=$!; touched "$box/said"
      sleep 0.2; kill -STOP $job; sleep 2.5; kill -CONT $job; wait $job; echo "one $?"
      sleep 4; "$@" --timeout 60 >/dev/null 2>"$box/two"; echo "two $?"
      """, key: ["--touch", "4000"], ["--timeout", "1"])
    #expect(outcome.out == "one 84\ntwo 0\n", "\(outcome.text)")
  }

  /// A crash shows nothing of the memory, and ends at once.
  @Test(arguments: ["SEGV", "ABRT", "TRAP"])
  func `A crash shows nothing`(_ signal: String) async throws {
    let (box, outcome) = try await script(
      """
      SWIFT_BACKTRACE=enable=yes "$@" >"$box/out" 2>"$box/one" & job=$!; touched "$box/one"
      kill -\(signal) $job; wait $job; test $? -gt 128 && echo ended; cat "$box/out"
      """, key: ["--touch", "never"])
    #expect(outcome.out == "ended\n", "\(outcome.text)")
    let said = try Files.text(box.root + "/one")
    for word in ["rax", "rip", "Thread 0", "Backtracing from"] {
      #expect(!said.lowercased().contains(word.lowercased()), "\(said)")
    }
    #expect(outcome.endedAtOnce)
  }

  /// The signal comes while the wallet's file gets its name: the log has the wallet already.
  @Test func `An interruption that comes too late is told`() async throws {
    let mounted = try await BlockedFileTests.Mounted()
    let box = mounted.backup.box
    try Files.write(Samples.entry(id: "late", name: "Late"), to: box.root + "/entry")
    try mounted.system.tell("rule op=rename name=*/wallets/* delay=3000")
    let outcome = try await box.run(
      [
        "sh", "-c",
        """
        operations() { find "$box/backing" -path "*/log/*.json" | wc -l; }
        before=$(operations)
        "$@" & job=$!; until [ "$(operations)" -gt "$before" ]; do sleep 0.02; done
        kill -TERM $job; wait $job
        """, "sh", Build.keybackup, "wallet", "import", box.root + "/entry", "--pin-file",
        box.pinFile,
      ], environment: ["box": box.root])
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(outcome.err.contains("the interruption came too late: it is done"), "\(outcome.err)")
    mounted.system.unmount()
    try Files.remove(box.folder)
    try Files.move(box.root + "/backing", to: box.folder)
    let restored = try await box.keybackup(["restore", "--json"])
    #expect(try restored.json()["restored"].number == 4)
  }

  /// The wallets are in their folder, and a file is still being read.
  @Test func `A restore that is interrupted tells what it wrote`() async throws {
    let mounted = try await BlockedFileTests.Mounted()
    let box = mounted.backup.box
    try Files.write(String(repeating: "large ", count: 200_000), to: box.root + "/large")
    try await box.keybackup(["file", "add", box.root + "/large"])
    try mounted.system.tell("rule op=read name=*.bin delay=3000")
    let restore = [Build.keybackup, "restore", "--out", box.root + "/out"]
    let outcome = try await box.run(
      [
        "sh", "-c",
        """
        "$@" & job=$!; until [ "$(ls "$box/out" 2>/dev/null | wc -l)" -ge 3 ]; do sleep 0.02; done
        kill -TERM $job; wait $job
        """, "sh",
      ] + restore + ["--pin-file", box.pinFile], environment: ["box": box.root])
    expectFailure(outcome, 130, says: "interrupted; 3 wallets are in", "run the command once more")
    #expect(outcome.endedAtOnce && !outcome.err.contains("half-done"), "\(outcome)")
    try mounted.system.tell("clear")
    let rest = try await box.keybackup(["restore", "--out", box.root + "/out", "--json"]).json()
    #expect(rest["restored"].number == 3 && rest["restored_files"].number == 1, "\(rest)")
    mounted.system.unmount()
  }

  // MARK: The terminal's window is closed

  @Test func `Closed while the key blinks`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--out", box.root + "/out"], key: ["--touch", "never"],
      terminal: [.expect("Touch"), .pause(300), .hangUp], expecting: nil)
    #expect(outcome.code == 130 && outcome.endedAtOnce, "\(outcome)")
    #expect(box.trace.contains("CANCEL"))
    #expect(!Files.exists(box.root + "/out"))
  }

  @Test func `Closed at the PIN prompt`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive + ["--out", box.root + "/out"], pin: .none,
      terminal: [.expect("PIN for"), .hangUp], expecting: nil)
    // As a signal, or as the end of the input, whichever comes first.
    #expect([130, 78].contains(outcome.code) && outcome.endedAtOnce, "\(outcome)")
    #expect(!Files.exists(box.root + "/out"))
  }
}

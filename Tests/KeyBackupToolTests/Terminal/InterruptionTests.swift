import TestSupport
import Testing

/// Ends, stops or kills the command while the key waits for its touch.
///
/// The key must be free for the next run, and nothing may be left behind.
@Suite struct InterruptionTests {
  /// Runs the command in the background of a script, in view of one key.
  ///
  /// The script has it as "$@" and waits with `traced` until the key has noted a line. The key of the later tests
  /// is touched once "$box/touch" is there.
  private func script(
    _ lines: String, key: [String]? = nil
  ) async throws -> (Sandbox, Outcome) {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    try Files.write("", to: box.tracePath)
    let prelude = """
      traced() { until grep -q "$1" "$box/trace"; do sleep 0.02; done; }
      said() { until grep -q "$2" "$1"; do sleep 0.02; done; }

      """
    let outcome = try await box.run(
      ["sh", "-c", prelude + lines, "sh", Build.keybackup] + Sandbox.derive
        + ["--pin-file", box.pinFile],
      key: key ?? [
        "--touch", box.root + "/touch", "--set", "touch-timeout-ms=\(Backstop.milliseconds)",
      ],
      environment: ["box": box.root])
    return (box, outcome)
  }

  /// The key is usable at once after every end except a kill.
  @Test(arguments: ["TERM", "HUP"])
  func `The next run finds the key free`(_ signal: String) async throws {
    let (box, outcome) = try await script(
      """
      "$@" >/dev/null 2>"$box/one" & job=$!; traced WAITING
      kill -\(signal) $job; wait $job; echo "one $?"; "$@" >"$box/two" 2>&1; echo "two $?"
      """, key: ["--set", "untouched=1"])
    #expect(outcome.out == "one 130\ntwo 0\n", "\(outcome.text)")
    #expect(box.trace.contains("CANCEL"))
  }

  /// Kills the command outright: the key still blinks.
  ///
  /// The next run reports that at once, or waits for its end if there is time.
  @Test func `Killed while the key blinks`() async throws {
    let (_, outcome) = try await script(
      """
      "$@" >/dev/null 2>"$box/one" & job=$!; traced WAITING
      kill -9 $job; wait $job; echo "one $?"
      "$@" >/dev/null 2>"$box/two"; echo "two $?"; grep -c "another program" "$box/two"
      : >"$box/three"; "$@" --wait 3600 >"$box/three" 2>&1 & job=$!; said "$box/three" "Waiting: "
      : >"$box/touch"; wait $job; echo "three $?"
      """)
    #expect(outcome.out == "one 137\ntwo 75\n1\nthree 0\n", "\(outcome.text)")
  }

  /// Stopped, as by Ctrl-Z or a closed laptop, touched meanwhile, and continued.
  @Test func `A command that was stopped and continued goes on`() async throws {
    let (_, outcome) = try await script(
      """
      : >"$box/touch"; "$@" >"$box/plain" 2>&1; rm "$box/touch"; : >"$box/trace"
      "$@" >"$box/one" 2>"$box/said" & job=$!; traced WAITING
      kill -STOP $job; : >"$box/touch"; traced '^TOUCH'; kill -CONT $job; wait $job; echo "$?"
      grep -v Touch "$box/plain" | cmp - "$box/one" && echo same
      """)
    #expect(outcome.out == "0\nsame\n", "\(outcome.text)")
  }

  /// Stopped for longer than the wait for a touch: it ends, and the key is free.
  @Test func `Stopped for too long`() async throws {
    let (_, outcome) = try await script(
      """
      "$@" --timeout 3 >/dev/null 2>"$box/said" & job=$!; traced WAITING
      kill -STOP $job; sleep 3.5; kill -CONT $job; wait $job; echo "one $?"
      : >"$box/touch"; "$@" >/dev/null 2>"$box/two"; echo "two $?"
      """)
    #expect(outcome.out == "one 84\ntwo 0\n", "\(outcome.text)")
  }

  /// A crash shows nothing of the memory, and ends at once.
  @Test(arguments: ["SEGV", "ABRT", "TRAP"])
  func `A crash shows nothing`(_ signal: String) async throws {
    let (box, outcome) = try await script(
      """
      SWIFT_BACKTRACE=enable=yes "$@" >"$box/out" 2>"$box/one" & job=$!; traced WAITING
      kill -\(signal) $job; wait $job; test $? -gt 128 && echo ended; cat "$box/out"
      """)
    #expect(outcome.out == "ended\n", "\(outcome.text)")
    let said = try Files.text(box.root + "/one")
    for word in ["rax", "rip", "Thread 0", "Backtracing from"] {
      #expect(!said.lowercased().contains(word.lowercased()), "\(said)")
    }
  }

  /// The signal comes while the wallet's file gets its name: the log has the wallet already.
  @Test func `An interruption that comes too late is told`() async throws {
    let mounted = try await BlockedFileTests.Mounted()
    let box = mounted.backup.box
    try Files.write(Samples.entry(id: "late", name: "Late"), to: box.root + "/entry")
    try mounted.system.tell("rule op=rename name=*/wallets/* hang")
    let outcome = try await box.run(
      [
        "sh", "-c",
        """
        operations() { find "$box/backing" -path "*/log/*.json" | wc -l; }
        before=$(operations)
        "$@" & job=$!; until [ "$(operations)" -gt "$before" ]; do sleep 0.02; done
        kill -TERM $job
        # It has heard it when the signal is not pending any more.
        until grep -q '^ShdPnd:.0*$' "/proc/$job/status"; do sleep 0.02; done
        echo clear >"$cloud/.failing-fs"; wait $job
        """, "sh", Build.keybackup, "wallet", "import", box.root + "/entry", "--pin-file",
        box.pinFile,
      ], environment: ["box": box.root, "cloud": box.folder])
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
    try mounted.system.tell("rule op=read name=*.bin hang")
    let restore = [Build.keybackup, "restore", "--out", box.root + "/out"]
    let outcome = try await box.run(
      [
        "sh", "-c",
        """
        "$@" & job=$!
        until [ "$(ls "$box/out"/wallet-* 2>/dev/null | wc -l)" -ge 3 ]; do sleep 0.02; done
        kill -TERM $job
        # It has heard it when the signal is not pending any more.
        until grep -q '^ShdPnd:.0*$' "/proc/$job/status"; do sleep 0.02; done
        echo clear >"$cloud/.failing-fs"; wait $job
        """, "sh",
      ] + restore + ["--pin-file", box.pinFile],
      environment: ["box": box.root, "cloud": box.folder])
    expectFailure(outcome, 130, says: "interrupted; 3 wallets are in", "run the command once more")
    #expect(!outcome.err.contains("half-done"), "\(outcome)")
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
      terminal: [.expect("Touch"), .find("WAITING", in: box.tracePath), .hangUp], expecting: nil)
    #expect(outcome.code == 130, "\(outcome)")
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
    #expect([130, 78].contains(outcome.code), "\(outcome)")
    #expect(!Files.exists(box.root + "/out"))
  }
}

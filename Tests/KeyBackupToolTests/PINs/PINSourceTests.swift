import Testing

/// The sources of a PIN, their order, and programs that misbehave.
@Suite struct PINSourceTests {
  // MARK: Order

  /// The environment, and the program that is asked in it; nil for none.
  struct Choice: Sendable, CustomTestStringConvertible {
    var environment: [String] = []
    var onTerminal = false
    var options: [String] = []
    var asked: String?

    var testDescription: String {
      "\(environment + options) \(onTerminal ? "on a terminal" : "without a terminal")"
    }
  }

  @Test(arguments: [
    Choice(environment: ["KEYBACKUP_ASKPASS", "SSH_ASKPASS"], asked: "KEYBACKUP_ASKPASS"),
    Choice(environment: ["KEYBACKUP_ASKPASS"], onTerminal: true, asked: "KEYBACKUP_ASKPASS"),
    Choice(
      environment: ["KEYBACKUP_ASKPASS", "KEYBACKUP_PINENTRY"], asked: "KEYBACKUP_ASKPASS"),
    // OpenSSH's rules for its own variables.
    Choice(environment: ["SSH_ASKPASS"], asked: "SSH_ASKPASS"),
    Choice(environment: ["SSH_ASKPASS", "DISPLAY"], onTerminal: true, asked: "terminal"),
    Choice(
      environment: ["SSH_ASKPASS", "DISPLAY", "SSH_ASKPASS_REQUIRE=prefer"], onTerminal: true,
      asked: "SSH_ASKPASS"),
    Choice(
      environment: ["SSH_ASKPASS", "SSH_ASKPASS_REQUIRE=prefer"], onTerminal: true,
      asked: "terminal"),
    Choice(
      environment: ["SSH_ASKPASS", "SSH_ASKPASS_REQUIRE=force"], onTerminal: true,
      asked: "SSH_ASKPASS"),
    Choice(environment: ["SSH_ASKPASS", "SSH_ASKPASS_REQUIRE=never"]),
    Choice(environment: ["KEYBACKUP_PINENTRY"], onTerminal: true, asked: "KEYBACKUP_PINENTRY"),
    Choice(environment: ["SSH_ASKPASS", "KEYBACKUP_PINENTRY"], asked: "SSH_ASKPASS"),
    // The one in PATH only where there is a display and no terminal.
    Choice(environment: ["DISPLAY"], asked: "pinentry"),
    Choice(environment: ["WAYLAND_DISPLAY"], asked: "pinentry"),
    Choice(environment: ["DISPLAY"], onTerminal: true, asked: "terminal"),
    Choice(),
    Choice(
      environment: ["KEYBACKUP_ASKPASS", "SSH_ASKPASS", "KEYBACKUP_PINENTRY", "DISPLAY"],
      onTerminal: true, options: ["--no-input"]),
    Choice(environment: ["KEYBACKUP_ASKPASS"], options: ["--pin-fd"], asked: "none"),
    Choice(environment: ["KEYBACKUP_ASKPASS"], options: ["--pin-file"], asked: "none"),
  ])
  func `PIN sources are taken in the contract's order`(_ choice: Choice) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    var environment = ["PATH": box.root + ":/usr/bin:/bin"]
    for variable in choice.environment {
      let parts = variable.split(separator: "=")
      let name = String(parts[0])
      if parts.count == 2 {
        environment[name] = String(parts[1])
      } else if name.contains("DISPLAY") {
        environment[name] = ":99"
      } else {
        environment[name] = try box.program(
          name, name.contains("PINENTRY") ? Helper.pinentry : Helper.askpass)
      }
    }
    _ = try box.program("pinentry", Helper.pinentry)
    let given: Sandbox.PINGiven =
      choice.options == ["--pin-fd"]
      ? .descriptor(Sandbox.pin) : choice.options == ["--pin-file"] ? .file : .none
    let steps: [TerminalStep] =
      choice.asked == "terminal" ? [.expect("PIN for"), .type(Sandbox.pin + "\n")] : []
    let outcome = try await box.keybackup(
      Sandbox.derive + choice.options.filter { $0 == "--no-input" }, pin: given,
      environment: environment, terminal: choice.onTerminal ? steps : nil, expecting: nil)
    #expect(outcome.code == (choice.asked == nil ? 78 : 0), "\(outcome.text)")
    #expect(outcome.stepsLeft.isEmpty && outcome.terminalIsSane)
    let programs = ["terminal", "none", nil].contains(choice.asked) ? [] : [choice.asked ?? ""]
    #expect(box.programsRun == programs)
  }

  // MARK: Askpass

  @Test func `The program gets the question and nothing else`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let askpass = try box.program(
      "askpass",
      """
      [ $# = 1 ] && printf '%s' "$1" >"$0.question"
      # Only what the shell does itself: for others it blocks signals and moves descriptors.
      for file in /proc/$$/fd/*; do [ -e "$file" ] && open="$open ${file##*/}"; done
      while read -r name value; do
        case $name in SigBlk:|SigIgn:) signals="$signals $value" ;; esac
      done </proc/$$/status
      echo $open >"$0.descriptors"; echo $signals >"$0.signals"
      echo '\(Sandbox.pin)'
      """)
    let (outcome, events) = try await box.listening(
      to: Sandbox.derive, pin: .none, environment: ["KEYBACKUP_ASKPASS": askpass])
    outcome.expectSuccess()
    let question = String(decoding: try Files.read(askpass + ".question"), as: UTF8.self)
    #expect(question == "PIN for Virtual Key (8 tries left):")
    // Standard streams only, and every signal as a program expects it.
    let descriptors = String(decoding: try Files.read(askpass + ".descriptors"), as: UTF8.self)
    // The shell has the script itself open at 10.
    #expect(
      descriptors.split(whereSeparator: \.isWhitespace).filter { $0 != "10" } == ["0", "1", "2"])
    let signals = String(decoding: try Files.read(askpass + ".signals"), as: UTF8.self)
    let values = signals.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0, radix: 16) }
    // 32 and 33 are glibc's own, which its posix_spawn ignores.
    #expect(values.map { $0 & ~0x1_8000_0000 } == [0, 0], "\(signals)")
    #expect(events.first?["source"].text == "askpass")
  }

  @Test func `A person may answer again`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let askpass = try box.program(
      "askpass",
      """
      echo "$1" >>"$0.questions"
      case $(wc -l <"$0.questions") in
        1) echo wrong-one ;; 2) echo wrong-two ;; 3) echo wrong-one ;; 4) echo abc ;;
        *) printf '%s\\r\\nmore' '\(Sandbox.pin)' ;;
      esac
      """)
    let trace = try await box.traced {
      try await box.keybackup(
        Sandbox.derive, pin: .none, environment: ["KEYBACKUP_ASKPASS": askpass])
    }
    #expect(PINTests.tries(trace) == 3, "\(trace)")
    let questions = String(decoding: try Files.read(askpass + ".questions"), as: UTF8.self)
    #expect(
      questions.split(separator: "\n") == [
        "PIN for Virtual Key (8 tries left):",
        "Wrong PIN. PIN for Virtual Key (7 tries left):",
        "Wrong PIN. PIN for Virtual Key (6 tries left):",
        "The key has just refused that PIN. It was not sent again. PIN for Virtual Key (6 tries "
          + "left):",
        "The PIN is too short: at least 4 characters. PIN for Virtual Key (6 tries left):",
      ])
  }

  /// A script cannot correct itself: it must neither spend a second try nor be asked for ever.
  @Test(arguments: [
    ("echo wrong-one", 81, 1, "not sent again"),
    ("echo", 65, 0, "too short"),
    ("echo abc", 65, 0, "too short"),
    ("exit 0", 65, 0, "too short"),
    ("head -c 3000000 /dev/zero | tr '\\0' x", 65, 0, "too long"),
    ("exit 1", 85, 0, "cancelled"),
    ("echo '\(Sandbox.pin)'; exit 1", 85, 0, "cancelled"),
    ("kill -9 $$", 85, 0, "cancelled"),
    ("date +%N | head -c 3", 65, 0, "too short"),
  ])
  func `A program that is no person`(
    _ script: String, _ code: Int32, _ tries: Int, _ text: String
  ) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let askpass = try box.program("askpass", script)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none, environment: ["KEYBACKUP_ASKPASS": askpass], expecting: nil)
      expectFailure(outcome, code, says: text)
    }
    #expect(PINTests.tries(trace) == tries, "\(trace)")
  }

  @Test func `A program that is not there`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    for variable in ["KEYBACKUP_ASKPASS", "SSH_ASKPASS", "KEYBACKUP_PINENTRY"] {
      let outcome = try await box.keybackup(
        Sandbox.derive, pin: .none, environment: [variable: "/no/such/program"], expecting: nil)
      expectFailure(outcome, 78, says: "/no/such/program", "cannot be run", variable)
    }
  }

  @Test func `What a program leaves running is not waited for`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    // It inherits the pipe, and would keep it open.
    let askpass = try box.program(
      "askpass", "sleep 86400 & echo $! >\"$0.pid\"; echo '\(Sandbox.pin)'")
    try await box.keybackup(
      Sandbox.derive, pin: .none, environment: ["KEYBACKUP_ASKPASS": askpass])
    _ = try await box.run(["sh", "-c", "kill $(cat \(askpass).pid)"], key: nil)
  }

  @Test(arguments: ["KEYBACKUP_ASKPASS", "KEYBACKUP_PINENTRY"], [true, false])
  func `A program that is waited for ends with the command`(
    _ variable: String, _ isDeaf: Bool
  ) async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let program = try box.program(
      "asker", "\(isDeaf ? "trap '' TERM;" : "") echo $$ >\"$0.pid\"; while :; do sleep 0.1; done")
    let script = """
      "$@" & child=$!
      while [ ! -s \(program).pid ]; do sleep 0.1; done
      kill -TERM $child; wait $child; echo code $?
      kill -0 $(cat \(program).pid) && echo still there
      true
      """
    let outcome = try await box.run(
      ["sh", "-c", script, "sh", Build.keybackup] + Sandbox.derive,
      environment: [variable: program])
    #expect(outcome.out == "code 130\n", "\(outcome.text)")
  }

  // MARK: New PINs

  @Test func `A new PIN is asked for twice by the program too`() async throws {
    let box = try Sandbox()
    let askpass = try box.program("askpass", "echo \"$1\" >>\"$0.log\"; echo '\(Sandbox.pin)'")
    try await box.keybackup(
      ["pin", "set"], key: ["no-pin"], pin: .none, environment: ["KEYBACKUP_ASKPASS": askpass])
    let log = String(decoding: try Files.read(askpass + ".log"), as: UTF8.self)
    #expect(log == "New PIN for Virtual Key:\nThe same PIN again:\n")
    _ = try await box.makeCredential(key: ["no-pin"])
  }
}

/// Programs that answer with the right PIN and note that they ran.
enum Helper {
  static let note = "basename \"$0\" >>\"$(dirname \"$0\")/programs-run\"\n"
  static let askpass = note + "echo '\(Sandbox.pin)'"
  static let pinentry =
    note + """
      echo OK
      while read -r line; do
        [ "$line" = GETPIN ] && echo 'D \(Sandbox.pin)'
        echo OK
      done
      """
}

extension Sandbox {
  /// Makes a shell script.
  func program(_ name: String, _ script: String) throws -> String {
    try Files.write("#!/bin/sh\n" + script + "\n", to: root + "/" + name, mode: 0o755)
    return root + "/" + name
  }

  /// The names of ``Helper``'s programs that ran.
  var programsRun: [String] {
    let text = (try? Files.read(root + "/programs-run")).map { String(decoding: $0, as: UTF8.self) }
    return (text ?? "").split(separator: "\n").map(String.init)
  }
}

import TestSupport
import Testing

@testable import BackupCommands

/// `unlock` and `lock`: a master key that this computer keeps for a while.
@Suite struct UnlockTests {
  /// No security key, and nobody to ask for a PIN.
  private static let nobody = ["--no-key"]

  @Test func `A batch of commands costs one touch`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let trace = try await box.traced {
      let unlocked = try await box.keybackup(["unlock", "--for", "2h", "--json"]).json()
      #expect(unlocked["place"].text == "kernel-keyring")
      #expect(unlocked["namespace_id"].text == backup.namespaceID)
      let words = [
        ["wallet", "list"], ["wallet", "import", "-"], ["wallet", "remove", "late", "--yes"],
        ["restore"], ["conflicts", "list"], ["writers", "list"],
      ]
      for arguments in words {
        try await box.keybackup(
          arguments, pin: .none, input: Array(Samples.entry(id: "late", name: "Late").utf8))
      }
    }
    #expect(TrafficTests.Cost(trace).touches == 1 && TrafficTests.Cost(trace).pins == 1)
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: 88
    ).json()
    #expect(status["known_in"].items.map { $0["place"].text } == ["kernel-keyring"])
    let until = try #require(status["known_in"][0]["until"].number)
    #expect(until > 1_790_000_000)
    // It proves no key slot, and says so.
    let verified = try await box.keybackup(
      ["verify", "--deep", "--json"], key: Self.nobody, pin: .none)
    #expect(try verified.json()["opened_by"] == .null)
    let spoken = try await box.keybackup(["verify", "--deep"], key: Self.nobody, pin: .none)
    #expect(spoken.err.contains("No way in was tested"))
    let proved = try await box.keybackup(["verify", "--deep", "--json", "--no-keyring"])
    #expect(try proved.json()["opened_by"].text == backup.keyID)

    expectFailure(
      try await box.keybackup(
        ["wallet", "list", "--no-keyring"], key: Self.nobody, pin: .none, expecting: nil), 69)
    let forgotten = try await box.keybackup(["lock", "--json"], key: nil, pin: .none)
    #expect(try forgotten.json()["forgotten"].number == 1)
    try await expectLocked(box)
    #expect(
      try await box.keybackup(["lock", "--json"], key: nil, pin: .none).json()["forgotten"].number
        == 0)
  }

  private func expectLocked(
    _ box: Sandbox, folder: String? = nil, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await box.keybackup(
      ["wallet", "list"], key: Self.nobody, pin: .none,
      environment: ["KEYBACKUP_FOLDER": folder ?? box.folder], expecting: nil)
    #expect(outcome.code == 69, "\(outcome.text)", sourceLocation: location)
  }

  @Test func `It ends by itself and opens no other folder`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    // In session keyrings that do not know each other, as under sudo, cron or a desktop.
    let ownSession = ["keyctl", "session", "-"]
    try await box.keybackup(["unlock", "--for", "30m"], wrapper: ownSession)
    try await box.keybackup(["wallet", "list"], key: Self.nobody, pin: .none, wrapper: ownSession)
    try await box.keybackup(["wallet", "list"], key: Self.nobody, pin: .none)
    try Files.copy(box.folder, to: box.root + "/copy")
    try await expectLocked(box, folder: box.root + "/copy")
    // A shorter time replaces the longer one.
    try await box.keybackup(["unlock", "--for", "1s"])
    try await waitUntil("the time is over") {
      let outcome = try await box.keybackup(
        ["wallet", "list"], key: Self.nobody, pin: .none, expecting: nil)
      return outcome.code == 69 ? nil : outcome.text
    }
  }

  /// The way back when every security key is lost and the computer was unlocked.
  @Test func `The only key is lost and the computer knows the master key`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["unlock", "--for", "2h"])
    try Files.remove(box.keyState)
    // Removing needs a key slot, which proves that another one works.
    let refused = try await box.keybackup(
      ["key", "remove", backup.keyID, "--yes"], key: Self.nobody, pin: .none, expecting: nil)
    #expect(refused.code != 0)
    let new = ["--state", box.root + "/new.json"]
    try await box.keybackup(["key", "add", "--label", "new"], key: new)
    try await box.keybackup(["key", "remove", backup.keyID, "--yes"], key: new)
    try await box.keybackup(["lock"], key: nil, pin: .none)
    let restored = try await box.keybackup(["restore", "--json"], key: new)
    #expect(try restored.json()["restored"].number == PreparedBackup.ids.count)
    #expect(!Files.exists(backup.wrapper))
  }

  /// Another key, or any other data, under the expected name.
  @Test func `What is not the master key is not used`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try await box.keybackup(["unlock", "--for", "2h"])
    let script = """
      place=$(printf %s "$(realpath "$0")" | sha256sum | head -c 32)
      name=keybackup:\(backup.namespaceID):$place
      keyctl search @u user "$name" || exit 1
      printf '\\377\\377\\377\\377\\0\\0\\0\\0%032d' 7 | keyctl padd user "$name" @u
      """
    let planted = try await box.run(["sh", "-c", script, box.folder], key: nil)
    planted.expectSuccess()
    try await expectLocked(box)
    let listed = try await box.keybackup(["wallet", "list"])
    #expect(listed.err.contains("is not this backup's master key"))
    try await box.keybackup(["lock"], key: nil, pin: .none)
  }

  @Test(arguments: ["EPERM", "ENOSYS"])
  func `Where the kernel forbids it`(_ error: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let wrapper = Tracing.wrapper(["-e", "inject=add_key,keyctl:error=\(error)"])
    let trace = try await box.traced {
      let outcome = try await box.keybackup(["unlock"], wrapper: wrapper, expecting: nil)
      expectFailure(outcome, 78, says: "kernel's keyring cannot be used here", "containers")
    }
    #expect(TrafficTests.Cost(trace).touches == 0, "it is known before the touch")
    let listed = try await box.keybackup(["wallet", "list"], wrapper: wrapper)
    #expect(!listed.err.contains("keyring"))
    try await box.keybackup(["lock"], key: nil, pin: .none, wrapper: wrapper)
    let doctor = try await box.keybackup(
      ["doctor", "--json"], key: nil, pin: .none, wrapper: wrapper, expecting: nil)
    let check = try doctor.json()["checks"].items.first { $0["name"].text == "kernel-keyring" }
    #expect(check?["status"].text == "warning")
  }

  /// Runs as another user, so that the quota of the tests' user is not used up.
  @Test func `Where the share is used up`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let user = "64997"
    let script = """
      trap 'keyctl clear @u; rm -rf "$0/home-q"' EXIT
      if [ "$1" = full ]; then
        for size in 16000 1000 100 10 1; do
          while [ ${number:=0} -lt 250 ]; do
            number=$((number + 1))
            head -c $size /dev/zero | keyctl padd user fill-$number @u >/dev/null || break
          done
        done
      fi
      HOME=$0/home-q \(Build.keybackup) unlock --no-input
      code=$?; [ "$1" = full ] && exit $code
      keyctl add user keybackup:00:00 x @u; keyctl add user other x @u
      \(Build.keybackup) lock --all --json; keyctl rlist @u; keyctl show @u
      """
    for state in ["full", "not"] {
      let outcome = try await box.run(
        (isRoot ? [] : ["sudo", "-n"]) + [
          "sh", "-c",
          """
          chmod -R a+rX "$0" && exec setpriv --reuid \(user) --regid \(user) --clear-groups \
            --inh-caps +dac_read_search --ambient-caps +dac_read_search \
            env KEYBACKUP_FOLDER="$0/cloud" HOME="$0/home-q" keyctl session - sh -c "$1" "$0" "$2"
          """, box.root, script, state,
        ], key: nil)
      if state == "full" {
        #expect(outcome.code == 74 && outcome.err.contains("share of the kernel's"), "\(outcome)")
      } else {
        // lock --all deletes this program's keys and leaves the rest.
        #expect(outcome.out.contains(#"{"forgotten":1,"schema":1}"#), "\(outcome)")
        #expect(outcome.out.contains("other") && !outcome.out.contains("keybackup:"), "\(outcome)")
      }
    }
  }

  @Test(
    arguments: [
      ("90s", 90), ("10m", 600), ("24h", 86_400), ("1s", 1), ("10", nil), ("0m", nil),
      ("25h", nil), ("-1m", nil), ("+1m", nil), ("99999999999h", nil), ("m", nil), ("", nil),
      ("1m30s", nil), ("\u{661}m", nil),
    ] as [(String, Int?)])
  func `Times are read with their units`(_ text: String, _ seconds: Int?) {
    #expect(UnlockTime(argument: text)?.seconds == seconds)
  }

  // MARK: The desktop's keyring

  @Test func `The desktop keeps it until lock`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let session = try await DesktopSession(box)
    let desktop = session.environment
    let trace = try await box.traced {
      let kept = try await box.keybackup(["unlock", "--keep"], environment: desktop)
      #expect(kept.out.contains("in the desktop's keyring until keybackup lock"))
      try await box.keybackup(["restore"], pin: .none, environment: desktop)
    }
    #expect(TrafficTests.Cost(trace).touches == 1)
    try await box.keybackup(["wallet", "list"], key: Self.nobody, pin: .none, environment: desktop)
    try await expectKnown(box, desktop, locked: .bool(false))

    // When locked, it is only a missing convenience.
    try await session.lock()
    try await expectKnown(box, desktop, locked: .bool(true))
    let listed = try await box.keybackup(["wallet", "list"], environment: desktop)
    #expect(listed.err.contains("the desktop's keyring is locked; going on without it"))
    expectFailure(
      try await box.keybackup(
        ["lock", "--no-input"], key: nil, pin: .none, environment: desktop, expecting: nil),
      77, says: "locked")
    // Without a display its question cannot be shown: as if a user had refused.
    expectFailure(
      try await box.keybackup(
        ["lock"], key: nil, pin: .none, environment: desktop, expecting: nil),
      85, says: "was not unlocked")
    // Without the session it cannot be told, but the security key still opens.
    let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(status.out.contains("perhaps in the desktop's keyring: there is no D-Bus session"))
    try await box.keybackup(["wallet", "list"])
  }

  @Test func `Lock takes it from the desktop`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let session = try await DesktopSession(box)
    let desktop = session.environment
    for arguments in [["lock"], ["lock", "--all"]] {
      // Twice: the second key replaces the first.
      for _ in 0..<2 { try await box.keybackup(["unlock", "--keep"], environment: desktop) }
      // `lock --all` would delete what other tests keep in the kernel's keyring.
      let wrapper =
        arguments == ["lock"]
        ? [] : Tracing.wrapper(["-e", "inject=keyctl:error=ENOSYS"])
      let forgotten = try await box.keybackup(
        arguments + ["--json"], key: nil, pin: .none, environment: desktop, wrapper: wrapper)
      #expect(try forgotten.json()["forgotten"].number == 1)
      let gone = try await box.keybackup(
        ["wallet", "list"], key: Self.nobody, pin: .none, environment: desktop, expecting: nil)
      expectFailure(gone, 69)
    }
    // The question comes before the touch and is refused: nothing is remembered.
    try await session.lock()
    let trace = try await box.traced {
      for (arguments, code) in [([], Int32(85)), (["--no-input"], 77)] {
        let refused = try await box.keybackup(
          ["unlock", "--keep"] + arguments, environment: desktop, expecting: nil)
        expectFailure(refused, code)
      }
    }
    #expect(TrafficTests.Cost(trace).touches == 0)
    let listed = try await box.keybackup(
      ["wallet", "list"], key: Self.nobody, pin: .none, expecting: nil)
    #expect(listed.code == 69 && !listed.err.contains("keyring"))
  }

  private func expectKnown(
    _ box: Sandbox, _ environment: [String: String], locked: JSON,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, environment: environment, expecting: 88
    ).json()
    let places = status["known_in"].items
    #expect(places.map { $0["place"].text } == ["secret-service"], sourceLocation: location)
    #expect(places.first?["locked"] == locked, sourceLocation: location)
  }

  /// Where the loader may find libsystemd.
  private static let libraryPaths = ["x86_64", "aarch64"].flatMap { machine in
    ["/lib", "/usr/lib"].flatMap { folder in
      ["", "/\(machine)-linux-gnu"].map { "\(folder)\($0)/libsystemd.so.0" }
    }
  }

  @Test func `Where no desktop is`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let trace = try await box.traced {
      expectFailure(
        try await box.keybackup(["unlock", "--keep"], expecting: nil), 78, says: "no D-Bus session")
      let session = try await DesktopSession(box, hasKeyring: false)
      expectFailure(
        try await box.keybackup(
          ["unlock", "--keep"], environment: session.environment, expecting: nil),
        78, says: "no program keeps secrets")
      let hidden = Tracing.wrapper(
        Self.libraryPaths.flatMap { ["-P", $0] }
          + ["-e", "trace=openat", "-e", "inject=openat:error=ENOENT"])
      expectFailure(
        try await box.keybackup(
          ["unlock", "--keep"], environment: session.environment, wrapper: hidden, expecting: nil),
        78, says: "libsystemd.so.0 is missing")
    }
    #expect(TrafficTests.Cost(trace).touches == 0)
  }
}

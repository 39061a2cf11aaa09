import Testing

/// Other processes, and kills at any moment.
@Suite struct InterferenceTests {
  @Test func `A key that another program uses is busy`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let outcome = try await box.keybackup(
      Sandbox.derive, wrapper: ["flock", "/dev/hidraw0"], expecting: nil)
    expectFailure(outcome, 75, says: "another program is using Virtual Key")
    let json = try await box.keybackup(
      Sandbox.derive + ["--json"], wrapper: ["flock", "/dev/hidraw0"], expecting: nil)
    try expectFailure(json, 75, word: "busy")
  }

  /// Two runs at the same moment, on one computer or on two that share a folder.
  @Test(arguments: [true, false])
  func `Two add at once and nothing is lost`(_ onOneComputer: Bool) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.copy(box.keyState, to: box.root + "/key-2.json")
    let elsewhere = box.root + "/second-home"
    try Files.makeFolder(elsewhere)
    @Sendable func add(_ number: Int) async throws -> Outcome {
      let entries = (0..<20).map { Samples.entry(id: "w\(number)-\($0)", name: "\($0)") }
      return try await box.keybackup(
        ["wallet", "import", "-"],
        key: ["--state", box.root + (number == 1 ? "/key.json" : "/key-2.json")],
        input: Array(entries.joined(separator: "\n").utf8),
        home: number == 1 || onOneComputer ? nil : elsewhere, expecting: nil)
    }
    async let one = add(1)
    async let two = add(2)
    let codes = try await [one.code, two.code]
    // One may be told to try again; it has then written nothing.
    #expect(codes.allSatisfy { [0, 75].contains($0) } && codes.contains(0), "\(codes)")
    for number in [1, 2] where codes[number - 1] == 75 {
      #expect(try await add(number).code == 0)
    }
    let restored = try await box.keybackup(["restore", "--json"], home: box.root + "/tmp")
    #expect(try restored.json()["restored"].number == 43)
    let verified = try await box.keybackup(["verify", "--deep", "--json"], home: box.root + "/tmp")
    #expect(try verified.json()["wallets"]["current"].number == 43)
  }

  /// Kills the command while it writes: all of the batch is there or none, and the next run
  /// continues.
  @Test(arguments: [5, 20, 40, 60, 90, 130, 180, 250])
  func `Killed while adding, a batch is there whole or not at all`(_ milliseconds: Int) async throws
  {
    let backup = try await PreparedBackup()
    let box = backup.box
    let names = backup.wallets.compactMap { $0.split(separator: "/").last.map(String.init) }
    let entries = (0..<150).map { Samples.entry(id: "w\($0)", name: "\($0)") }
    try Files.write(entries.joined(separator: "\n"), to: box.root + "/entries")
    // The time counts from the touch, after which the writing begins.
    let script = """
      "$@" >/dev/null 2>"$box/notes" & job=$!
      until grep -q Touch "$box/notes"; do sleep 0.005; done
      sleep \(Double(milliseconds) / 1000); kill -9 $job 2>/dev/null; wait $job; echo "code $?"
      """
    let outcome = try await box.run(
      [
        "sh", "-c", script, "sh", Build.keybackup, "wallet", "import", box.root + "/entries",
        "--pin-file", box.pinFile,
      ], environment: ["box": box.root])
    #expect(["code 137\n", "code 0\n"].contains(outcome.out), "\(outcome)")
    // Everything earlier is there. Staged files of an unpublished batch may be shown until the next
    // writing run removes them.
    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/out"], home: box.root + "/tmp", expecting: nil)
    #expect([0, 75].contains(restored.code), "\(restored.text)")
    for name in names { #expect(Files.exists(box.root + "/out/" + name), "\(name) is gone") }
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "next", name: "Next").utf8))
    for home in [box.home, box.root + "/tmp"] {
      let json = try await box.keybackup(["restore", "--json"], home: home).json()
      #expect(json["restored"].number == 4 || json["restored"].number == 154, "\(json)")
    }
    try await box.keybackup(["wallet", "import", box.root + "/entries"])
    let verified = try await box.keybackup(["verify", "--deep", "--json"])
    #expect(try verified.json()["wallets"]["current"].number == 154, "\(verified.text)")
  }

  /// Kills the command while it enrols: another `init` starts or finishes it.
  @Test(arguments: [10, 60, 110, 160])
  func `Killed while enrolling, init can be run again`(_ milliseconds: Int) async throws {
    let box = try Sandbox()
    let script = """
      "$@" >/dev/null 2>"$box/notes" & job=$!
      until grep -q '3 of 3' "$box/notes"; do sleep 0.005; done
      sleep \(Double(milliseconds) / 1000); kill -9 $job 2>/dev/null; wait $job; echo "code $?"
      """
    let outcome = try await box.run(
      ["sh", "-c", script, "sh", Build.keybackup, "init", "--pin-file", box.pinFile],
      environment: ["box": box.root])
    #expect(["code 137\n", "code 0\n"].contains(outcome.out), "\(outcome)")
    let again = try await box.keybackup(["init"], expecting: nil)
    #expect(again.code == 0 || again.code == 73, "\(again.text)")
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "A").utf8))
    try await box.keybackup(["verify", "--deep"])
    let restored = try await box.keybackup(["restore", "--json"], home: box.root + "/tmp")
    #expect(try restored.json()["restored"].number == 1)
  }
}

import Testing

/// Waiting for a security key: it is requested only when needed, and used at once.
@Suite struct WaitingTests {
  typealias TwoKeys = SeveralKeysTests.TwoKeys

  /// There is nothing in reach; then the right key comes.
  @Test func `Asks for the key by its label`() async throws {
    let keys = try await TwoKeys()
    let plugged = keys.box.root + "/plugged"
    let outcome = try await keys.box.keybackup(
      ["restore", "--wait", "3600"],
      key: ["--key", keys.box.keyState + ",plug-after-ms=\(plugged)"],
      meanwhile: [.expect("Insert your security key \"blue key\"."), .write("", to: plugged)])
    #expect(outcome.stepsLeft.isEmpty, "\(outcome.err)")
  }

  /// The wrong key is plugged in; then the right one comes.
  @Test func `A wrong key does not end the wait`() async throws {
    let keys = try await TwoKeys()
    let plugged = keys.box.root + "/plugged"
    let outcome = try await keys.box.keybackup(
      ["restore", "--wait", "3600"], key: keys.both(own: ",plug-after-ms=\(plugged)"),
      meanwhile: [
        .expect("does not open this backup. Insert your security key \"blue key\"."),
        .write("", to: plugged),
      ])
    #expect(outcome.stepsLeft.isEmpty, "\(outcome.err)")
  }

  @Test func `Nothing is asked for when the key is in`() async throws {
    let keys = try await TwoKeys()
    let outcome = try await keys.box.keybackup(["restore", "--wait", "60"], key: keys.both())
    #expect(!outcome.text.contains("Insert"), "\(outcome.text)")
  }

  /// Without `--wait`, a script gets the error at once.
  @Test func `A script does not wait`() async throws {
    let keys = try await TwoKeys()
    let none = try await keys.box.keybackup(
      ["restore"], key: ["--key", keys.box.keyState + ",plug-after-ms=86400000"], expecting: nil)
    expectFailure(none, 69, says: "no security key found", "--wait")
    let wrong = try await keys.box.keybackup(
      ["restore"], key: ["--key", keys.stranger], expecting: nil)
    expectFailure(wrong, 80, says: "does not open this backup")
    for outcome in [none, wrong] { #expect(!outcome.text.contains("Insert")) }
  }

  /// On a terminal the command waits for the user, who may give up.
  @Test func `The person may give up`() async throws {
    let keys = try await TwoKeys()
    let outcome = try await keys.box.keybackup(
      ["restore"], key: ["--key", keys.stranger],
      terminal: [.expect("Insert your security key \"blue key\""), .interrupt], expecting: nil)
    #expect(outcome.code == 130, "\(outcome.text)")
  }

  @Test func `The wait for a key ends in time`() async throws {
    let keys = try await TwoKeys()
    let outcome = try await keys.box.keybackup(
      ["restore", "--wait", "1"], key: ["--key", keys.stranger], expecting: nil)
    expectFailure(outcome, 80, says: "does not open this backup")
  }

  /// Key slots that need no security key are named, whatever their labels.
  @Test func `The other key slots are named`() async throws {
    let backup = try await PreparedBackup()
    try backup.plant { header in
      header["kind"] = "recovery_code"
      header.text = header.text.replacing("{", with: "{\"kdf\":\"not known yet\",")
      header["label"] = #"Paper \u001b kit"#
    }
    let outcome = try await backup.box.keybackup(
      ["restore", "--wait", "1"], key: ["--no-key"], expecting: nil)
    expectFailure(outcome, 69, says: "Other ways in: recovery code", "Paper")
    #expect(!outcome.text.contains("\u{1B}"))
  }

  /// A named key that comes late.
  @Test func `Waits for the named path`() async throws {
    let keys = try await TwoKeys()
    let plugged = keys.box.root + "/plugged"
    let outcome = try await keys.box.keybackup(
      ["restore", "--wait", "3600", "--device", "/dev/hidraw1"],
      key: keys.both(own: ",plug-after-ms=\(plugged)"),
      meanwhile: [.expect("Insert your security key"), .write("", to: plugged)])
    #expect(outcome.stepsLeft.isEmpty, "\(outcome.err)")
  }

  /// The key is plugged in and out again before it can be asked: no hang.
  @Test func `A key that comes and goes`() async throws {
    let keys = try await TwoKeys()
    let outcome = try await keys.box.keybackup(
      ["restore", "--wait", "3"],
      key: ["--key", keys.box.keyState + ",plug-after-ms=400,unplug-after-ms=1,touch=never"],
      expecting: nil)
    #expect([69, 91].contains(outcome.code), "\(outcome.text)")
  }

  // MARK: Busy keys

  /// Another program has the key for a while: the command waits for it.
  @Test(arguments: [["restore"], ["credential", "create"]])
  func `A busy key is waited for`(_ command: [String]) async throws {
    let keys = try await TwoKeys()
    let script = """
      flock /dev/hidraw0 sh -c ': >"$TMPDIR/said"; until grep -q Waiting "$TMPDIR/said"; do sleep 0.05; done' &
      until [ -e "$TMPDIR/said" ]; do sleep 0.05; done
      code=0; "$@" 2>"$TMPDIR/said" || code=$?
      cat "$TMPDIR/said" >&2; exit $code
      """
    let outcome = try await keys.box.run(
      ["sh", "-c", script, "sh", Build.keybackup] + command
        + ["--wait", "3600", "--pin-file", keys.box.pinFile])
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(outcome.err.contains("Waiting: another program is using Virtual Key"))
  }

  /// Two of our own programs at the same time wait for their turns.
  @Test func `Two runs take turns`() async throws {
    let keys = try await TwoKeys()
    let script = """
      "$@" >"$TMPDIR/one" 2>&1 & job=$!; "$@" >"$TMPDIR/two" 2>&1; echo "two $?"; wait $job; echo "one $?"
      """
    let outcome = try await keys.box.run(
      [
        "sh", "-c", script, "sh", Build.keybackup, "restore", "--json", "--wait", "3600",
        "--pin-file", keys.box.pinFile,
      ], key: ["--touch", "400"])
    #expect(outcome.out == "two 0\none 0\n", "\(outcome.text)")
    for name in ["one", "two"] {
      let text = try Files.text(keys.box.root + "/tmp/" + name)
      #expect(text.contains("\"restored\":1"), "\(text)")
    }
  }
}

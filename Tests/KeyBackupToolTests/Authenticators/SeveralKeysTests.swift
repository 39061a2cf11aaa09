import Testing

/// Several security keys are plugged in.
///
/// The right one is found silently. If a user must choose, a touch is enough.
@Suite struct SeveralKeysTests {
  /// A box with a backup whose key is `Sandbox.keyState`, labelled "blue key", and another key that
  /// opens nothing.
  struct TwoKeys {
    let box: Sandbox
    var stranger: String { box.root + "/stranger.json" }

    init() async throws {
      box = try Sandbox()
      try await box.keybackup(["init", "--label", "blue key"])
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(Samples.entry(id: "a", name: "A").utf8))
    }

    /// The options for both keys, the stranger first.
    func both(stranger settings: String = "", own: String = "") -> [String] {
      ["--key", stranger + settings, "--key", box.keyState + own]
    }
  }

  /// The commands of one key in a trace of several.
  static func commands(_ trace: [String], _ key: String) -> [String] {
    trace.filter { $0.hasPrefix(key) && ($0.contains("INIT") || $0.contains("CBOR")) }
  }

  struct Trouble: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var settings: String
    var says: String?
  }

  static let troubles: [Trouble] = [
    Trouble(testDescription: "only another key", settings: "", says: nil),
    Trouble(
      testDescription: "one that never answers", settings: ",fault=silent:getInfo",
      says: "does not answer"),
    Trouble(
      testDescription: "one that answers rubbish", settings: ",fault=garbage:getInfo", says: nil),
    Trouble(
      testDescription: "one that refuses the question",
      settings: ",fault=error:getAssertion=0x7F", says: nil),
    Trouble(
      testDescription: "one that goes away", settings: ",fault=unplug:getAssertion",
      says: "unplugged"),
    Trouble(testDescription: "one that always verifies", settings: ",always-uv", says: nil),
    Trouble(testDescription: "one without hmac-secret", settings: ",no-hmac-secret", says: nil),
  ]

  /// Whatever the other key does, the right one is used.
  ///
  /// The other one is neither given the PIN nor asked to blink.
  @Test(arguments: troubles)
  func `The right key is used`(_ trouble: Trouble) async throws {
    let keys = try await TwoKeys()
    let trace = try await keys.box.traced {
      let outcome = try await keys.box.keybackup(
        ["restore", "--json"], key: keys.both(stranger: trouble.settings))
      #expect(try outcome.json()["restored"].number == 1)
      if let says = trouble.says { #expect(outcome.err.contains(says), "\(outcome.err)") }
      #expect(outcome.err.contains("Touch Virtual Key \"blue key\" now"), "\(outcome.err)")
    }
    let other = trace.filter { $0.hasPrefix("hidraw0") }
    #expect(!other.contains { $0.contains("Token") || $0.contains("TOUCH") }, "\(other)")
  }

  @Test func `The key that refused a PIN is named`() async throws {
    let keys = try await TwoKeys()
    let refused = try await keys.box.keybackup(
      ["restore", "--json"], key: keys.both(), pin: .descriptor("wrong-one"), expecting: nil)
    let error = try refused.json()["error"]
    #expect(refused.code == 81, "\(refused.text)")
    #expect(error["message"].text == "wrong PIN for Virtual Key \"blue key\"; 7 tries left")
  }

  @Test func `A key that another program holds does not stop the others`() async throws {
    let keys = try await TwoKeys()
    let outcome = try await keys.box.keybackup(
      ["restore", "--json"], key: keys.both(), wrapper: ["flock", "/dev/hidraw0"])
    #expect(try outcome.json()["restored"].number == 1)
  }

  /// Both keys hold the credential; the first is blocked.
  @Test func `A locked key does not stop its spare`() async throws {
    let keys = try await TwoKeys()
    let box = keys.box
    try Files.copy(box.keyState, to: box.root + "/locked.json")
    var state = try Files.text(box.root + "/locked.json")
    state = state.replacing(/"pinRetries" *: *\d+/, with: "\"pinRetries\" : 0")
    try Files.write(state, to: box.root + "/locked.json")
    let outcome = try await box.keybackup(
      ["restore", "--json"], key: ["--key", box.root + "/locked.json", "--key", box.keyState])
    #expect(try outcome.json()["restored"].number == 1)
    #expect(outcome.err.contains("blocked for good"), "\(outcome.err)")
    #expect(outcome.err.contains("another security key"), "\(outcome.err)")
  }

  @Test func `None of the keys opens it`() async throws {
    let keys = try await TwoKeys()
    let other = keys.box.root + "/other.json"
    let outcome = try await keys.box.keybackup(
      ["restore"], key: ["--key", keys.stranger, "--key", other], expecting: nil)
    expectFailure(outcome, 80, says: "none of these security keys", "keybackup key list")
  }

  // MARK: Telling them apart

  @Test func `Identify tells which key opens it`() async throws {
    let keys = try await TwoKeys()
    let trace = try await keys.box.traced {
      let json = try await keys.box.keybackup(
        ["key", "identify", "--json"], key: keys.both(), pin: .none
      ).json()
      #expect(json["keys"].items.map { $0["path"].text } == ["/dev/hidraw0", "/dev/hidraw1"])
      #expect(json["keys"].items.map { $0["opens"].flag } == [false, true])
      #expect(json["keys"].items.map { $0["label"].text } == [nil, "blue key"])
      #expect(json["keys"].items[1]["key_ids"].items.count == 1)
    }
    // No PIN, no touch, and few commands.
    #expect(!trace.contains { $0.contains("clientPIN") || $0.contains("TOUCH") }, "\(trace)")
    #expect(Self.commands(trace, "hidraw1").count == 3, "\(trace)")
    #expect(Self.commands(trace, "hidraw0").count == 4, "\(trace)")
    let text = try await keys.box.keybackup(["key", "identify"], key: keys.both(), pin: .none)
    #expect(text.out.contains("yes: blue key"), "\(text.out)")
    let none = try await keys.box.keybackup(
      ["key", "identify"], key: ["--key", keys.stranger], pin: .none, expecting: 80)
    #expect(none.out.contains("no"), "\(none.out)")
    try await keys.box.keybackup(
      ["key", "identify"], key: ["--no-key"], pin: .none, expecting: 69)
  }

  // MARK: Choosing by touch

  /// Enrolment with two keys: the user touches the intended one.
  @Test(arguments: [0, 1])
  func `The person chooses by touch`(_ meant: Int) async throws {
    let box = try Sandbox()
    let states = ["/a.json", "/b.json"].map { box.root + $0 }
    let touch = box.root + "/touch"
    let keys = states.enumerated().flatMap { index, state in
      ["--key", state + (index == meant ? ",touch=\(touch)" : ",touch=never")]
    }
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        ["init", "--json"], key: keys,
        terminal: [
          .expect("Touch the one to enrol"), .find("hidraw0 WAITING", in: box.tracePath),
          .find("hidraw1 WAITING", in: box.tracePath), .write("", to: touch), .expect("3 of 3"),
        ])
      // A terminal ends its lines with CR LF, which is one character.
      let asked = outcome.screen.split(whereSeparator: \.isNewline)
        .first { $0.contains("Touch the one") }
      for path in ["/dev/hidraw0", "/dev/hidraw1"] {
        #expect(asked?.ranges(of: path).count == 1, "\(outcome.screen)")
      }
    }
    // One touch to choose, three to enrol; the other key was told to stop.
    let touches = trace.count { $0 == "hidraw\(meant) TOUCH" }
    #expect(touches == 4, "\(trace)")
    #expect(trace.contains("hidraw\(1 - meant) CANCEL"), "\(trace)")
    #expect(!trace.contains { $0.hasPrefix("hidraw\(1 - meant)") && $0.contains("Token") })
    // The intended key opens it, the other one does not.
    try await box.keybackup(["restore"], key: ["--key", states[meant]])
    try await box.keybackup(["restore"], key: ["--key", states[1 - meant]], expecting: 80)
  }

  /// One of the two is removed or refuses while both blink.
  @Test(arguments: [",fault=unplug-on-touch", ",touch=deny", ",fault=silent:getInfo"])
  func `The other one may break meanwhile`(_ settings: String) async throws {
    let box = try Sandbox()
    let keys = [
      "--key", box.root + "/a.json" + settings, "--key", box.root + "/b.json,touch=900",
    ]
    try await box.keybackup(
      ["credential", "create"], key: keys, terminal: [.expect("Touch the one")])
  }

  @Test func `Nobody touches any of two keys`() async throws {
    let box = try Sandbox()
    let keys = [
      "--key", box.root + "/a.json,touch=never", "--key", box.root + "/b.json,touch=never",
    ]
    let outcome = try await box.keybackup(
      ["init", "--timeout", "1"], key: keys, terminal: [.expect("Touch the one to enrol")],
      expecting: nil)
    #expect(outcome.code == 84, "\(outcome.text)")
    #expect(Files.tree(box.folder).isEmpty)
  }

  @Test func `An interruption ends the choice between two keys`() async throws {
    let box = try Sandbox()
    let keys = [
      "--key", box.root + "/a.json,touch=never", "--key", box.root + "/b.json,touch=never",
    ]
    let trace = try await box.traced {
      let outcome = try await box.keybackup(
        ["init"], key: keys,
        terminal: [
          .expect("Touch the one to enrol"), .find("hidraw0 WAITING", in: box.tracePath),
          .find("hidraw1 WAITING", in: box.tracePath),
          .interrupt,
        ],
        expecting: nil)
      #expect(outcome.code == 130, "\(outcome.text)")
      #expect(outcome.terminalIsSane)
    }
    for key in ["hidraw0", "hidraw1"] { #expect(trace.contains("\(key) CANCEL"), "\(trace)") }
  }

  /// Nobody is there to touch: a key must be named.
  @Test func `Without a person one must be named`() async throws {
    let box = try Sandbox()
    let keys = ["--key", box.root + "/a.json", "--key", box.root + "/b.json"]
    let outcome = try await box.keybackup(
      ["init", "--no-input"], key: keys, terminal: [], expecting: nil)
    #expect(outcome.code == 90, "\(outcome.text)")
    try await box.keybackup(["init", "--device", "/dev/hidraw1"], key: keys)
    try await box.keybackup(["restore"], key: ["--key", box.root + "/b.json"])
  }
}

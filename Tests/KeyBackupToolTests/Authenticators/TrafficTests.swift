import Testing

/// The cost of a command on the wire, and the number of PINs and touches that it asks for.
@Suite struct TrafficTests {
  struct Cost: Equatable {
    var inits = 0
    var commands = 0
    var touches = 0
    var pins = 0

    init(_ trace: [String]) {
      inits = trace.count { $0 == "INIT" }
      commands = trace.count { $0.hasPrefix("CBOR ") }
      touches = trace.count { $0 == "TOUCH" }
      pins = PINTests.tries(trace)
    }
  }

  @Test func `A derive is one init and at most six commands`() async throws {
    let box = try Sandbox()
    for options in [[], ["--non-discoverable"]] {
      let id = try await box.makeCredential(options)
      let trace = try await box.traced {
        try await box.keybackup(Sandbox.derive + ["--credential", id])
      }
      let cost = Cost(trace)
      #expect(cost.inits == 1 && cost.commands <= 6, "\(trace)")
      #expect(cost.touches == 1 && cost.pins == 1, "\(trace)")
    }
  }

  @Test func `Two salts cost no more than one`() async throws {
    let box = try Sandbox()
    let id = try await box.makeCredential()
    let one = try await box.traced {
      try await box.keybackup(["derive", "--salt", "a", "--credential", id])
    }
    let two = try await box.traced {
      try await box.keybackup(
        ["derive", "--salt", "a", "--second-salt", "b", "--credential", id])
    }
    #expect(Cost(one) == Cost(two))
  }

  @Test func `A thousand wallets cost the key what one costs`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["init"])
    try await box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "w0", name: "0").utf8))
    let one = try await box.traced {
      try await box.keybackup(["restore", "--out", box.root + "/one"])
    }
    #expect(Files.tree(box.root + "/one").count == 1)
    let more = (1..<1000).map { Samples.entry(id: "w\($0)", name: "\($0)") }
    let adding = try await box.traced {
      try await box.keybackup(
        ["wallet", "import", "-"], input: Array(more.joined(separator: "\n").utf8))
    }
    #expect(Cost(adding) == Cost(one))
    let thousand = try await box.traced {
      try await box.keybackup(["restore", "--out", box.root + "/all"])
    }
    #expect(Files.tree(box.root + "/all").count == 1000)
    #expect(Cost(thousand) == Cost(one), "\(thousand)")
    #expect(Cost(one).touches == 1 && Cost(one).pins == 1 && Cost(one).inits == 1, "\(one)")
    #expect(Cost(one).commands <= 6, "\(one)")
  }

  @Test func `Init touches three times and asks for the PIN few times`() async throws {
    let box = try Sandbox()
    let trace = try await box.traced { try await box.keybackup(["init"]) }
    #expect(Cost(trace).touches == 3, "\(trace)")
    #expect(Cost(trace).inits == 1, "\(trace)")
  }

  @Test func `Looking needs no key`() async throws {
    let backup = try await PreparedBackup()
    for command in [["status"], ["verify"], ["key", "list"]] {
      let outcome = try await backup.box.keybackup(
        command, key: ["--no-key"], pin: .none, expecting: nil)
      #expect([0, 88].contains(outcome.code), "\(outcome.text)")
    }
  }
}

import Testing

/// Options that name a descriptor of the calling program.
@Suite struct DescriptorOptionTests {
  static let options: [(option: String, command: [String])] = [
    ("--pin-fd", ["restore"]), ("--recovery-code-fd", ["restore"]),
    ("--events-fd", ["restore"]), ("--new-pin-fd", ["pin", "change"]),
    ("--unlock-pin-fd", ["key", "add"]), ("--password-fd", ["wallet", "import", "--covb", "x"]),
    ("--passphrase-fd", ["nostr", "export", "--reveal"]),
  ]

  /// These numbers are also those of the program's own sockets and files: it would wait for itself.
  @Test(arguments: options.indices)
  func `One that is not open is refused`(_ index: Int) async throws {
    let (option, command) = Self.options[index]
    let box = try Sandbox()
    for number in [3, 4, 5, 77] {
      let refused = try await box.keybackup(
        command + [option, "\(number)"], pin: .none,
        wrapper: ["sh", "-c", #"exec "$@" \#(number)>&-"#, "sh"], expecting: nil)
      expectFailure(refused, 64, says: option, "names is not open")
    }
    let joined = try await box.keybackup(
      command + ["\(option)=78", "--json"], pin: .none, expecting: nil)
    try expectFailure(joined, 64, word: "usage")
  }

  @Test func `One that cannot be read is refused`() async throws {
    let box = try Sandbox()
    for (option, command) in Self.options where option != "--events-fd" {
      let refused = try await box.keybackup(
        command + [option, "8"], pin: .none,
        wrapper: ["sh", "-c", #"exec "$@" 8>"$HOME/file""#, "sh"], expecting: nil)
      expectFailure(refused, 64, says: option, "names is not open for reading")
    }
  }

  /// The key that opens and the new one have one line each.
  @Test func `Two PI ns are two lines`() async throws {
    let keys = try await ThreeKeys()
    let both = keys.only("blue") + ["--key", keys.box.root + "/fourth.json"]
    let trace = try await keys.box.traced {
      let refused = try await keys.box.keybackup(
        ["key", "add"], key: both, pin: .descriptor(Sandbox.pin), expecting: nil)
      expectFailure(refused, 66, says: "the descriptor has not a PIN", "one line for each key")
    }
    #expect(!trace.contains { $0.hasSuffix("TOUCH") }, "\(trace)")
    #expect(PINTests.tries(trace) == 0, "\(trace)")
    try await keys.box.keybackup(
      ["key", "add"], key: both, pin: .descriptor(Sandbox.pin + "\n" + Sandbox.pin))
    #expect(try await keys.slots().count == 4)
  }

  /// A calling program writes the second PIN when it is asked for it.
  @Test func `The second may come later`() async throws {
    let keys = try await ThreeKeys()
    let feed = #"{ echo "$PIN"; sleep 3; echo "$PIN"; } | "$@" --pin-fd 0"#
    let added = try await keys.box.keybackup(
      ["key", "add"], key: keys.only("blue") + ["--key", keys.box.root + "/fourth.json"],
      pin: .none, environment: ["PIN": Sandbox.pin], wrapper: ["sh", "-c", feed, "sh"])
    #expect(added.code == 0)
  }
}

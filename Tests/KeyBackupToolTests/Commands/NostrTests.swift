import Foundation
import Testing

/// `keybackup nostr` on the simulated key.
@Suite struct NostrTests {
  static let rpID = "keybackup-nostr:"

  /// A key that holds the credential of the published vectors.
  static func vectorKey(_ credRandom: String) -> [String] {
    ["--set", "credential=\(rpID)/\(credRandom)"]
  }

  static let vectors =
    (try? JSON(Files.read(Build.root + "/Tests/Vectors/nostr/identities.json")))?["sets"]
    .items ?? []

  @Test func `The vectors are here`() { #expect(Self.vectors.count == 2) }

  @Test(arguments: vectors.indices)
  func `Published vectors through the command`(_ number: Int) async throws {
    let set = Self.vectors[number]
    let box = try Sandbox()
    let key = Self.vectorKey(try #require(set["cred_random_hex"].text))
    for vector in set["modes"].items {
      let mode = try #require(vector["mode"].text)
      var input: [UInt8] = []
      var arguments = ["nostr", "pubkey"]
      if mode.hasPrefix("indexed-") { arguments += ["--index", String(mode.dropFirst(8))] }
      if mode.hasPrefix("passphrase:") {
        arguments += ["--passphrase-fd", "0"]
        input = Array(mode.dropFirst(11).utf8)
      }
      let npub = try await box.keybackup(arguments, key: key, input: input)
      #expect(npub.out == vector["npub"].text.map { $0 + "\n" }, "\(mode)")
      arguments[1] = "export"
      let nsec = try await box.keybackup(
        arguments + ["--reveal"], key: key, input: input)
      #expect(nsec.out == vector["nsec"].text.map { $0 + "\n" }, "\(mode)")
    }
  }

  @Test func `Python derives the same`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(["nostr", "create", "--json"]).json()
    let credential = bytes(base64: try #require(made["credential_id"].text))
    let npubs = try await box.keybackup(
      ["nostr", "derive", "--index", "0", "--index", "41"]
    ).out.split(separator: "\n").map(String.init)
    let inputs = ["nostr-key-v1", "nostr-key-0", "nostr-key-41"].map { Array($0.utf8) }
    var theirs: [String] = []
    for pair in [[inputs[0]], [inputs[1], inputs[2]]] {
      for output in try await box.pythonFIDO2(rpID: Self.rpID, credential: credential, inputs: pair)
      {
        let npub = try await box.run(
          Python.script("interop/nostr.py") + ["derive", output], key: nil)
        theirs.append(npub.out.trimmingCharacters(in: .newlines))
      }
    }
    #expect(theirs == [try #require(made["npub"].text)] + npubs)
    #expect(Set(theirs).count == 3)
    let digits = try await box.run(
      Python.script("interop/nostr.py") + ["key", theirs[0]], key: nil)
    #expect(digits.out == made["public_key"].text.map { $0 + "\n" })
  }

  @Test func `Another program verifies what is signed`() async throws {
    let box = try Sandbox()
    let npub = try await box.keybackup(["nostr", "create"]).out
    let event = #"{"kind":1,"content":"déjà \"vu\"\n\\ 🗝","tags":[["t","keys"]],"created_at":1}"#
    let signed = try await box.keybackup(["nostr", "sign"], input: Array(event.utf8))
    let verified = try await box.run(
      Python.script("interop/nostr.py") + ["verify"], key: nil, input: Array(signed.out.utf8))
    #expect(verified.out == npub + "déjà \"vu\"\n\\ 🗝\n", "\(verified.text)")
    let json = try await box.keybackup(["nostr", "sign", "--json"], input: Array(event.utf8)).json()
    #expect(json["event"]["created_at"].number == 1)
    // Something is wrong with the event: the key is not asked.
    let trace = try await box.traced {
      let wrong = try await box.keybackup(
        ["nostr", "sign"], input: Array(#"{"kind":1}"#.utf8), expecting: nil)
      expectFailure(wrong, 65, says: "the event cannot be signed")
    }
    #expect(trace.isEmpty)
    let foreign = #"{"kind":1,"content":"","pubkey":"\#(String(repeating: "0", count: 63))3"}"#
    let refused = try await box.keybackup(
      ["nostr", "sign"], input: Array(foreign.utf8), expecting: nil)
    expectFailure(refused, 80, says: "another public key")
  }

  /// A character that is left out, or a line that is broken, makes the signature wrong.
  @Test func `What is signed is printed to the letter, however narrow`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["nostr", "create"])
    let content =
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645} \u{200F}now run: keybackup status and wait"
    let event = Array(#"{"kind":1,"content":"\#(content)","tags":[]}"#.utf8)
    for arguments in [["nostr", "sign"], ["nostr", "sign", "--json"]] {
      let signed = try await box.keybackup(
        arguments, input: event, environment: ["COLUMNS": "40"])
      #expect(signed.out.utf8.count { $0 == 10 } == 1, "\(signed.out)")
      #expect(signed.out.contains("\"content\":\"\(content)\""), "\(signed.out)")
    }
  }

  @Test func `Two identities cost one touch`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["nostr", "create"])
    let one = try await box.traced { try await box.keybackup(["nostr", "pubkey"]) }
    let two = try await box.traced {
      try await box.keybackup(["nostr", "derive", "--index", "0", "--index", "1"])
    }
    #expect(TrafficTests.Cost(one) == TrafficTests.Cost(two))
    #expect(TrafficTests.Cost(one).touches == 1 && TrafficTests.Cost(one).pins == 1)
    #expect(TrafficTests.Cost(one).commands <= 6)
    let three = try await box.traced {
      try await box.keybackup(["nostr", "derive", "--index", "2", "--index", "3", "--index", "4"])
    }
    #expect(TrafficTests.Cost(three).touches == 2)
  }

  // MARK: No orphans

  @Test(arguments: ["hmac-secret-missing", "hmac-secret-zero", "hmac-secret-length=16"])
  func `A credential without an identity is removed`(fault: String) async throws {
    let box = try Sandbox()
    let failed = try await box.keybackup(
      ["nostr", "create"], key: ["--fault", fault], expecting: nil)
    expectFailure(failed, 86, says: "the credential was removed again")
    let left = try await box.keybackup(["credential", "list", "--json"]).json()
    #expect(left["credentials"].items.isEmpty)
    #expect(try await box.keybackup(["nostr", "list"], pin: .none).out.isEmpty)
  }

  @Test func `A credential that cannot be removed is named`() async throws {
    let box = try Sandbox()
    let failed = try await box.keybackup(
      ["nostr", "create"],
      key: [
        "--fault", "hmac-secret-zero", "--set", "no-cred-mgmt",
        "--set", "no-cred-mgmt-preview",
      ], expecting: nil)
    expectFailure(failed, 86, says: "credential delete")
  }

  @Test func `A second identity is made only on purpose`() async throws {
    let box = try Sandbox()
    let first = try await box.keybackup(["nostr", "create"]).out
    let refused = try await box.keybackup(["nostr", "create"], expecting: nil)
    expectFailure(refused, 73, says: "already", String(first.dropLast()))
    let second = try await box.keybackup(["nostr", "create", "--new-identity", "--json"]).json()
    #expect(second["npub"].text.map { $0 + "\n" } != first)
    // Both are known, so the user must say which one is meant.
    let id = try #require(second["credential_id"].text)
    let named = try await box.keybackup(["nostr", "pubkey", "--credential", id]).out
    #expect(named == second["npub"].text.map { $0 + "\n" })
  }

  // MARK: The wrong key

  @Test func `Another key is not another identity`() async throws {
    let box = try Sandbox()
    let npub = try await box.keybackup(["nostr", "create"]).out
    let other = ["--state", box.root + "/other.json"]
    // Made on another computer: this one does not know it.
    let theirs = try await box.keybackup(
      ["nostr", "create"], key: other, home: box.root + "/tmp"
    ).out
    for command in [["pubkey"], ["derive", "--index", "0"], ["export", "--reveal"], ["sign"]] {
      let refused = try await box.keybackup(
        ["nostr"] + command, key: other, input: Array(#"{"kind":1,"content":""}"#.utf8),
        expecting: nil)
      expectFailure(refused, 80, says: String(npub.dropLast()), "--new-identity")
    }
    let taken = try await box.keybackup(["nostr", "pubkey", "--new-identity"], key: other).out
    #expect(taken == theirs)
    // From now on both are known, and the key in reach says which one is meant.
    #expect(try await box.keybackup(["nostr", "pubkey"], key: other).out == theirs)
    #expect(try await box.keybackup(["nostr", "pubkey"]).out == npub)
  }

  @Test func `A key that gives something else than before`() async throws {
    let box = try Sandbox()
    let first = Self.vectorKey(String(repeating: "00", count: 32))
    _ = try await box.keybackup(["nostr", "pubkey"], key: first)
    let memory = box.home + "/.local/state/keybackup/nostr"
    let name = try #require(Files.tree(memory).first { $0 != ".lock" })
    // The memory holds another public key for this credential.
    let other = "c02c731e3397fbb4358a496bcb0400af82dc31d3474ca00a8dd2bd03b95ee3b3"
    let text = String(decoding: try Files.read(memory + "/" + name), as: UTF8.self)
    let known = try #require(text.firstMatch(of: /"public_key":"([0-9a-f]{64})"/)).1
    try Files.write(text.replacing(known, with: other), to: memory + "/" + name)
    let refused = try await box.keybackup(["nostr", "pubkey"], key: first, expecting: nil)
    expectFailure(refused, 80, says: "another identity than before", "npub1cqk8x83")
    try Files.write("{", to: memory + "/" + name)
    let damaged = try await box.keybackup(["nostr", "pubkey"], key: first, expecting: nil)
    expectFailure(damaged, 78, says: "damaged")
  }

  @Test func `What is expected is checked`() async throws {
    let box = try Sandbox()
    let npub = try await box.keybackup(["nostr", "create"]).out.trimmingCharacters(in: .newlines)
    try await box.keybackup(["nostr", "pubkey", "--expect", npub])
    let refused = try await box.keybackup(
      ["nostr", "pubkey", "--index", "7", "--expect", npub], expecting: nil)
    expectFailure(refused, 80, says: npub)
    let list = try await box.keybackup(["nostr", "list", "--json"], pin: .none).json()
    #expect(list["identities"].items.count == 1, "the unexpected one is not remembered")
  }

  // MARK: Passphrases

  @Test func `Nothing tells that a passphrase identity exists`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["nostr", "create"])
    let before = Files.tree(box.home)
    let phrase = Array("quokka in the garden\n".utf8)
    let found = try await box.keybackup(
      ["nostr", "derive", "--passphrase-fd", "0", "--json"], input: phrase
    ).json()["identities"].items
    #expect(found.count == 1)
    #expect(Files.tree(box.home) == before)
    let typed = try await box.keybackup(
      ["nostr", "pubkey", "--passphrase"],
      terminal: [
        .expect("Passphrase"), .type("quokka in the garden\n"), .expect("again"),
        .type("quokka in the garden\n"),
      ])
    #expect(typed.text.contains(try #require(found[0]["npub"].text)))
    #expect(!typed.text.contains("quokka"))
    let slip = try await box.keybackup(
      ["nostr", "pubkey", "--passphrase"],
      terminal: [.expect("Passphrase"), .type("a\n"), .expect("again"), .type("b\n")], expecting: 65
    )
    #expect(slip.text.contains("not the same"))
  }

  @Test func `Where a passphrase comes from`() async throws {
    let box = try Sandbox()
    try await box.keybackup(["nostr", "create"])
    let empty = try await box.keybackup(["nostr", "pubkey", "--passphrase-fd", "0"])
    #expect(empty.err.contains("the passphrase is empty"))
    #expect(empty.out.hasPrefix("npub1"))
    let path = box.root + "/phrase"
    try Files.write("x\n", to: path, mode: 0o644)
    let open = try await box.keybackup(
      ["nostr", "pubkey", "--passphrase-file", path], expecting: nil)
    expectFailure(open, 78, says: "others can read the passphrase file")
    try Files.write(String(repeating: "x", count: 5000), to: box.root + "/long", mode: 0o600)
    let long = try await box.keybackup(
      ["nostr", "pubkey", "--passphrase-file", box.root + "/long"], expecting: nil)
    expectFailure(long, 65, says: "too long")
    let nobody = try await box.keybackup(
      ["nostr", "pubkey", "--passphrase", "--no-input"], expecting: nil)
    expectFailure(nobody, 78, says: "--passphrase-fd")
  }

  // MARK: The backup

  @Test func `The backup brings the identities to a new computer`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let nothing = try await box.keybackup(["nostr", "save"], expecting: nil)
    expectFailure(nothing, 66, says: "no identities")
    let made = try await box.keybackup(["nostr", "create"]).out
    let more = try await box.keybackup(["nostr", "derive", "--index", "0", "--index", "9"]).out
    let saved = try await box.keybackup(["nostr", "save", "--json"]).json()
    #expect(saved["saved"].number == 3)
    let again = try await box.keybackup(["nostr", "save", "--json"]).json()
    #expect(again["saved"].number == 0)
    for path in Files.tree(box.folder) {
      let bytes = try Files.read(box.folder + "/" + path)
      #expect(bytes.firstRange(of: Array("npub1".utf8)) == nil)
      #expect(bytes.firstRange(of: Array("nostr".utf8)) == nil, "not even that there are any")
    }
    let here = try await box.keybackup(["nostr", "list", "--json"], pin: .none).json()
    let there = try await box.keybackup(["nostr", "list", "--json"], home: box.root + "/tmp").json()
    #expect(there == here)
    let npubs = there["identities"].items.compactMap(\.["npub"].text)
    #expect(npubs == (made + more).split(separator: "\n").map(String.init))
    // There, too, another key is noticed from now on, and the wallets are as they were.
    let other = try await box.keybackup(
      ["nostr", "pubkey"], key: ["--state", box.root + "/other.json"], home: box.root + "/tmp",
      expecting: nil)
    expectFailure(other, 80, says: String(made.dropLast()))
    try await box.keybackup(["verify", "--deep"], home: box.root + "/tmp")
  }

  // MARK: Mistakes

  @Test func `Mistakes are told before the key is asked`() async throws {
    let box = try Sandbox()
    let npub = "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra"
    let nsec = "nsec1w96ukz86z9h0ad7s0ltgd3cy7wuged6yffgszf55rv3u3jy3wtqswv46hr"
    let trace = try await box.traced {
      for arguments in [
        ["derive"], ["derive", "--index", "1000000"], ["derive", "--index", "-1"],
        ["derive", "--index", "1", "--index", "1"], ["pubkey", "--index", "1", "--passphrase"],
        ["pubkey", "--expect", nsec], ["export"], ["export", "--out", "-"],
        ["pubkey", "--rp-id", "keybackup:"], ["decode", nsec], ["validate", nsec],
        ["encode"], ["encode", "00", "--secret", "-"],
      ] {
        try await box.keybackup(["nostr"] + arguments, pin: .none, expecting: 64)
      }
      for arguments in [["decode", npub + "x"], ["encode", "00"], ["validate", "x"]] {
        try await box.keybackup(["nostr"] + arguments, pin: .none, expecting: 65)
      }
    }
    #expect(trace.isEmpty)
    let none = try await box.keybackup(["nostr", "pubkey"], key: ["--no-key"], expecting: nil)
    expectFailure(none, 69, says: "no security key")
    let empty = try await box.keybackup(["nostr", "pubkey"], expecting: nil)
    expectFailure(empty, 80, says: "")
  }

  @Test func `Several credentials have to be named`() async throws {
    let box = try Sandbox()
    for _ in 0..<2 { _ = try await box.makeCredential(["--rp-id", Self.rpID]) }
    let several = try await box.keybackup(["nostr", "pubkey"], expecting: nil)
    expectFailure(several, 90, says: "--credential")
  }

  @Test func `Nostr keys are written as NIP-19 says`() async throws {
    let box = try Sandbox()
    let npub = "npub1cqk8x83njlamgdv2f94ukpqq47pdcvwngax2qz5d627s8w27uwesvug0ra"
    let digits = "c02c731e3397fbb4358a496bcb0400af82dc31d3474ca00a8dd2bd03b95ee3b3"
    let nsec = "nsec1w96ukz86z9h0ad7s0ltgd3cy7wuged6yffgszf55rv3u3jy3wtqswv46hr"
    func run(_ arguments: String..., input: String = "") async throws -> String {
      try await box.keybackup(
        ["nostr"] + arguments, key: nil, pin: .none, input: Array(input.utf8)
      ).out
    }
    #expect(try await run("encode", digits) == npub + "\n")
    #expect(try await run("encode", digits.uppercased()) == npub + "\n")
    #expect(try await run("decode", npub) == digits + "\n")
    #expect(try await run("validate", npub) == "valid: a public key, \(npub)\n")
    #expect(
      try await run("validate", "-", input: " \(nsec)\n") == "valid: a secret key, \(npub)\n")
    #expect(try await run("validate", "-", input: digits).hasPrefix("valid: a public"))
    let secret = try await run("decode", "--secret", "-", "--reveal", input: nsec)
    #expect(try await run("encode", "--secret", "-", "--reveal", input: secret) == nsec + "\n")
    let file = box.root + "/secret"
    _ = try await run("decode", "--secret", "-", "--out", file, input: nsec)
    #expect(String(decoding: try Files.read(file), as: UTF8.self) == secret)
    let other = try await box.keybackup(
      ["nostr", "decode", "--secret", "-", "--reveal"], key: nil, pin: .none,
      input: Array(npub.utf8), expecting: 65)
    #expect(other.err.contains("this is a npub"))
  }
}

import Foundation
import Testing

/// A PIN opens the backup with guards, and only seldom.
@Suite struct GuardPINTests {
  @Test func `The PIN restores everything on a new computer, and gives the tries back`()
    async throws
  {
    let guarded = try await GuardedBackup()
    let pin = try Files.text(guarded.pinFile)
    #expect(pin.count == 7 && pin.dropLast().allSatisfy(\.isNumber))
    #expect(Files.mode(guarded.pinFile) == 0o600)
    let home = try guarded.newHome()
    let keyless = try await guarded.alone(["wallet", "list"], home: home, expecting: nil)
    expectFailure(keyless, 69, says: "or open the backup with its guards: --guard-pin")
    let out = guarded.box.root + "/out"
    let before = try Files.contents(guarded.box.folder)
    let restored = try await guarded.alone(
      ["restore", "--out", out] + guarded.opening() + guarded.circle.named, home: home)
    #expect(restored.out.contains("Restored 3 wallets"), "\(restored.text)")
    #expect(!restored.text.contains(pin.dropLast()))
    // Nothing was written to the folder.
    #expect(try Files.contents(guarded.box.folder) == before)
    for number in 1...3 {
      #expect(try guarded.circle.accounts(number)[0]["tries"].number == 1)
    }
    // The set-up's evaluations, and those of one restore: exactly as many as are needed.
    #expect(guarded.circle.count("evaluate") == 3 + 2)
    #expect(guarded.circle.count("reset") == 3)
    let status = try await guarded.alone(["guard", "status", "--json"]).json()
    #expect(status["ways"][0]["tries_left"].number == 30)
    #expect(status["ways"][0]["warnings"].items.isEmpty)
  }

  @Test func `A line end or a mark is no part of the PIN, and no try goes for a control character`()
    async throws
  {
    let guarded = try await GuardedBackup()
    let pin = try Files.text(guarded.pinFile).dropLast()
    let (before, home) = (guarded.circle.count("evaluate"), try guarded.newHome())
    func given(_ text: String, expecting: Int32?) async throws -> Outcome {
      try await guarded.box.keybackup(
        ["wallet", "list", "--guard-pin-file", "-"] + guarded.circle.named, key: ["--no-key"],
        pin: .none, input: Array(text.utf8), home: home, expecting: expecting)
    }
    let refused = try await given("\(pin)\u{1B}[A\n", expecting: nil)
    expectFailure(refused, 65, says: "control character", "no try was spent")
    #expect(guarded.circle.count("evaluate") == before)
    _ = try await given("\u{FEFF}\(pin)\r\n", expecting: 0)
  }

  @Test
  func `A wrong PIN costs a try at as many guards as are needed, and the right one gives it back`()
    async throws
  {
    let guarded = try await GuardedBackup()
    let wrong = try guarded.wrongPIN()
    let home = try guarded.newHome()
    for round in 1...2 {
      let refused = try await guarded.alone(
        ["wallet", "list"] + guarded.opening(wrong) + guarded.circle.named + [
          "--allow-spent-tries"
        ],
        home: home, expecting: nil)
      expectFailure(refused, 81, says: "the PIN is wrong", "\(30 - round) tries left")
    }
    #expect(guarded.circle.count("evaluate") == 3 + 4 && guarded.circle.count("reset") == 0)
    // A computer that did not spend them asks first.
    let asked = try await guarded.alone(
      ["wallet", "list", "--no-input"] + guarded.opening() + guarded.circle.named,
      home: try guarded.newHome("third"), expecting: nil)
    expectFailure(asked, 85, says: "that this computer does not know of", "--allow-spent-tries")
    #expect(guarded.circle.count("evaluate") == 3 + 4)
    // The computer that spent them does not.
    try await guarded.alone(
      ["wallet", "list"] + guarded.opening() + guarded.circle.named, home: home)
    #expect(guarded.circle.count("reset") == 3)
    let status = try await guarded.alone(["guard", "status", "--json"], home: home).json()
    #expect(status["ways"][0]["tries_left"].number == 30)
  }

  @Test func `A right PIN with a changed file is not called wrong, and costs nothing`() async throws
  {
    let guarded = try await GuardedBackup()
    let path = guarded.backup.place + "/keybackup/keys/\(guarded.keyID).json"
    let before = try Files.text(path)
    let first = try #require(before.firstMatch(of: /"ciphertext":"(.)/)).1
    let changed = "\"ciphertext\":\"" + (first == "A" ? "B" : "A")
    try Files.write(before.replacing("\"ciphertext\":\"\(first)", with: changed), to: path)
    func opened(_ file: String? = nil) async throws -> Outcome {
      try await guarded.alone(
        ["wallet", "list", "--allow-spent-tries"] + guarded.opening(file) + guarded.circle.named,
        expecting: nil)
    }
    let wrong = try await opened(guarded.wrongPIN())
    expectFailure(wrong, 81, says: "the PIN is wrong", "29 tries left")
    let right = try await opened()
    expectFailure(
      right, 65, says: "the PIN is right", "was changed or damaged", "you have all tries again",
      "keybackup key repair")
    for number in 1...3 {
      #expect(try guarded.circle.accounts(number)[0]["tries"].number == 1)
    }
    // The header is the associated data.
    let header = try #require(before.firstMatch(of: /"protected":"([^"]+)"/)).1
    let url = guarded.circle.members[0].url
    let text = String(decoding: bytes(base64: String(header)), as: UTF8.self)
      .replacing(url, with: url + "/")
    let forged = before.replacing(header, with: base64URL(text))
    try Files.write(forged, to: path)
    expectFailure(try await opened(), 65, says: "the PIN is right", "was changed or damaged")
  }

  @Test func `One guard may be down, and two are too few`() async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(2, be: "down")
    let restored = try await guarded.alone(["wallet", "list"] + guarded.opening())
    #expect(restored.err.contains("are not back"), "\(restored.text)")
    try guarded.circle.make(2, be: "exported")
    let moved = try await guarded.alone(["wallet", "list"] + guarded.opening())
    #expect(
      moved.err.contains("it was moved; ask its operator for the new address"), "\(moved.text)")
    try guarded.circle.make(2, be: "down")
    try guarded.circle.make(3, be: "down")
    let evaluated = guarded.circle.count("evaluate")
    let refused = try await guarded.alone(["wallet", "list"] + guarded.opening(), expecting: nil)
    expectFailure(
      refused, 69, says: "only 1 helps", guarded.circle.members[1].url.suffix(9).description)
    let word = try await guarded.alone(
      ["wallet", "list", "--json"] + guarded.opening(), expecting: 69
    ).json()
    #expect(word["error"]["code"].text == "guards-unreachable")
    // No try is spent where too few guards can help.
    #expect(guarded.circle.count("evaluate") == evaluated)
    try guarded.circle.make(2, be: "honest")
    try guarded.circle.make(3, be: "honest")
    try await guarded.alone(["guard", "reset"] + guarded.opening())
    let status = try await guarded.alone(["guard", "status", "--json"]).json()
    #expect(status["ways"][0]["tries_left"].number == 30)
  }

  @Test(arguments: [
    "wrong-proof", "other-key", "zero", "identity", "replay", "redirect", "oversized", "garbage",
  ])
  func `A guard that lies is named, and another takes its place`(behaviour: String) async throws {
    let guarded = try await GuardedBackup()
    // There is an answer that can be replayed.
    try await guarded.alone(["wallet", "list"] + guarded.opening())
    try guarded.circle.make(1, be: behaviour)
    let opened = try await guarded.alone(["wallet", "list"] + guarded.opening())
    #expect(opened.out.contains("first-wallet") || opened.out.contains("Name of"))
    let liar = guarded.circle.members[0]
    #expect(opened.err.contains(liar.guardID), "\(opened.text)")
    if ["wrong-proof", "other-key", "zero", "identity", "replay"].contains(behaviour) {
      #expect(opened.err.contains("do not trust this guard"), "\(opened.text)")
      try guarded.circle.make(2, be: "down")
      let refused = try await guarded.alone(
        ["wallet", "list", "--allow-spent-tries"] + guarded.opening(), expecting: nil)
      expectFailure(refused, 65, says: "gave a wrong answer", String(liar.url.dropFirst(7)))
    }
  }

  @Test func `A lost answer is asked for again and costs no second try`() async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(1, be: "lose-answer")
    let wrong = try guarded.wrongPIN()
    let refused = try await guarded.alone(
      ["wallet", "list"] + guarded.opening(wrong), expecting: nil)
    expectFailure(refused, 81, says: "29 tries left")
    #expect(guarded.circle.requests(1).contains("/v1/evaluate lost"))
    #expect(try guarded.circle.accounts(1)[0]["tries"].number == 2)
  }

  @Test(arguments: [
    "proxied", "proxied-reset", "cut-answer", "lose-answer", "lose-reset", "wrong-proof",
  ])
  func `A request of this run without a usable answer is nobody else's`(
    behaviour: String
  ) async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(1, be: behaviour)
    let reset = try await guarded.alone(["guard", "reset"] + guarded.opening())
    #expect(reset.out.contains("All tries are back at 3 of 3 guards."), "\(reset.text)")
    #expect(!reset.err.contains("somebody else") && !reset.err.contains("are not back"))
    // What is repeated is not counted again.
    for number in 1...3 { #expect(try guarded.circle.accounts(number)[0]["tries"].number == 1) }
    try guarded.circle.make(1, be: "honest")
    let later = try await guarded.alone(["wallet", "list", "--no-input"] + guarded.opening())
    #expect(!later.err.contains("somebody else"), "\(later.text)")
  }

  @Test(arguments: ["retired", "unknown", "no-tries"])
  func `A guard that never gives the tries back is replaced, not asked again`(
    behaviour: String
  ) async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(3, be: behaviour)
    let reset = try await guarded.alone(
      ["guard", "reset", "--json"] + guarded.opening(), expecting: nil)
    #expect(reset.code != 0, "\(reset.text)")
    #expect(try reset.json()["failed"].items.map(\.text) == [guarded.circle.members[2].guardID])
    #expect(reset.err.contains("are not back") && reset.err.contains("keybackup guard renew"))
    #expect(!reset.err.contains("keybackup guard reset"), "\(reset.err)")
    // No later time helps where too many guards have lost their accounts.
    for number in 1...2 { try guarded.circle.make(number, be: "forgetful") }
    let refused = try await guarded.alone(["wallet", "list"] + guarded.opening(), expecting: nil)
    expectFailure(refused, 69, says: "it does not know the account", "keybackup guard renew")
    #expect(!refused.err.contains("try again later"), "\(refused.err)")
  }

  @Test func `A guard that lets a run wait is named`() async throws {
    let guarded = try await GuardedBackup()
    try guarded.circle.make(2, be: "silent")
    let host = guarded.circle.members[1].url.dropFirst("http://".count)
    let stopped = try await guarded.alone(
      ["guard", "status"], terminal: [.expect("Waiting for \(host) ("), .interrupt],
      expecting: nil)
    #expect(stopped.code == 130, "\(stopped.text)")
  }

  @Test func `A try of another restore at the same time is followed by one more request`()
    async throws
  {
    let guarded = try await GuardedBackup()
    for number in 1...2 { try guarded.circle.make(number, be: "raced") }
    let opened = try await guarded.alone(["wallet", "list"] + guarded.opening())
    #expect(opened.err.contains("somebody else used the guards"), "\(opened.text)")
    for number in 1...2 {
      let statuses = guarded.circle.requests(number).filter { $0.hasPrefix("/v1/evaluate") }
      // The first is the set-up's.
      #expect(statuses == [200, 409, 200].map { "/v1/evaluate \($0)" })
      #expect(try guarded.circle.accounts(number)[0]["tries"].number == 1)
    }
    // No other guard took their place.
    #expect(guarded.circle.requests(3).count { $0.hasPrefix("/v1/evaluate") } == 1)
  }

  @Test func `After a try the person hears that somebody else used the guards in between`()
    async throws
  {
    let guarded = try await GuardedBackup()
    let told = "keybackup: somebody else used the guards of \"PIN with guards\" since"
    let renew = "keybackup guard renew \(guarded.keyID.prefix(8))\n"
    func opened(
      _ options: [String] = [], file: String? = nil, home: String? = nil,
      expecting code: Int32 = 0
    ) async throws -> String {
      try await guarded.alone(
        ["wallet", "list"] + guarded.opening(file) + guarded.circle.named + options, home: home,
        expecting: code
      ).err
    }
    // Its own set-up and openings are this computer's.
    #expect(try await !opened().contains("somebody else"))
    #expect(try await !opened().contains("somebody else"))
    // A new computer cannot tell. Its success gave the tries back, so none is missing here.
    let home = try guarded.newHome()
    #expect(try await !opened(home: home).contains("somebody else"))
    let first = try await opened()
    #expect(first.contains(told) && first.contains(renew), "\(first)")
    #expect(try await !opened().contains("somebody else"))
    // A thief's try. A person who says that it is known hears of it too, also with a wrong PIN.
    let wrong = try guarded.wrongPIN()
    let thief = try guarded.newHome("thief")
    _ = try await opened(file: wrong, home: thief, expecting: 81)
    let asked = try await opened(["--no-input"], expecting: 85)
    #expect(asked.contains("that this computer does not know of"), "\(asked)")
    let second = try await opened(["--allow-spent-tries"], file: wrong, expecting: 81)
    #expect(second.contains(told) && second.contains(renew), "\(second)")
    // The success tells it of the guard that was not asked since, and is the last to do so.
    _ = try await opened(["--allow-spent-tries"])
    #expect(try await !opened().contains("somebody else"))
    #expect(try await !opened(["--quiet"], home: home).contains("somebody else"))
  }

  @Test func `The guards' clock decides when a PIN may be tried, and used up is used up`()
    async throws
  {
    let guarded = try await GuardedBackup(count: 1, needed: 1)
    let wrong = try guarded.wrongPIN()
    let command = ["wallet", "list"] + guarded.opening(wrong)
    // Celo's schedule, with a clock that is years away from this computer's.
    var time = 4_000_000_000
    try guarded.circle.stopClock(at: time)
    for left in [19, 18, 17] {
      let tried = try await guarded.alone(command, expecting: nil)
      expectFailure(tried, 81, says: "\(left) tries left")
    }
    let early = try await guarded.alone(command, expecting: nil)
    expectFailure(early, 75, says: "the next try is at 2096-10-02 07:06", "no try was spent")
    #expect(try guarded.circle.accounts(1)[0]["tries"].number == 4)
    for left in (0..<17).reversed() {
      time += 86_400
      try guarded.circle.stopClock(at: time)
      let tried = try await guarded.alone(command, expecting: nil)
      expectFailure(
        tried, 81,
        says: left == 0 ? "it was the last try" : left == 1 ? "1 try left" : "\(left) tries left")
    }
    let right = try await guarded.alone(["wallet", "list"] + guarded.opening(), expecting: nil)
    expectFailure(right, 82, says: "no try is left", "guard renew")
    // The other way in is not touched by that.
    try await guarded.box.keybackup(["wallet", "list"])
  }

  @Test func `A guard that was set back is reported`() async throws {
    let guarded = try await GuardedBackup()
    let wrong = try guarded.wrongPIN()
    for number in 1...3 { try guarded.circle.keep(number) }
    try await guarded.alone(["wallet", "list"] + guarded.opening(wrong), expecting: 81)
    for number in 1...3 { try guarded.circle.setBack(number) }
    let status = try await guarded.alone(["guard", "status"], expecting: 88)
    #expect(status.out.contains("restored an old copy of its accounts"), "\(status.text)")
    // The ID can be compared.
    for member in guarded.circle.members { #expect(status.out.contains(member.guardID)) }
    let opened = try await guarded.alone(["wallet", "list"] + guarded.opening())
    #expect(opened.err.contains("restored an old copy of its accounts"), "\(opened.text)")
  }

  @Test func `A guard that was moved looks like no attack, and a reset gives its tries back`()
    async throws
  {
    let guarded = try await GuardedBackup()
    for number in 1...3 { try guarded.circle.move(number) }
    let status = try await guarded.alone(["guard", "status"])
    #expect(status.out.contains("was moved. It gives at most 3 tries"), "\(status.text)")
    #expect(!status.out.contains("somebody is guessing"))
    let json = try await guarded.alone(["guard", "status", "--json"]).json()["ways"][0]
    #expect(json["warnings"].items.isEmpty && json["notices"].items.count == 3)
    #expect(json["guards"][0]["moved"].flag == true && json["unknown_tries"].number == 0)
    // A new computer takes it for no spent tries either. Its success gives all tries back.
    try await guarded.alone(
      ["wallet", "list", "--no-input"] + guarded.opening() + guarded.circle.named,
      home: try guarded.newHome())
    let back = try await guarded.alone(["guard", "status", "--json"]).json()["ways"][0]
    #expect(back["tries_left"].number == 30 && back["notices"].items.isEmpty)
    for number in 1...3 { try guarded.circle.move(number) }
    let reset = try await guarded.alone(["guard", "reset", "--no-input"] + guarded.opening())
    #expect(reset.out.contains("All tries are back at 3 of 3 guards."), "\(reset.text)")
    let well = try await guarded.alone(["guard", "status", "--json"]).json()["ways"][0]
    #expect(well["tries_left"].number == 30 && well["notices"].items.isEmpty)
  }

  @Test func `An address that belongs to another guard is named as that`() async throws {
    let guarded = try await GuardedBackup()
    let members = guarded.circle.members
    try guarded.circle.make(3, be: "down")
    let swapped = try await guarded.alone(
      [
        "wallet", "list", "--guard-server", "\(members[0].guardID)=\(members[1].url)",
      ] + guarded.opening(), expecting: nil)
    expectFailure(
      swapped, 69, says: "this address belongs to another guard, \(members[1].guardID)")
    let unknown = try await guarded.alone(
      [
        "wallet", "list", "--guard-server",
        "00112233445566778899aabbccddeeff=\(members[1].url)",
      ] + guarded.opening(), expecting: nil)
    expectFailure(unknown, 64, says: "no way in of this backup has the guard 00112233")
  }

  @Test func `A file of authorities that is no PEM is refused before anything else`() async throws {
    let guarded = try await GuardedBackup()
    let file = guarded.box.root + "/authorities.pem"
    try Files.write("no certificate\n", to: file)
    let refused = try await guarded.box.keybackup(
      ["guard", "reset", "--guard-ca", file] + guarded.opening(), expecting: nil)
    expectFailure(refused, 65, says: "holds no certificate in PEM")
    #expect(!refused.text.contains("ended, or is of another version"), "\(refused.text)")
  }
}

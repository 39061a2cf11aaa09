import CSPP
import FoundationEssentials
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import TestSupport
import Testing

@testable import GuardProtocol

/// Whole ways in with guards: headers, shares, masks, secrets, files.
///
/// Tests/reader/guarded_slots.py wrote the known answers, from docs/format.md.
@Suite("Key slots with guards")
struct GuardedSlotTests {
  struct Guardian: Codable, Sendable {
    let point: Int
    let guardId, given, share, askKey, account, resetKey: String
    let oprfSeed: String?
  }

  struct Way: Codable, Sendable, CustomTestStringConvertible {
    let kind, shared, coefficients, secret, recipient, namespaceId, keyId: String
    let pin, guardNonce, masterKey, header, file: String
    let x: String?
    let threshold: Int
    let guards: [Guardian]
    var testDescription: String { "\(kind), \(threshold) of \(guards.count)" }
    var slot: KeyID { KeyID(hex: keyId) ?? .of(0) }

    func wrapper() throws -> KeyWrapper {
      try KeyWrapper(parsing: Array(file.utf8).span, at: NamespaceID(hex: namespaceId))
    }
  }

  private static let python = SecondOpinion("guarded_slots.py")

  static func vectors() throws -> [Way] { try KnownAnswers<Way>.cases("guards/ways.json") }

  @Test func `One way in of each kind`() throws {
    #expect(try Self.vectors().map(\.kind) == ["guarded_pin", "guarded_login"])
  }

  @Test(arguments: try vectors())
  func `Shares, keys and accounts of every guard`(_ way: Way) throws {
    let threshold = try GuardThreshold(guards: way.guards.count, needed: way.threshold)
    let shares = try SecretShares(
      of: secret(unhex(way.shared)), threshold: threshold,
      coefficients: secret(unhex(way.coefficients)))
    for guardian in way.guards {
      #expect(array(try shares.share(at: guardian.point)) == unhex(guardian.share))
      let id = try #require(GuardID(hex: guardian.guardId))
      let ask = try GuardSigner.ask(nonce: unhex(way.guardNonce), keyID: way.slot, guardID: id)
      let askKey = ask.publicKey
      #expect(askKey.hex == guardian.askKey)
      #expect(GuardAccountID(of: askKey).hex == guardian.account)
      let reset = try GuardSigner.reset(
        secret: secret(unhex(way.secret)), keyID: way.slot, guardID: id)
      let resetKey = reset.publicKey
      #expect(resetKey.hex == guardian.resetKey)
    }
  }

  /// What a guard gives for `x`, as a client and a guard compute it together.
  private func output(
    _ guardian: Guardian, _ key: [UInt8], _ x: borrowing SecretBytes
  ) throws -> [UInt8] {
    let own = try OPRFKey(
      seed: secret(unhex(guardian.oprfSeed ?? "")), info: Array("account".utf8), mode: .verifiable)
    let publicKey = own.publicKey
    #expect(publicKey.bytes == key)
    let blinded = try BlindedInput(x.copy(), mode: .verifiable)
    let element = blinded.element
    let evaluation = try own.evaluate([element])
    let verified = try evaluation.proof.verify(
      blinded: [element], evaluated: evaluation.evaluated, publicKey: RistrettoElement(key))
    return array(try blinded.finalize(try #require(verified.first)))
  }

  /// The slot's secret, from what the guards at these points give.
  private func opened(_ way: Way, points: [Int], pin: [UInt8]? = nil) throws -> SecretBytes {
    let header = try way.wrapper().header
    let threshold = try GuardThreshold(guards: way.guards.count, needed: way.threshold)
    var collected = CollectedShares(threshold: threshold)
    switch header.kind {
    case .guardedPIN(let own):
      #expect(own.threshold == threshold)
      let x = try own.stretching.derive(secret(pin ?? unhex(way.pin)))
      for point in points {
        let place = own.guards[point - 1]
        let given =
          way.guards[point - 1].oprfSeed == nil
          ? unhex(way.guards[point - 1].given)
          : try output(way.guards[point - 1], place.oprfKey, x)
        if pin == nil { #expect(given == unhex(way.guards[point - 1].given)) }
        try collected.add(
          ShareMask.pin(
            secret(place.maskedShare), output: secret(given), keyID: header.keyID, point: point),
          at: point)
      }
      return try GuardedSecret.pin(shared: collected.combine(), stretched: x, keyID: header.keyID)
    case .guardedLogin(let own):
      #expect(own.threshold == threshold)
      for point in points {
        let (place, given) = (own.guards[point - 1], unhex(way.guards[point - 1].given))
        #expect(Digest(of: given.span) == place.shareDigest)
        try collected.add(
          ShareMask.login(
            secret(place.maskedShare), secret: secret(given), keyID: header.keyID, point: point),
          at: point)
      }
      return try GuardedSecret.login(
        shared: collected.combine(), nonce: own.nonce, keyID: header.keyID)
    default:
      Issue.record("\(way.kind)")
      return secret([])
    }
  }

  private func opens(_ way: Way) throws {
    let wrapper = try way.wrapper()
    let all = Array(1...way.guards.count)
    for points in [Array(all.prefix(way.threshold)), Array(all.suffix(way.threshold).reversed())] {
      let slotSecret = try opened(way, points: points)
      #expect(array(slotSecret) == unhex(way.secret))
      let recipient = try GuardedSecret.recipient(of: slotSecret, keyID: way.slot)
      #expect(recipient.hex == way.recipient && recipient.bytes == wrapper.recipient)
      let masterKey = try wrapper.open(secret: slotSecret)
      #expect(masterKey.namespaceID.hex == way.namespaceId)
      #expect(masterKey.withBytes { Hex.string(array(SecretBytes(copying: $0))) } == way.masterKey)
    }
  }

  @Test(arguments: try vectors())
  func `Guards that help open the file`(_ way: Way) throws { try opens(way) }

  @Test func `Another PIN gives another secret, which opens nothing`() throws {
    let way = try Self.vectors()[0]
    let wrong = try opened(way, points: [1, 3], pin: Array("493818".utf8))
    let wrapper = try way.wrapper()
    #expect(throws: CSPPError.authenticationFailed) { _ = try wrapper.open(secret: wrong) }
  }

  private struct Wish: Codable {
    let kind: String
    let guards, needed: Int
    let pin: String
  }

  private static let numbers = [(1, 1), (2, 2), (3, 2), (5, 3), (16, 9)]

  @Test func `Files that the Python program writes open here`() throws {
    let wishes = Self.numbers.flatMap { guards, needed in
      ["guarded_pin", "guarded_login"].map {
        Wish(kind: $0, guards: guards, needed: needed, pin: "c3a4c3b6")
      }
    }
    let ways: [Way] = try Self.python.answers("write", wishes, keys: .convertFromSnakeCase)
    for way in ways { try opens(way) }
  }

  // MARK: Files that we write

  private struct Given: Codable {
    let point: Int
    let given: String
  }

  private struct Question: Codable {
    let file, namespaceId, pin: String
    let given: [Given]

    enum CodingKeys: String, CodingKey {
      case file, pin, given
      case namespaceId = "namespace_id"
    }
  }

  private struct Answer: Codable {
    let masterKey, refused: String?
  }

  /// A file that our code writes, with what its guards give.
  private func written(
    _ isPIN: Bool, _ guards: Int, _ needed: Int, pin: [UInt8]
  ) throws -> (question: Question, masterKey: String) {
    let (keyID, nonce) = (KeyID.random(), Randomness.bytes(count: KeyHeader.guardNonceSize))
    let masterKey = MasterKey.random()
    let shared = SecretBytes.random(count: 32)
    let shares = try SecretShares(
      of: shared, threshold: GuardThreshold(guards: guards, needed: needed))
    let stretching = try PINStretching(memoryKiB: 8192, passes: 1)
    let x = try stretching.derive(secret(pin))
    var given: [Given] = []
    var pins: [KeyHeader.GuardedPIN.Guard] = []
    var logins: [KeyHeader.GuardedLogin.Guard] = []
    for point in 1...guards {
      let url = try #require(ServiceURL("https://g\(point).example"))
      if isPIN {
        let key = OPRFKey.random(mode: .verifiable)
        let output = try key.output(for: x)
        let masked = try ShareMask.pin(
          shares.share(at: point), output: output, keyID: keyID, point: point)
        let publicKey = key.publicKey
        pins.append(
          .init(
            guardID: .random(), url: url, oprfKey: publicKey.bytes, maskedShare: array(masked)))
        given.append(Given(point: point, given: Hex.string(array(output))))
      } else {
        let own = SecretBytes.random(count: 32)
        let masked = try ShareMask.login(
          shares.share(at: point), secret: own, keyID: keyID, point: point)
        logins.append(
          .init(
            guardID: .random(), url: url, maskedShare: array(masked),
            shareDigest: Digest(of: array(own).span)))
        given.append(Given(point: point, given: Hex.string(array(own))))
      }
    }
    let kind: KeyHeader.Kind
    let slotSecret: SecretBytes
    if isPIN {
      kind = .guardedPIN(
        try .init(
          nonce: nonce, needed: needed, schedule: .password, stretching: stretching, guards: pins))
      slotSecret = try GuardedSecret.pin(shared: shared, stretched: x, keyID: keyID)
    } else {
      kind = .guardedLogin(
        try .init(
          nonce: nonce, needed: needed, delay: ReleaseDelay(0),
          issuer: #require(ServiceURL("https://login.example")), clientID: "k", guards: logins))
      slotSecret = try GuardedSecret.login(shared: shared, nonce: nonce, keyID: keyID)
    }
    let header = KeyHeader(
      namespaceID: masterKey.namespaceID, keyID: keyID, kind: kind, label: "\u{E4}", createdAt: 5)
    let file = try KeyWrapper.seal(masterKey, secret: slotSecret, header: header)
    let question = Question(
      file: Base64.string(file, .standard), namespaceId: masterKey.namespaceID.hex,
      pin: Hex.string(pin), given: Array(given.shuffled().prefix(needed)))
    let key = masterKey.withBytes { Hex.string(array(SecretBytes(copying: $0))) }
    return (question, key)
  }

  @Test func `Files that we write open with the Python program`() throws {
    let pin = Array("pa\u{308}ss wo\u{308}rd".utf8)
    var files: [(question: Question, masterKey: String)] = []
    for (guards, needed) in Self.numbers {
      files.append(try written(true, guards, needed, pin: pin))
      files.append(try written(false, guards, needed, pin: pin))
    }
    let answers: [Answer] = try Self.python.answers(
      "open", files.map(\.question), keys: .convertFromSnakeCase)
    #expect(answers.map(\.masterKey) == files.map { $0.masterKey })
    let wrong = files.map { file in
      Question(
        file: file.question.file, namespaceId: file.question.namespaceId, pin: "31",
        given: file.question.given)
    }
    let refusals: [Answer] = try Self.python.answers(
      "open", wrong, keys: .convertFromSnakeCase)
    for (place, refusal) in refusals.enumerated() {
      #expect((refusal.refused == "recipient") == (place % 2 == 0))
    }
  }
}

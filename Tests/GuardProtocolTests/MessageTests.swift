import CSPP
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory
import TestSupport
import Testing

@testable import GuardProtocol

@Suite("Guard messages")
struct MessageTests {
  /// One message of each kind, with the reader of its kind.
  private struct Sample {
    let name: String
    let body: [UInt8]
    /// Reads any bytes as this kind, and writes them again.
    let read: ([UInt8]) throws(GuardProtocolError) -> [UInt8]

    init<Message: GuardMessage>(_ message: Message) {
      name = "\(Message.self)"
      body = message.body
      read = { (bytes) throws(GuardProtocolError) in
        try unsafe Message(parsing: bytes.span.bytes).body
      }
      let back = try? unsafe Message(parsing: message.body.span.bytes)
      #expect(back == message, "\(Message.self)")
    }

    func refusal(_ text: String) -> GuardProtocolError? { refusal(Array(text.utf8)) }

    func refusal(_ bytes: [UInt8]) -> GuardProtocolError? {
      do throws(GuardProtocolError) {
        _ = try read(bytes)
        return nil
      } catch {
        return error
      }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private static func samples() throws -> [Sample] {
    let account = GuardAccountID.of(0xAA)
    let (reset, owner) = (try signer(1).publicKey, try signer(2).publicKey)
    let session = try sessionKey(3)
    let login = CreateAccountRequest.Login(
      keyID: .of(0x11), clientID: "keybackup", delay: try ReleaseDelay(), idToken: "e30.e30.c2ln",
      sessionKey: session)
    let key = try guardKey()
    let blinded = try element(1)
    var pin = PINAccount(.pin, createdAt: 5)
    let evaluation = try pin.evaluate(blinded, counter: 0, at: 5) {
      () throws(VOPRFError) in try key.evaluate([blinded])
    }.evaluation
    var logins = LoginAccount(try ReleaseDelay(), createdAt: 5)
    try logins.confirm(counter: 0, at: 5)
    let release = try logins.begin(session, at: 6)
    _ = try logins.begin(sessionKey(4), at: 7)
    let spent = PINAccount(
      life: AccountLife(.confirmed, counter: 30), limiter: DelayLimiter(.pin, tries: 21, timer: 9))
    let refusals: [GuardRefusal] = [
      .unauthorised, .unknown, .counter(7), .unconfirmed, .disabled, .malformed,
      .tooEarly(notBefore: 9), .usedUp, .tooMany, .clock,
      .stopped,
    ]
    return [
      Sample(CreateAccountRequest(invite: nil, resetKey: reset, ownerKey: owner, kind: .pin(.pin))),
      Sample(
        CreateAccountRequest(
          invite: "K7-xyz", resetKey: reset, ownerKey: owner, kind: .pin(.password))),
      Sample(
        CreateAccountRequest(invite: "1", resetKey: reset, ownerKey: owner, kind: .login(login))),
      Sample(AccountRequest(account: account)),
      Sample(CounterRequest(account: account, counter: UInt64(Int64.max))),
      Sample(EvaluateRequest(account: account, counter: 0, element: blinded)),
      Sample(ReleaseRequest(account: account, idToken: "e30.e30.c2ln", sessionKey: session)),
      Sample(CollectRequest(account: account, sessionKey: session)),
      Sample(VetoRequest(account: account, release: ReleaseID(of: session))),
      Sample(CreateAccountAnswer(account: account, counter: 0, part: .oprfKey(key.publicKey))),
      Sample(
        CreateAccountAnswer(
          account: account, counter: 1, part: .sealed([UInt8](repeating: 5, count: 80)))),
      Sample(EvaluateAnswer(evaluation, of: pin)),
      Sample(ReleaseAnswer(release)),
      Sample(try CollectAnswer(sealed: [UInt8](repeating: 6, count: 80))),
      Sample(AccountAnswer(pin)), Sample(AccountAnswer(spent)),
      Sample(AccountAnswer(logins, at: 8)),
      Sample(
        GuardInfo(
          guardKey: owner, urls: ["https://guard.example/", "http://127.0.0.1:8080"],
          schedules: [.pin, .password], issuers: [])),
    ] + refusals.map { Sample(RefusalAnswer($0)) }
  }

  @Test func `What is written is read, and written the same`() throws {
    for sample in try Self.samples() {
      #expect(try sample.read(sample.body) == sample.body, "\(sample.name)")
      #expect(sample.body.count < GuardCall.maximumBodySize)
    }
  }

  @Test func `An unknown field, a doubled one, one that is missing or null is refused`() throws {
    for sample in try Self.samples() {
      let text = sample.text
      #expect(
        sample.refusal(String(text.dropLast()) + ",\"note\":1}")
          == .malformed("has an unknown field"), "\(sample.name)")
      for field in try Self.fields(of: text) {
        let note = "\(sample.name) \(field.name)"
        #expect(
          sample.refusal("{\(field.text),\(text.dropFirst())") == .malformed("has a field twice"),
          "\(note)")
        #expect(
          sample.refusal(text.replacing(field.text, with: "\"\(field.name)\":null")) != nil,
          "\(note)")
        let rest = text.replacing(",\(field.text)", with: "").replacing("\(field.text),", with: "")
          .replacing("{\(field.text)}", with: "{}")
        // The only ones that may be absent.
        let isOptional =
          field.name == "invite" || field.name == "not_before" && text.contains("tries_left")
        #expect((sample.refusal(rest) == nil) == isOptional, "\(note)")
      }
    }
  }

  @Test func `Values of another type, size or spelling are refused`() throws {
    for sample in try Self.samples() {
      for field in try Self.fields(of: sample.text) {
        var wrong = [
          "true", "{}", "-1", "1.5", "1e3", "9223372036854775808", "\"\"", "\"00\"", "[[]]",
        ]
        if !["urls", "issuers", "schedules", "releases"].contains(field.name) { wrong += ["[]"] }
        if field.value.hasPrefix("\"") {
          let inner = String(field.value.dropFirst().dropLast())
          wrong += ["\"\(inner)0 \"", "\" \(inner)\"", "\"\(inner)\\u0000\"", "0"]
          if inner.utf8.count >= 32, inner.allSatisfy(\.isHexDigit) {
            wrong += ["\"\(inner.dropLast(2))\"", "\"\(inner)00\"", "\"g\(inner.dropFirst())\""]
            if inner.contains(where: \.isLetter) { wrong.append("\"\(inner.uppercased())\"") }
          }
        } else if field.value.first?.isNumber == true {
          wrong += ["\"\(field.value)\"", "0\(field.value)", "[\(field.value)]"]
        }
        for value in wrong where !Self.allows(field.name, value) {
          let text = sample.text.replacing(field.text, with: "\"\(field.name)\":\(value)")
          #expect(sample.refusal(text) != nil, "\(sample.name) \(field.name) \(value)")
        }
      }
    }
  }

  /// Short texts that some fields take.
  private static func allows(_ field: String, _ value: String) -> Bool {
    ["invite", "client_id", "id_token"].contains(field) && value == "\"00\""
  }

  @Test func `Bodies over 64 KiB, broken ones and other JSON are refused`() throws {
    for sample in try Self.samples() {
      let padding = [UInt8](
        repeating: UInt8(ascii: " "), count: GuardCall.maximumBodySize - sample.body.count)
      #expect(try sample.read(sample.body + padding) == sample.body)
      #expect(sample.refusal(sample.body + padding + [0x20]) == .tooLarge)
      for text in ["", " ", "[]", "null", "1", "\"x\"", "{", "{}x", sample.text + sample.text] {
        #expect(sample.refusal(text) != nil)
      }
      for count in 0..<sample.body.count {
        #expect(sample.refusal(Array(sample.body.prefix(count))) != nil)
      }
      #expect(sample.refusal([0xEF, 0xBB, 0xBF] + sample.body) != nil, "a byte order mark")
    }
  }

  @Test func `Any changed byte is refused or still reads as what it says`() throws {
    var generator = SeededGenerator(seed: TestSeed.value)
    let samples = try Self.samples()
    for _ in 0..<20_000 {
      let sample = samples[Int.random(in: samples.indices, using: &generator)]
      var body = sample.body
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        body[Int.random(in: body.indices, using: &generator)] = generator.bytes(1)[0]
      }
      // Whatever is read has one spelling, which reads as the same.
      if let once = try? sample.read(body) { #expect(try sample.read(once) == once) }
    }
  }

  @Test func `Keys that no one can have are refused`() throws {
    let good = try Self.samples()[0].text
    let key = try signer(1).publicKey.hex
    // The neutral element of Ed25519, and the same key in two roles.
    let weak = "01" + String(repeating: "00", count: 31)
    #expect(
      Self.create(good.replacing(key, with: weak)) == .malformed("has an invalid field reset_key"))
    #expect(
      Self.create(good.replacing(try signer(2).publicKey.hex, with: key))
        == .malformed("has an invalid field owner_key"))
    let identity = String(repeating: "00", count: 32)
    let evaluate = #"{"account":"\#(identity)","counter":0,"element":"\#(identity)"}"#
    #expect(throws: GuardProtocolError.malformed("has an invalid field element")) {
      try unsafe EvaluateRequest(parsing: Array(evaluate.utf8).span.bytes)
    }
    let collect = #"{"account":"\#(identity)","session_key":"\#(identity)"}"#
    #expect(throws: GuardProtocolError.malformed("has an invalid field session_key")) {
      try unsafe CollectRequest(parsing: Array(collect.utf8).span.bytes)
    }
  }

  private static func create(_ text: String) -> GuardProtocolError? {
    do throws(GuardProtocolError) {
      _ = try unsafe CreateAccountRequest(parsing: Array(text.utf8).span.bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `A request of one kind has no field of the other`() throws {
    let texts = try Self.samples().map(\.text)
    let (pin, login) = (texts[0], texts[2])
    #expect(
      Self.create(String(pin.dropLast()) + #","delay":0}"#) == .malformed("has an unknown field"))
    #expect(
      Self.create(String(login.dropLast()) + #","schedule":"pin"}"#)
        == .malformed("has an unknown field"))
    #expect(Self.create(pin.replacing("\"pin\",", with: "\"face\",")) != nil)
    #expect(Self.create(login.replacing("86400", with: "2592001")) != nil)
  }

  @Test func `Texts and lists have their limits`() throws {
    let texts = try Self.samples().map(\.text)
    func invite(_ count: Int) -> GuardProtocolError? {
      Self.create(texts[2].replacing("\"1\"", with: "\"\(String(repeating: "i", count: count))\""))
    }
    #expect(invite(64) == nil)
    #expect(invite(65) != nil)
    func token(_ count: Int) -> GuardProtocolError? {
      Self.create(texts[2].replacing("e30.e30.c2ln", with: String(repeating: "t", count: count)))
    }
    #expect(token(16_384) == nil)
    #expect(token(16_385) != nil)
    let owner = try signer(2).publicKey
    func info(_ urls: Int, _ size: Int) -> Bool {
      let url = String(repeating: "u", count: size)
      let info = GuardInfo(
        guardKey: owner, urls: Array(repeating: url, count: urls), schedules: [], issuers: [])
      return (try? unsafe GuardInfo(parsing: info.body.span.bytes)) == info
    }
    #expect(info(16, 512))
    #expect(!info(17, 1))
    #expect(!info(1, 513))
    let twice = GuardInfo(guardKey: owner, urls: [], schedules: [.pin, .pin], issuers: [])
    #expect(throws: GuardProtocolError.malformed("has an invalid field schedules")) {
      try unsafe GuardInfo(parsing: twice.body.span.bytes)
    }
    let info2 = GuardInfo(guardKey: owner, urls: [], schedules: [], issuers: [])
    let other = String(decoding: info2.body, as: UTF8.self).replacing("SHA512", with: "SHA256")
    #expect(throws: GuardProtocolError.malformed("has an invalid field suite")) {
      try unsafe GuardInfo(parsing: Array(other.utf8).span.bytes)
    }
  }

  @Test func `Statuses, paths and keys are those of the protocol`() {
    let statuses: [GuardRefusal: Int] = [
      .unauthorised: 401, .unknown: 404, .counter(1): 409, .unconfirmed: 409, .disabled: 410,
      .malformed: 422, .tooEarly(notBefore: 1): 429, .usedUp: 429, .tooMany: 429, .clock: 503,
      .stopped: 503,
    ]
    for (refusal, status) in statuses { #expect(RefusalAnswer(refusal).status == status) }
    #expect(Set(GuardCall.allCases.map(\.path)).count == GuardCall.allCases.count)
    #expect(GuardCall.allCases.filter { $0.method == "GET" } == [.info])
    #expect(GuardCall.allCases.filter { $0.signer == .owner } == [.retire, .veto])
    #expect(GuardCall.allCases.filter { $0.signer == .reset } == [.confirm, .reset])
    #expect(GuardCall.allCases.filter(\.worksWithoutClock) == [.info, .status, .retire, .veto])
  }

  private struct Field {
    let name, value: String
    var text: String { "\"\(name)\":\(value)" }
  }

  /// The members of a message's object.
  private static func fields(of text: String) throws -> [Field] {
    let bytes = Array(text.utf8)
    let object = try unsafe JSONObject(parsing: bytes.span.bytes, duplicates: .refused)
    return object.members.map {
      Field(
        name: String(decoding: bytes[$0.name.range], as: UTF8.self),
        value: String(decoding: bytes[$0.value.fullRange], as: UTF8.self))
    }
  }
}

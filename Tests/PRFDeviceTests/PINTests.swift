import PRFDevice
import SecretMemory
import Testing
import VirtualKey

@Suite struct PINTests {
  private static func make(_ bytes: [UInt8]) throws(PRFDeviceError) {
    _ = try PIN(SecretBytes(copying: unsafe bytes.span.bytes))
  }

  @Test(
    arguments: [
      ("", PINRule.tooShort), ("123", .tooShort), ("\u{1F511}\u{1F511}\u{1F511}", .tooShort),
      // Three characters typed as six code points: normalisation joins them.
      ("e\u{301}e\u{301}e\u{301}", .tooShort),
      (String(repeating: "x", count: 64), .tooLong),
      (String(repeating: "x", count: 5000), .tooLong),
      (String(repeating: "\u{E9}", count: 32), .tooLong),
      ("12\u{0}45", .notText(.controlCharacter)), ("1234\t", .notText(.controlCharacter)),
      ("1234\u{1B}[A", .notText(.controlCharacter)), ("12\u{7F}34", .notText(.controlCharacter)),
      ("12\u{85}34", .notText(.controlCharacter)),
      ("\u{FEFF}1234", .notText(.invisibleCharacter)),
    ])
  func `A PIN that breaks a rule is refused`(text: String, rule: PINRule) {
    #expect(throws: PRFDeviceError.pinPolicyViolation(rule)) { try Self.make(Array(text.utf8)) }
  }

  @Test(arguments: [
    "1234", String(repeating: "x", count: 63), "\u{1F511}\u{1F511}\u{1F511}\u{1F511}",
    String(repeating: "\u{E9}", count: 31),
    // 64 bytes as typed, 62 normalised... and 4 code points of combining text.
    String(repeating: "e\u{301}", count: 30),
    // 30 bytes as typed, 60 normalised: few characters become longer.
    String(repeating: "\u{958}", count: 10),
  ])
  func `A PIN within the rules is accepted`(text: String) throws {
    try Self.make(Array(text.utf8))
  }

  @Test(arguments: [[0xFF, 0x31, 0x32, 0x33], [0x31, 0x32, 0x33, 0xC3]] as [[UInt8]])
  func `A PIN that is not UTF-8 is refused`(bytes: [UInt8]) {
    #expect(throws: PRFDeviceError.pinPolicyViolation(.notText(.notUTF8))) { try Self.make(bytes) }
  }

  @Test func `A PIN that is called wrong without costing a try is not called wrong`() async throws {
    let bench = try Bench(faults: ["error:getAssertion=0x31"])
    let authenticator = try await bench.open()
    let request = PRFRequest(rpID: "keybackup:", first: .webAuthn([]))
    let error = await failure { _ = try await authenticator.evaluate(request, pin: pin()) }
    guard case .protocolViolation(let text)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(text.contains("counted no try"))
    #expect(try await authenticator.pinRetries() == 8)
    // A wrong one costs a try, and is.
    let wrong = await failure { _ = try await authenticator.evaluate(request, pin: pin("0000")) }
    #expect(wrong == .pinInvalid(retriesLeft: 7))
  }

  @Test(arguments: ["0x28", "0x2F", "0x31", "0x37", "0x3A"])
  func `The tries of a PIN that was not sent are not told of as a wrong PIN`(
    code: String
  ) async throws {
    let authenticator = try await Bench(faults: ["error:clientPIN=\(code)"]).open()
    let error = await failure { _ = try await authenticator.pinRetries() }
    #expect(error == .authenticator(code: Int(code.dropFirst(2), radix: 16) ?? 0))
  }

  @Test func `The key gets the normalised PIN`() async throws {
    // The key knows the composed PIN (form C); the typed one is not composed.
    let authenticator = try await Bench(pin: "caf\u{E9}s").open()
    let request = PRFRequest(rpID: "keybackup:", first: .webAuthn([]))
    #expect(
      await failure { _ = try await authenticator.evaluate(request, pin: pin("cafe\u{301}s")) }
        == .noCredentials)
    #expect(
      await failure { _ = try await authenticator.evaluate(request, pin: pin("cafes")) }
        == .pinInvalid(retriesLeft: 7))
  }

  @Test func `Wrong PINs block until replugged, then until reset`() async throws {
    let first = try Bench()
    var authenticator = try await first.open()
    let request = PRFRequest(rpID: "keybackup:", first: .webAuthn([]))
    func attempt(_ text: String) async -> PRFDeviceError? {
      await failure { _ = try await authenticator.evaluate(request, pin: pin(text)) }
    }
    #expect(await attempt("0000") == .pinInvalid(retriesLeft: 7))
    #expect(await attempt("0000") == .pinInvalid(retriesLeft: 6))
    #expect(await attempt("0000") == .pinAuthBlocked(retriesLeft: 5))
    // Even the right one, until the key is plugged in again.
    #expect(await attempt("1234") == .pinAuthBlocked(retriesLeft: 5))

    let second = try Bench(pin: nil, store: first.store)
    authenticator = try await second.open()
    #expect(try await authenticator.pinRetries() == 5)
    #expect(await attempt("0000") == .pinInvalid(retriesLeft: 4))
    #expect(await attempt("0000") == .pinInvalid(retriesLeft: 3))
    #expect(await attempt("0000") == .pinAuthBlocked(retriesLeft: 2))

    let third = try Bench(pin: nil, store: first.store)
    authenticator = try await third.open()
    #expect(await attempt("0000") == .pinInvalid(retriesLeft: 1))
    #expect(await attempt("0000") == .pinBlocked)
    // Refused from the count of retries: nothing is spent.
    let before = third.count("clientPIN getPINToken") + third.count("getPINUvAuthTokenUsingPIN")
    #expect(await attempt("1234") == .pinBlocked)
    #expect(
      third.count("clientPIN getPINToken") + third.count("getPINUvAuthTokenUsingPIN") == before)
  }
}

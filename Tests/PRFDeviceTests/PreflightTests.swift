import PRFDevice
import Testing
import VirtualKey

@Suite struct PreflightTests {
  private static func unknown(_ count: Int) -> [CredentialID] {
    (0..<count).map { CredentialID([UInt8](repeating: UInt8($0), count: 48)) }
  }

  @Test(
    arguments: [true, false],
    [nil, .userVerificationOptional, .userVerificationOptionalWithCredentialID]
      as [CredentialProtection?])
  func `A key says which credential it holds, without PIN and touch`(
    isDiscoverable: Bool, protection: CredentialProtection?
  ) async throws {
    let first = try Bench()
    let id = try await first.open().createCredential(
      .test(isDiscoverable: isDiscoverable, protection: protection), pin: pin()
    ).id
    // Nobody touches this key any more.
    let bench = try Bench(store: first.store) { $0.touch = .never }
    let authenticator = try await bench.open()
    let before = bench.commands.count
    let holding = try await authenticator.holds(
      Self.unknown(3) + [id] + Self.unknown(2), rpID: "keybackup:")
    #expect(holding == .yes(id))
    #expect(bench.commands.count == before + 1)
    #expect(bench.count("getAssertion up=false") == 1)
  }

  @Test func `A key says that it holds none`() async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    #expect(try await authenticator.holds(Self.unknown(1), rpID: "keybackup:") == .no)
    #expect(
      try await authenticator.holds(Self.unknown(1), rpID: "keybackup:", mayBeHidden: true)
        == .maybe)
  }

  /// Every status but those that say that it holds none, that the list is too long, or that the
  /// channel is taken.
  @Test func `A status that says nothing of the contents leaves them open`() async throws {
    let telling: Set<UInt8> = [0x03, 0x05, 0x06, 0x0A, 0x12, 0x15, 0x22, 0x2E, 0x39]
    let silent = (UInt8(0x01)...0xFF).filter { !telling.contains($0) }
    let faults = silent.enumerated().map { "error:getAssertion=\($1)@\($0 + 1)" }
    let authenticator = try await Bench(faults: faults).open()
    for status in silent {
      let held = try await authenticator.holds(Self.unknown(1), rpID: "keybackup:")
      #expect(held == .maybe, "\(String(status, radix: 16))")
    }
    #expect(try await authenticator.holds(Self.unknown(1), rpID: "keybackup:") == .no)
  }

  @Test func `A list that is too long for the key is split`() async throws {
    let bench = try Bench()
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    #expect(
      try await authenticator.holds(Self.unknown(20) + [id], rpID: "keybackup:") == .yes(id))
    #expect(try await authenticator.holds(Self.unknown(20), rpID: "keybackup:") == .no)
  }

  /// Other keys' IDs may be longer than this one takes.
  @Test(arguments: [1, 5])
  func `An ID that is too long for the key is none of its own`(others: Int) async throws {
    let bench = try Bench { $0.maximumCredentialIDLength = 66 }
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    let long = (0..<others).map { CredentialID([UInt8](repeating: UInt8($0), count: 67)) }
    #expect(try await authenticator.holds(long, rpID: "keybackup:") == .no)
    #expect(try await authenticator.holds(long + [id], rpID: "keybackup:") == .yes(id))
    let error = await failure {
      _ = try await authenticator.createCredential(.test(excluding: long + [id]), pin: pin())
    }
    #expect(error == .credentialExcluded)
    _ = try await authenticator.createCredential(.test(excluding: [long[0]]), pin: pin())
  }

  @Test(arguments: ["0x03", "0x12", "0x15", "0x39"])
  func `A list that the key calls malformed is asked for in halves`(code: String) async throws {
    let bench = try Bench(faults: ["error:getAssertion=\(code)@1"])
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(.test(), pin: pin()).id
    #expect(
      try await authenticator.holds(Self.unknown(3) + [id], rpID: "keybackup:") == .yes(id))
  }

  @Test func `A key that keeps calling it malformed ends it`() async throws {
    let authenticator = try await Bench(faults: ["error:getAssertion=0x12"]).open()
    let error = await failure {
      _ = try await authenticator.holds(Self.unknown(5), rpID: "keybackup:")
    }
    #expect(error == .authenticator(code: 0x12))
  }

  @Test func `A key that does not tell its largest message takes 1024 bytes`() async throws {
    let bench = try Bench {
      $0.maximumMessageSize = nil
      $0.maximumCredentialCountInList = 100
    }
    let authenticator = try await bench.open()
    let id = try await authenticator.createCredential(
      .test(excluding: Self.unknown(30)), pin: pin()
    ).id
    #expect(
      try await authenticator.holds(Self.unknown(30) + [id], rpID: "keybackup:") == .yes(id))
  }

  @Test func `An empty list is a mistake`() async throws {
    let authenticator = try await Bench().open()
    let error = await failure { _ = try await authenticator.holds([], rpID: "keybackup:") }
    #expect(error == .invalidInput("credential IDs"))
  }
}

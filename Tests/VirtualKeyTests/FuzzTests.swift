import TestSupport
import Testing

@testable import VirtualKey

/// A key that crashes tests nothing.
///
/// Whatever comes, it answers or waits, and continues.
@Suite struct FuzzTests {
  /// Good requests to be damaged, with a token for some of them, or for none.
  ///
  /// A new token ends the old one, so the rounds differ in which requests have a valid token.
  private func requests(_ host: Host, _ round: UInt64) throws -> [[UInt8]] {
    let platform = try Platform(host)
    let token = round % 3 == 0 ? nil : try platform.rightToken("1234")
    let manage =
      round % 3 == 1 ? token : try platform.rightToken("1234", [.credentialManagement])
    let input = try platform.extensionInput(.seeded(64))
    func request(_ command: CTAPCommand, _ value: CBOR) -> [UInt8] {
      [command.rawValue] + value.encoded
    }
    let pin = (1...10).map { number in
      CBOR.fields([
        (1, .integer(2)), (2, .integer(number)), (3, platform.publicKey), (4, .bytes(.seeded(32))),
        (5, .bytes(.seeded(80))), (6, .bytes(.seeded(32))), (9, .integer(7)), (10, .text("a")),
      ])
    }
    let management = (1...7).map { number in
      CBOR.fields([
        (1, .integer(number)), (2, .fields([(1, .bytes(.seeded(32)))])), (3, .integer(2)),
        (4, manage?.authenticate([UInt8(number)])),
      ])
    }
    return [
      request(
        .makeCredential,
        Request.credential(
          discoverable: token != nil, exclude: [.seeded(66)], protection: 2, token: token)),
      request(.getAssertion, Request.assertion(allow: [.seeded(66)], secret: input, token: token)),
      request(.getAssertion, Request.assertion(secret: input, token: token)),
      [CTAPCommand.getNextAssertion.rawValue],
    ] + pin.map { request(.clientPIN, $0) }
      + management.map { request(.credentialManagement, $0) }
  }

  @Test(arguments: UInt64(0)..<6)
  func `Damaged requests do no harm`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = KeyStore()
    try store.setPIN("1234")
    var configuration = KeyConfiguration()
    configuration.makeCredentialWithoutVerification = true
    let host = try Host(configuration, store: store)
    let requests = try requests(host, seed)
    for _ in 0..<400 {
      var request = requests.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &generator) where request.count > 1 {
        let place = Int.random(in: 1..<request.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: request.removeSubrange(place...)
        case 1: request[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: request[place] = .random(in: .min ... .max, using: &generator)
        case 3: request.insert(contentsOf: [0x1B] + [UInt8](repeating: 0xFF, count: 8), at: place)
        default: request.remove(at: place)
        }
      }
      host.send(.cbor, request)
      let answer = try #require(host.receive(), "\(request.hexadecimal)")
      #expect(answer.command == CTAPHIDCommand.cbor.rawValue)
    }
    #expect(try host.status(.getInfo) == .success)
  }

  @Test(arguments: UInt64(0)..<4)
  func `Damaged frames do no harm`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let host = try Host()
    for _ in 0..<1000 {
      var report = (0..<64).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      if Bool.random(using: &generator) { report.replaceSubrange(0..<4, with: [0, 0, 0, 1]) }
      // Anything but the commands that reset the key.
      if report[7] == CTAPCommand.reset.rawValue { report[7] = 0 }
      host.sendReport(report)
      while host.receiveReport(timeoutMilliseconds: 0) != nil {}
    }
    // Starting over ends whatever is left of it.
    host.send(.initialize, .init(repeating: 9, count: 8))
    while let answer = host.receive(), answer.data.prefix(8) != Array(repeating: 9, count: 8)[...] {
    }
    #expect(try host.status(.getInfo) == .success)
  }
}

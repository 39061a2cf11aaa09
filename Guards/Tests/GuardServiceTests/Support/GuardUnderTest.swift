import CSPP
import GuardProtocol
import GuardTestSupport
import SecretMemory
import Testing

@testable import GuardService

/// A guard on a database, with time that the test sets.
struct GuardUnderTest: Sendable {
  static let issuer = "https://login.example"

  let accounts: GuardAccountService
  let place: StorePlace
  let time: TestTime

  /// - Parameters:
  ///   - kind: the kind of database.
  ///   - wantsInvites: whether an account needs an invite.
  /// - Throws: where the database does not open.
  init(_ kind: StoreKind, wantsInvites: Bool = false) async throws {
    try await self.init(kind.place(), TestTime(), wantsInvites: wantsInvites)
  }

  /// Another process of the guard at a place.
  init(
    _ place: StorePlace, _ time: TestTime, key: UInt8 = 7, wantsInvites: Bool = false
  ) async throws {
    self.place = place
    self.time = time
    accounts = try await GuardAccountService(
      store: try await place.open(), key: try ServerKey(secret([UInt8](repeating: key, count: 32))),
      clock: time.clock, verifier: TokenOfTests(),
      options: GuardAccountService.Options(issuers: [Self.issuer], wantsInvites: wantsInvites))
  }

  /// The same place after a restart.
  func restarted(wantsInvites: Bool = false) async throws -> GuardUnderTest {
    await accounts.store.close()
    return try await GuardUnderTest(place, time, wantsInvites: wantsInvites)
  }

  /// Sends a request.
  func ask(
    _ call: GuardCall, _ message: some GuardMessage, by signer: borrowing GuardSigner
  ) async -> GuardAnswer {
    await send(call, message.body, by: signer)
  }

  /// Sends any bytes, rightly signed.
  func send(
    _ call: GuardCall, _ body: [UInt8], by signer: borrowing GuardSigner
  ) async -> GuardAnswer {
    let signature = GuardSignature(call, body: body, guardID: accounts.guardID, by: signer)
    return await accounts.answer(
      call, body: body, key: signature.key.hex, signature: signature.signatureText)
  }
}

/// Accepts `token:SUBJECT:NONCE:CLIENT`.
struct TokenOfTests: LoginVerifier {
  func subject(
    of token: String, nonce: String, clientID: String, now: UInt64
  ) async throws(GuardRefusal) -> VerifiedSubject {
    let parts = token.split(separator: ":")
    guard parts.count == 4, parts[0] == "token", parts[2] == nonce, parts[3] == clientID else {
      throw .malformed
    }
    return VerifiedSubject(issuer: GuardUnderTest.issuer, subject: String(parts[1]))
  }

  static func token(
    _ subject: String, _ keyID: KeyID, _ sessionKey: X25519Key, client: String = "client"
  ) -> String {
    "token:\(subject):\(LoginNonce.text(keyID: keyID, sessionKey: sessionKey)):\(client)"
  }
}

extension GuardAnswer {
  /// The refusal that it is.
  var refusal: GuardRefusal? {
    guard status != 200 else { return nil }
    return try? unsafe RefusalAnswer(parsing: body.span.bytes).refusal
  }

  /// The message that it is.
  func read<Message: GuardMessage>(_ type: Message.Type = Message.self) throws -> Message {
    try #require(status == 200, "\(status) \(String(decoding: body, as: UTF8.self))")
    return try unsafe Message(parsing: body.span.bytes)
  }
}

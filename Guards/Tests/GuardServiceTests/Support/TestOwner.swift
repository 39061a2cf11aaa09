import CSPP
import GuardProtocol
import GuardTestSupport
import RistrettoVOPRF
import SecretMemory

@testable import GuardService

/// An owner of an account, with its three keys.
final class TestOwner: Sendable {
  let service: GuardUnderTest
  let ask: GuardSigner
  let reset: GuardSigner
  let owner: GuardSigner
  let keyID: KeyID

  private let seed: [UInt8]

  convenience init(_ service: GuardUnderTest) throws {
    try self.init(service, seed: Randomness.bytes(count: 32), keyID: .random())
  }

  init(_ service: GuardUnderTest, seed: [UInt8], keyID: KeyID) throws {
    self.service = service
    self.seed = seed
    self.keyID = keyID
    ask = try GuardSigner(seed: secret(SHA256.hash(seed + [1])))
    reset = try GuardSigner(seed: secret(SHA256.hash(seed + [2])))
    owner = try GuardSigner(seed: secret(SHA256.hash(seed + [3])))
  }

  /// The same owner at another process of the guard.
  func at(_ other: GuardUnderTest) throws -> TestOwner {
    try TestOwner(other, seed: seed, keyID: keyID)
  }

  var account: GuardAccountID { GuardAccountID(of: ask.publicKey) }

  func create(
    _ schedule: DelaySchedule = .pin, invite: String? = nil
  ) async -> GuardAnswer {
    await create(.pin(schedule), invite: invite)
  }

  func create(
    _ kind: CreateAccountRequest.Kind, invite: String? = nil
  ) async -> GuardAnswer {
    let request = CreateAccountRequest(
      invite: invite, resetKey: reset.publicKey, ownerKey: owner.publicKey, kind: kind)
    return await service.ask(.createAccount, request, by: ask)
  }

  func createLogin(
    delay: UInt64 = 86_400, subject: String = "anna", session: X25519Key
  ) async throws -> GuardAnswer {
    await create(
      .login(
        CreateAccountRequest.Login(
          keyID: keyID, clientID: "client", delay: try ReleaseDelay(delay),
          idToken: TokenOfTests.token(subject, keyID, session), sessionKey: session)))
  }

  func confirm(_ counter: UInt64) async -> GuardAnswer {
    await service.ask(.confirm, CounterRequest(account: account, counter: counter), by: reset)
  }

  func reset(_ counter: UInt64) async -> GuardAnswer {
    await service.ask(.reset, CounterRequest(account: account, counter: counter), by: reset)
  }

  func evaluate(_ counter: UInt64, _ element: RistrettoElement) async -> GuardAnswer {
    await service.ask(
      .evaluate, EvaluateRequest(account: account, counter: counter, element: element), by: ask)
  }

  func status() async -> GuardAnswer {
    await service.ask(.status, AccountRequest(account: account), by: ask)
  }

  func retire() async -> GuardAnswer {
    await service.ask(.retire, AccountRequest(account: account), by: owner)
  }

  func veto(_ release: ReleaseID) async -> GuardAnswer {
    await service.ask(.veto, VetoRequest(account: account, release: release), by: owner)
  }

  func release(_ session: X25519Key, subject: String = "anna") async -> GuardAnswer {
    await service.ask(
      .release,
      ReleaseRequest(
        account: account, idToken: TokenOfTests.token(subject, keyID, session),
        sessionKey: session), by: ask)
  }

  func collect(_ session: X25519Key) async -> GuardAnswer {
    await service.ask(
      .collect, CollectRequest(account: account, sessionKey: session), by: ask)
  }
}

/// An element that only this number has.
func element(_ number: Int) throws -> RistrettoElement {
  try OPRFKey(
    seed: secret([UInt8](repeating: 9, count: 32)), info: Array("\(number)".utf8),
    mode: .verifiable
  ).publicKey
}

/// A session key and its secret's byte.
func sessionKey(_ byte: UInt8) throws -> X25519Key {
  let bytes = try X25519.publicKey(of: secret([UInt8](repeating: byte, count: 32)))
  guard let key = X25519Key(bytes: bytes) else { throw GuardStoreError.damaged("test") }
  return key
}

package import CSPP
package import CommandKit
internal import GuardProtocol
internal import RistrettoVOPRF
package import SecretMemory

/// Makes the accounts of a new way in at all its guards.
///
/// Every step can be repeated: the requests of a draft are the same in each run.
package struct GuardEnrolment {
  package let caller: GuardCaller

  package init(caller: GuardCaller) {
    self.caller = caller
  }

  /// Creates the accounts.
  ///
  /// - Parameters:
  ///   - draft: receives the guards' keys; of a login way, their masked shares.
  ///   - token: of a login way, an ID token for the draft's session key.
  /// - Throws: `guards-unreachable`, `guard-wrong`, `invite-refused`; `interrupted`, `io`.
  package func create(_ draft: inout GuardDraft, token: String?) throws(UserMessage) {
    let owner = try signer(draft.ownerKey)
    let secret = try draft.secret()
    let sessionSecret = draft.sessionKey
    let seats = draft.guardSeats
    var calls: [GuardCaller.Call] = []
    for (place, seat) in seats.enumerated() {
      let kind: CreateAccountRequest.Kind
      switch draft.terms {
      case .pin(let schedule, _): kind = .pin(schedule)
      case .login(_, let clientID, let delay):
        kind = .login(
          CreateAccountRequest.Login(
            keyID: draft.keyID, clientID: clientID, delay: delay, idToken: token ?? "",
            sessionKey: try Self.sessionKey(sessionSecret)))
      }
      let request = CreateAccountRequest(
        invite: draft.seats[place].invite, resetKey: try seat.resetKey(secret).publicKey,
        ownerKey: owner.publicKey, kind: kind)
      calls.append(
        GuardCaller.Call(.createAccount, request, to: seat.server, by: try seat.askKey()))
    }
    let answers = try caller.answers(to: calls, as: CreateAccountAnswer.self, repeats: 1)
    let shares = try Self.shares(of: draft)
    var faults: [(server: AskedGuard, fault: GuardFault)] = []
    for (place, answer) in answers.enumerated() {
      do throws(GuardFault) {
        let answer = try answer.get()
        guard try answer.account == Self.account(seats[place]) else {
          throw .wrong("it names another account")
        }
        switch (answer.part, draft.terms) {
        case (.oprfKey(let key), .pin): draft.seats[place].oprfKey = key.bytes
        case (.sealed(let box), .login):
          let secret = try Self.opened(box, sessionSecret)
          draft.seats[place].shareDigest = secret.withBytes { Digest(of: $0) }
          draft.seats[place].maskedShare = try Self.masked(shares, place, draft.keyID) {
            (share) throws(GuardProtocolError) in
            try ShareMask.login(share, secret: secret, keyID: draft.keyID, point: place + 1)
          }
        default: throw .wrong("it made an account of another kind")
        }
      } catch {
        faults.append((seats[place].server, error))
      }
    }
    guard faults.isEmpty else {
      let invited = draft.seats.filter { $0.invite != nil }.map(\.server.guardID)
      throw Self.failure(faults, "made the account", invited: Set(invited))
    }
  }

  /// Has every guard evaluate once, and masks the shares.
  ///
  /// - Parameter draft: receives the masked shares.
  /// - Throws: as ``create(_:token:)``.
  package func evaluate(_ draft: inout GuardDraft) throws(UserMessage) {
    let seats = draft.guardSeats
    var calls: [GuardCaller.Call] = []
    var inputs: [BlindedPIN] = []
    for (place, seat) in seats.enumerated() {
      let input: BlindedPIN
      do throws(VOPRFError) {
        input = BlindedPIN(
          try BlindedInput(
            draft.stretched.copy(), mode: .verifiable, seed: draft.blindSeed(place)))
      } catch {
        throw UserMessage(.internalError, "the PIN cannot be blinded")
      }
      inputs.append(input)
      let request = EvaluateRequest(
        account: try seat.account(), counter: 0, element: input.input.element)
      calls.append(GuardCaller.Call(.evaluate, request, to: seat.server, by: try seat.askKey()))
    }
    let answers = try caller.answers(to: calls, as: EvaluateAnswer.self, repeats: 2)
    let shares = try Self.shares(of: draft)
    var faults: [(server: AskedGuard, fault: GuardFault)] = []
    for (place, answer) in answers.enumerated() {
      do throws(GuardFault) {
        let output = try Self.output(
          inputs[place], try answer.get(), draft.seats[place].oprfKey)
        draft.seats[place].maskedShare = try Self.masked(shares, place, draft.keyID) {
          (share) throws(GuardProtocolError) in
          try ShareMask.pin(share, output: output, keyID: draft.keyID, point: place + 1)
        }
      } catch {
        faults.append((seats[place].server, error))
      }
    }
    guard faults.isEmpty else { throw Self.failure(faults, "evaluated the PIN") }
  }

  /// Confirms the accounts.
  ///
  /// A request of an interrupted run may arrive meanwhile. So a refusal because of the counter, and
  /// a lost answer, are looked into: the account may be confirmed by then.
  ///
  /// - Throws: as ``create(_:token:)``.
  package func confirm(_ draft: borrowing GuardDraft, _ world: World) throws(UserMessage) {
    let secret = try draft.secret()
    var waiting = draft.guardSeats
    for round in 1... {
      let open = try unconfirmed(&waiting, world)
      if open.isEmpty { return }
      var calls: [GuardCaller.Call] = []
      for (seat, counter) in open {
        calls.append(
          GuardCaller.Call(
            .confirm, CounterRequest(account: try seat.account(), counter: counter),
            to: seat.server, by: try seat.resetKey(secret)))
      }
      let answers = try caller.answers(to: calls, as: AccountAnswer.self)
      var faults: [(server: AskedGuard, fault: GuardFault)] = []
      for (item, answer) in zip(open, answers) {
        switch answer {
        case .success(let answer):
          try remember(item.seat, answer, world)
          waiting.removeAll { $0.point == item.seat.point }
        case .failure(let fault): faults.append((item.seat.server, fault))
        }
      }
      guard !faults.isEmpty else { return }
      let areUnclear = faults.allSatisfy { $0.fault.isUnclear }
      guard areUnclear, round < 3 else { throw Self.failure(faults, "confirmed the account") }
    }
  }

  /// The accounts that wait to be confirmed, with their counters.
  ///
  /// - Parameters:
  ///   - waiting: the guards to ask; afterwards without those that have confirmed.
  ///   - world: has the memory.
  /// - Returns: the accounts.
  /// - Throws: as ``create(_:token:)``: not one is confirmed before all can be.
  private func unconfirmed(
    _ waiting: inout [GuardSeat], _ world: World
  ) throws(UserMessage) -> [(seat: GuardSeat, counter: UInt64)] {
    let states = try caller.answers(to: status(waiting), as: AccountAnswer.self, repeats: 1)
    var faults: [(server: AskedGuard, fault: GuardFault)] = []
    var open: [(seat: GuardSeat, counter: UInt64)] = []
    for (seat, state) in zip(waiting, states) {
      switch state {
      case .success(let answer) where answer.phase == .unconfirmed:
        open.append((seat, answer.counter))
      case .success(let answer) where answer.phase == .confirmed:
        try remember(seat, answer, world)
      case .success: faults.append((seat.server, .refused(.disabled)))
      case .failure(let fault): faults.append((seat.server, fault))
      }
    }
    guard faults.isEmpty else { throw Self.failure(faults, "confirmed the account") }
    waiting = open.map(\.seat)
    return open
  }

  private func status(_ seats: [GuardSeat]) throws(UserMessage) -> [GuardCaller.Call] {
    var calls: [GuardCaller.Call] = []
    for seat in seats {
      calls.append(
        GuardCaller.Call(
          .status, AccountRequest(account: try seat.account()), to: seat.server,
          by: try seat.askKey()))
    }
    return calls
  }

  private func remember(
    _ seat: GuardSeat, _ answer: AccountAnswer, _ world: World
  ) throws(UserMessage) {
    guard case .tries = answer.detail else { return }
    GuardMemory(counter: answer.counter, spent: 0).keep(try seat.account(), world)
  }

  // MARK: Parts

  /// A secret that a closure may hold.
  private final class SharedSecret: Sendable {
    let bytes: SecretBytes
    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
  }

  /// The secret of the way in, shared among its guards.
  private static func shares(
    of draft: borrowing GuardDraft
  ) throws(UserMessage) -> SecretShares {
    try unfailing {
      [shared = SharedSecret(draft.shared), threshold = draft.threshold]
      () throws(GuardProtocolError) in
      try SecretShares(of: shared.bytes, threshold: threshold)
    }
  }

  private func signer(_ seed: consuming SecretBytes) throws(UserMessage) -> GuardSigner {
    do throws(GuardProtocolError) {
      return try GuardSigner(seed: seed)
    } catch {
      throw UserMessage(error)
    }
  }

  /// The public half of a session key.
  package static func sessionKey(_ secret: borrowing SecretBytes) throws(UserMessage) -> X25519Key {
    guard let bytes = try? X25519.publicKey(of: secret), let key = X25519Key(bytes: bytes) else {
      throw UserMessage(.internalError, "a session key cannot be made")
    }
    return key
  }

  private static func account(_ seat: GuardSeat) throws(GuardFault) -> GuardAccountID {
    guard let account = try? seat.account() else { throw .missing("it has no account") }
    return account
  }

  private static func opened(
    _ box: [UInt8], _ secret: borrowing SecretBytes
  ) throws(GuardFault) -> SecretBytes {
    guard let opened = try? SealedBox.open(box, secret: secret) else {
      throw .wrong("its secret does not open")
    }
    return opened
  }

  private static func output(
    _ blinded: BlindedPIN, _ answer: EvaluateAnswer, _ key: [UInt8]
  ) throws(GuardFault) -> SecretBytes {
    do throws(VOPRFError) {
      return try blinded.output(of: answer, by: key)
    } catch {
      throw .wrong("its proof does not hold for its key")
    }
  }

  private static func masked(
    _ shares: borrowing SecretShares, _ place: Int, _ keyID: KeyID,
    _ mask: (borrowing SecretBytes) throws(GuardProtocolError) -> SecretBytes
  ) throws(GuardFault) -> [UInt8] {
    do throws(GuardProtocolError) {
      let masked = try mask(shares.share(at: place + 1))
      return unsafe masked.withUnsafeBytes { unsafe Array($0) }
    } catch {
      throw .wrong("its share cannot be masked")
    }
  }

  /// Not all guards did their part.
  ///
  /// - Parameters:
  ///   - faults: the guards that did not, and why.
  ///   - part: their part.
  ///   - invited: for a new account, the guards that were shown an invite.
  /// - Returns: the error that says what to do.
  private static func failure(
    _ faults: [(server: AskedGuard, fault: GuardFault)], _ part: String,
    invited: Set<GuardID>? = nil
  ) -> UserMessage {
    func text(_ server: AskedGuard, _ fault: GuardFault) -> String {
      guard let invited, fault == .refused(.unauthorised) else { return fault.text }
      return invited.contains(server.guardID)
        ? "it does not know this invite, or it was used" : "it wants an invite"
    }
    let list = faults.map { "\($0.server.name): \(text($0.server, $0.fault))" }
      .joined(separator: "\n")
    let advice = "\nnothing is lost: run the same command again within a day, and it goes on"
    let names = faults.map(\.server).names
    if faults.contains(where: { $0.fault.isWrong }) {
      return UserMessage(
        .dataInvalid, word: "guard-wrong", "not every guard \(part): \(names)",
        hint: list + "\ndo not choose a guard that answers so: begin again with --restart")
    }
    if faults.contains(where: { [.refused(.disabled), .refused(.unknown)].contains($0.fault) }) {
      return UserMessage(
        .incomplete, word: "draft-expired", "the unfinished way in has expired at \(names)",
        hint: list + "\nbegin again with --restart")
    }
    if faults.contains(where: { $0.fault.isRefusal }) {
      return UserMessage(
        .denied, word: "invite-refused", "not every guard \(part): \(names)",
        hint: list + "\nask the people who run these guards for an invite: --invite URL=CODE"
          + advice)
    }
    return UserMessage(
      .noAuthenticator, word: "guards-unreachable", "not every guard \(part): \(names)",
      hint: list + advice)
  }
}

extension GuardFault {
  /// Whether the guard does not want to make an account, as without an invite.
  fileprivate var isRefusal: Bool {
    self == .refused(.malformed) || self == .refused(.unauthorised)
  }
}

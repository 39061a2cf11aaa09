package import BackupFolder
package import CSPP
package import CommandKit
internal import GuardProtocol
internal import SecretMemory

/// A way in that needs guards: the part of a key slot that concerns them.
package struct GuardWay {
  /// The key slot.
  package let keyID: KeyID
  /// Its name, safe to show.
  package let name: String
  /// The number of guards, and how many of them suffice.
  package let threshold: GuardThreshold
  /// The guards, in the order of their points.
  package let seats: [GuardSeat]

  /// The way in of a key slot; nil for other kinds.
  ///
  /// - Parameters:
  ///   - slot: the key slot.
  ///   - moved: addresses that a person gave.
  package init?(_ slot: KeySlot, moved: [GuardID: ServiceURL]) {
    guard let keyID = slot.keyID else { return nil }
    switch slot.kind {
    case .guardedPIN(let header):
      self.init(
        keyID, slot.label, header.threshold, header.nonce,
        header.guards.map { ($0.guardID, $0.url) }, moved)
    case .guardedLogin(let header):
      self.init(
        keyID, slot.label, header.threshold, header.nonce,
        header.guards.map { ($0.guardID, $0.url) }, moved)
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: return nil
    }
  }

  private init(
    _ keyID: KeyID, _ label: String, _ threshold: GuardThreshold, _ nonce: [UInt8],
    _ guards: [(GuardID, ServiceURL)], _ moved: [GuardID: ServiceURL]
  ) {
    self.keyID = keyID
    let shown = PrintableText.name(label, limit: 40)
    name = shown.isEmpty ? String(keyID.hex.prefix(8)) : shown
    self.threshold = threshold
    seats = guards.enumerated().map { place, item in
      GuardSeat(
        point: place + 1, server: AskedGuard(guardID: item.0, url: moved[item.0] ?? item.1),
        keyID: keyID, nonce: nonce)
    }
  }

  /// The guards as they are asked.
  package var servers: [AskedGuard] { seats.map(\.server) }
}

extension KeySlot {
  /// The schedule of a PIN with guards; nil for other kinds.
  var guardSchedule: DelaySchedule? {
    if case .guardedPIN(let header) = kind { header.schedule } else { nil }
  }

  /// The option that opens the backup with it; nil for other kinds.
  package var guardedOption: String? {
    switch kind {
    case .guardedPIN: "--guard-pin"
    case .guardedLogin: "--guard-login"
    case .securityKey, .csppEnvelope, .recoveryCode, .unknown: nil
    }
  }
}

extension DelaySchedule {
  /// The word for the secret of a way in with this schedule.
  var secretName: String { self == .password ? "password" : "PIN" }
}

/// One guard of a way in.
package struct GuardSeat: Sendable {
  /// The point of its share, from 1 on.
  let point: Int
  /// The guard.
  package let server: AskedGuard
  /// The key slot.
  package let keyID: KeyID
  /// The header's `guard_nonce`.
  package let nonce: [UInt8]

  /// The ask key, which anyone has who has the folder.
  func askKey() throws(UserMessage) -> GuardSigner {
    try unfailing { () throws(GuardProtocolError) in
      try GuardSigner.ask(nonce: nonce, keyID: keyID, guardID: server.guardID)
    }
  }

  /// The account.
  package func account() throws(UserMessage) -> GuardAccountID {
    GuardAccountID(of: try askKey().publicKey)
  }

  /// The reset key, of anyone who opened the backup by this way in.
  func resetKey(_ secret: borrowing SecretBytes) throws(UserMessage) -> GuardSigner {
    do throws(GuardProtocolError) {
      return try GuardSigner.reset(secret: secret, keyID: keyID, guardID: server.guardID)
    } catch {
      throw .init(error)
    }
  }
}

/// Runs what fails only for parameters that were checked before.
func unfailing<Value: ~Copyable>(
  _ body: () throws(GuardProtocolError) -> Value
) throws(UserMessage) -> Value {
  do throws(GuardProtocolError) {
    return try body()
  } catch {
    throw UserMessage(error)
  }
}

extension PINStretching {
  /// The stretching of a new PIN, with a fresh salt.
  package static func new() throws(UserMessage) -> PINStretching {
    try unfailing { () throws(GuardProtocolError) in try PINStretching() }
  }
}

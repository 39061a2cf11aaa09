package import CSPP
package import CommandKit
internal import GuardProtocol
package import SecretMemory

/// A way in with guards that is being made: all that is needed to go on after an interruption.
///
/// Every secret of it derives from one seed, so that each request of a later run is the same, byte
/// for byte: a guard then repeats its answer. It is stored on this computer, sealed with the master
/// key, and removed when the way in is there.
package struct GuardDraft: ~Copyable {
  /// The terms on which the guards help.
  package enum Terms: Equatable, Sendable {
    case pin(DelaySchedule, PINStretching)
    case login(issuer: ServiceURL, clientID: String, ReleaseDelay)
  }

  /// A guard.
  package struct Seat: Equatable, Sendable {
    /// The guard.
    package var server: AskedGuard
    /// The invite that it asks for.
    package var invite: String?
    /// The public half of its OPRF key for the account, once it was created.
    var oprfKey: [UInt8] = []
    /// Its masked share, 32 bytes, once there is one.
    var maskedShare: [UInt8] = []
    /// The SHA-256 of the secret that it releases, once it was created.
    var shareDigest: Digest?

    package init(
      server: AskedGuard, invite: String? = nil, oprfKey: [UInt8] = [], maskedShare: [UInt8] = [],
      shareDigest: Digest? = nil
    ) {
      self.server = server
      self.invite = invite
      self.oprfKey = oprfKey
      self.maskedShare = maskedShare
      self.shareDigest = shareDigest
    }
  }

  package let keyID: KeyID
  package let label: String
  /// The key slot that the new one replaces.
  package let replaces: KeyID?
  package let terms: Terms
  package let threshold: GuardThreshold
  /// The header's `guard_nonce`.
  package let nonce: [UInt8]
  /// The time of the first run, in Unix seconds.
  package let createdAt: UInt64
  /// The guards, in the order of their points.
  package var seats: [Seat]
  /// The seed of all secrets but the PIN, 32 random bytes.
  package let seed: SecretBytes
  /// The stretched PIN, 32 bytes; empty for a login.
  package let stretched: SecretBytes
  /// A generated PIN, which the next run shows again; empty for one that the person chose.
  package let generated: SecretBytes

  /// The seconds after which a draft is given up: the guards forget an unconfirmed account.
  package static let lifetime: UInt64 = 82_800

  /// The secret that the guards share.
  var shared: SecretBytes { derive("shared") }
  /// The seed of the owner key.
  package var ownerKey: SecretBytes { derive("owner") }
  /// The secret of the session key to which guards seal their secrets.
  package var sessionKey: SecretBytes { derive("session") }

  package init(
    keyID: KeyID, label: String, replaces: KeyID?, terms: Terms, threshold: GuardThreshold,
    nonce: [UInt8], createdAt: UInt64, seats: [Seat], seed: consuming SecretBytes,
    stretched: consuming SecretBytes,
    generated: consuming SecretBytes
  ) {
    self.keyID = keyID
    self.label = label
    self.replaces = replaces
    self.terms = terms
    self.threshold = threshold
    self.nonce = nonce
    self.createdAt = createdAt
    self.seats = seats
    self.seed = seed
    self.stretched = stretched
    self.generated = generated
  }

  /// The 64 bytes from which the blind for one guard comes.
  func blindSeed(_ place: Int) -> SecretBytes { derive("blind-\(place + 1)", count: 64) }

  private func derive(_ purpose: String, count: Int = 32) -> SecretBytes {
    HKDFSHA256.deriveKey(ikm: seed, info: "keybackup:v1:guard-draft:\(purpose)", count: count)
  }

  /// The guards with their accounts' keys.
  package var guardSeats: [GuardSeat] {
    seats.enumerated().map { place, seat in
      GuardSeat(point: place + 1, server: seat.server, keyID: keyID, nonce: nonce)
    }
  }

  /// Whether all accounts were created and all shares masked.
  package var hasShares: Bool { seats.allSatisfy { $0.maskedShare.count == 32 } }

  /// The secret of the key slot.
  package func secret() throws(UserMessage) -> SecretBytes {
    do throws(GuardProtocolError) {
      switch terms {
      case .pin:
        return try GuardedSecret.pin(shared: shared, stretched: stretched, keyID: keyID)
      case .login: return try GuardedSecret.login(shared: shared, nonce: nonce, keyID: keyID)
      }
    } catch {
      throw UserMessage(error)
    }
  }

  /// The header's kind, once all shares are there.
  ///
  /// - Throws: `guard-wrong` where two guards gave one key.
  package func kind() throws(UserMessage) -> KeyHeader.Kind {
    do throws(CSPPError) {
      switch terms {
      case .pin(let schedule, let stretching):
        return .guardedPIN(
          try KeyHeader.GuardedPIN(
            nonce: nonce, needed: threshold.needed, schedule: schedule, stretching: stretching,
            guards: seats.map {
              KeyHeader.GuardedPIN.Guard(
                guardID: $0.server.guardID, url: $0.server.url, oprfKey: $0.oprfKey,
                maskedShare: $0.maskedShare)
            }))
      case .login(let issuer, let clientID, let delay):
        var guards: [KeyHeader.GuardedLogin.Guard] = []
        for seat in seats {
          guard let digest = seat.shareDigest else { throw .invalidField("share_digest") }
          guards.append(
            KeyHeader.GuardedLogin.Guard(
              guardID: seat.server.guardID, url: seat.server.url, maskedShare: seat.maskedShare,
              shareDigest: digest))
        }
        return .guardedLogin(
          try KeyHeader.GuardedLogin(
            nonce: nonce, needed: threshold.needed, delay: delay, issuer: issuer,
            clientID: clientID, guards: guards))
      }
    } catch {
      throw UserMessage(
        .dataInvalid, word: "guard-wrong", "two guards gave the same key, so they are one guard",
        hint: "choose guards that different people run")
    }
  }
}

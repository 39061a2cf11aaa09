/// One deliberate fault.
///
/// `Fault+Names.swift` has the written form and the effect of each.
public struct Fault: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    // MARK: The key's behaviour

    /// There is no room for another discoverable credential.
    case storageFull
    /// The key stores only the beginning of a long relying party ID.
    case relyingPartyIDTruncated
    /// The key disconnects as soon as it asks for a touch.
    case unplugOnTouch
    /// The key disconnects when it receives this command.
    case unplug(CTAPCommand)
    /// The key answers this command with an error.
    case error(CTAPCommand, UInt8)
    /// The output of hmac-secret is wrong.
    case hmacSecret(HMACSecretFault)
    /// A well-formed answer is untrue.
    case lie(Lie)
    /// The answer to this command is not delivered as CTAP requires.
    case delivery(DeliveryFault, CTAPCommand)
    /// INIT is answered with an older nonce.
    case oldNonce
    /// INIT is never answered.
    case silentInitialisation
  }

  /// The fault of an evaluation.
  enum HMACSecretFault: Sendable, Equatable {
    /// The extension is advertised, but an assertion never contains it.
    case missing
    /// The decrypted output has this many bytes (a multiple of 16).
    case length(Int)
    /// Every evaluation gives different bytes.
    case unstable
    /// The output is sent unencrypted.
    case plain
    /// The output is encrypted twice, so that the platform still has it encrypted.
    case sealedTwice
    /// The output is zeros.
    case zero
    /// The output is the salt.
    case echo
    /// Every salt gives the same output.
    case ignoresSalt
    /// The output is that of requests without user verification, whatever happened.
    case unverified
  }

  /// The untrue part of a well-formed answer.
  enum Lie: Sendable, Equatable {
    case verificationFlagMissing
    case verificationFlagForged
    case unknownCredentialID
    case mixedUpCredentialID
    case createdIDDiffers
    case signatureWrong
    case infoLess
    case infoMore
    case infoHuge
    case keyAgreementInvalid
    case pinTokenRandom
    case pinTokenLength(Int)
    case pinRetries(Int)
    /// The answer claims this many assertions, and the key gives them.
    case assertions(Int)
    /// The answer claims this many assertions, and the key gives one.
    case assertionCount(Int)
    case relyingPartyCount(Int)
    case credentialCount(Int)
    case otherRelyingParty(CTAPCommand)
  }

  /// The delivery of an answer.
  enum DeliveryFault: String, Sendable, Equatable, CaseIterable {
    case silent, garbage, random, truncated, oversized, keepalives
    case wrongChannel = "wrong-channel"
    case twice
    case cutOff = "cut-off"
    case outOfOrder = "out-of-order"
  }

  let kind: Kind
  /// The number of the affected command of its kind in this power cycle, from 1; nil for all.
  let occurrence: Int?

  /// Whether it ends with the key disconnected.
  public var unplugs: Bool {
    switch kind {
    case .unplugOnTouch, .unplug: true
    default: false
    }
  }

  /// The affected command; nil for any.
  var command: CTAPCommand? {
    switch kind {
    case .unplug(let command), .error(let command, _), .delivery(_, let command),
      .lie(.otherRelyingParty(let command)):
      command
    default: nil
    }
  }
}

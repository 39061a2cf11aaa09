/// One thing that goes wrong on purpose.
///
/// `Fault+Names.swift` has how each is written, and what it does.
public struct Fault: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    // MARK: What the key does

    /// There is no room for another discoverable credential.
    case storageFull
    /// The key keeps only the beginning of a long relying party ID.
    case relyingPartyIDTruncated
    /// The key goes away as soon as it asks for a touch.
    case unplugOnTouch
    /// The key goes away when it gets this command.
    case unplug(CTAPCommand)
    /// The key answers this command with an error.
    case error(CTAPCommand, UInt8)
    /// The output of hmac-secret is not what it should be.
    case hmacSecret(HMACSecretFault)
    /// An answer that is well-formed says something else than the truth.
    case lie(Lie)
    /// The answer to this command does not arrive as CTAP wants it.
    case delivery(DeliveryFault, CTAPCommand)
    /// INIT is answered with an older nonce.
    case oldNonce
    /// INIT is never answered.
    case silentInitialisation
  }

  /// What is wrong with an evaluation.
  enum HMACSecretFault: Sendable, Equatable {
    /// It is advertised, and never delivered in an assertion.
    case missing
    /// The decrypted output has this many bytes (a multiple of 16).
    case length(Int)
    /// Every evaluation gives other bytes.
    case unstable
    /// The output is sent as it is.
    case plain
    /// The output is encrypted twice, so that the platform still has it encrypted.
    case sealedTwice
    /// The output is zeros.
    case zero
    /// The output is the salt.
    case echo
    /// Every salt gives the same output.
    case ignoresSalt
    /// The output of requests without user verification, whatever was done.
    case unverified
  }

  /// What a well-formed answer says that is not so.
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
    /// Claims so many assertions, and gives them.
    case assertions(Int)
    /// Claims so many assertions, and gives one.
    case assertionCount(Int)
    case relyingPartyCount(Int)
    case credentialCount(Int)
    case otherRelyingParty(CTAPCommand)
  }

  /// How an answer arrives.
  enum DeliveryFault: String, Sendable, Equatable, CaseIterable {
    case silent, garbage, random, truncated, oversized, keepalives
    case wrongChannel = "wrong-channel"
    case twice
    case cutOff = "cut-off"
    case outOfOrder = "out-of-order"
  }

  let kind: Kind
  /// Only the Nth such command of this power cycle, counted from 1.
  let occurrence: Int?

  /// Whether it ends with the key gone.
  public var unplugs: Bool {
    switch kind {
    case .unplugOnTouch, .unplug: true
    default: false
    }
  }

  /// The command it is about; nil: whichever it meets.
  var command: CTAPCommand? {
    switch kind {
    case .unplug(let command), .error(let command, _), .delivery(_, let command),
      .lie(.otherRelyingParty(let command)):
      command
    default: nil
    }
  }
}

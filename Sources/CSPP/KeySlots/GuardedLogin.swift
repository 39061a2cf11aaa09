internal import SecretMemory

extension KeyHeader {
  /// The parameters with which a login, and guards that check it, give the slot's secret again.
  ///
  /// Until the slot is known to be enrolled, the issuer and the guards that it names may be an
  /// attacker's.
  public struct GuardedLogin: Equatable, Sendable {
    /// One guard; its place in the list, from 1 on, is the point of its share.
    public struct Guard: Equatable, Sendable {
      /// The guard.
      public let guardID: GuardID
      /// Its address at the time of enrolment.
      public let url: ServiceURL
      /// Its share of the shared secret, masked with the secret that it releases, 32 bytes.
      public let maskedShare: [UInt8]
      /// The SHA-256 of the secret that it releases.
      public let shareDigest: Digest

      /// Describes a guard; ``GuardedLogin`` checks the size.
      public init(
        guardID: GuardID, url: ServiceURL, maskedShare: [UInt8], shareDigest: Digest
      ) {
        self.guardID = guardID
        self.url = url
        self.maskedShare = maskedShare
        self.shareDigest = shareDigest
      }
    }

    /// The most characters of a client ID.
    public static let maximumClientID = 256

    /// The secret from which the ask keys derive, 32 random bytes.
    ///
    /// Anyone who has the folder has it.
    public let nonce: [UInt8]
    /// The number of guards, and how many of them suffice.
    public let threshold: GuardThreshold
    /// The delay after which the guards release their secrets.
    public let delay: ReleaseDelay
    /// The OpenID provider that checks the login; an ID token's `iss` equals this text.
    public let issuer: ServiceURL
    /// The client ID for which an ID token must be.
    public let clientID: String
    /// The guards, in the order of their points.
    public let guards: [Guard]

    /// Checks the parameters.
    ///
    /// - Parameters:
    ///   - nonce: 32 random bytes.
    ///   - needed: how many guards suffice.
    ///   - delay: the delay of releases.
    ///   - issuer: the OpenID provider.
    ///   - clientID: 1 to 256 visible ASCII characters.
    ///   - guards: the guards, in the order of their points.
    /// - Throws: ``CSPPError/invalidField(_:)``, also for two guards with one ID.
    public init(
      nonce: [UInt8], needed: Int, delay: ReleaseDelay, issuer: ServiceURL, clientID: String,
      guards: [Guard]
    ) throws(CSPPError) {
      self.threshold = try GuardFields.check(nonce, guards.map(\.guardID), needed)
      guard (1...Self.maximumClientID).contains(clientID.utf8.count),
        clientID.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw .invalidField("client_id") }
      guard guards.allSatisfy({ $0.maskedShare.count == 32 }) else {
        throw .invalidField("masked_share")
      }
      self.nonce = nonce
      self.delay = delay
      self.issuer = issuer
      self.clientID = clientID
      self.guards = guards
    }
  }
}

extension KeyHeader.GuardedLogin {
  /// Parses the fields of the kind `guarded_login`.
  init(_ object: JSONObject, in text: RawSpan) throws(CSPPError) {
    let seconds = try object.required("delay", in: text).integer("delay", in: text)
    guard let delay = ReleaseDelay(of: seconds) else { throw .invalidField("delay") }
    let guards = try GuardFields.list(object, in: text) { (item) throws(CSPPError) in
      Guard(
        guardID: try item.required("guard_id", in: text).identifier("guard_id", in: text),
        url: try GuardFields.url(item, "url", in: text),
        maskedShare: try item.required("masked_share", in: text)
          .hex("masked_share", in: text, count: 32),
        shareDigest: try item.required("share_digest", in: text)
          .identifier("share_digest", in: text))
    }
    try self.init(
      nonce: try GuardFields.nonce(object, in: text),
      needed: try GuardFields.needed(object, in: text), delay: delay,
      issuer: try GuardFields.url(object, "issuer", in: text),
      clientID: try object.required("client_id", in: text).text("client_id", in: text),
      guards: guards)
  }

  /// The fields of the kind `guarded_login`.
  var members: [(String, String)] {
    GuardFields.members(nonce, threshold) + [
      ("delay", String(delay.delay)),
      ("issuer", JSONText.quoted(issuer.text)),
      ("client_id", JSONText.quoted(clientID)),
      GuardFields.guards(
        guards.map { item in
          [
            ("guard_id", JSONText.quoted(item.guardID.hex)),
            ("url", JSONText.quoted(item.url.text)),
            ("masked_share", JSONText.quoted(Hex.string(item.maskedShare))),
            ("share_digest", JSONText.quoted(item.shareDigest.hex)),
          ]
        }),
    ]
  }
}

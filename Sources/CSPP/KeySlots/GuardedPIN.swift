internal import SecretMemory

extension KeyHeader {
  /// The parameters with which a PIN, and guards that help, give the slot's secret again.
  ///
  /// Until the slot is known to be enrolled, the guards that it names may be an attacker's.
  public struct GuardedPIN: Equatable, Sendable {
    /// One guard; its place in the list, from 1 on, is the point of its share.
    public struct Guard: Equatable, Sendable {
      /// The guard.
      public let guardID: GuardID
      /// Its address at the time of enrolment.
      public let url: ServiceURL
      /// The public half of its OPRF key for this account: an encoded element, 32 bytes.
      ///
      /// Whether it is one is for `RistrettoVOPRF` to check, before anything is sent.
      public let oprfKey: [UInt8]
      /// Its share of the shared secret, masked with its OPRF output, 32 bytes.
      public let maskedShare: [UInt8]

      /// Describes a guard; ``GuardedPIN`` checks the sizes.
      public init(guardID: GuardID, url: ServiceURL, oprfKey: [UInt8], maskedShare: [UInt8]) {
        self.guardID = guardID
        self.url = url
        self.oprfKey = oprfKey
        self.maskedShare = maskedShare
      }
    }

    /// The secret from which the ask keys derive, 32 random bytes.
    ///
    /// Anyone who has the folder has it.
    public let nonce: [UInt8]
    /// The number of guards, and how many of them suffice.
    public let threshold: GuardThreshold
    /// The schedule of the guards.
    public let schedule: DelaySchedule
    /// The derivation of their input from the PIN.
    public let stretching: PINStretching
    /// The guards, in the order of their points.
    public let guards: [Guard]

    /// Checks the parameters.
    ///
    /// - Parameters:
    ///   - nonce: 32 random bytes.
    ///   - needed: how many guards suffice.
    ///   - schedule: the schedule of the guards.
    ///   - stretching: the derivation of their input.
    ///   - guards: the guards, in the order of their points.
    /// - Throws: ``CSPPError/invalidField(_:)``, also for two guards with one ID or OPRF key.
    public init(
      nonce: [UInt8], needed: Int, schedule: DelaySchedule, stretching: PINStretching,
      guards: [Guard]
    ) throws(CSPPError) {
      self.threshold = try GuardFields.check(nonce, guards.map(\.guardID), needed)
      guard guards.allSatisfy({ $0.oprfKey.count == 32 }),
        Set(guards.map(\.oprfKey)).count == guards.count
      else { throw .invalidField("oprf_key") }
      guard guards.allSatisfy({ $0.maskedShare.count == 32 }) else {
        throw .invalidField("masked_share")
      }
      self.nonce = nonce
      self.schedule = schedule
      self.stretching = stretching
      self.guards = guards
    }
  }
}

extension KeyHeader.GuardedPIN {
  private static let kdf: StaticString = "argon2id"

  /// Parses the fields of the kind `guarded_pin`.
  ///
  /// - Returns: nil where the schedule, the KDF or the number of lanes is unknown to this program.
  static func parse(
    _ object: JSONObject, in text: RawSpan
  ) throws(CSPPError) -> KeyHeader.GuardedPIN? {
    guard try object.required("kdf", in: text).equals(kdf, in: text),
      let schedule = DelaySchedule(
        rawValue: try object.required("schedule", in: text).text("schedule", in: text)),
      try object.required("kdf_lanes", in: text).integer("kdf_lanes", in: text) == 1
    else { return nil }
    let salt = try object.required("kdf_salt", in: text)
      .hex("kdf_salt", in: text, count: Argon2id.saltSize)
    let memory = try object.required("kdf_memory_kib", in: text).integer("kdf_memory_kib", in: text)
    let passes = try object.required("kdf_passes", in: text).integer("kdf_passes", in: text)
    let stretching = try PINStretching(salt: salt, kibibytes: Int(memory), passes: Int(passes))
    let guards = try GuardFields.list(object, in: text) { (item) throws(CSPPError) in
      Guard(
        guardID: try item.required("guard_id", in: text).identifier("guard_id", in: text),
        url: try GuardFields.url(item, "url", in: text),
        oprfKey: try item.required("oprf_key", in: text).hex("oprf_key", in: text, count: 32),
        maskedShare: try item.required("masked_share", in: text)
          .hex("masked_share", in: text, count: 32))
    }
    return try KeyHeader.GuardedPIN(
      nonce: try GuardFields.nonce(object, in: text),
      needed: try GuardFields.needed(object, in: text), schedule: schedule,
      stretching: stretching, guards: guards)
  }

  /// The fields of the kind `guarded_pin`.
  var members: [(String, String)] {
    GuardFields.members(nonce, threshold) + [
      ("schedule", JSONText.quoted(schedule.rawValue)),
      ("kdf", JSONText.quoted(Self.kdf.description)),
      ("kdf_salt", JSONText.quoted(Hex.string(stretching.salt))),
      ("kdf_memory_kib", String(stretching.cost.memoryKiB)),
      ("kdf_passes", String(stretching.cost.passes)),
      ("kdf_lanes", "1"),
      GuardFields.guards(
        guards.map { item in
          [
            ("guard_id", JSONText.quoted(item.guardID.hex)),
            ("url", JSONText.quoted(item.url.text)),
            ("oprf_key", JSONText.quoted(Hex.string(item.oprfKey))),
            ("masked_share", JSONText.quoted(Hex.string(item.maskedShare))),
          ]
        }),
    ]
  }
}

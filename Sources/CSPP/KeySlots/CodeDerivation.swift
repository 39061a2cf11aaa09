public import SecretMemory

extension KeyHeader {
  /// The derivation of a slot's secret from a recovery code: Argon2id (RFC 9106), combined with a
  /// second secret if there is one.
  public struct CodeDerivation: Equatable, Sendable {
    /// The bounds on the cost that a file may request.
    ///
    /// Anyone who can write to the folder must not be able to make this process use more memory
    /// than allowed (`ProcessHardening.memoryLimit`) or work for hours.
    public enum Limit {
      /// The most memory, 512 MiB, in KiB.
      public static let memoryKiB = 512 * 1024
      /// The most work, memory times passes: 4 GiB, in KiB.
      public static let workKiB = 4 * 1024 * 1024
    }

    /// Argon2id's salt, 16 random bytes.
    public let salt: [UInt8]
    /// Argon2id's cost.
    public let cost: Argon2id.Parameters
    /// The secret needed beside the code; nil if none is.
    public let secondSecret: SecondSecret?

    /// The cost of a new kit: the second choice of RFC 9106 section 4, with the single lane that
    /// libsodium computes.
    ///
    /// A code of 99.8 bits needs no slow derivation to be safe. A restore on a small computer needs
    /// a modest one.
    public static var standardCost: Argon2id.Parameters {
      get throws(SecretMemoryError) { try Argon2id.Parameters(memoryKiB: 65_536, passes: 3) }
    }

    /// Creates a derivation.
    ///
    /// - Throws: ``CSPPError/invalidField(_:)`` beyond ``Limit``.
    public init(
      salt: [UInt8] = Randomness.bytes(count: Argon2id.saltSize), cost: Argon2id.Parameters,
      secondSecret: SecondSecret? = nil
    ) throws(CSPPError) {
      guard salt.count == Argon2id.saltSize else { throw .invalidField("kdf_salt") }
      guard cost.memoryKiB <= Limit.memoryKiB else { throw .invalidField("kdf_memory_kib") }
      guard cost.memoryKiB * cost.passes <= Limit.workKiB else { throw .invalidField("kdf_passes") }
      self.salt = salt
      self.cost = cost
      self.secondSecret = secondSecret
    }

    /// The cost of trying a code: memory times passes, in KiB.
    public var work: Int { cost.memoryKiB * cost.passes }

    /// Derives 32 bytes from a code: the slot's secret, unless a second secret must be mixed in.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public func derive(_ code: borrowing RecoveryCode) throws(SecretMemoryError) -> SecretBytes {
      try Argon2id.deriveKey(password: code.password, salt: salt, parameters: cost)
    }

    /// Computes the slot's secret where there is a second secret.
    ///
    /// - Parameters:
    ///   - derived: from ``derive(_:)``.
    ///   - second: a file's bytes, the keyring's secret or a PRF output.
    ///   - keyID: the key slot.
    /// - Returns: 32 bytes.
    public static func mix(
      _ derived: borrowing SecretBytes, with second: borrowing SecretBytes, keyID: KeyID
    ) -> SecretBytes {
      var both = SecretBytes(zeroed: derived.count + second.count)
      unsafe both.withUnsafeMutableBytes { both in
        unsafe derived.withUnsafeBytes { unsafe both.copyMemory(from: $0) }
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: both[derived.count...])
        unsafe second.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
      }
      return HKDFSHA256.deriveKey(ikm: both, info: "keybackup:v1:second-secret:\(keyID)")
    }
  }

  /// The second secret that a recovery code needs.
  public enum SecondSecret: Equatable, Sendable {
    /// The bytes of a file that is kept elsewhere.
    case file
    /// 32 bytes in the keyring of a computer.
    case keyring
    /// The PRF output of another credential, with user verification.
    case securityKey(rpID: String, credentialID: [UInt8], prfSalt: [UInt8])
  }
}

extension KeyHeader.CodeDerivation {
  static let kdf: StaticString = "argon2id"

  /// Parses the fields of the kind `recovery_code`.
  ///
  /// - Returns: nil where the KDF, the number of lanes or the second secret is unknown to this
  ///   program.
  static func parse(
    _ object: JSONObject, in text: RawSpan
  ) throws(CSPPError) -> KeyHeader.CodeDerivation? {
    guard try object.required("kdf", in: text).equals(kdf, in: text) else { return nil }
    let salt = try object.required("kdf_salt", in: text)
      .hex("kdf_salt", in: text, count: Argon2id.saltSize)
    let memory = try object.required("kdf_memory_kib", in: text)
      .integer("kdf_memory_kib", in: text)
    let passes = try object.required("kdf_passes", in: text).integer("kdf_passes", in: text)
    guard try object.required("kdf_lanes", in: text).integer("kdf_lanes", in: text) == 1 else {
      return nil
    }
    guard memory <= UInt64(Limit.memoryKiB) else { throw .invalidField("kdf_memory_kib") }
    guard passes <= UInt64(Limit.workKiB) else { throw .invalidField("kdf_passes") }
    let cost: Argon2id.Parameters
    do {
      cost = try Argon2id.Parameters(memoryKiB: Int(memory), passes: Int(passes))
    } catch {
      throw .invalidField(memory < 8 ? "kdf_memory_kib" : "kdf_passes")
    }
    var second: KeyHeader.SecondSecret?
    if let named = try object.value("second_secret", in: text) {
      second = try KeyHeader.SecondSecret.parse(named, object, in: text)
      if second == nil { return nil }
    }
    return try KeyHeader.CodeDerivation(salt: salt, cost: cost, secondSecret: second)
  }

  /// The fields of the kind `recovery_code`.
  var members: [(String, String)] {
    get throws(CSPPError) {
      var members = [
        ("kdf", JSONText.quoted(Self.kdf.description)),
        ("kdf_salt", JSONText.quoted(Hex.string(salt))),
        ("kdf_memory_kib", String(cost.memoryKiB)),
        ("kdf_passes", String(cost.passes)),
        ("kdf_lanes", "1"),
      ]
      switch secondSecret {
      case nil: break
      case .file: members.append(("second_secret", JSONText.quoted("file")))
      case .keyring: members.append(("second_secret", JSONText.quoted("keyring")))
      case .securityKey(let rpID, let credentialID, let prfSalt):
        guard !credentialID.isEmpty else { throw .invalidField("credential_id") }
        guard prfSalt.count == 32 else { throw .invalidField("prf_salt") }
        members += [
          ("second_secret", JSONText.quoted("security_key")),
          ("rp_id", JSONText.quoted(rpID)),
          ("credential_id", JSONText.quoted(Base64.string(credentialID, .url))),
          ("prf_salt", JSONText.quoted(Hex.string(prfSalt))),
        ]
      }
      return members
    }
  }
}

extension KeyHeader.SecondSecret {
  fileprivate static func parse(
    _ named: JSONValue, _ object: JSONObject, in text: RawSpan
  ) throws(CSPPError) -> KeyHeader.SecondSecret? {
    switch try named.text("second_secret", in: text) {
    case "file": return .file
    case "keyring": return .keyring
    case "security_key":
      let id = try object.required("credential_id", in: text)
        .base64("credential_id", in: text, .url)
      guard !id.isEmpty else { throw .invalidField("credential_id") }
      return .securityKey(
        rpID: try object.required("rp_id", in: text).text("rp_id", in: text),
        credentialID: id,
        prfSalt: try object.required("prf_salt", in: text).hex("prf_salt", in: text, count: 32))
    default: return nil
    }
  }
}

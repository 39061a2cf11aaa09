/// Changes true answers into untrue ones that stay well-formed.
extension Authenticator {
  /// The answer to `command` with the active faults applied.
  func lie(_ command: CTAPCommand, _ parameters: CBOR?, _ truth: CBOR) -> CBOR {
    var answer = truth
    for case .lie(let lie) in active {
      answer = Self.lie(lie, command, parameters, answer)
    }
    return answer
  }

  private static func lie(
    _ lie: Fault.Lie, _ command: CTAPCommand, _ parameters: CBOR?, _ truth: CBOR
  ) -> CBOR {
    switch (lie, command) {
    case (.infoLess, .getInfo):
      return .fields([(1, truth[1]), (3, truth[3])])
    case (.infoMore, .getInfo):
      return more(truth)
    case (.infoHuge, .getInfo):
      let many = (0..<400).map { CBOR.text("extension-\($0)") }
      return truth.with(2, .array([.text("hmac-secret")] + many))
    case (.keyAgreementInvalid, .clientPIN):
      guard let point = truth[1] else { return truth }
      return truth.with(1, point.with(-2, .bytes([UInt8](repeating: 0xFF, count: 32))))
    case (.pinTokenRandom, .clientPIN):
      guard let token = truth[2]?.bytes else { return truth }
      return truth.with(2, .bytes(.random(token.count)))
    case (.pinTokenLength(let count), .clientPIN):
      return truth[2] == nil ? truth : truth.with(2, .bytes(.random(count)))
    case (.pinRetries(let count), .clientPIN):
      return truth[3] == nil ? truth : truth.with(3, .integer(count))
    case (.relyingPartyCount(let count), .credentialManagement),
      (.relyingPartyCount(let count), .credentialManagementPreview):
      return truth[5] == nil ? truth : truth.with(5, .integer(count))
    case (.credentialCount(let count), .credentialManagement),
      (.credentialCount(let count), .credentialManagementPreview):
      return truth[9] == nil ? truth : truth.with(9, .integer(count))
    case (.assertions(let count), .getAssertion), (.assertionCount(let count), .getAssertion):
      return truth.with(5, .integer(count))
    case (.signatureWrong, .getAssertion), (.signatureWrong, .getNextAssertion):
      guard var signature = truth[3]?.bytes, let last = signature.indices.last else { return truth }
      signature[last] ^= 1
      return truth.with(3, .bytes(signature))
    case (.unknownCredentialID, .getAssertion):
      guard let credential = truth[1], let id = credential["id"]?.bytes else { return truth }
      return truth.with(1, credential.with("id", .bytes(.random(id.count))))
    case (.mixedUpCredentialID, .getAssertion):
      guard let credential = truth[1], let id = credential["id"],
        let other = parameters?[3]?.array?.compactMap({ $0["id"] }).first(where: { $0 != id })
      else { return truth }
      return truth.with(1, credential.with("id", other))
    default:
      return lieAboutData(lie, command, truth)
    }
  }

  /// Makes authenticator data (WebAuthn section 6.1), which is field 2, untrue.
  private static func lieAboutData(
    _ lie: Fault.Lie, _ command: CTAPCommand, _ truth: CBOR
  ) -> CBOR {
    let commands: [CTAPCommand] = [.makeCredential, .getAssertion, .getNextAssertion]
    guard commands.contains(command), var data = truth[2]?.bytes, data.count >= 37 else {
      return truth
    }
    switch lie {
    case .verificationFlagMissing: data[32] &= ~AuthenticatorDataFlags.userVerified.rawValue
    case .verificationFlagForged: data[32] |= AuthenticatorDataFlags.userVerified.rawValue
    case .otherRelyingParty(command): data[0] ^= 1
    case .createdIDDiffers where command == .makeCredential && data.count > 60:
      // The byte after the hash, flags, counter, model and the ID's length.
      data[60] ^= 1
    default: return truth
    }
    return truth.with(2, .bytes(data))
  }

  /// Adds everything that getInfo could state.
  private static func more(_ truth: CBOR) -> CBOR {
    let extensions = ["credProtect", "hmac-secret", "largeBlobKey", "minPinLength", "credBlob"]
    let options = [
      "rk", "up", "uv", "clientPin", "credMgmt", "bioEnroll", "largeBlobs", "pinUvAuthToken",
      "credentialMgmtPreview", "userVerificationMgmtPreview",
    ]
    return
      truth
      .with(1, .array(["U2F_V2", "FIDO_2_0", "FIDO_2_1_PRE", "FIDO_2_1"].map(CBOR.text)))
      .with(2, .array(extensions.map(CBOR.text)))
      .with(4, .named(options.map { ($0, .boolean(true)) }))
      .with(6, .array([.integer(2), .integer(1), .integer(77)]))
      .with(0x14, .integer(.max))
  }
}

extension CBOR {
  /// The map with this value for the key, replaced or added.
  func with(_ key: Int, _ value: CBOR) -> CBOR { with(.integer(key), value) }
  func with(_ key: String, _ value: CBOR) -> CBOR { with(.text(key), value) }

  private func with(_ key: CBOR, _ value: CBOR) -> CBOR {
    guard case .map(let pairs) = self else { return self }
    return .map(pairs.filter { $0.key != key } + [Pair(key: key, value: value)])
  }
}

import FoundationEssentials
import OpenSSLCrypto

/// The flags of authenticator data (WebAuthn section 6.1).
struct AuthenticatorDataFlags: OptionSet {
  let rawValue: UInt8
  static let userPresent = AuthenticatorDataFlags(rawValue: 0x01)
  static let userVerified = AuthenticatorDataFlags(rawValue: 0x04)
  static let attestedCredential = AuthenticatorDataFlags(rawValue: 0x40)
  static let extensions = AuthenticatorDataFlags(rawValue: 0x80)
}

extension Authenticator {
  /// authenticatorMakeCredential (CTAP 2.1 section 6.1).
  func makeCredential(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    try answerTouchProbe(request[8])
    let clientDataHash = try required(request[1], \.bytes)
    let rpID = try required(request[2]?["id"], \.text)
    let userID = try required(request[3]?["id"], \.bytes)
    let algorithms = try required(request[4], \.array)
    // The key does not support enterprise attestation.
    guard request[10] == nil else { throw .status(.invalidParameter) }
    guard clientDataHash.count == 32, (1...64).contains(userID.count) else {
      throw .status(.invalidParameter)
    }
    guard algorithms.contains(where: { $0["alg"]?.integer == -7 }) else {
      throw .status(.unsupportedAlgorithm)
    }
    let options = request[7]
    let discoverable = options?["rk"]?.boolean ?? false
    guard !discoverable || configuration.residentKeys else { throw .status(.unsupportedOption) }
    guard options?["up"]?.boolean != false else { throw .status(.invalidOption) }
    let wantsBuiltIn = try builtInRequest(options, parameter: request[8])

    let state = store.snapshot
    let protected = state.pinHash != nil || configuration.builtInVerification
    let optional = configuration.makeCredentialWithoutVerification && !discoverable
    if request[8] == nil, !wantsBuiltIn,
      configuration.alwaysVerify || (protected && !optional)
    {
      throw .status(.puatRequired)
    }
    let verified = try verifyUser(
      parameter: request[8], protocolNumber: request[9], message: clientDataHash,
      permission: .makeCredential, rpID: rpID, wantsBuiltIn: wantsBuiltIn)

    let rpIDHash = OpenSSL.sha256(Array(rpID.utf8))
    if try find(credentialList(request[5]), rpID: rpID, verified: verified).isEmpty == false {
      try requireTouch()
      throw .status(.credentialExcluded)
    }
    let hmacSecret =
      configuration.hmacSecret && request[6]?["hmac-secret"]?.boolean == true
    let protection = configuration.credProtect ? request[6]?["credProtect"]?.integer : nil
    guard (1...3).contains(protection ?? 1) else { throw .status(.invalidOption) }
    try requireTouch(fingerprint: wantsBuiltIn)
    clearTokensAfterUse()

    let seed = CredentialSeed(rootKey: state.rootKey)
    let id = seed.makeID(
      rpIDHash: rpIDHash, discoverable: discoverable, hmacSecret: hmacSecret,
      protection: protection ?? 0)
    var credential = seed.credential(id: id, rpID: rpID)
    credential.rpName = request[2]?["name"]?.text
    credential.userID = userID
    credential.userName = request[3]?["name"]?.text
    credential.userDisplayName = request[3]?["displayName"]?.text
    if discoverable { try remember(credential) }
    let flags: AuthenticatorDataFlags =
      verified
      ? [.userPresent, .userVerified, .attestedCredential] : [.userPresent, .attestedCredential]
    return try attest(
      credential, clientDataHash, flags: flags,
      extensions: .named([
        ("hmac-secret", hmacSecret ? .boolean(true) : nil),
        ("credProtect", protection.map(CBOR.integer)),
      ]))
  }

  /// Whether the request uses the fingerprint reader.
  ///
  /// A key that always verifies uses it unasked.
  func builtInRequest(
    _ options: CBOR?, parameter: CBOR?, presence: Bool = true
  ) throws(CommandFailure) -> Bool {
    guard parameter == nil else { return false }
    guard options?["uv"]?.boolean == true else {
      return configuration.alwaysVerify && configuration.builtInVerification && presence
    }
    guard configuration.builtInVerification else { throw .status(.invalidOption) }
    return true
  }

  /// Stores a discoverable credential; replaces one for the same account.
  private func remember(_ credential: Credential) throws(CommandFailure) {
    let full = has(.storageFull)
    let capacity = configuration.discoverableCapacity
    let stored = try update { state in
      var kept = state.credentials
      kept.removeAll { $0.rpID == credential.rpID && $0.userID == credential.userID }
      guard !full, kept.count < capacity else { return false }
      state.credentials = kept + [credential]
      return true
    }
    guard stored else { throw .status(.keyStoreFull) }
  }

  /// The packed self attestation, signed with the new credential itself.
  private func attest(
    _ credential: Credential, _ clientDataHash: [UInt8], flags: AuthenticatorDataFlags,
    extensions: CBOR
  ) throws(CommandFailure) -> CBOR {
    guard
      let publicKey = configuration.sparesCurves ? Credential.someKey : credential.publicKey
    else { throw .status(.other) }
    let length = credential.id.count
    let attested =
      configuration.aaguid + [UInt8(length >> 8), UInt8(length & 0xFF)] + credential.id
      + publicKey.encoded
    let data = try authenticatorData(
      rpIDHash: credential.rpIDHash, flags: flags, attested: attested, extensions: extensions)
    let signature = try sign(data + clientDataHash, with: credential)
    return .fields([
      (1, .text("packed")),
      (2, .bytes(data)),
      (
        3,
        .named([
          ("alg", .integer(-7)), ("sig", .bytes(signature)),
        ])
      ),
    ])
  }

  /// Builds authenticator data (WebAuthn section 6.1); counts one signature.
  func authenticatorData(
    rpIDHash: [UInt8], flags: AuthenticatorDataFlags, attested: [UInt8] = [], extensions: CBOR
  ) throws(CommandFailure) -> [UInt8] {
    var flags = flags
    let hasExtensions = extensions != .map([])
    if hasExtensions { flags.insert(.extensions) }
    let count = try update { state in
      state.signatureCount += 1
      return state.signatureCount
    }
    let counter = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    return rpIDHash + [flags.rawValue] + counter + attested
      + (hasExtensions ? extensions.encoded : [])
  }
}

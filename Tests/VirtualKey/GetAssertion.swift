import FoundationEssentials
import OpenSSLCrypto

/// The rest of an assertion with several credentials, for getNextAssertion.
struct PendingAssertions {
  var remaining: [Credential]
  let clientDataHash: [UInt8]
  let flags: AuthenticatorDataFlags
  let secret: HMACSecretRequest?
  var deadline: ContinuousClock.Instant
}

extension Authenticator {
  /// authenticatorGetAssertion (CTAP 2.1 section 6.2).
  func getAssertion(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    try answerTouchProbe(request[6])
    let rpID = try required(request[1], \.text)
    let clientDataHash = try required(request[2], \.bytes)
    guard clientDataHash.count == 32 else { throw .status(.invalidParameter) }
    let options = request[5]
    guard options?["rk"] == nil else { throw .status(.unsupportedOption) }
    let presence = options?["up"]?.boolean ?? true
    if !presence, request[6] == nil, isHiding { return try placeholder(rpID) }
    let wantsBuiltIn = try builtInRequest(
      options, parameter: request[6], presence: presence)
    if configuration.alwaysVerify, presence, request[6] == nil, !wantsBuiltIn {
      throw .status(.puatRequired)
    }
    let verified = try verifyUser(
      parameter: request[6], protocolNumber: request[7], message: clientDataHash,
      permission: .getAssertion, rpID: rpID, wantsBuiltIn: wantsBuiltIn)

    let allowed = try credentialList(request[3])
    var credentials =
      allowed.isEmpty
      ? discoverable(rpID: rpID, verified: verified)
      : find(allowed, rpID: rpID, verified: verified)
    guard !credentials.isEmpty else { throw .status(.noCredentials) }
    // From a list the key selects one credential; only accounts that it found itself are counted.
    if !allowed.isEmpty { credentials = [credentials[0]] }
    let secret = try hmacSecretRequest(request[4]?["hmac-secret"], presence: presence)
    if presence || wantsBuiltIn {
      try requireTouch(fingerprint: wantsBuiltIn)
      clearTokensAfterUse()
    }

    var flags: AuthenticatorDataFlags = []
    if presence { flags.insert(.userPresent) }
    if verified { flags.insert(.userVerified) }
    var pending = PendingAssertions(
      remaining: credentials, clientDataHash: clientDataHash, flags: flags, secret: secret,
      deadline: .now + .milliseconds(configuration.nextAssertionWindowMilliseconds))
    let result = try next(&pending, count: credentials.count)
    for case .lie(.assertions(let count)) in active {
      pending.remaining += Array(repeating: credentials[0], count: count - 1)
    }
    if !pending.remaining.isEmpty { assertions = pending }
    return result
  }

  /// An answer that looks like an assertion and contains no information.
  private func placeholder(_ rpID: String) throws(CommandFailure) -> CBOR {
    let data = try authenticatorData(
      rpIDHash: OpenSSL.sha256(Array(rpID.utf8)), flags: [], extensions: .named([]))
    return .fields([
      (
        1,
        .named([("id", .bytes([UInt8](repeating: 0xA5, count: 32))), ("type", .text("public-key"))])
      ),
      (2, .bytes(data)),
      (3, .bytes([UInt8](repeating: 0x30, count: 70))),
    ])
  }

  /// authenticatorGetNextAssertion (CTAP 2.1 section 6.3).
  func getNextAssertion() throws(CommandFailure) -> CBOR? {
    guard var pending = assertions, !pending.remaining.isEmpty, .now < pending.deadline else {
      throw .status(.notAllowed)
    }
    pending.deadline = .now + .milliseconds(configuration.nextAssertionWindowMilliseconds)
    let result = try next(&pending, count: nil, several: true)
    assertions = pending
    return result
  }

  /// Signs with the next credential.
  ///
  /// The answer contains `count` if there are several.
  private func next(
    _ pending: inout PendingAssertions, count: Int?, several: Bool = false
  ) throws(CommandFailure) -> CBOR {
    let credential = pending.remaining.removeFirst()
    let verified = pending.flags.contains(.userVerified)
    let output = try pending.secret.flatMap { request throws(CommandFailure) in
      try evaluate(request, credential, verified: verified)
    }
    let data = try authenticatorData(
      rpIDHash: credential.rpIDHash, flags: pending.flags,
      extensions: .named([("hmac-secret", output.map(CBOR.bytes))]))
    let signature = try sign(data + pending.clientDataHash, with: credential)
    let several = several || (count ?? 0) > 1
    return .fields([
      (1, .named([("id", .bytes(credential.id)), ("type", .text("public-key"))])),
      (2, .bytes(data)),
      (3, .bytes(signature)),
      // Names serve the choice among accounts, and are sent only to a verified user.
      (4, credential.userID.isEmpty ? nil : user(credential, named: verified && several)),
      (5, (count ?? 0) > 1 ? count.map(CBOR.integer) : nil),
    ])
  }

  /// A signature with the credential, in DER.
  func sign(
    _ message: [UInt8], with credential: Credential
  ) throws(CommandFailure) -> [UInt8] {
    if configuration.sparesCurves { return [UInt8](repeating: 0x30, count: 70) }
    guard let signature = credential.signingKey?.signature(for: message) else {
      throw .status(.other)
    }
    return signature
  }

  func user(_ credential: Credential, named: Bool) -> CBOR {
    .named([
      ("id", .bytes(credential.userID)),
      ("name", named ? credential.userName.map(CBOR.text) : nil),
      ("displayName", named ? credential.userDisplayName.map(CBOR.text) : nil),
    ])
  }

  // MARK: - Finding credentials

  /// Parses the IDs of an allow or exclude list.
  func credentialList(_ list: CBOR?) throws(CommandFailure) -> [[UInt8]] {
    guard let list else { return [] }
    guard let items = list.array else { throw .status(.cborUnexpectedType) }
    guard items.count <= configuration.maximumCredentialCountInList else {
      throw .status(.limitExceeded)
    }
    var ids: [[UInt8]] = []
    for item in items {
      let id = try required(item["id"], \.bytes)
      let type = try required(item["type"], \.text)
      guard id.count <= configuration.maximumCredentialIDLength else {
        throw .status(.limitExceeded)
      }
      if type == "public-key" { ids.append(id) }
    }
    return ids
  }

  /// The listed credentials that this key holds and may confirm.
  func find(_ ids: [[UInt8]], rpID: String, verified: Bool) -> [Credential] {
    let state = store.snapshot
    let seed = CredentialSeed(rootKey: state.rootKey)
    let rpIDHash = OpenSSL.sha256(Array(rpID.utf8))
    return ids.compactMap { id in
      if let stored = state.credentials.first(where: { $0.id == id && $0.rpID == rpID }) {
        return stored
      }
      return seed.owns(id, rpIDHash: rpIDHash) ? seed.credential(id: id, rpID: rpID) : nil
    }.filter { verified || $0.protection < 3 }
  }

  /// The relying party's discoverable credentials, newest first.
  private func discoverable(rpID: String, verified: Bool) -> [Credential] {
    store.snapshot.credentials.reversed()
      .filter { $0.rpID == rpID && (verified || $0.protection < 2) }
  }
}

import FoundationEssentials
import OpenSSLCrypto

/// The subcommands of authenticatorClientPIN (CTAP 2.1 section 6.5).
enum PINSubcommand: Int {
  case getPINRetries = 1
  case getKeyAgreement = 2
  case setPIN = 3
  case changePIN = 4
  case getPINToken = 5
  case getTokenUsingUV = 6
  case getUVRetries = 7
  case getTokenUsingPIN = 9
}

extension KeyState {
  /// Stores this PIN (UTF-8) and restores all its retries.
  mutating func setPIN(_ pin: [UInt8]) {
    pinHash = Self.hash(pin)
    pinLength = String(decoding: pin, as: UTF8.self).unicodeScalars.count
    pinRetries = Self.maximumPINRetries
    mustChangePIN = false
  }

  static func hash(_ pin: [UInt8]) -> [UInt8] { Array(OpenSSL.sha256(pin).prefix(16)) }
}

extension Authenticator {
  func clientPIN(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    guard let number = request[2]?.integer else { throw .status(.missingParameter) }
    guard let subcommand = PINSubcommand(rawValue: number) else {
      throw .status(.invalidParameter)
    }
    switch subcommand {
    case .getKeyAgreement:
      return .fields([(1, protocols[try protocolIndex(request[1])].publicKey)])
    case .getUVRetries:
      guard configuration.builtInVerification else { throw .status(.invalidParameter) }
      return .fields([(5, .integer(store.snapshot.verificationRetries))])
    case .getTokenUsingUV:
      return try tokenUsingVerification(request)
    case .getPINRetries, .setPIN, .changePIN, .getPINToken, .getTokenUsingPIN:
      guard configuration.clientPIN else { throw .status(.invalidParameter) }
    }
    switch subcommand {
    case .getPINRetries:
      return .fields([
        (3, .integer(store.snapshot.pinRetries)),
        (4, .boolean(wrongPINs >= 3)),
      ])
    case .setPIN: return try setPIN(request)
    case .changePIN: return try changePIN(request)
    case .getPINToken:
      guard request[9] == nil, request[10] == nil else { throw .status(.invalidParameter) }
      // Before CTAP 2.1 a token was valid for everything.
      let permissions: PINToken.Permissions =
        configuration.pinUvAuthToken
        ? [.makeCredential, .getAssertion]
        : [.makeCredential, .getAssertion, .credentialManagement]
      return try tokenUsingPIN(request, permissions, rpID: nil)
    default:
      return try tokenUsingPIN(request, try requestedPermissions(request), rpID: request[10]?.text)
    }
  }

  /// The index in `protocols` of a pinUvAuthProtocol parameter.
  func protocolIndex(_ parameter: CBOR?) throws(CommandFailure) -> Int {
    guard let parameter else { throw .status(.missingParameter) }
    guard let number = parameter.integer,
      let index = protocols.firstIndex(where: { $0.number == number })
    else { throw .status(.invalidParameter) }
    return index
  }

  private func setPIN(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    let index = try protocolIndex(request[1])
    let peer = try required(request[3], \.self)
    let code = try required(request[4], \.bytes)
    let sealed = try required(request[5], \.bytes)
    guard store.snapshot.pinHash == nil else { throw .status(.pinAuthInvalid) }
    let secret = try protocols[index].sharedSecret(with: peer)
    guard secret.verifies(sealed, code) else { throw .status(.pinAuthInvalid) }
    let pin = try newPIN(sealed, secret)
    try update { $0.setPIN(pin) }
    return nil
  }

  private func changePIN(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    let index = try protocolIndex(request[1])
    let peer = try required(request[3], \.self)
    let code = try required(request[4], \.bytes)
    let sealed = try required(request[5], \.bytes)
    let hash = try required(request[6], \.bytes)
    try requireAttemptsLeft()
    let secret = try protocols[index].sharedSecret(with: peer)
    guard secret.verifies(sealed + hash, code) else { throw .status(.pinAuthInvalid) }
    try checkPIN(hash, secret, index)
    let pin = try newPIN(sealed, secret)
    let state = store.snapshot
    guard !state.mustChangePIN || KeyState.hash(pin) != state.pinHash else {
      throw .status(.pinPolicyViolation)
    }
    try update { $0.setPIN(pin) }
    for index in protocols.indices { protocols[index].token.reset() }
    return nil
  }

  /// The new PIN, if it follows the rules: 4 code points to 63 bytes.
  private func newPIN(
    _ sealed: [UInt8], _ secret: SharedPINSecret
  ) throws(CommandFailure) -> [UInt8] {
    guard let padded = try? secret.decrypt(sealed) else { throw .status(.pinAuthInvalid) }
    guard padded.count == 64 else { throw .status(.invalidParameter) }
    // Zeros at the end are padding; a zero inside belongs to the PIN.
    let pin = padded.lastIndex { $0 != 0 }.map { Array(padded[...$0]) } ?? []
    guard pin.count <= 63, let text = String(validating: pin, as: UTF8.self),
      text.unicodeScalars.count >= configuration.minimumPINLength
    else { throw .status(.pinPolicyViolation) }
    return pin
  }

  private func requireAttemptsLeft() throws(CommandFailure) {
    let state = store.snapshot
    guard state.pinHash != nil else { throw .status(.pinNotSet) }
    guard state.pinRetries > 0 else { throw .status(.pinBlocked) }
    guard wrongPINs < 3 else { throw .status(.pinAuthBlocked) }
  }

  /// Compares the PIN.
  ///
  /// A wrong one costs a retry, which is taken before the comparison, so that unplugging does not
  /// restore it.
  private func checkPIN(
    _ sealedHash: [UInt8], _ secret: SharedPINSecret, _ index: Int
  ) throws(CommandFailure) {
    let left = try update { state in
      state.pinRetries -= 1
      return state.pinRetries
    }
    let hash = try? secret.decrypt(sealedHash)
    if let hash, hash == store.snapshot.pinHash {
      wrongPINs = 0
      hasSeenPIN = true
      try update { state in
        state.pinRetries = KeyState.maximumPINRetries
        state.verificationRetries = KeyState.maximumVerificationRetries
      }
      return
    }
    wrongPINs += 1
    protocols[index].regenerate()
    guard left > 0 else { throw .status(.pinBlocked) }
    throw .status(wrongPINs >= 3 ? .pinAuthBlocked : .pinInvalid)
  }

  private func requestedPermissions(
    _ request: CBOR
  ) throws(CommandFailure) -> PINToken.Permissions {
    guard configuration.pinUvAuthToken else { throw .status(.invalidParameter) }
    guard let number = request[9]?.integer else { throw .status(.missingParameter) }
    let permissions = PINToken.Permissions(rawValue: number)
    guard number > 0 else { throw .status(.invalidParameter) }
    var known: PINToken.Permissions = [.makeCredential, .getAssertion]
    if configuration.credentialManagement { known.insert(.credentialManagement) }
    guard permissions.isSubset(of: known) else { throw .status(.unauthorizedPermission) }
    if !permissions.isDisjoint(with: [.makeCredential, .getAssertion]) {
      _ = try required(request[10], \.text)
    }
    return permissions
  }

  private func tokenUsingPIN(
    _ request: CBOR, _ permissions: PINToken.Permissions, rpID: String?
  ) throws(CommandFailure) -> CBOR? {
    let index = try protocolIndex(request[1])
    let peer = try required(request[3], \.self)
    let hash = try required(request[6], \.bytes)
    try requireAttemptsLeft()
    let secret = try protocols[index].sharedSecret(with: peer)
    try checkPIN(hash, secret, index)
    guard !store.snapshot.mustChangePIN else {
      throw .status(configuration.answersPINChangeWithPolicy ? .pinPolicyViolation : .pinInvalid)
    }
    return try issueToken(index, secret, permissions, rpID: rpID)
  }

  private func tokenUsingVerification(_ request: CBOR) throws(CommandFailure) -> CBOR? {
    guard configuration.builtInVerification else { throw .status(.invalidParameter) }
    let index = try protocolIndex(request[1])
    let peer = try required(request[3], \.self)
    let permissions = try requestedPermissions(request)
    let secret = try protocols[index].sharedSecret(with: peer)
    try readFingerprint(blocked: .uvBlocked, mismatch: .uvInvalid)
    return try issueToken(index, secret, permissions, rpID: request[10]?.text)
  }

  private func issueToken(
    _ index: Int, _ secret: SharedPINSecret, _ permissions: PINToken.Permissions, rpID: String?
  ) throws(CommandFailure) -> CBOR? {
    for index in protocols.indices { protocols[index].token.reset() }
    protocols[index].token.issue(permissions, rpID: rpID)
    return .fields([(2, .bytes(try secret.encrypt(protocols[index].token.value)))])
  }

  // MARK: - Using a token

  /// Checks a request's pinUvAuthParam and the token's permission and relying party.
  ///
  /// Returns whether the user is verified, by token or fingerprint.
  func verifyUser(
    parameter: CBOR?, protocolNumber: CBOR?, message: [UInt8],
    permission: PINToken.Permissions, rpID: String, wantsBuiltIn: Bool
  ) throws(CommandFailure) -> Bool {
    // The touch for which the command waits anyway is the fingerprint.
    guard let parameter else { return wantsBuiltIn }
    guard let code = parameter.bytes else { throw .status(.cborUnexpectedType) }
    let index = try protocolIndex(protocolNumber)
    let token = protocols[index].token
    guard protocols[index].tokenVerifies(message, code), token.permissions.contains(permission),
      token.rpID == nil || token.rpID == rpID
    else { throw .status(.pinAuthInvalid) }
    if token.rpID == nil { protocols[index].token.rpID = rpID }
    return true
  }

  /// Answers an empty pinUvAuthParam, which only requests a touch to select one of several keys.
  func answerTouchProbe(_ parameter: CBOR?) throws(CommandFailure) {
    guard parameter?.bytes?.isEmpty == true else { return }
    try requireTouch()
    throw .status(store.snapshot.pinHash == nil ? .pinNotSet : .pinInvalid)
  }

  /// Ends the tokens: each is valid for one operation with a touch.
  func clearTokensAfterUse() {
    for index in protocols.indices { protocols[index].token.clearAfterUse() }
  }
}

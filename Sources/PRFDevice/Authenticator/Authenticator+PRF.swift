internal import CFido2

extension Authenticator {
  /// Whether the key holds one of the credentials.
  ///
  /// Needs no PIN and no touch, usually 1 command. A list too long for some key's message is sent
  /// in parts. A part that the key rejects is halved.
  ///
  /// - Parameters:
  ///   - credentialIDs: the credentials to look for, at least one.
  ///   - rpID: their relying party ID.
  ///   - mayBeHidden: whether the credentials may have protection level 3, as those of other
  ///     software may. The key then does not confirm them.
  /// - Returns: the credential found, as far as the key tells.
  /// - Throws: ``PRFDeviceError/invalidInput(_:)`` for an empty list.
  public nonisolated func holds(
    _ credentialIDs: [CredentialID], rpID: String, mayBeHidden: Bool = false
  ) async throws(PRFDeviceError) -> Holding {
    guard !credentialIDs.isEmpty else { throw .invalidInput("credential IDs") }
    return try await operation(.answer) { me throws(PRFDeviceError) in
      var holding = Holding.no
      for part in Self.parts(of: credentialIDs) {
        switch try me.preflight(part, rpID: rpID, mayBeHidden: mayBeHidden) {
        case .yes(let id): return .yes(id)
        case .maybe: holding = .maybe
        case .no: break
        }
      }
      return holding
    }
  }

  /// Splits the list into parts that fit into 1024 bytes with the rest of the message.
  ///
  /// This is the least that a key's message must hold (CTAP 2.1, section 6.4). libfido2 sends a
  /// longer one anyway, or closes the connection.
  private static func parts(of credentialIDs: [CredentialID]) -> [[CredentialID]] {
    var parts: [[CredentialID]] = []
    var room = 0
    for id in credentialIDs {
      // The ID, and 24 bytes of CBOR around it.
      let size = id.bytes.count + 24
      if size > room {
        parts.append([])
        room = 640
      }
      parts[parts.count - 1].append(id)
      room -= size
    }
    return parts
  }

  /// Evaluates the PRF under user verification, with one touch: 3 commands with a PIN, 4 with its
  /// retries.
  ///
  /// - Parameters:
  ///   - request: the evaluation.
  ///   - pin: the PIN; `nil` uses the key's own verification.
  ///   - announce: is called once, when the key begins to wait for its touch, and never before it
  ///     has accepted the PIN.
  /// - Returns: one evaluation for each credential that answered, at least one.
  /// - Throws: ``PRFDeviceError``. No output is returned unless the answer's flags state that the
  ///   user was verified.
  public nonisolated func evaluate(
    _ request: PRFRequest, pin: PIN?,
    announcingTouch announce: @escaping @Sendable () -> Void = {}
  ) async throws(PRFDeviceError) -> [PRFEvaluation] {
    try await touchOperation(announce) { me throws(PRFDeviceError) in
      try me.answers(to: request, pin: pin)
    }
  }

  private func answers(
    to request: PRFRequest, pin: PIN?
  ) throws(PRFDeviceError) -> [PRFEvaluation] {
    let verification = try verification(pin: pin)
    let assertion = try Assertion(rpID: request.rpID, allowing: request.credentialIDs)
    try assertion.ask(salts: request.salts)
    if case .builtIn = verification { try assertion.askForBuiltInVerification() }
    do throws(PRFDeviceError) {
      try unsafe verified(verification) { device, pin in
        unsafe fido_dev_get_assert(device, assertion.handle.pointer, pin)
      }
      return try assertion.evaluations(for: request)
    } catch .prfNotDelivered {
      // A key that never had the extension ignores it, so check its capabilities.
      let info = try? readInfo()
      throw info?.supportsPRF == false ? .prfUnsupported : .prfNotDelivered
    } catch .authenticator(code: Int(FIDO_ERR_INTERNAL)) where assertion.hasAnswer {
      // libfido2 has the answer but could not decrypt its contents.
      throw .prfNotDelivered
    } catch .denied where assertion.hasAnswer {
      // The first answer arrived: the key refused the next one it announced.
      throw .tooFewAnswers
    } catch {
      throw error
    }
  }

  func preflight(
    _ credentialIDs: [CredentialID], rpID: String, mayBeHidden: Bool
  ) throws(PRFDeviceError) -> Holding {
    let assertion = try Assertion(rpID: rpID, allowing: credentialIDs)
    try assertion.askSilently()
    do throws(PRFDeviceError) {
      try unsafe call(isSilent: true) {
        unsafe fido_dev_get_assert($0, assertion.handle.pointer, nil)
      }
    } catch .noCredentials {
      let mayHide = try unsafe device { unsafe fido_dev_supports_cred_prot($0) }
      if mayBeHidden && mayHide { return .maybe }
      return try readInfo().alwaysVerifiesUser ? .maybe : .no
    } catch  where error.refusesList {
      return try preflightInParts(
        credentialIDs, rpID: rpID, mayBeHidden: mayBeHidden, after: error)
    } catch  where error.leavesContentsOpen {
      return .maybe
    } catch {
      throw error
    }
    do throws(PRFDeviceError) {
      return .yes(try assertion.credentialID(0, among: credentialIDs))
    } catch {
      // Some keys answer with a placeholder until they have received their PIN. Nobody touched
      // them, so the answer proves nothing.
      return .maybe
    }
  }

  /// Repeats the query for a rejected list: without IDs too long for this key, and in halves.
  private func preflightInParts(
    _ credentialIDs: [CredentialID], rpID: String, mayBeHidden: Bool, after error: PRFDeviceError
  ) throws(PRFDeviceError) -> Holding {
    let longest = try readInfo().maximumCredentialIDLength ?? .max
    let possible = credentialIDs.filter { $0.bytes.count <= longest }
    if possible.isEmpty { return .no }
    if possible.count < credentialIDs.count {
      return try preflight(possible, rpID: rpID, mayBeHidden: mayBeHidden)
    }
    let middle = credentialIDs.count / 2
    guard middle > 0 else {
      // A single ID that is too large for the key is not one of its own.
      guard error == .requestTooLarge else { throw error }
      return .no
    }
    let first = try preflight(
      Array(credentialIDs[..<middle]), rpID: rpID, mayBeHidden: mayBeHidden)
    if case .yes = first { return first }
    let second = try preflight(
      Array(credentialIDs[middle...]), rpID: rpID, mayBeHidden: mayBeHidden)
    return second == .no ? first : second
  }
}

extension PRFDeviceError {
  /// Whether the key answered a silent question with a status that tells nothing of its contents.
  ///
  /// Some keys never answer without a touch, or before they got their PIN. The PIN counter shows
  /// whether a PIN is blocked.
  fileprivate var leavesContentsOpen: Bool {
    switch self {
    case .authenticator(let code): code > 0
    case .pinBlocked, .pinAuthBlocked: true
    default: false
    }
  }

  /// Whether the key rejects the list of credential IDs because the list or an ID is too long.
  ///
  /// Keys with a fixed buffer for an ID report a malformed request.
  var refusesList: Bool {
    let codes = [FIDO_ERR_INVALID_LENGTH, FIDO_ERR_INVALID_CBOR]
    return self == .requestTooLarge
      || codes.contains { self == .authenticator(code: Int($0)) }
  }
}

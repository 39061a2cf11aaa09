internal import CFido2
internal import SecretMemory

extension Authenticator {
  /// The size of the user ID created for a credential, 16 bytes.
  public static let userIDSize = 16

  /// Creates a credential with hmac-secret, with one touch.
  ///
  /// The user ID is fresh and random. Only ``evaluate(_:pin:announcingTouch:)`` gives the PRF
  /// output: some keys answer differently during creation.
  ///
  /// - Parameters:
  ///   - request: describes the credential.
  ///   - pin: the PIN; `nil` uses the key's own verification.
  ///   - announce: is called once, when the key begins to wait for its touch, and never before it
  ///     has accepted the PIN.
  /// - Returns: the new credential.
  /// - Throws: ``PRFDeviceError/prfUnsupported`` and ``PRFDeviceError/discoverableUnsupported``
  ///   before anything is created. ``PRFDeviceError/prfNotDelivered`` when the key did not confirm
  ///   hmac-secret for the new credential. ``PRFDeviceError/credentialExcluded``,
  ///   ``PRFDeviceError/keyStoreFull``, and the errors of user verification and touch.
  public nonisolated func createCredential(
    _ request: CredentialRequest, pin: PIN?,
    announcingTouch announce: @escaping @Sendable () -> Void = {}
  ) async throws(PRFDeviceError) -> CreatedCredential {
    try await touchOperation(announce) { me throws(PRFDeviceError) in
      try me.create(request, pin: pin)
    }
  }

  /// All discoverable credentials on the key, of all relying parties.
  ///
  /// - Throws: ``PRFDeviceError/credentialManagementUnsupported``, ``PRFDeviceError/pinNotSet`` and
  ///   the errors of a PIN.
  public nonisolated func credentials(pin: PIN) async throws(PRFDeviceError) -> [StoredCredential] {
    try await operation(.answers) { me throws(PRFDeviceError) in
      try me.requireCredentialManagement()
      var found: [StoredCredential] = []
      for rpID in try me.relyingParties(pin: pin) {
        found += try me.stored(of: rpID, pin: pin)
      }
      return found
    }
  }

  /// The discoverable credentials of one relying party.
  ///
  /// The PIN is sent once, whatever their number.
  ///
  /// - Throws: as ``credentials(pin:)``.
  public nonisolated func credentials(
    of rpID: String, pin: PIN
  ) async throws(PRFDeviceError) -> [StoredCredential] {
    try await operation(.answers) { me throws(PRFDeviceError) in
      try me.requireCredentialManagement()
      return try me.stored(of: rpID, pin: pin)
    }
  }

  /// Deletes a discoverable credential.
  ///
  /// Anything that only its PRF can open is then lost.
  ///
  /// - Throws: ``PRFDeviceError/noCredentials`` when the key has none with
  ///   this ID, and as ``credentials(pin:)``.
  public nonisolated func deleteCredential(
    _ id: CredentialID, pin: PIN
  ) async throws(PRFDeviceError) {
    guard id.isPossible else { throw .invalidInput("credential ID") }
    try await operation(.answers) { me throws(PRFDeviceError) in
      try me.requireCredentialManagement()
      me.knownInfo = nil
      try unsafe me.managing(pin) { device, pin in
        unsafe fido_credman_del_dev_rk(device, id.bytes, id.bytes.count, pin)
      }
    }
  }

  private func create(
    _ request: CredentialRequest, pin: PIN?
  ) throws(PRFDeviceError) -> CreatedCredential {
    let verification = try verification(pin: pin)
    let info = try readInfo()
    guard info.supportsPRF else { throw .prfUnsupported }
    guard info.supportsDiscoverableCredentials || !request.isDiscoverable else {
      throw .discoverableUnsupported
    }
    let protection = info.supportsCredentialProtection ? request.protection : nil
    do throws(PRFDeviceError) {
      return try make(
        request, excluding: request.excludedIDs, protection: protection,
        verification: verification)
    } catch  where error.refusesList && !request.excludedIDs.isEmpty {
      // The key rejects this list: check for the credentials silently, as the key would have done
      // with the list.
      let holding = try preflight(request.excludedIDs, rpID: request.rpID, mayBeHidden: false)
      if case .yes = holding { throw .credentialExcluded }
      return try make(request, excluding: [], protection: protection, verification: verification)
    } catch {
      throw error
    }
  }

  private func requireCredentialManagement() throws(PRFDeviceError) {
    guard unsafe try device({ unsafe fido_dev_supports_credman($0) }) else {
      throw .credentialManagementUnsupported
    }
  }

  /// Runs a call of credential management.
  private func managing(
    _ pin: PIN, _ body: (OpaquePointer, UnsafePointer<CChar>?) -> Int32
  ) throws(PRFDeviceError) {
    do throws(PRFDeviceError) {
      try unsafe verified(.pin(pin), body)
    } catch .authenticator(code: Int(FIDO_ERR_INVALID_COMMAND)) {
      // libfido2 uses the command number from before CTAP 2.1, which a newer key need not support.
      throw .credentialManagementUnsupported
    } catch {
      throw error
    }
  }

  private func relyingParties(pin: PIN) throws(PRFDeviceError) -> [String] {
    let list = try RelyingPartyListHandle()
    do throws(PRFDeviceError) {
      try unsafe managing(pin) { device, pin in
        unsafe fido_credman_get_dev_rp(device, list.pointer, pin)
      }
    } catch .noCredentials {
      return []
    } catch .denied where unsafe fido_credman_rp_count(list.pointer) > 0 {
      throw .tooFewAnswers
    } catch {
      throw error
    }
    let count = unsafe fido_credman_rp_count(list.pointer)
    return (0..<count).compactMap { unsafe CBytes.text(fido_credman_rp_id(list.pointer, $0)) }
  }

  private func stored(
    of rpID: String, pin: PIN
  ) throws(PRFDeviceError) -> [StoredCredential] {
    let list = try ResidentKeyListHandle()
    do throws(PRFDeviceError) {
      try unsafe managing(pin) { device, pin in
        unsafe fido_credman_get_dev_rk(device, rpID, list.pointer, pin)
      }
    } catch .noCredentials {
      // The key stores only the beginning of a long ID (CTAP 2.1, section 6.8.7), and libfido2 can
      // only request a whole ID. The other credentials are still listed.
      return []
    } catch .denied where unsafe fido_credman_rk_count(list.pointer) > 0 {
      throw .tooFewAnswers
    } catch {
      throw error
    }
    return (0..<(unsafe fido_credman_rk_count(list.pointer))).compactMap { index in
      guard let credential = unsafe fido_credman_rk(list.pointer, index) else { return nil }
      return unsafe StoredCredential(
        id: CredentialID(
          CBytes.array(fido_cred_id_ptr(credential), fido_cred_id_len(credential))),
        rpID: rpID,
        userID: CBytes.array(
          fido_cred_user_id_ptr(credential), fido_cred_user_id_len(credential)),
        userName: CBytes.text(fido_cred_user_name(credential)),
        userDisplayName: CBytes.text(fido_cred_display_name(credential)))
    }
  }

  private func make(
    _ request: CredentialRequest, excluding excluded: [CredentialID],
    protection: CredentialProtection?, verification: Verification
  ) throws(PRFDeviceError) -> CreatedCredential {
    let userID = SecretBytes.random(count: Self.userIDSize).withBytes { $0.array() }
    let handle = try CredentialHandle()
    try handle.fill(
      request, userID: userID, excluding: excluded, protection: protection)
    if case .builtIn = verification { try handle.askForBuiltInVerification() }
    if request.isDiscoverable { knownInfo = nil }
    try unsafe verified(verification) { device, pin in
      unsafe fido_dev_make_cred(device, handle.pointer, pin)
    }
    return try handle.created(request, userID: userID)
  }
}

extension CredentialHandle {
  func fill(
    _ request: CredentialRequest, userID: [UInt8], excluding excluded: [CredentialID],
    protection: CredentialProtection?
  ) throws(PRFDeviceError) {
    try PRFRequest.check(rpID: request.rpID)
    let texts = [request.rpName, request.userName, request.userDisplayName]
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw .invalidInput("a name with a zero byte")
    }
    try unsafe check(fido_cred_set_type(pointer, COSE_ES256))
    // The attestation is not checked, so the challenge only needs to be fresh.
    let challenge = SecretBytes.random(count: SHA256.digestSize).withBytes { $0.array() }
    try unsafe check(fido_cred_set_clientdata_hash(pointer, challenge, challenge.count))
    try unsafe check(fido_cred_set_rp(pointer, request.rpID, request.rpName))
    try unsafe check(
      fido_cred_set_user(
        pointer, userID, userID.count, request.userName, request.userDisplayName, nil))
    for id in excluded {
      guard id.isPossible else { throw .invalidInput("credential ID") }
      try unsafe check(fido_cred_exclude(pointer, id.bytes, id.bytes.count))
    }
    try unsafe check(fido_cred_set_extensions(pointer, FIDO_EXT_HMAC_SECRET))
    if let protection { try unsafe check(fido_cred_set_prot(pointer, protection.rawValue)) }
    // Omitted otherwise: some keys reject an explicit default.
    if request.isDiscoverable { try unsafe check(fido_cred_set_rk(pointer, FIDO_OPT_TRUE)) }
  }

  func askForBuiltInVerification() throws(PRFDeviceError) {
    try unsafe check(fido_cred_set_uv(pointer, FIDO_OPT_TRUE))
  }

  /// Checks and copies the key's answer.
  func created(
    _ request: CredentialRequest, userID: [UInt8]
  ) throws(PRFDeviceError) -> CreatedCredential {
    let data = try AuthenticatorData(
      unsafe CBytes.array(
        fido_cred_authdata_raw_ptr(pointer), fido_cred_authdata_raw_len(pointer)))
    guard data.rpIDHash == SHA256.hash(Array(request.rpID.utf8)) else {
      throw .protocolViolation("the answer is for another relying party")
    }
    guard let credential = data.credential, !credential.id.bytes.isEmpty else {
      throw .protocolViolation("the answer holds no credential")
    }
    guard data.confirmsPRF else { throw .prfNotDelivered }
    return CreatedCredential(
      id: credential.id, userID: userID, aaguid: credential.aaguid,
      protection: data.protection, isUserVerified: data.isUserVerified)
  }

  private func check(_ code: Int32) throws(PRFDeviceError) {
    let status = FIDOStatus(code: code)
    guard status.isOK else { throw status.error }
  }
}

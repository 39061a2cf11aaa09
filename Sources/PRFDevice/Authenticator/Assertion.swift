internal import CFido2
internal import SecretMemory

/// A `fido_assert_t` that is filled, sent and read.
struct Assertion: ~Copyable {
  let handle: AssertionHandle

  init(rpID: String, allowing credentialIDs: [CredentialID]) throws(PRFDeviceError) {
    try PRFRequest.check(rpID: rpID)
    let handle = try AssertionHandle()
    // Nobody verifies the signature, so the challenge only needs to be fresh.
    let challenge = SecretBytes.random(count: SHA256.digestSize).withBytes { $0.array() }
    try unsafe Self.check(
      fido_assert_set_clientdata_hash(handle.pointer, challenge, challenge.count))
    try unsafe Self.check(fido_assert_set_rp(handle.pointer, rpID))
    for id in credentialIDs {
      guard id.isPossible else { throw .invalidInput("credential ID") }
      try unsafe Self.check(fido_assert_allow_cred(handle.pointer, id.bytes, id.bytes.count))
    }
    self.handle = handle
  }

  /// Requests the PRF for one or two salts, 32 or 64 bytes.
  func ask(salts: [UInt8]) throws(PRFDeviceError) {
    try unsafe Self.check(
      fido_assert_set_extensions(handle.pointer, FIDO_EXT_HMAC_SECRET))
    try unsafe Self.check(fido_assert_set_hmac_salt(handle.pointer, salts, salts.count))
  }

  /// Requests built-in user verification, such as a fingerprint.
  ///
  /// With a PIN the option is omitted, as CTAP requires.
  func askForBuiltInVerification() throws(PRFDeviceError) {
    try unsafe Self.check(fido_assert_set_uv(handle.pointer, FIDO_OPT_TRUE))
  }

  /// Requests an answer without a touch.
  func askSilently() throws(PRFDeviceError) {
    try unsafe Self.check(fido_assert_set_up(handle.pointer, FIDO_OPT_FALSE))
  }

  /// Whether the key sent any answer.
  var hasAnswer: Bool { unsafe fido_assert_count(handle.pointer) > 0 }

  /// The credential that gave answer number `index`.
  ///
  /// A key may omit the ID when only one was requested.
  func credentialID(
    _ index: Int, among asked: [CredentialID]
  ) throws(PRFDeviceError) -> CredentialID {
    let id = unsafe CredentialID(
      CBytes.array(
        fido_assert_id_ptr(handle.pointer, index), fido_assert_id_len(handle.pointer, index)))
    if id.bytes.isEmpty, asked.count == 1 { return asked[0] }
    guard !id.bytes.isEmpty, asked.isEmpty || asked.contains(id) else {
      throw .protocolViolation("the answer is from a credential that was not asked for")
    }
    return id
  }

  /// Checks and copies the outputs of all answers.
  func evaluations(for request: PRFRequest) throws(PRFDeviceError) -> [PRFEvaluation] {
    let rpIDHash = SHA256.hash(Array(request.rpID.utf8))
    var evaluations: [PRFEvaluation] = []
    for index in 0..<(unsafe fido_assert_count(handle.pointer)) {
      evaluations.append(try evaluation(index, of: request, rpIDHash: rpIDHash))
    }
    guard !evaluations.isEmpty else { throw .noCredentials }
    // Together with the check of each ID, this limits the answers to the requested credentials.
    guard Set(evaluations.map(\.credentialID)).count == evaluations.count else {
      throw .protocolViolation("one credential answered several times")
    }
    return evaluations
  }

  private func evaluation(
    _ index: Int, of request: PRFRequest, rpIDHash: [UInt8]
  ) throws(PRFDeviceError) -> PRFEvaluation {
    let answer = unsafe handle.pointer
    let data = try AuthenticatorData(
      wrapped: unsafe CBytes.array(
        fido_assert_authdata_ptr(answer, index), fido_assert_authdata_len(answer, index)))
    guard data.rpIDHash == rpIDHash else {
      throw .protocolViolation("the answer is for another relying party")
    }
    guard data.isUserVerified else { throw .userVerificationMissing }
    let id = try credentialID(index, among: request.credentialIDs)
    let count = unsafe fido_assert_hmac_secret_len(answer, index)
    guard count > 0, let output = unsafe fido_assert_hmac_secret_ptr(answer, index) else {
      throw .prfNotDelivered
    }
    guard count == request.salts.count else { throw .prfWrongLength(count: count) }
    let outputs = unsafe SecretBytes(copying: RawSpan(_unsafeStart: output, byteCount: count))
    if let flaw = OutputCheck.flaw(outputs, salts: request.salts) {
      throw .protocolViolation(flaw)
    }
    return unsafe PRFEvaluation(
      credentialID: id,
      userID: CBytes.array(
        fido_assert_user_id_ptr(answer, index), fido_assert_user_id_len(answer, index)),
      userName: CBytes.text(fido_assert_user_name(answer, index)),
      userDisplayName: CBytes.text(fido_assert_user_display_name(answer, index)),
      outputs: outputs)
  }

  /// Throws if filling failed, because of memory or an argument of the wrong size.
  private static func check(_ code: Int32) throws(PRFDeviceError) {
    let status = FIDOStatus(code: code)
    guard status.isOK else { throw status.error }
  }
}

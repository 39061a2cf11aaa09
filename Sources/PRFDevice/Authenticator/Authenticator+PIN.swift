internal import CFido2

extension Authenticator {
  /// The capabilities that the authenticator states: 1 command, afterwards answered from memory.
  ///
  /// - Throws: ``PRFDeviceError``.
  public nonisolated func info() async throws(PRFDeviceError) -> AuthenticatorInfo {
    try await operation(.answer) { me throws(PRFDeviceError) in try me.readInfo() }
  }

  /// The result of an earlier ``info()``, without a command; nil before.
  public var infoIfKnown: AuthenticatorInfo? { knownInfo }

  /// The number of PIN tries left before the key blocks itself: 1 command, 2 where none is left.
  ///
  /// - Throws: ``PRFDeviceError/pinNotSet`` on a key without a PIN.
  public nonisolated func pinRetries() async throws(PRFDeviceError) -> Int {
    try await operation(.answer) { me throws(PRFDeviceError) in
      try me.requirePIN()
      return try me.readRetries()
    }
  }

  /// Sets the first PIN of a key.
  ///
  /// - Throws: ``PRFDeviceError/pinAlreadySet``, ``PRFDeviceError/pinPolicyViolation(_:)`` when the
  ///   key requires a longer one, ``PRFDeviceError/pinUnsupported`` when it cannot have one.
  public nonisolated func setPIN(_ pin: PIN) async throws(PRFDeviceError) {
    try await operation(.answer) { me throws(PRFDeviceError) in try me.set(pin) }
  }

  /// Changes the PIN; uses up a try if the current one is wrong.
  ///
  /// - Throws: ``PRFDeviceError/pinInvalid(retriesLeft:)``,
  ///   ``PRFDeviceError/pinAuthBlocked(retriesLeft:)``, ``PRFDeviceError/pinBlocked``,
  ///   ``PRFDeviceError/pinNotSet``,
  ///   ``PRFDeviceError/pinPolicyViolation(_:)``.
  public nonisolated func changePIN(
    from current: PIN, to new: PIN
  ) async throws(PRFDeviceError) {
    try await operation(.answer) { me throws(PRFDeviceError) in
      try me.change(from: current, to: new)
    }
  }

  private func set(_ pin: PIN) throws(PRFDeviceError) {
    guard try supportsPIN() else { throw .pinUnsupported }
    guard try !hasPIN() else { throw .pinAlreadySet }
    knownInfo = nil
    knownRetries = nil
    try unsafe call { device in
      unsafe pin.withCString { unsafe fido_dev_set_pin(device, $0, nil) }
    }
  }

  private func change(from current: PIN, to new: PIN) throws(PRFDeviceError) {
    try spending(current) { () throws(PRFDeviceError) in
      knownInfo = nil
      try unsafe call { device in
        unsafe current.withCString { current in
          unsafe new.withCString { unsafe fido_dev_set_pin(device, $0, current) }
        }
      }
    }
  }

  // MARK: Steps of other operations

  func hasPIN() throws(PRFDeviceError) -> Bool {
    unsafe try device { unsafe fido_dev_has_pin($0) }
  }

  func supportsPIN() throws(PRFDeviceError) -> Bool {
    unsafe try device { unsafe fido_dev_supports_pin($0) }
  }

  func requirePIN() throws(PRFDeviceError) {
    guard try !hasPIN() else { return }
    throw try supportsPIN() ? .pinNotSet : .pinUnsupported
  }

  func hasBuiltInUserVerification() throws(PRFDeviceError) -> Bool {
    unsafe try device { unsafe fido_dev_has_uv($0) }
  }

  func readRetries() throws(PRFDeviceError) -> Int {
    var retries: Int32 = 0
    // libfido2 also takes an answer without the counter for 0: a second look tells garbage apart.
    for _ in 1...2 where retries == 0 {
      try unsafe call(isSilent: true) { unsafe fido_dev_get_retry_count($0, &retries) }
    }
    knownRetries = Int(retries)
    return Int(retries)
  }

  /// Runs a call that sends `pin` to the key.
  ///
  /// Throws first where that could not work; adds the number of tries left to the error of a wrong
  /// PIN.
  func spending<R>(
    _ pin: PIN, _ body: () throws(PRFDeviceError) -> R
  ) throws(PRFDeviceError) -> R {
    try requirePIN()
    if options.readsPINRetries, knownRetries == nil { _ = try readRetries() }
    if knownRetries == 0 { throw .pinBlocked }
    let before = knownRetries
    knownRetries = nil
    do throws(PRFDeviceError) {
      let result = try body()
      // A correct PIN uses no try; it restores all of them.
      knownRetries = before
      return result
    } catch .pinInvalid {
      let left = try? readRetries()
      if let left, let before, left >= before {
        // A key that requires a PIN change also reports the correct PIN as invalid, but uses no try
        // for it.
        throw (try? readInfo())?.needsPINChange == true ? .pinChangeRequired : .uncountedTry
      }
      throw .pinInvalid(retriesLeft: left)
    } catch .pinAuthBlocked {
      throw .pinAuthBlocked(retriesLeft: try? readRetries())
    } catch {
      throw error
    }
  }

  /// The kind of user verification for an operation that needs it.
  enum Verification {
    case pin(PIN)
    /// A fingerprint reader or similar on the key.
    case builtIn
  }

  /// The PIN if there is one, otherwise the key's built-in verification.
  func verification(pin: PIN?) throws(PRFDeviceError) -> Verification {
    if let pin { return .pin(pin) }
    if try hasBuiltInUserVerification() { return .builtIn }
    try requirePIN()
    throw .pinRequired
  }

  /// Runs a call with the PIN as a C string, or without one if the key verifies its user itself.
  func verified(
    _ verification: Verification,
    _ body: (OpaquePointer, UnsafePointer<CChar>?) -> Int32
  ) throws(PRFDeviceError) {
    // The verification itself needs a finger, so the touch begins now.
    if case .builtIn = verification { touchNotice.announce() }
    if !link.showsCommands { touchNotice.announce() }
    switch verification {
    case .builtIn:
      try unsafe call { unsafe body($0, nil) }
    case .pin(let pin):
      do throws(PRFDeviceError) {
        try spending(pin) { () throws(PRFDeviceError) in
          try unrefusable { () throws(PRFDeviceError) in
            try unsafe call { device in unsafe pin.withCString { unsafe body(device, $0) } }
          }
        }
      } catch .pinPolicyViolation(.authenticatorPolicy) where !touchNotice.isPending {
        // The key's answer to the PIN, although no PIN is being set: the PIN is accepted only for a
        // change (CTAP 2.1, forcePINChange).
        throw .pinChangeRequired
      } catch {
        throw error
      }
    }
  }

  func readInfo() throws(PRFDeviceError) -> AuthenticatorInfo {
    if let knownInfo { return knownInfo }
    let handle = try CBORInfoHandle()
    try unsafe call(isSilent: true) { unsafe fido_dev_get_cbor_info($0, handle.pointer) }
    let info = try AuthenticatorInfo(handle)
    knownInfo = info
    return info
  }
}

extension AuthenticatorInfo {
  init(_ handle: borrowing CBORInfoHandle) throws(PRFDeviceError) {
    let info = unsafe handle.pointer
    guard
      let aaguid = AAGUID(
        unsafe CBytes.array(fido_cbor_info_aaguid_ptr(info), fido_cbor_info_aaguid_len(info)))
    else { throw .protocolViolation("the AAGUID is not 16 bytes long") }
    let names = unsafe CBytes.texts(
      fido_cbor_info_options_name_ptr(info), fido_cbor_info_options_len(info))
    var options: [String: Bool] = [:]
    if let values = unsafe fido_cbor_info_options_value_ptr(info) {
      for (index, name) in names.enumerated() { options[name] = unsafe values[index] }
    }
    let longest = unsafe fido_cbor_info_maxcredidlen(info)
    let remaining = unsafe fido_cbor_info_rk_remaining(info)
    unsafe self.init(
      aaguid: aaguid,
      versions: CBytes.texts(
        fido_cbor_info_versions_ptr(info), fido_cbor_info_versions_len(info)),
      extensions: CBytes.texts(
        fido_cbor_info_extensions_ptr(info), fido_cbor_info_extensions_len(info)),
      transports: CBytes.texts(
        fido_cbor_info_transports_ptr(info), fido_cbor_info_transports_len(info)),
      options: options,
      pinProtocols: CBytes.array(
        fido_cbor_info_protocols_ptr(info), fido_cbor_info_protocols_len(info)
      ).map(Int.init),
      firmwareVersion: fido_cbor_info_fwversion(info),
      minimumPINLength: max(
        PIN.minimumCodePoints, Int(clamping: fido_cbor_info_minpinlen(info))),
      maximumCredentialIDLength: longest == 0 ? nil : Int(clamping: longest),
      remainingDiscoverableCredentials: remaining < 0 ? nil : Int(clamping: remaining),
      needsPINChange: fido_cbor_info_new_pin_required(info))
  }
}

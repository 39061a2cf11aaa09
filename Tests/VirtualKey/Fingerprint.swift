/// The fingerprint reader (CTAP 2.1 section 6.5.3.2, performBuiltInUv).
extension Authenticator {
  /// Reads a finger, with a touch.
  ///
  /// - Throws: `blocked` when too many readings did not match before, `mismatch` when this one does
  ///   not.
  func readFingerprint(
    blocked: CTAPStatus, mismatch: CTAPStatus
  ) throws(CommandFailure) {
    guard store.snapshot.verificationRetries > 0 else { throw .status(blocked) }
    try requireTouch()
    fingerprintReadings += 1
    if fingerprintReadings > configuration.fingerprintMisses {
      try update { $0.verificationRetries = KeyState.maximumVerificationRetries }
      return
    }
    trace.write("MISMATCH")
    let left = try update { state in
      state.verificationRetries -= 1
      return state.verificationRetries
    }
    throw .status(left > 0 ? mismatch : blocked)
  }

  /// The touch of a command that requests built-in verification, or only a touch.
  ///
  /// The errors are those of CTAP 2.1 section 6.1.2, step 11.
  func requireTouch(fingerprint: Bool) throws(CommandFailure) {
    guard fingerprint else {
      try requireTouch()
      return
    }
    let blocked: CTAPStatus = store.snapshot.pinHash == nil ? .pinBlocked : .puatRequired
    try readFingerprint(blocked: blocked, mismatch: .operationDenied)
  }
}

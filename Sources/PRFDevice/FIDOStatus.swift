internal import CFido2

/// A status of libfido2: 0, a CTAP status (positive), or an error of the library itself (negative).
struct FIDOStatus: Equatable {
  let code: Int32

  var isOK: Bool { code == FIDO_OK }

  /// Whether the connection itself failed, so that the next bytes on the handle are unknown.
  ///
  /// A timeout looks the same: see ``OperationWatch``.
  var isTransportFailure: Bool {
    code == FIDO_ERR_TX || code == FIDO_ERR_RX
  }

  /// The error for the status where nothing more is known; every code has one.
  var error: PRFDeviceError {
    switch code {
    case FIDO_ERR_CHANNEL_BUSY, FIDO_ERR_LOCK_REQUIRED: .busy
    case FIDO_ERR_USER_ACTION_TIMEOUT, FIDO_ERR_ACTION_TIMEOUT: .touchTimeout
    case FIDO_ERR_TIMEOUT: .noAnswer
    // Our own CANCEL was handled before: this one was the user's.
    case FIDO_ERR_OPERATION_DENIED, FIDO_ERR_NOT_ALLOWED, FIDO_ERR_KEEPALIVE_CANCEL: .denied
    case FIDO_ERR_PIN_INVALID: .pinInvalid(retriesLeft: nil)
    case FIDO_ERR_PIN_AUTH_BLOCKED: .pinAuthBlocked(retriesLeft: nil)
    case FIDO_ERR_PIN_BLOCKED: .pinBlocked
    case FIDO_ERR_PIN_NOT_SET: .pinNotSet
    case FIDO_ERR_PIN_REQUIRED: .pinRequired
    case FIDO_ERR_PIN_POLICY_VIOLATION: .pinPolicyViolation(.authenticatorPolicy)
    case FIDO_ERR_PIN_AUTH_INVALID, FIDO_ERR_PIN_TOKEN_EXPIRED, FIDO_ERR_UNAUTHORIZED_PERM:
      .pinAuthInvalid
    case FIDO_ERR_UV_BLOCKED: .uvBlocked
    case FIDO_ERR_UV_INVALID: .uvInvalid
    case FIDO_ERR_NO_CREDENTIALS, FIDO_ERR_INVALID_CREDENTIAL: .noCredentials
    case FIDO_ERR_KEY_STORE_FULL: .keyStoreFull
    case FIDO_ERR_CREDENTIAL_EXCLUDED: .credentialExcluded
    case FIDO_ERR_UNSUPPORTED_EXTENSION: .prfUnsupported
    case FIDO_ERR_LIMIT_EXCEEDED, FIDO_ERR_REQUEST_TOO_LARGE: .requestTooLarge
    case FIDO_ERR_TX, FIDO_ERR_RX: .transport(code: Int(code))
    case FIDO_ERR_RX_NOT_CBOR, FIDO_ERR_RX_INVALID_CBOR:
      .protocolViolation("the answer is not the CBOR that CTAP prescribes")
    default: .authenticator(code: Int(code))
    }
  }

  /// The error of a call that sends no PIN, waits for no touch and stores nothing.
  ///
  /// A status about these is no answer to it, so it keeps its number.
  var errorOfSilentCall: PRFDeviceError {
    switch error {
    case .touchTimeout, .denied, .pinInvalid, .pinNotSet, .pinRequired, .pinPolicyViolation,
      .pinAuthInvalid, .uvBlocked, .uvInvalid, .keyStoreFull, .credentialExcluded, .prfUnsupported:
      .authenticator(code: Int(code))
    default: error
    }
  }
}

extension PRFDeviceError {
  /// The name of the status behind ``transport(code:)`` and
  /// ``authenticator(code:)``, such as `FIDO_ERR_INVALID_CBOR`; `nil` for the
  /// other cases.
  public var statusName: String? {
    switch self {
    case .transport(let code), .authenticator(let code):
      unsafe String(cString: fido_strerr(Int32(truncatingIfNeeded: code)))
    default: nil
    }
  }
}

// The top folder of this module is for errors, owners of libfido2's handles, what the
// system says of a device. Every room uses it. In the whole module no backup, file format
// or person is known.

/// Everything an authenticator, or reaching one, can refuse.
///
/// The enum is closed: a caller can turn every case into what happened and
/// what to do. No case carries a secret. Status codes that need no case of
/// their own keep their number, so that none is ever lost.
public enum PRFDeviceError: Error, Equatable, Sendable {
  // MARK: Finding and opening

  /// No authenticator is connected, after waiting as long as asked.
  case noAuthenticator
  /// The device file exists and this user may not open it: the udev rule
  /// ``AuthenticatorList/udevRuleName`` (or the distribution's own) is missing.
  case permissionDenied(path: String)
  /// Another process holds the authenticator.
  case busy
  /// The authenticator speaks only U2F, or is no FIDO device at all.
  case notFIDO2
  /// The authenticator was unplugged, or this handle was already lost.
  case authenticatorLost
  /// ``Authenticator/close()`` was called before.
  case closed

  // MARK: Ending early

  /// The surrounding task was cancelled.
  case cancelled
  /// Nobody touched the authenticator in time.
  case touchTimeout
  /// The authenticator did not answer a command that needs no touch.
  case noAnswer
  /// The person refused or cancelled the operation on the authenticator, or it
  /// refused by itself.
  case denied

  // MARK: User verification

  /// The PIN is wrong. `retriesLeft` is what the key then reports, if it does.
  case pinInvalid(retriesLeft: Int?)
  /// Too many wrong PINs in a row: unplug the key and plug it in again.
  ///
  /// `retriesLeft` is what the key then reports, if it does.
  case pinAuthBlocked(retriesLeft: Int?)
  /// Too many wrong PINs altogether: only a reset, which destroys every
  /// credential, makes the key usable again.
  case pinBlocked
  /// The operation needs a PIN and the key has none set.
  case pinNotSet
  /// The key cannot have a PIN.
  case pinUnsupported
  /// ``Authenticator/setPIN(_:)`` on a key that already has one.
  case pinAlreadySet
  /// The key accepts its PIN for nothing but being changed; no try was spent.
  case pinChangeRequired
  /// The operation needs the PIN and none was given.
  case pinRequired
  /// The PIN breaks a rule, of CTAP or of this key; no try was spent.
  case pinPolicyViolation(PINRule)
  /// The key did not accept our proof that the PIN was entered.
  case pinAuthInvalid
  /// The key's own verification (a fingerprint) is blocked: use the PIN.
  case uvBlocked
  /// The key's own verification (a fingerprint) did not match.
  case uvInvalid
  /// The answer's flags say that no user verification took place; its PRF
  /// output would be a different one and was discarded.
  case userVerificationMissing

  // MARK: Credentials and PRF

  /// The key holds no credential that was asked for.
  case noCredentials
  /// The key has no room for another discoverable credential.
  case keyStoreFull
  /// The key stores no discoverable credentials at all.
  case discoverableUnsupported
  /// The key already holds a credential of the exclude list.
  case credentialExcluded
  /// The key has no hmac-secret extension.
  case prfUnsupported
  /// The key advertises hmac-secret and did not deliver an output.
  case prfNotDelivered
  /// The key delivered an output of `count` bytes, not 32 for each salt.
  case prfWrongLength(count: Int)
  /// The key cannot list or delete its credentials.
  case credentialManagementUnsupported
  /// The request is too large for this key, or lists too many credentials.
  case requestTooLarge

  // MARK: The rest

  /// A mistake of the caller; the text names the parameter, never its value.
  case invalidInput(String)
  /// The key's answer contradicts the request or the protocol; the text says
  /// in what, and holds nothing from the answer.
  case protocolViolation(String)
  /// The connection failed in a way that is neither a timeout nor an unplug;
  /// `code` is libfido2's (negative) error number.
  case transport(code: Int)
  /// Any other status, with its number as CTAP or libfido2 defines it.
  case authenticator(code: Int)
  /// A system call failed with this `errno`.
  case system(errno: Int)
}

extension PRFDeviceError {
  /// A key that is asked for the next of several answers and has none.
  static let tooFewAnswers = PRFDeviceError.protocolViolation(
    "it announced more answers than it gave")
}

/// What a PIN can break (CTAP 2.1, section 6.5.1).
public enum PINRule: Equatable, Sendable {
  /// Fewer than ``PIN/minimumCodePoints`` code points.
  case tooShort
  /// More than ``PIN/maximumBytes`` bytes of UTF-8.
  case tooLong
  /// Not UTF-8, or a zero byte within.
  case notText
  /// A rule of this key, such as a larger minimum length.
  case authenticatorPolicy
}

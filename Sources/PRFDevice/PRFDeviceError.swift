// The top folder of this module is for errors, owners of libfido2's handles, and the system's
// description of a device. Every room uses it. The whole module knows no backup, file format or
// person.

public import SecretMemory

/// The errors of an authenticator, or of connecting to one.
///
/// The enum is closed, so that a caller can explain every case: what happened and what to do. No
/// case carries a secret. Status codes without their own case keep their number, so that none is
/// lost.
public enum PRFDeviceError: Error, Equatable, Sendable {
  // MARK: Finding and opening

  /// No authenticator is connected, even after the requested wait.
  case noAuthenticator
  /// The device file exists and this user may not open it.
  ///
  /// The udev rule ``AuthenticatorList/udevRuleName`` (or the distribution's own) is missing.
  case permissionDenied(path: String)
  /// Another process uses the authenticator.
  case busy
  /// The authenticator supports only U2F, or is no FIDO device at all.
  case notFIDO2
  /// The authenticator was unplugged, or this handle was lost before.
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
  /// The user refused or cancelled the operation on the authenticator, or it refused by itself.
  case denied

  // MARK: User verification

  /// The PIN is wrong; `retriesLeft` is the number that the key then reports, if it does.
  case pinInvalid(retriesLeft: Int?)
  /// Too many wrong PINs in a row: the key must be unplugged and plugged in again.
  ///
  /// `retriesLeft` is the number that the key then reports, if it does.
  case pinAuthBlocked(retriesLeft: Int?)
  /// Too many wrong PINs in total: only a reset makes the key usable again, and it destroys every
  /// credential.
  case pinBlocked
  /// The operation needs a PIN and the key has none set.
  case pinNotSet
  /// The key cannot have a PIN.
  case pinUnsupported
  /// ``Authenticator/setPIN(_:)`` on a key that already has one.
  case pinAlreadySet
  /// The key accepts its PIN only for a change; no try was used.
  case pinChangeRequired
  /// The operation needs the PIN and none was given.
  case pinRequired
  /// The PIN breaks a rule of CTAP or of this key; no try was used.
  case pinPolicyViolation(PINRule)
  /// The key rejected our proof that the PIN was entered.
  case pinAuthInvalid
  /// The key's own verification (a fingerprint) is blocked; the PIN still works.
  case uvBlocked
  /// The key's own verification (a fingerprint) did not match.
  case uvInvalid
  /// The answer's flags state that no user verification took place.
  ///
  /// Its PRF output would be a different one and was discarded.
  case userVerificationMissing

  // MARK: Credentials and PRF

  /// The key holds none of the requested credentials.
  case noCredentials
  /// The key has no room for another discoverable credential.
  case keyStoreFull
  /// The key cannot store discoverable credentials.
  case discoverableUnsupported
  /// The key already holds a credential of the exclude list.
  case credentialExcluded
  /// The key has no hmac-secret extension.
  case prfUnsupported
  /// The key advertises hmac-secret and did not return an output.
  case prfNotDelivered
  /// The key returned an output of `count` bytes instead of 32 for each salt.
  case prfWrongLength(count: Int)
  /// The key cannot list or delete its credentials.
  case credentialManagementUnsupported
  /// The request is too large for this key, or lists too many credentials.
  case requestTooLarge

  // MARK: Other errors

  /// A mistake of the caller; the text names the parameter, never its value.
  case invalidInput(String)
  /// The key's answer contradicts the request or the protocol; the text names the contradiction and
  /// contains nothing of the answer.
  case protocolViolation(String)
  /// The connection failed, by neither a timeout nor unplugging; `code` is libfido2's (negative)
  /// error number.
  case transport(code: Int)
  /// Any other status, with its number as CTAP or libfido2 defines it.
  case authenticator(code: Int)
  /// A system call failed with this `errno`.
  case system(errno: Int)
}

extension PRFDeviceError {
  /// The error of a key that has fewer answers than it announced.
  static let tooFewAnswers = PRFDeviceError.protocolViolation(
    "it announced more answers than it gave")

  /// The error of a key that calls a PIN wrong and has as many tries left as before.
  static let uncountedTry = PRFDeviceError.protocolViolation(
    "it called the PIN wrong, but counted no try. The key or its reader is at fault")
}

/// The rules that a PIN can break (CTAP 2.1, section 6.5.1).
public enum PINRule: Equatable, Sendable {
  /// The PIN has fewer than ``PIN/minimumCodePoints`` code points.
  case tooShort
  /// The PIN has more than ``PIN/maximumBytes`` bytes of UTF-8.
  case tooLong
  /// The PIN is not UTF-8, or contains a character that nobody means to type.
  case notText(TextFlaw)
  /// The PIN breaks a rule of this key, such as a larger minimum length.
  case authenticatorPolicy
}

/// The reasons for which a guard refuses a request.
public enum GuardRefusal: Error, Hashable, Sendable {
  /// The signature does not hold.
  case unauthorised
  /// No account of this kind with this key; a key of the wrong role is answered the same way.
  case unknown
  /// The counter is not the account's, which is this one.
  case counter(UInt64)
  /// The account's enrolment was not confirmed, and its one evaluation is spent.
  case unconfirmed
  /// The account was retired or expired, or the release was vetoed: forever.
  case disabled
  /// The message is not as the protocol requires, or the ID token is not accepted.
  case malformed
  /// The next try is allowed from this time on, in Unix seconds.
  case tooEarly(notBefore: UInt64)
  /// No try is left: the account is open to a reset only.
  case usedUp
  /// As many releases are pending as an account may have.
  case tooMany
  /// The guard's clock jumped; a person must accept it first.
  case clock
  /// The guard was exported: another one has its accounts.
  case stopped
}

extension Authenticator {
  /// How an authenticator can verify its user.
  public struct UserVerification: Equatable, Sendable {
    /// A PIN is set.
    public let isPINSet: Bool
    /// The authenticator verifies by itself, and is set up to: a fingerprint.
    public let isBuiltIn: Bool
  }

  /// How this authenticator can verify its user, as the opening told: costs no
  /// command, unlike ``info()``.
  ///
  /// - Throws: ``PRFDeviceError/authenticatorLost``,
  ///   ``PRFDeviceError/closed``.
  public func userVerification() throws(PRFDeviceError) -> UserVerification {
    UserVerification(isPINSet: try hasPIN(), isBuiltIn: try hasBuiltInUserVerification())
  }
}

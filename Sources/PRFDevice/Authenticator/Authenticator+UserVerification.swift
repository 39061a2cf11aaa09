extension Authenticator {
  /// The kinds of user verification of an authenticator.
  public struct UserVerification: Equatable, Sendable {
    /// Whether a PIN is set.
    public let isPINSet: Bool
    /// Whether built-in verification, such as a fingerprint, is supported and set up.
    public let isBuiltIn: Bool
  }

  /// The kinds of user verification that the authenticator stated when it was opened.
  ///
  /// Unlike ``info()``, this needs no command.
  ///
  /// - Throws: ``PRFDeviceError/authenticatorLost``,
  ///   ``PRFDeviceError/closed``.
  public func userVerification() throws(PRFDeviceError) -> UserVerification {
    UserVerification(isPINSet: try hasPIN(), isBuiltIn: try hasBuiltInUserVerification())
  }
}

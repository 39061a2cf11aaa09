/// The errors of a store that keeps a secret for the program.
///
/// No case holds a secret.
public enum SecretStoreError: Error, Equatable, Sendable {
  /// The kernel has no keyrings, or a container forbids them; the value is an errno.
  case noKeyrings(Int32)
  /// The user's quota of kernel keyrings is used up.
  case quotaExceeded
  /// The kernel reported another error; the value is an errno.
  case system(Int32)
  /// There is no D-Bus session: nobody is logged in to a desktop here.
  case noSessionBus
  /// The session bus answers and rejects this process.
  case busRefused
  /// libsystemd, with which this program speaks D-Bus, is missing.
  case noBusLibrary
  /// No service on the session bus stores secrets.
  case noSecretService
  /// The desktop's keyring is locked, and the user may not be asked to unlock it.
  case locked
  /// The user dismissed the desktop's question, or it could not be shown.
  case dismissed
  /// No answer came in time.
  case timedOut
  /// A signal asked the program to end.
  case interrupted
  /// The Secret Service reported this D-Bus error.
  case serviceFailed(String)
  /// A program on the bus violates the D-Bus specification.
  case protocolViolation(String)
  /// The secret that was read back differs from the stored one.
  case notKept
}

/// What can go wrong between the program and a place that keeps a secret for it.
///
/// No case holds a secret.
public enum SecretStoreError: Error, Equatable, Sendable {
  /// The kernel has no keyrings, or a container forbids them; an errno value.
  case noKeyrings(Int32)
  /// The user's share of the kernel's keyrings is used up.
  case quotaExceeded
  /// Another error of the kernel; an errno value.
  case system(Int32)
  /// No D-Bus session: nobody is logged in to a desktop here.
  case noSessionBus
  /// The session bus answers and will not have this process.
  case busRefused
  /// Nothing on the session bus keeps secrets.
  case noSecretService
  /// The desktop's keyring is locked, and nobody may be asked to unlock it.
  case locked
  /// A person dismissed the desktop's question, or it could not be shown.
  case dismissed
  /// No answer in time.
  case timedOut
  /// A signal asked the program to end.
  case interrupted
  /// The Secret Service reported this D-Bus error.
  case serviceFailed(String)
  /// Something on the bus does not speak D-Bus as specified.
  case protocolViolation(String)
  /// What was kept is not what comes back.
  case notKept
}

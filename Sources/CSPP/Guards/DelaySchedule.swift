/// The two schedules by which a guard lets a PIN be tried.
///
/// Their rows are in `GuardProtocol`.
public enum DelaySchedule: String, CaseIterable, Sendable {
  /// For a PIN: 20 tries in 72.9 hours, then never again.
  case pin
  /// For a password: 105 tries in 10.5 days, then never again.
  case password
}

/// The changes of an account of which the last 32 are kept.
enum AccountEvent: Int64, Sendable, CaseIterable {
  /// Created.
  case created
  /// Confirmed.
  case confirmed
  /// A try was spent.
  case tried
  /// The tries were given back.
  case reset
  /// A release began.
  case released
  /// A share was collected.
  case collected
  /// A release was vetoed.
  case vetoed
  /// Retired by its owner.
  case retired
  /// Its enrolment was not confirmed in time.
  case expired
  /// Imported from another computer.
  case imported

  /// The most that are kept of an account.
  static let kept: UInt64 = 32

  /// An event and its time.
  struct Entry: Equatable, Sendable {
    /// The change.
    let event: AccountEvent
    /// The time in Unix seconds.
    let time: UInt64
  }
}

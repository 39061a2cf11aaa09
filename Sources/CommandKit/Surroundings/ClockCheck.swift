/// Whether this computer's clock can be right.
package enum ClockCheck {
  /// A time before this program was written: 2026-01-01, in Unix seconds.
  static let earliest: Int64 = 1_767_225_600

  /// The message about a clock that is wrong; nil: it may be right.
  package static func problem(_ now: Int64) -> UserMessage? {
    guard now < earliest else { return nil }
    let date = PrintableTime.minute(UInt64(max(0, now)))
    return UserMessage(
      .config, "this computer's clock says \(date), which is before this program was made",
      hint: "set the clock: files get wrong times, and Nextcloud refuses files of 1970")
  }
}

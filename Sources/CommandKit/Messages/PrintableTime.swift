internal import FoundationEssentials

/// Times as people read them; always UTC, so that two computers show the same.
package enum PrintableTime {
  /// `2026-11-21`; a hyphen for none, or one that no clock shows.
  package static func day(_ seconds: UInt64?) -> String { String(minute(seconds).prefix(10)) }

  /// `in 40 seconds` where a person can wait for it; else `at 2026-11-21 20:15 UTC`.
  package static func wait(_ seconds: UInt64?, at now: Int64) -> String {
    let now = UInt64(max(0, now))
    if let seconds, seconds > now, seconds - now <= 120 {
      return "in " + counted(Int(seconds - now), "second")
    }
    return "at \(minute(seconds)) UTC"
  }

  private static let endOfYear9999: UInt64 = 253_402_300_800

  /// `2026-11-21 20:15`; a hyphen for none, or one that no clock shows.
  package static func minute(_ seconds: UInt64?) -> String {
    guard let seconds, seconds < endOfYear9999 else { return "-" }
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(
      Date.ISO8601FormatStyle().year().month().day().dateTimeSeparator(.space)
        .time(includingFractionalSeconds: false))
    return String(text.prefix(16))
  }
}

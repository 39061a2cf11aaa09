internal import CSPP
internal import CommandKit
internal import GuardProtocol
internal import Unlocking

/// The texts about what guards can do and what they cannot, before a way in is made.
struct GuardPromise {
  let terms: GuardDraft.Terms
  let threshold: GuardThreshold
  let servers: [AskedGuard]

  /// The guards, one line each with its ID.
  var guards: [String] {
    [
      "Guards, of which \(threshold.needed) of \(threshold.guards) \(threshold.needed == 1 ? "is" : "are") needed:"
    ]
      + servers.map { "  \($0.title)" }
  }

  /// The most PINs that somebody with the folder can try, by the number of guards that help them.
  var guesses: [Int] {
    guard case .pin(let schedule, _) = terms else { return [] }
    return (0..<threshold.needed).compactMap {
      try? threshold.guesses(tries: schedule.tries, attackers: $0)
    }
  }

  /// The promise and its limits.
  var lines: [String] {
    switch terms {
    case .pin(let schedule, _):
      let time = schedule == .pin ? "3 days" : "11 days"
      let bounds = guesses.enumerated().map { guards, count in
        "  \(count) in all (\(time))"
          + (guards == 0
            ? ", if all guards are honest"
            : ", if \(counted(guards, "guard")) \(guards == 1 ? "is" : "are") dishonest")
      }
      return [
        "Somebody with a copy of the folder can try this many PINs between two of your successes:"
      ] + bounds + [
        "They can also use up all tries. Then this way in ends, and your other ways in remain.",
        "\(counted(threshold.needed, "guard")) with a copy of the folder can test every PIN, without "
          + "a limit.",
      ]
    case .login(let issuer, _, let delay):
      let after =
        delay.delay == 0 ? "at once" : "\(GuardDelay.text(delay.delay)) after the login began"
      let stopping =
        delay.delay == 0
        ? ["Nobody can stop such a login."]
        : [
          "Until then anyone who can open the backup can stop it:", "  keybackup guard status",
          "  keybackup guard veto ID",
        ]
      return [
        "The guards help anyone who logs in at \(issuer.host) with your account, \(after)."
      ] + stopping + [
        "\(issuer.host) with a copy of the folder can open the backup, and so can "
          + "\(counted(threshold.needed, "guard"))."
      ]
    }
  }

  /// The sentence that no person may miss.
  static let noSecondWay =
    "A way in with guards never counts as the second way in: guards may be gone one day. Keep a "
    + "security key or a recovery kit too."
}

/// A delay as people write it.
enum GuardDelay {
  /// Reads `0`, `90m`, `24h`, `3d`.
  ///
  /// - Returns: seconds; nil for anything else, and beyond 30 days.
  static func parse(_ text: String) -> ReleaseDelay? {
    if text == "0" { return ReleaseDelay(of: 0) }
    let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let last = text.last, let unit = units[last], text.utf8.count <= 9,
      text.dropLast().allSatisfy({ ("0"..."9").contains($0) }),
      let number = UInt64(text.dropLast())
    else { return nil }
    return ReleaseDelay(of: number * unit)
  }

  /// The words for it.
  static func text(_ seconds: UInt64) -> String {
    let units: [(UInt64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
    for (unit, word) in units where seconds >= unit && seconds.isMultiple(of: unit) {
      return counted(Int(seconds / unit), word)
    }
    return counted(Int(seconds), "second")
  }
}

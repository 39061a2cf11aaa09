internal import CSPP
package import CommandKit
package import GuardProtocol
internal import SecurityKeys

extension GuardSurvey {
  /// Why a person should look at this way in; none: all is well.
  package var warnings: [String] {
    var warnings: [String] = []
    for server in setBack {
      warnings.append("the guard \(server.title) restored an old copy of its accounts")
    }
    if unknownTries > 0 {
      warnings.append(
        "\(UserMessage.tries(unknownTries)) spent that this computer does not know of: if it was not "
          + "you, somebody is guessing")
    }
    for release in releases where own[release.release] == nil {
      warnings.append(
        "somebody logged in at \(PrintableTime.minute(release.start)) UTC and can open the backup from "
          + "\(PrintableTime.minute(release.notBefore)) on; if it was not you: keybackup guard veto "
          + release.release.hex)
    }
    let helping = seats.count { $0.fault == nil }
    if helping < way.threshold.needed {
      warnings.append(
        "only \(helping) of \(counted(seats.count, "guard")) \(helping == 1 ? "helps" : "help"), and "
          + "\(way.threshold.needed) \(way.threshold.needed == 1 ? "is" : "are") needed")
    }
    return warnings
  }

  /// News that are no reason to worry: guards that were moved, and this computer's own logins.
  package var notices: [String] {
    var notices: [String] = []
    for server in moved {
      notices.append(
        "the guard \(server.title) was moved. It gives at most \(DelayLimiter.importedTries) tries "
          + "until you get them back: keybackup guard reset")
    }
    for release in releases {
      guard let known = own[release.release] else { continue }
      if let used = known.used {
        notices.append(
          "your login of \(PrintableTime.minute(release.start)) UTC opened the backup on this "
            + "computer, at \(PrintableTime.minute(used)) UTC")
      } else {
        notices.append(
          "your login of \(PrintableTime.minute(release.start)) UTC on this computer opens the "
            + "backup from \(PrintableTime.minute(release.notBefore)) UTC on; to stop it: keybackup "
            + "guard veto \(release.release.hex)")
      }
    }
    return notices
  }

  /// The notices and the warnings, one line each.
  package var lines: [String] {
    (notices + warnings).map { text in
      let sentence = "  " + text.prefix(1).uppercased() + text.dropFirst()
      // A command at the end is to be copied.
      return text.contains(": keybackup ") ? sentence : sentence + "."
    }
  }

  /// The releases that are pending at any guard, each once.
  package var releases: [ReleaseAnswer] {
    var found: [ReleaseAnswer] = []
    for seat in seats {
      guard case .releases(let rows) = seat.confirmed?.detail else { continue }
      for row in rows where !found.contains(where: { $0.release == row.release }) {
        found.append(row)
      }
    }
    return found.sorted { ($0.start, $0.release.hex) < ($1.start, $1.release.hex) }
  }

  /// Whether enough guards help at the moment.
  package var isOpen: Bool { seats.count { $0.fault == nil } >= way.threshold.needed }

  /// The way in with what it needs and the tries that are left.
  package var title: String {
    let needed = "\(way.threshold.needed) of \(counted(way.threshold.guards, "guard"))"
    guard seats.contains(where: { $0.finding != nil }) else {
      return "\"\(way.name)\": \(needed) needed"
    }
    return "\"\(way.name)\": \(needed) needed, \(UserMessage.tries(triesLeft)) left in all"
  }

  /// The guards as a table, at a time in Unix seconds.
  package func table(at now: UInt64) -> Table {
    Table(
      columns: [
        Table.Column("GUARD", least: 20), Table.Column("TRIES LEFT"), Table.Column("NEXT (UTC)"),
        Table.Column("STATE"), Table.Column("ID"),
      ],
      rows: seats.map { seat in
        let next = seat.tries?.notBefore ?? 0
        return [
          seat.seat.server.name, seat.tries.map { "\($0.left)" } ?? "-",
          seat.tries == nil ? "-" : next <= now ? "now" : PrintableTime.minute(next),
          seat.fault?.text ?? seat.finding?.stateText ?? "ok", seat.seat.server.guardID.hex,
        ]
      })
  }

  /// The way in as JSON.
  package var json: JSONOutput {
    [
      "key_id": .string(way.keyID.hex), "name": .string(way.name),
      "threshold": .number(way.threshold.needed), "guards": .array(seats.map(\.json)),
      "tries_left": seats.contains { $0.finding != nil } ? .number(triesLeft) : .null,
      "next": .optional(nextTime.flatMap { Int(exactly: $0) }),
      "unknown_tries": .number(unknownTries), "open": .bool(isOpen),
      "warnings": .array(warnings.map(JSONOutput.string)),
      "notices": .array(notices.map(JSONOutput.string)),
      "releases": .array(
        releases.map {
          [
            "release_id": .string($0.release.hex), "start": .optional(Int(exactly: $0.start)),
            "not_before": .optional(Int(exactly: $0.notBefore)),
            "end": .optional(Int(exactly: $0.end)), "own": .bool(own[$0.release] != nil),
            "used_at": .optional(own[$0.release]?.used.flatMap { Int(exactly: $0) }),
          ]
        }),
    ]
  }
}

extension GuardSurvey.Seat {
  /// The guard as JSON.
  package var json: JSONOutput {
    [
      "guard_id": .string(seat.server.guardID.hex), "url": .string(seat.server.url.text),
      "counter": .optional(confirmed.flatMap { Int(exactly: $0.counter) }),
      "tries_left": .optional(tries?.left),
      "not_before": .optional(tries.flatMap { Int(exactly: $0.notBefore) }),
      "unknown_tries": .optional(finding?.unknownTries),
      "set_back": .optional(finding?.isSetBack), "moved": .optional(finding?.isMoved),
      "problem": .optional(fault?.text),
    ]
  }
}

extension GuardMemory.Finding {
  /// The state of a guard that helps, in a word or two.
  fileprivate var stateText: String? { isSetBack ? "old copy" : isMoved ? "moved" : nil }
}

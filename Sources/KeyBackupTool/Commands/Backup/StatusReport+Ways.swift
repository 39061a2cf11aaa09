internal import BackupFolder
internal import CSPP

/// What the ways in say about the backup: whether there is a spare, whether they
/// were proved lately, and what came back that was removed.
extension StatusReport {
  /// After so many seconds a way in should be proved again: a year.
  private static let lapse: UInt64 = 365 * 86_400

  /// Adds advice about the ways in.
  ///
  /// - Parameter time: Unix seconds.
  mutating func judgeWays(at time: Int64) {
    let now = UInt64(max(0, time))
    for group in ways.independent {
      // Enrolment proves too.
      let proofs = group.compactMap(\.provedAt) + group.compactMap(\.createdAt)
      guard let last = proofs.max(), now > last, now - last >= Self.lapse else { continue }
      advice.append(
        "\"\(WaySelector.shown(group[0]))\" has not been proved for "
          + "\(counted(Int((now - last) / 86_400), "day")): with it, keybackup verify --deep")
    }
    for way in ways where way.isRemoved {
      for file in way.files {
        findings.append(
          FileFinding(
            file: file, recordID: nil, state: .foreign, reason: "of a way in that was removed"))
      }
    }
    if ways.contains(where: \.isRemoved) {
      advice.append(
        "files of a removed way in are here, left or brought back by a sync program: keybackup key "
          + "repair, opened with another way in, deletes them")
    }
    if ways.contains(where: { way in
      ways.contains { $0.replaces != nil && $0.replaces == way.keyID && !way.isRemoved }
    }) {
      advice.append(
        "a key's rotation waits for its end: keybackup key repair, opened with that key")
    }
  }

  /// Says so where losing one thing loses the backup.
  mutating func requireSpare() {
    guard keys < 2 else { return }
    codes.append(.atRisk)
    advice.append(
      (keys == 1
        ? "there is one way in: losing it loses the backup; "
        : "there is no way in that counts; ")
        + "enrol a spare with keybackup key add, or print a recovery kit with keybackup "
        + "recovery-kit create; keep another copy of your wallets until then")
  }

  /// A line for each way in.
  var wayLines: [String] {
    ways.map { way in
      let state =
        way.isRemoved
        ? "removed"
        : way.isWaiting
          ? "a box waits for it since the master key was rotated"
          : "proved " + PrintableTime.day(way.provedAt)
      return
        "           \(WaySelector.shown(way)), \(way.kindWord.replacing("_", with: " ")), \(state)"
    }
  }
}

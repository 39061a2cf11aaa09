package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking
internal import WalletFormats

/// `keybackup conflicts list`: every version of every wallet that has several.
package struct ConflictsListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List wallets with several versions, and each version.",
    discussion: """
      A wallet has several versions when two computers changed it without knowing of each \
      other. Other programs and a sync program's conflict copies add versions too.
      All versions are restored until you keep one.
      """)

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world)
    var several: Set<RecordID> = []
    let report = opened.forEachWallet { version, _ in
      // What is held back may be the only version, and a person decides on it.
      let isOpen = [.late, .conflict, .heldBack].contains(version.state)
      if version.ordinal > 0 || isOpen { several.insert(version.recordID) }
    }
    var versions: [(version: WalletVersion, spending: WalletSpending, secret: Int?)] = []
    var secrets = SecretNumbers()
    if !several.isEmpty {
      _ = opened.forEachWallet { version, entry in
        if several.contains(version.recordID) {
          let secret = secrets.number(of: version.entry, in: entry)
          versions.append((version, version.entry.spending(in: entry), secret))
        }
      }
    }
    try Interruption.check()
    var rows: [VersionRow] = []
    for (version, spending, secret) in versions {
      rows.append(VersionRow(version, opened.origin(of: version), spending, secret: secret))
    }
    rows.sort {
      ($0.wallet.recordID, $0.origin?.at ?? .max, $0.id)
        < ($1.wallet.recordID, $1.origin?.at ?? .max, $1.id)
    }
    VersionRow.tellApart(&rows)
    VersionRow.numberSecrets(&rows)
    try show(
      rows, kept: opened.keptAgainstRemoval, report, opened.health, opened.logFindings, world)
    return .success
  }

  private func show(
    _ rows: [VersionRow], kept: [RecordID], _ report: WalletReport, _ health: LogHealth,
    _ logFindings: [FileFinding], _ world: World
  ) throws(UserMessage) {
    let output = unlock.output(world)
    if unlock.common.json {
      let conflicts = Dictionary(grouping: rows, by: \.wallet.recordID).sorted { $0.key < $1.key }
      try output.result(json: [
        "conflicts": .array(
          conflicts.map { (record, rows) in
            [
              "id": .optional(rows.first?.wallet.id), "record_id": .string(record.hex),
              "versions": .array(rows.map(\.json)),
            ]
          }),
        "kept_against_removal": .array(kept.map { .string($0.hex) }),
        "failed": .array((report.failures + logFindings).map(\.json)),
      ])
      return
    }
    if rows.isEmpty {
      output.note("No wallet has several versions.")
    } else {
      try output.result(VersionRow.table(rows))
      output.note("Versions with the same number under SECRET have the same secret.")
      output.note("To keep one version: keybackup conflicts keep WALLET VERSION")
    }
    for record in kept {
      output.note(
        "Record \(record.hex) was removed on one computer and changed on another. The change was "
          + "kept. To remove it: keybackup wallet remove \(record.hex)")
    }
    output.warn(report, health, logFindings, all: unlock.common.verbose)
  }
}

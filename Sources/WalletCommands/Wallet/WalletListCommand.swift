package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import FileCommands
internal import SecretMemory
internal import Unlocking
internal import WalletFormats

/// `keybackup wallet list`: one touch, a row for each wallet, no secrets.
package struct WalletListCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the wallets of the backup, without their secrets.")

  @OptionGroup var unlock: UnlockOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world)
    var rows: [WalletRow] = []
    var computed = 0
    let report = opened.forEachWallet { version, entry in
      var row = WalletRow(version, in: entry)
      if row.fingerprint == nil, computed < WalletRow.mostComputed {
        computed += 1
        row.computeFingerprint(version.entry, in: entry)
      }
      rows.append(row)
    }
    try Interruption.check()
    let watchOnly = rows.filter { $0.spending == .watchOnly }
    WatchOnlyMemory(opened.id, world).keep(Set(watchOnly.map(\.recordID)))
    rows.sort { ($0.name ?? "", $0.id) < ($1.name ?? "", $1.id) }
    let gaps = opened.walletGapCodes
    if unlock.common.json {
      try unlock.output(world).result(json: [
        "wallets": .array(rows.map(\.json)),
        "failed": .array((report.failures + opened.logFindings).map(\.json)),
        "gaps": opened.gaps,
      ])
    } else {
      if rows.isEmpty {
        unlock.output(world).note(
          "No wallets yet. To add one: keybackup wallet add --name NAME --network bitcoin")
      } else {
        try unlock.output(world).result(WalletRow.table(rows))
      }
      unlock.output(world).note(watchOnly: watchOnly.count)
      unlock.output(world).warn(
        report, opened.health, opened.logFindings, all: unlock.common.verbose)
      if !gaps.isEmpty { unlock.output(world).warn(gapsOf: opened.writersWithGaps) }
    }
    return .mostUrgent(of: gaps + [report.exitCode(opened.health, opened.logFindings)])
  }
}

package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup wallet history`: every version of wallets that the log keeps.
package struct WalletHistoryCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the versions of wallets, also replaced and removed ones.",
    discussion: """
      The version that counts comes first. In a removed wallet that is the one that counted when \
      the wallet was removed. Then come replaced ones, newest first.
      Versions with the same number under SECRET have the same secret. FINGERPRINT, \
      WRITTEN and WRITTEN BY are what the program or computer said that added the version. A \
      version that is found by a computer was written by another program, or by a computer without \
      a key. Below the table stands which computer removed a wallet, and when, as it said itself.
      Every version in the list can be shown with keybackup wallet show WALLET --version V, and \
      brought back with keybackup wallet keep WALLET V.
      When the master key is rotated, only versions that count go along. The history stays in the \
      earlier backup. While that is in the folder, --namespace ID shows it.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp(
      "The wallet's ID, record ID or name, also of a removed one (default: all).",
      valueName: "wallet"))
  var wallet: String?

  package init() {}

  package mutating func validate() throws {
    if let wallet, let problem = WalletSelector.problem(wallet) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world)
    let history = WalletHistory(in: &opened)
    try Interruption.check()
    let findings = opened.logFindings + history.lost
    let wallets = try history.wallets(wallet, opened.health, findings)
    let output = unlock.output(world)
    if unlock.common.json {
      try output.result(json: [
        "wallets": .array(wallets.map(\.json)),
        "failed": .array((history.report.failures + findings).map(\.json)),
      ])
    } else {
      if wallets.isEmpty {
        output.note(
          "No wallets yet. To add one: keybackup wallet add --name NAME --network bitcoin")
      } else {
        try output.result(VersionRow.table(wallets.flatMap(\.versions)))
      }
      tellWhoRemoved(wallets, output)
      if wallets.contains(where: { $0.versions.contains(where: \.isPast) }) {
        tellHowToBringBack(opened, output)
      }
      for earlier in opened.readPredecessors.sorted() {
        output.note(
          "Versions from before the master key was rotated: keybackup wallet history --namespace "
            + earlier.hex)
      }
      output.warn(history.report, opened.health, findings, all: unlock.common.verbose)
    }
    return history.report.exitCode(opened.health, findings)
  }

  /// Says who removed each wallet, where they are few.
  private func tellWhoRemoved(_ wallets: [WalletHistory.Wallet], _ output: Output) {
    let removed = wallets.compactMap { wallet in
      wallet.versions.first.flatMap { row in
        row.removedBy.map { (row.wallet.name ?? row.wallet.id, $0) }
      }
    }
    if removed.count > 10 {
      output.note("To see who removed a wallet: keybackup wallet history WALLET")
      return
    }
    for (name, who) in removed {
      output.note("\(PrintableText.name(name, limit: 40)) was removed by \(who)")
    }
  }

  private func tellHowToBringBack(_ opened: borrowing OpenNamespace, _ output: Output) {
    if opened.health.successor == nil {
      output.note("To bring a version back: keybackup wallet keep WALLET VERSION")
      return
    }
    // Nothing is written to a backup whose master key was rotated.
    output.note(
      "To bring a version back: keybackup wallet show WALLET --version VERSION --namespace "
        + "\(opened.id.hex) --out FILE")
    output.note("then: keybackup wallet import FILE")
    output.note(
      "Anyone who knows the old master key may have added versions since it was rotated. Compare "
        + "the version with what you know before you use it.")
  }
}

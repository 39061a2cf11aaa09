package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking
internal import WalletFormats

/// `keybackup wallet keep`: makes one version of a wallet the one that counts.
package struct WalletKeepCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Bring back a version of a wallet, also of a removed one.",
    discussion: """
      The version counts again, with the same content. This also ends a conflict. The other \
      versions stay in the wallet's history.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(
    help: ArgumentHelp(
      "The wallet's ID, record ID or name, also of a removed one.", valueName: "wallet"))
  var wallet: String

  @Argument(help: ArgumentHelp("The version, from wallet history.", valueName: "version"))
  var version: String

  package init() {}

  package mutating func validate() throws {
    for problem in [WalletSelector.problem(wallet), VersionSelector.problem(version)] {
      if let problem { throw ValidationError(problem) }
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    let chosen = try ChosenWallet.find(wallet, versionID: version, in: &opened)
    let (row, record) = (chosen.versions[0], chosen.recordID)
    let same = row.isPast ? SameWallets(as: chosen.bytes, in: &opened) : SameWallets()
    try Interruption.check()
    let isChange: Bool
    do throws(BackupFolderError) {
      isChange = try opened.keep(row.version, of: record, orPast: true)
    } catch {
      throw UserMessage(error)
    }
    let output = unlock.output(world)
    output.warn(viewProblem: opened.viewProblem)
    if isChange { remember(row, opened.id, world) }
    let namesakes = Namesakes(of: row.isPast ? [record] : [], in: &opened)
    let name = PrintableText.name(row.wallet.name ?? row.wallet.id)
    try output.result(
      isChange
        ? "Version \(row.id) of \"\(name)\" counts again, saved here and checked."
        : "Version \(row.id) of \"\(name)\" is the current one already.",
      json: [
        "id": .string(row.wallet.id), "record_id": .string(record.hex), "version": .string(row.id),
        "changed": .bool(isChange), "same_as": .array(same.found.map { .string($0.id) }),
        "same_name": namesakes.json,
      ], ofChange: "version \(row.id) was kept all the same")
    output.warn(same)
    output.warn(namesakes)
    return .success
  }

  private func remember(_ row: VersionRow, _ backup: NamespaceID, _ world: World) {
    let record: Set = [row.wallet.recordID]
    let isWatchOnly = row.wallet.spending == .watchOnly
    WatchOnlyMemory(backup, world).keep(
      adding: isWatchOnly ? record : [], removing: isWatchOnly ? [] : record)
  }
}

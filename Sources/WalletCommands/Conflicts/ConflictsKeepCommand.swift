package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import Unlocking

/// `keybackup conflicts keep`: decides for one version of a wallet.
package struct ConflictsKeepCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Keep one version of a wallet, and drop the others.",
    discussion: """
      The other versions stay in the folder's log, encrypted. They are no longer shown or \
      restored. keybackup wallet history lists them.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The wallet's ID, record ID or name.", valueName: "wallet"))
  var wallet: String

  @Argument(help: ArgumentHelp("The version, from conflicts list.", valueName: "version"))
  var version: String

  package init() {}

  package mutating func validate() throws {
    for problem in [WalletSelector.problem(wallet), VersionSelector.problem(version)] {
      if let problem { throw ValidationError(problem) }
    }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    var found: [WalletVersion] = []
    var similar = SimilarWallets(to: wallet)
    let report = opened.forEachWallet { version, _ in
      similar.note(version)
      if WalletSelector.matches(wallet, version) { found.append(version) }
    }
    let row = try WalletSelector.only(
      found.map { WalletRow($0) }, wallet, report, opened.health, opened.logFindings,
      besides: similar)
    // Versions may have different names.
    var versions: [WalletVersion] = []
    _ = opened.forEachWallet { version, _ in
      if version.recordID == row.recordID { versions.append(version) }
    }
    try Interruption.check()
    let id = try VersionSelector.only(versions.map(\.id), version)
    guard let chosen = versions.first(where: { $0.id == id }) else {
      throw UserMessage(.noSuchVersion(row.recordID))
    }
    let isChange: Bool
    do throws(BackupFolderError) {
      isChange = try opened.keep(chosen.id, of: row.recordID)
    } catch {
      throw UserMessage(error)
    }
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    let name = PrintableText.name(chosen.entry.name ?? row.id)
    try unlock.output(world).result(
      isChange
        ? "Kept version \(chosen.id) of \"\(name)\", saved here and checked."
        : "\"\(name)\" has only this version.",
      json: [
        "id": .string(row.id), "record_id": .string(row.recordID.hex),
        "version": .string(chosen.id.description), "changed": .bool(isChange),
      ], ofChange: "version \(chosen.id) was kept all the same")
    return .success
  }
}

package import ArgumentParser
internal import BackupFolder
internal import CSPP
package import CommandKit
internal import SecretMemory
internal import Unlocking
internal import WalletFormats

/// `keybackup wallet remove`: one wallet leaves the backup.
package struct WalletRemoveCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a wallet from the backup.",
    discussion: """
      Its versions stay in the folder's log, encrypted. keybackup wallet history shows them, and \
      keybackup wallet keep brings one back. Anyone with the folder and an enrolled key can still \
      open them.
      """)

  @OptionGroup var unlock: UnlockOptions

  @Argument(help: ArgumentHelp("The wallet's ID, record ID or name.", valueName: "wallet"))
  var wallet: String

  @Flag(name: [.short, .long], help: "Do not ask. Without a terminal nobody is asked.")
  var yes = false

  package init() {}

  package mutating func validate() throws {
    if let problem = WalletSelector.problem(wallet) { throw ValidationError(problem) }
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    var opened = try await unlock.open(world, for: .writing)
    var found: [WalletRow] = []
    var all: [WalletRow] = []
    var shown: [RecordID: Set<VersionID>] = [:]
    var similar = SimilarWallets(to: wallet)
    let report = opened.forEachWallet { version, entry in
      similar.note(version)
      all.append(WalletRow(version))
      shown[version.recordID, default: []].insert(version.id)
      if WalletSelector.matches(wallet, version) { found.append(WalletRow(version, in: entry)) }
    }
    try Interruption.check()
    let row = try WalletSelector.only(
      found, wallet, report, opened.health, opened.logFindings, besides: similar)
    let name = PrintableText.name(row.name ?? row.id)
    let prompter = unlock.common.prompter(world)
    let versions = found.count { $0.recordID == row.recordID }
    let what = versions == 1 ? row.kindWord : "all \(versions) versions"
    // A script means what it says, and the log still has the wallet.
    if !yes, prompter.canAsk {
      guard try prompter.confirm("Remove \"\(name)\" (\(what)) from the backup?") else {
        throw UserMessage(.denied, "not confirmed; nothing was removed")
      }
    }
    try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      try requireSame(shown[row.recordID] ?? [], of: row.recordID, in: &opened)
      do throws(BackupFolderError) {
        try opened.remove([row.recordID])
      } catch {
        throw UserMessage(error)
      }
    }
    if row.spending == .watchOnly {
      WatchOnlyMemory(opened.id, world).keep(adding: [], removing: [row.recordID])
    }
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    var past: [(id: VersionID, isRemoved: Bool)] = []
    _ = opened.forEachPastVersion(of: row.recordID) { version, _ in
      past.append((version.id, version.ending == .removed))
    }
    let kept = zip(VersionSelector.shown(past.map(\.id)), past).filter(\.1.isRemoved).map(\.0)
    try unlock.output(world).result(
      "Removed \"\(name)\".",
      json: [
        "id": .string(row.id), "record_id": .string(row.recordID.hex),
        "versions": .array(kept.map(JSONOutput.string)),
      ],
      ofChange: "the wallet was removed all the same")
    if !unlock.common.json {
      tell(row.recordID, WalletSelector.shownID(of: row, among: all), kept, world)
    }
    return .success
  }

  /// Throws where the wallet has a version that the person was not asked about.
  private func requireSame(
    _ shown: Set<VersionID>, of record: RecordID, in opened: inout OpenNamespace
  ) throws(UserMessage) {
    var isNew = false
    _ = opened.forEachWallet { version, _ in
      if version.recordID == record, !shown.contains(version.id) { isNew = true }
    }
    guard isNew else { return }
    throw UserMessage(
      .incomplete, word: "busy",
      "another program changed the wallet meanwhile; nothing was removed",
      hint: "to see what is there now: keybackup wallet list")
  }

  /// Says how to bring the wallet back.
  private func tell(_ record: RecordID, _ id: String?, _ kept: [String], _ world: World) {
    let output = unlock.output(world)
    output.note("Its secret stays in the folder's log, encrypted.")
    // Without such an ID the record ID, since others may have chosen the wallet's name and ID. The
    // beginning of either may be a whole ID that somebody chose: with the version it is this wallet
    // all the same.
    if kept.count == 1 {
      let id = id ?? ShortID.shown([record.hex])[0]
      output.note("To bring it back: keybackup wallet keep \(id) \(kept[0])")
    } else {
      output.note("To see its versions: keybackup wallet history \(id ?? record.hex)")
    }
  }
}

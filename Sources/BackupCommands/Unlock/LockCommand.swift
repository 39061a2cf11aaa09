package import ArgumentParser
internal import CSPP
package import CommandKit
internal import SyncFolders
internal import Unlocking

/// `keybackup lock`: this computer forgets what `unlock` made it know.
package struct LockCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Close a backup that keybackup unlock keeps open.",
    discussion: """
      Forgets the key in the kernel's keyring and, where --keep was used, in the desktop's. \
      Keys from before a rotation go too.
      With --all, the keys of every backup of yours are forgotten. The folder need not be \
      there then.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var folder: FolderOptions

  @Flag(help: "Forget the keys of every backup.")
  var all = false

  package init() {}

  package mutating func validate() throws { if all { try folder.given.refuse(besides: "--all") } }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let forgotten: Int
    if all {
      forgotten = try CachedMasterKey.forgetAll(world, mayPrompt: !common.noInput)
    } else {
      let backup: Backup
      do throws(UserMessage) {
        backup = try Backup(
          at: folder.path(world, common.output(world)), folder, world, common)
      } catch {
        throw UserMessage(
          error.code, word: error.word, error.message,
          hint: "to forget the keys of every backup, name none: keybackup lock --all")
      }
      forgotten = try CachedMasterKey.forget(of: backup.folder, world, mayPrompt: !common.noInput) {
        id in
        backup.named == nil || backup.named == id
      }
    }
    try common.output(world).result(
      forgotten == 0 ? "This computer knew no master key." : "Forgotten.",
      json: ["forgotten": .number(forgotten)], ofChange: "the key is forgotten all the same")
    return .success
  }
}

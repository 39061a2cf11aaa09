internal import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import CommandSupport

/// Whether unencrypted secrets may lie where a sync program carries them away.
package struct SyncedFolderOption: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Let unencrypted secrets lie in a synced folder."))
  var allowSyncedFolder = false

  /// The option, if it was given.
  package var given: GivenOptions { GivenOptions(["--allow-synced-folder": allowSyncedFolder]) }

  package init() {}

  /// Refuses new files for secrets in a place that is carried elsewhere.
  ///
  /// Asks for nothing where no file is named: looking costs time.
  ///
  /// - Parameters:
  ///   - paths: where they shall go; need not exist yet.
  ///   - printed: the file that a shell sends the results to. It may be on a
  ///     server, where whole home directories are: scripts print there.
  ///   - backup: the backup's folder, where the command has one.
  ///   - world: where sync programs keep their settings.
  /// - Throws: `cannot-create`.
  package func requirePrivate(
    _ paths: String?..., printed: String? = nil, besides backup: String? = nil, _ world: World
  ) throws(UserMessage) {
    guard
      let (path, carrier) = carried(paths, backup, world)
        ?? carried([printed], backup, world, besidesServers: true)
    else { return }
    throw UserMessage(
      .cannotCreate,
      "\(ShellWord.quoted(path)) is in a synced folder, so the secrets would leave this computer: "
        + carrier.words,
      hint: "choose a place that is not synchronised, or add --allow-synced-folder")
  }

  /// Refuses files with a secret that are carried elsewhere already.
  ///
  /// - Parameters:
  ///   - paths: the files; `-` and nil are none.
  ///   - backup: the backup's folder, where it is known by now.
  ///   - world: where sync programs keep their settings.
  /// - Throws: `config`, as for a PIN file that others can read.
  package func requirePrivate(
    input paths: String?..., besides backup: String? = nil, _ world: World
  ) throws(UserMessage) {
    let files = paths.filter { $0 != "-" }
    guard let (path, carrier) = carried(files, backup, world) else { return }
    throw UserMessage(
      .config,
      "\(ShellWord.quoted(path)) is in a synced folder, so its secrets have left this computer: "
        + carrier.words,
      hint: "move the coins to a new wallet if others can read that folder; "
        + "--allow-synced-folder reads the file all the same")
  }

  /// The first of the files that is carried elsewhere, and what carries it.
  private func carried(
    _ paths: [String?], _ backup: String?, _ world: World, besidesServers: Bool = false
  ) -> (path: String, carrier: Carrier)? {
    let named = paths.compactMap { $0 }
    guard !named.isEmpty, !allowSyncedFolder else { return nil }
    let backups = [backup].compactMap { $0 } + world.namedFolders
    let known = KnownSyncFolders.find(world)
    let mounts = MountTable.current()
    for path in named {
      guard let place = FileCheck.future(path) else { continue }
      if let folder = known.carrying(place, mounts), folder.path != "/",
        !(besidesServers && folder.engine == .server)
      {
        return (path, .engine(folder))
      }
      for backup in backups {
        guard let folder = FileCheck.future(backup), mounts.contains(folder, place) else {
          continue
        }
        return (path, .backup(backup))
      }
    }
    return nil
  }

  /// The program or file system that brings a place's files elsewhere.
  private enum Carrier {
    case engine(SyncFolder)
    /// Whatever carries the backup's folder.
    case backup(String)

    var words: String {
      switch self {
      case .engine(let folder):
        "\(folder.title) carries \(ShellWord.quoted(folder.path))"
      case .backup(let path): "\(ShellWord.quoted(path)) holds the backup"
      }
    }
  }
}

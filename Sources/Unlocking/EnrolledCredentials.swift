internal import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport
internal import SyncFolders

/// The credentials that open backups, as far as this computer can tell.
///
/// No other command may use or delete them, whatever relying party it names.
package struct EnrolledCredentials: Sendable {
  /// The credentials that this computer enrolled or opened a backup with, in any folder.
  private let remembered: Set<[UInt8]>
  /// The credentials named in files of folders, with the file's path.
  ///
  /// Anyone who can write to the folder can have added such a file.
  private var named: [[UInt8]: String] = [:]

  /// Reads this computer's state, and the folder of `--folder`.
  ///
  /// No other folder is asked: a secret needs none, and one that does not answer would delay it.
  ///
  /// - Throws: if the user named a folder that cannot be read.
  package static func known(
    _ world: World, _ options: FolderOptions
  ) throws(UserMessage) -> EnrolledCredentials {
    var known = EnrolledCredentials(
      remembered: world.stateFolder.map { BackupFolder.rememberedCredentials(in: $0) } ?? [])
    if let path = options.folder { known.named = try files(in: path, world, isNamed: true) }
    return known
  }

  /// The same with every folder of a backup that this computer can find, for what cannot be undone.
  ///
  /// A folder that is missing or does not answer does not stop it.
  package static func everywhere(
    _ world: World, _ options: FolderOptions
  ) throws(UserMessage) -> EnrolledCredentials {
    var known = try known(world, options)
    let others = KnownSyncFolders.find(world).backups().found.map(\.place) + world.namedFolders
    for path in others where path != options.folder {
      let found = TimeLimit.result(within: patience) {
        (try? files(in: path, world, isNamed: false)) ?? [:]
      }
      known.named.merge(found ?? [:]) { first, _ in first }
    }
    return known
  }

  private static let patience = 3.0

  package func contains(_ id: [UInt8]) -> Bool { remembered.contains(id) || named[id] != nil }

  /// Throws if a credential opens a backup.
  ///
  /// - Parameters:
  ///   - id: the credential.
  ///   - command: the command that creates another one.
  /// - Throws: `usage`.
  package func refuse(_ id: [UInt8], insteadOf command: String) throws(UserMessage) {
    if remembered.contains(id) {
      throw UserMessage(
        .usage, "this credential opens a backup and is not used for anything else",
        hint: "make another one: keybackup \(command)")
    }
    guard let file = named[id] else { return }
    throw UserMessage(
      .usage, "this credential opens a backup and is not used for anything else",
      hint: "make another one: keybackup \(command)\nif you never enrolled it, somebody put a file "
        + "there; move it away: \(ShellWord.quoted(file))")
  }

  private static func files(
    in path: String, _ world: World, isNamed: Bool
  ) throws(UserMessage) -> [[UInt8]: String] {
    let folder = try Backup.folder(at: path, world)
    var named: [[UInt8]: String] = [:]
    do throws(BackupFolderError) {
      for id in try folder.namespaces() {
        do throws(BackupFolderError) {
          for slot in try folder.namespace(id).scan().keySlots {
            guard let credential = slot.credentialID else { continue }
            named[credential] = "\(path)/cspp-namespaces/\(id.hex)/\(slot.files.first ?? "")"
          }
        } catch {
          // One unreadable backup must not hide the IDs of the others.
          if isNamed { throw error }
        }
      }
    } catch {
      throw UserMessage(error)
    }
    return named
  }
}

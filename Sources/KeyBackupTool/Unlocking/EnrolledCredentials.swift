internal import BackupFolder
internal import CSPP
internal import CommandSupport

/// The credentials that open backups, as far as this computer can tell.
///
/// No other command may use or delete them, whatever relying party it names.
struct EnrolledCredentials: Sendable {
  /// The credentials that this computer enrolled or opened a backup with, in any folder.
  private let remembered: Set<[UInt8]>
  /// The credentials named in files of the known folders, with the file's path.
  ///
  /// Anyone who can write to the folder can have added such a file.
  private var named: [[UInt8]: String] = [:]

  /// Reads this computer's state, the given folder and the known sync folders.
  ///
  /// - Throws: if the user named a folder that cannot be read. A folder that is missing at the
  ///   moment does not stop work that needs no folder.
  static func known(
    _ world: World, _ options: FolderOptions
  ) throws(UserMessage) -> EnrolledCredentials {
    var known = EnrolledCredentials(
      remembered: world.stateFolder.map { BackupFolder.rememberedCredentials(in: $0) } ?? [])
    let chosen = try options.configuredPath(world)
    if let path = chosen {
      do throws(UserMessage) {
        known.named = try files(in: path, world, isNamed: options.folder != nil)
      } catch {
        if options.folder != nil { throw error }
      }
    }
    var others = KnownSyncFolders.find(world).backups().found.map(\.place)
    others += world.namedFolders
    for path in others where path != chosen {
      // A folder that does not answer must not prevent work that needs none.
      let found = TimeLimit.result(within: patience) {
        (try? files(in: path, world, isNamed: false)) ?? [:]
      }
      known.named.merge(found ?? [:]) { first, _ in first }
    }
    return known
  }

  private static let patience = 3.0

  func contains(_ id: [UInt8]) -> Bool { remembered.contains(id) || named[id] != nil }

  /// Throws if a credential opens a backup.
  ///
  /// - Parameters:
  ///   - id: the credential.
  ///   - command: the command that creates another one.
  /// - Throws: `usage`.
  func refuse(_ id: [UInt8], insteadOf command: String) throws(UserMessage) {
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

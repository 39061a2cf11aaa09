internal import BackupFolder

/// The credentials that open the backups in the folder at hand: no other
/// command may use or delete them.
enum EnrolledCredentials {
  /// Their IDs, as far as the folder tells; none when no folder is configured.
  ///
  /// - Throws: when the person named a folder and it cannot be read. A
  ///   configured folder that is not there at the moment does not stop work
  ///   that needs no folder.
  static func known(_ world: World, _ options: FolderOptions) throws(UserMessage) -> Set<[UInt8]> {
    guard let path = try options.configuredPath(world) else { return [] }
    var ids: Set<[UInt8]> = []
    do throws(UserMessage) {
      let folder = try Backup.folder(at: path, world)
      do throws(BackupFolderError) {
        for id in try folder.namespaces() {
          do throws(BackupFolderError) {
            ids.formUnion(try folder.namespace(id).scan().waysIn.compactMap(\.credentialID))
          } catch {
            // One backup that cannot be read must not hide the others' IDs.
            if options.folder != nil { throw error }
          }
        }
      } catch {
        throw UserMessage(error)
      }
    } catch {
      if options.folder != nil { throw error }
    }
    return ids
  }
}

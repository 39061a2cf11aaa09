package import BackupFolder
package import CSPP
package import CommandKit
internal import CommandSupport
internal import Unlocking

extension LocalSilentWriter {
  /// Why nothing that it writes counts in the folder yet; nil: it does.
  ///
  /// What cannot be found counts as missing.
  package func uncounted(in folder: BackupFolder) -> UserMessage? {
    (try? folder.holdsAuthorisation(of: self)) == true ? nil : .notCounting(in: namespaceID)
  }

  /// The advice where this computer was retired.
  static let retiredAdvice =
    "this computer was retired, so it writes without a touch no longer. To let it write again: keybackup "
    + "writers request --new-key"

  /// Whether this computer has seen, when it opened the backup, that it was retired: there or in the
  /// namespace that follows.
  func isKnownRetired(in folder: BackupFolder, _ world: World) -> Bool {
    guard let namespaceID else { return false }
    return [namespaceID, folder.knownSuccessor(of: namespaceID)].compactMap(\.self).contains { id in
      StoredFilesMemory.of(id, world)?.computers
        .contains { $0.writerID == writerID.hex && $0.isRetired } ?? false
    }
  }
}

extension BackupFolder {
  /// Why this computer may not make a change without a touch though it was authorised once, and what to
  /// do; nil: it was not.
  package func lostPermission(for change: SilentWriter.Permissions, _ world: World) -> String? {
    let writers = ((try? localSilentWriters()) ?? []).filter { $0.namespaceID != nil }
    guard let last = writers.last else { return nil }
    if last.isKnownRetired(in: self, world) {
      return LocalSilentWriter.retiredAdvice
    }
    if !last.may.isSuperset(of: change) {
      return
        "this computer may add only \(last.may.things) without a touch. To let it do more: keybackup "
        + "writers request --new-key"
    }
    return nil
  }
}

/// The silent writer that this computer is for a backup.
package enum LocalWriterChoice {
  /// The silent writer; nil: it is none that may make such changes.
  ///
  /// - Parameters:
  ///   - folder: the synced folder.
  ///   - options: the backup that is named.
  ///   - change: the changes that it must be allowed to make.
  ///   - world: what this computer remembers: one that it knows to be retired is none.
  /// - Returns: the writer.
  /// - Throws: `ambiguous` where it is one for several backups of the folder.
  package static func writer(
    _ folder: BackupFolder, _ options: FolderOptions,
    for change: SilentWriter.Permissions = .filePut, _ world: World
  ) throws(UserMessage) -> LocalSilentWriter? {
    let writers: [LocalSilentWriter]
    do throws(BackupFolderError) {
      writers = try folder.localSilentWriters().filter {
        $0.namespaceID != nil && $0.may.isSuperset(of: change)
          && !$0.isKnownRetired(in: folder, world)
      }
    } catch {
      throw UserMessage(error)
    }
    if writers.isEmpty { return nil }
    if options.namespace != nil {
      let named = try options.namespaceID(in: folder)
      return writers.last { $0.namespaceID == named }
    }
    let backups = Set(writers.map(\.namespaceID))
    if backups.count == 1 { return writers.last }
    // After a rotation of the master key it may have been authorised for both.
    let settled = (try? folder.candidates())?.settled
    if let writer = writers.last(where: { $0.namespaceID == settled }) { return writer }
    throw UserMessage(
      .ambiguous, "this computer may write to \(backups.count) backups of the folder",
      hint: "name one with --namespace: " + NamespaceID.listed(backups.compactMap { $0 }.sorted()))
  }
}

extension KeptPermissions {
  /// Says that others can read the secret key of a silent writer of this computer.
  static func check(secretOf writer: WriterID, _ folder: BackupFolder, _ world: World) {
    guard let file = folder.secretFile(of: writer) else { return }
    check(file, at: world.stateFolder ?? file, world.run)
  }
}

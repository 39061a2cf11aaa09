package import BackupFolder
package import CommandKit
internal import CommandSupport
internal import SyncFolders

extension BackupFolder {
  /// The advice where the folder was moved and this computer wrote without a touch; nil: it did not.
  package var movedHint: String? {
    movedMemory().map { moved in
      let (path, target) = (ShellWord.quoted(moved.path), ShellWord.quoted(moved.target))
      return
        "this computer writes without a touch to the backup at another path. If the folder was moved "
        + "(not copied), let it go on: mv -T --backup=numbered \(path) \(target)"
    }
  }
}

extension FolderOptions {
  /// Opens the folder that is named, without waiting for a sync program.
  ///
  /// - Throws: as `path(_:_:)` and ``Backup/folder(at:_:_:)``; where the folder is not there, the advice says
  ///   what named it, and what to run if it was moved.
  package func opened(
    _ world: World, _ output: Output, _ common: CommonOptions
  ) throws(UserMessage) -> BackupFolder {
    try naming(world) { () throws(UserMessage) in
      try Backup.folder(at: path(world, output), world, common)
    }
  }
}

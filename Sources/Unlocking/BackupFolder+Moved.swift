package import BackupFolder
internal import CommandKit
internal import CommandSupport

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

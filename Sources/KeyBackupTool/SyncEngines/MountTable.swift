internal import BackupFolder

extension MountTable.Mount {
  /// What carries the files of this file system elsewhere; nil: nothing that
  /// its type tells.
  var engine: SyncEngine? {
    switch type {
    case "fuse.rclone": .rclone
    case "fuse.onedriver": .oneDrive
    case "fuse.google-drive-ocamlfuse": .googleDrive
    case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "fuse.sshfs",
      "fuse.davfs", "davfs", "fuse.glusterfs", "afs":
      .server
    case _ where type.hasPrefix("fuse") && source == "pCloud.fs": .pCloud
    case "fuse" where source.hasPrefix("https://") || source.hasPrefix("http://"): .server
    default: nil
    }
  }
}

package import BackupFolder

extension MountTable.Mount {
  /// The engine that synchronises this file system; nil if its type does not tell.
  package var engine: SyncEngine? {
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

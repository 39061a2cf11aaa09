// This folder is for other programs that carry folders: which folders, and whether all has
// arrived. Later rooms ask for the folders and for a SyncAnswer. Whatever those programs
// say is read only and never trusted. Which backup is meant is not known here.

/// A program, or a part of the system, that carries a folder to other places.
enum SyncEngine: String, Sendable, CaseIterable {
  case dropbox
  case googleDrive = "google-drive"
  case iCloudDrive = "icloud-drive"
  case insync
  case nextcloud
  case oneDrive = "onedrive"
  case ownCloud = "owncloud"
  case pCloud = "pcloud"
  case rclone
  case rcloneBisync = "rclone-bisync"
  case syncthing
  /// A folder that a server keeps, such as over NFS or SMB.
  case server = "network-folder"
  /// A file provider of macOS (~/Library/CloudStorage).
  case cloudStorage = "cloud-storage"

  /// What people call it.
  var name: String {
    switch self {
    case .dropbox: "Dropbox"
    case .googleDrive: "Google Drive"
    case .iCloudDrive: "iCloud Drive"
    case .insync: "Insync"
    case .nextcloud: "Nextcloud"
    case .oneDrive: "OneDrive"
    case .ownCloud: "ownCloud"
    case .pCloud: "pCloud"
    case .rclone: "rclone"
    case .rcloneBisync: "rclone bisync"
    case .syncthing: "Syncthing"
    case .server: "network folder"
    case .cloudStorage: "cloud storage"
    }
  }
}

/// A folder that some engine carries, as that engine's own files tell.
struct SyncFolder: Sendable, Equatable {
  let engine: SyncEngine
  /// From the root, as the engine writes it, later without symbolic links.
  var path: String
  /// What the engine calls it; empty when it has no name.
  var label = ""
  /// Why no backup should be started in it; nil: nothing is against it.
  var obstacle: String?

  /// The subfolder that a backup is proposed for: a backup among a person's
  /// own files would be in the way there.
  static let subfolder = "keybackup"

  /// Where a backup in it is looked for: made by `init` without a path, or put
  /// into the folder itself.
  var places: [String] { [path, path + "/" + Self.subfolder] }

  /// The engine, and its own name for the folder.
  var title: String {
    label.isEmpty ? engine.name : "\(engine.name) \"\(PrintableText.clean(label))\""
  }
}

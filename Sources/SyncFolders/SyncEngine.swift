// This folder is for other programs that synchronise folders: their folders, and whether everything
// has arrived. Later rooms ask for the folders and for a SyncAnswer. The data of those programs are
// only read and never trusted. Which backup is meant is not known here.

internal import CommandKit

/// A program, or a part of the system, that synchronises a folder with other places.
package enum SyncEngine: String, Sendable, CaseIterable {
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
  /// A folder on a server, such as over NFS or SMB.
  case server = "network-folder"
  /// A file provider of macOS (~/Library/CloudStorage).
  case cloudStorage = "cloud-storage"

  /// Its name for people.
  package var name: String {
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

/// A folder that an engine synchronises, according to that engine's own files.
package struct SyncFolder: Sendable, Equatable {
  package let engine: SyncEngine
  /// The absolute path, first as the engine writes it, later without symbolic links.
  package var path: String
  /// The engine's name for it; empty when it has none.
  package var label = ""
  /// The reason why no backup should be created in it; nil if there is none.
  package var obstacle: String?

  /// The subfolder that is proposed for a backup, so that it is not among the user's own files.
  static let subfolder = "keybackup"

  /// The engine with its own name for the folder.
  package var title: String {
    label.isEmpty ? engine.name : "\(engine.name) \"\(PrintableText.name(label))\""
  }
}

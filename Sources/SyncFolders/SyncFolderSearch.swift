internal import BackupFolder
internal import CommandKit
internal import FoundationEssentials

/// Finds the folders that sync engines on this computer synchronise, from their own files and from
/// the mounted file systems.
///
/// The engines are not queried and need not run.
struct SyncFolderSearch: Sendable {
  private let world: World
  private let home: String?
  private let mounts: MountTable

  init(_ world: World, mounts: MountTable = .current()) {
    self.world = world
    home = world.variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.mounts = mounts
  }

  /// Every folder that the engines' files name, whether or not it exists.
  func named() -> [SyncFolder] {
    syncthing() + dropbox() + desktopClients() + oneDrive() + insync() + mounted() + gvfs()
      + apple()
  }

  // MARK: Each engine

  private func syncthing() -> [SyncFolder] {
    SyncthingSettings.find(world).flatMap { settings in
      settings.folders.map { folder in
        SyncFolder(
          engine: .syncthing, path: folder.path,
          label: folder.label.isEmpty ? folder.id : folder.label, obstacle: folder.obstacle)
      }
    }
  }

  /// Reads the file that Dropbox documents for finding its folders.
  private func dropbox() -> [SyncFolder] {
    struct Account: Decodable {
      var path: String?
    }
    return homes(["/.dropbox", "/.var/app/com.dropbox.Client/.dropbox"]).flatMap { folder in
      let accounts =
        ForeignFile.json([String: Account].self, folder + "/info.json") ?? [:]
      return accounts.sorted { $0.key < $1.key }.compactMap { name, account in
        account.path.map { SyncFolder(engine: .dropbox, path: $0, label: name) }
      }
    }
  }

  /// Reads the settings of Nextcloud's and ownCloud's clients, which are related.
  private func desktopClients() -> [SyncFolder] {
    var folders: [SyncFolder] = []
    var files = configuration("Nextcloud/nextcloud.cfg").map { (SyncEngine.nextcloud, $0) }
    files += homes(["/.var/app/com.nextcloud.desktopclient.nextcloud/config/Nextcloud"])
      .map { (.nextcloud, $0 + "/nextcloud.cfg") }
    files += configuration("ownCloud/owncloud.cfg").map { (.ownCloud, $0) }
    for (engine, file) in files {
      guard let text = ForeignFile.text(file) else { continue }
      for (section, key, value) in INIFile(text).all
      where section == "Accounts" && key.hasSuffix("\\localPath") {
        folders.append(SyncFolder(engine: engine, path: INIFile.unquoted(value)))
      }
    }
    return folders
  }

  /// Finds the folder of the Linux client (abraunegg/onedrive); `sync_dir` is ~/OneDrive unless its
  /// configuration says otherwise.
  private func oneDrive() -> [SyncFolder] {
    configuration("onedrive").compactMap { folder in
      let own = ForeignFile.text(folder + "/config")
        .flatMap { INIFile($0).value("sync_dir") }.map(INIFile.unquoted)
      guard own != nil || FileCheck.exists(folder + "/refresh_token"),
        let path = expanded(own ?? "~/OneDrive")
      else { return nil }
      return SyncFolder(engine: .oneDrive, path: path)
    }
  }

  /// Finds the folders of Insync 3: by default one per account below ~/Insync.
  ///
  /// Other places cannot be read from its files.
  private func insync() -> [SyncFolder] {
    guard !configuration("Insync").filter(FileCheck.exists).isEmpty else { return [] }
    return homes(["/Insync"]).flatMap { base in
      ForeignFile.names(in: base).map {
        SyncFolder(engine: .insync, path: base + "/" + $0, label: $0)
      }
    }
  }

  private func mounted() -> [SyncFolder] {
    mounts.all.compactMap { mount in
      guard let engine = mount.engine, engine != .server else { return nil }
      return SyncFolder(
        engine: engine, path: mount.point, label: engine == .rclone ? mount.source : "")
    }
  }

  /// Finds GNOME's Google Drive: one folder per account below the user's GVFS mount.
  private func gvfs() -> [SyncFolder] {
    guard let base = world.variable("XDG_RUNTIME_DIR").map({ $0 + "/gvfs" }) else { return [] }
    return ForeignFile.names(in: base).compactMap { name in
      guard name.hasPrefix("google-drive:") else { return nil }
      return SyncFolder(
        engine: .googleDrive, path: base + "/" + name,
        label: String(name.dropFirst("google-drive:".count)))
    }
  }

  /// Finds the folders of iCloud Drive and of file providers on macOS.
  private func apple() -> [SyncFolder] {
    let drive = homes(["/Library/Mobile Documents/com~apple~CloudDocs"])
      .map { SyncFolder(engine: .iCloudDrive, path: $0) }
    return drive
      + homes(["/Library/CloudStorage"]).flatMap { base in
        ForeignFile.names(in: base).map {
          SyncFolder(engine: .cloudStorage, path: base + "/" + $0, label: $0)
        }
      }
  }

  // MARK: Places

  private func homes(_ paths: [String]) -> [String] {
    home.map { home in paths.map { home + $0 } } ?? []
  }

  /// A path below $XDG_CONFIG_HOME.
  private func configuration(_ name: String) -> [String] {
    world.userFolder("XDG_CONFIG_HOME", ".config").map { [$0 + "/" + name] } ?? []
  }

  private func expanded(_ path: String) -> String? { world.expanded(path) }
}

extension World {
  /// The absolute form of a path from the user or a settings file; nil if its starting point is
  /// unknown.
  func expanded(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard let home = variable("HOME"), home.hasPrefix("/") else { return nil }
    if path == "~" { return home }
    return path.hasPrefix("~/") ? home + path.dropFirst() : nil
  }
}

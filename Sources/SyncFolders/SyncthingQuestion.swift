internal import CSPP
internal import CommandKit

/// Asks Syncthing, through its REST interface ("Syncthing REST API"), whether another device has
/// every file of a backup.
enum SyncthingQuestion {
  private struct Entry: Decodable {
    var name: String
    var size: Int?
    var type: String?
    var children: [Entry]?
  }

  private struct Folder: Decodable {
    struct Device: Decodable {
      var deviceID: String
    }
    var devices: [Device]
    var paused: Bool?
  }

  private struct FolderStatus: Decodable {
    var needTotalItems: Int?
    var needFiles: Int?
    var errors: Int?
    var state: String?
  }

  private struct Completion: Decodable {
    var needItems: Int
    var needDeletes: Int
    var needBytes: Int
  }

  private struct System: Decodable {
    var myID: String
  }

  /// Asks the Syncthing that has a folder.
  ///
  /// - Parameters:
  ///   - files: the namespace's files.
  ///   - root: the Syncthing folder.
  ///   - namespace: the namespace.
  ///   - place: the backup folder, in `root`.
  ///   - world: gives Syncthing's settings.
  /// - Returns: its answer.
  static func ask(
    _ files: [SyncedFile], in root: String, _ namespace: NamespaceID, _ place: String,
    _ world: World
  ) -> SyncAnswer {
    for settings in SyncthingSettings.find(world) {
      for folder in settings.folders where FileCheck.absolute(folder.path) == root {
        guard let http = interface(settings) else {
          return .unknown(
            .syncthing,
            settings.usesTLS
              ? "its interface is set to TLS, which keybackup does not speak"
              : "its interface is not on this computer, or it does not run")
        }
        let inFolder = String(decoding: place.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
        let prefix =
          (inFolder.isEmpty ? "" : inFolder + "/") + FolderLayout.namespaces + "/" + namespace.hex
        return ask(http, LocalHTTP.encoded(folder.id), LocalHTTP.encoded(prefix), files)
      }
    }
    return .unknown(.syncthing, "its settings are gone")
  }

  private static func interface(_ settings: SyncthingSettings) -> LocalHTTP? {
    guard !settings.usesTLS, !settings.apiKey.isEmpty,
      let address = LocalAddress(settings.address), address.isListenedToByUs
    else { return nil }
    return LocalHTTP(
      address: address, headers: [("X-API-Key", settings.apiKey)], seconds: SyncAnswer.patience)
  }

  private static func ask(
    _ http: LocalHTTP, _ folder: String, _ prefix: String, _ files: [SyncedFile]
  ) -> SyncAnswer {
    let silent = SyncAnswer.unknown(.syncthing, "it gives no answer that keybackup understands")
    guard let system = http.json(System.self, "/rest/system/status"),
      let settings = http.json(Folder.self, "/rest/config/folders/\(folder)")
    else { return silent }
    if settings.paused == true { return .notYet(.syncthing, "the folder is paused") }
    // The scan makes Syncthing notice recent changes: otherwise unseen files would count as nothing
    // to do.
    guard http.ask("POST", "/rest/db/scan?folder=\(folder)&sub=\(prefix)")?.status == 200,
      let tree = http.json([Entry].self, "/rest/db/browse?folder=\(folder)&prefix=\(prefix)"),
      let status = http.json(FolderStatus.self, "/rest/db/status?folder=\(folder)")
    else { return silent }
    var taken: [String: Int] = [:]
    for entry in tree { add(entry, "", depth: 8, to: &taken) }
    let lacking = files.count { taken[$0.name] != $0.size }
    if lacking > 0 {
      return .notYet(
        .syncthing,
        "it has not taken \(SyncAnswer.count(lacking, "file")): wait, or see what its ignore "
          + "patterns (.stignore) and its permissions leave out")
    }
    let coming = status.needTotalItems ?? status.needFiles ?? 0
    if coming > 0 {
      return .notYet(.syncthing, "\(SyncAnswer.count(coming, "file")) still to come here")
    }
    if let errors = status.errors, errors > 0 {
      return .notYet(.syncthing, "it reports \(SyncAnswer.count(errors, "error"))")
    }
    let others = settings.devices.map(\.deviceID).filter { $0 != system.myID }
    if others.isEmpty { return .notYet(.syncthing, "the folder is shared with no other device") }
    var complete = 0
    var least: Completion?
    for device in others {
      guard
        let completion = http.json(
          Completion.self,
          "/rest/db/completion?folder=\(folder)&device=\(LocalHTTP.encoded(device))")
      else { continue }
      if completion.needItems + completion.needDeletes == 0 {
        complete += 1
      } else if completion.needItems + completion.needDeletes
        < least.map({ $0.needItems + $0.needDeletes }) ?? Int.max
      {
        least = completion
      }
    }
    if complete > 0 {
      let noun = complete == 1 ? "1 other device has" : "\(complete) other devices have"
      let behind = others.count - complete
      return .yes(
        .syncthing, noun + " everything" + (behind > 0 ? ", \(behind) not yet" : ""))
    }
    guard let least else { return silent }
    return .notYet(
      .syncthing,
      "\(SyncAnswer.count(least.needItems + least.needDeletes, "file")), "
        + "\(SyncAnswer.count(least.needBytes, "byte")) still to go")
  }

  private static func add(
    _ entry: Entry, _ prefix: String, depth: Int, to files: inout [String: Int]
  ) {
    if let children = entry.children {
      guard depth > 0 else { return }
      for child in children { add(child, prefix + entry.name + "/", depth: depth - 1, to: &files) }
    } else {
      files[prefix + entry.name] = entry.size ?? 0
    }
  }
}

internal import CommandKit

/// The settings in one Syncthing's config.xml: its folders and its interface.
struct SyncthingSettings: Sendable {
  /// The folder of its files: config.xml, https-cert.pem.
  var home: String
  var folders: [Folder] = []
  /// The host and port of its interface; a path for a Unix socket.
  var address = ""
  var apiKey = ""
  var usesTLS = false

  struct Folder: Sendable {
    var id: String
    var label: String
    var path: String
    /// The type: "sendreceive", "sendonly", "receiveonly" or "receiveencrypted".
    var type: String
    var isPaused: Bool

    /// The reason why a backup in it would not reach other computers or come from them.
    var obstacle: String? {
      switch type {
      case "", "sendreceive", "readwrite": nil
      case "sendonly", "readonly": "Syncthing only sends it: what other computers add is not taken"
      case "receiveonly": "Syncthing only receives it: what is written here stays here"
      case "receiveencrypted": "Syncthing keeps it encrypted here"
      default: "of a type that keybackup does not know"
      }
    }
  }

  /// Finds this user's Syncthing in the places that its documentation names ("Syncthing
  /// Configuration", Description), in that order.
  static func find(_ world: World) -> [SyncthingSettings] {
    var homes = ["STHOMEDIR", "STCONFDIR"].compactMap(world.variable)
    homes += [
      world.userFolder("XDG_STATE_HOME", ".local/state"),
      world.userFolder("XDG_CONFIG_HOME", ".config"),
    ].compactMap { $0.map { $0 + "/syncthing" } }
    var seen: Set<String> = []
    return homes.filter { seen.insert($0).inserted }.compactMap { home in
      ForeignFile.text(home + "/config.xml").map { SyncthingSettings($0, home: home, world) }
    }
  }

  private init(_ text: String, home: String, _ world: World) {
    self.home = home
    let xml = XMLElements(text)
    for place in xml.places("configuration/folder") {
      let element = xml.all[place]
      guard let id = element.attributes["id"], !id.isEmpty,
        let path = element.attributes["path"].flatMap(world.expanded)
      else { continue }
      let paused = xml.children(place, "paused").first?.text ?? ""
      folders.append(
        Folder(
          id: id, label: element.attributes["label"] ?? "", path: path,
          type: element.attributes["type"] ?? "", isPaused: paused.trimmed == "true"))
    }
    guard let gui = xml.places("configuration/gui").first,
      xml.all[gui].attributes["enabled"] != "false"
    else { return }
    usesTLS = xml.all[gui].attributes["tls"] == "true"
    address = xml.text("configuration/gui/address") ?? ""
    apiKey = xml.text("configuration/gui/apikey") ?? ""
  }
}

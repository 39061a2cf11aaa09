internal import BackupFolder
internal import CommandSupport
internal import FoundationEssentials
internal import Glibc

/// The one thing that is remembered between commands: the folder that `init`
/// was given.
///
/// Holds no secret.
package struct Configuration: Codable, Sendable {
  /// The synced folder.
  package var folder: String?

  /// Reads the file; an absent one is an empty configuration.
  ///
  /// - Throws: `config` when the file is there and cannot be used.
  package static func load(_ world: World) throws(UserMessage) -> Configuration {
    guard let path = path(world), FileCheck.exists(path) else { return Configuration() }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      return try JSONDecoder().decode(Configuration.self, from: data)
    } catch {
      throw UserMessage(
        .config, "the configuration file \(ShellWord.quoted(path)) cannot be read",
        hint: "repair or remove it, or name the folder with --folder")
    }
  }

  /// Remembers a folder, durably, unless another run has remembered one meanwhile.
  ///
  /// - Throws: `config` when that fails.
  package static func remember(folder synced: String, _ world: World) throws(UserMessage) {
    guard let folder = world.configurationFolder else { return }
    let path = folder + "/" + name
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let bytes = Array(try encoder.encode(Configuration(folder: synced)))
      try PrivateFolder.update(name, in: folder, limit: fileLimit) { known in
        let found = known.flatMap {
          try? JSONDecoder().decode(Configuration.self, from: Data($0))
        }
        return found?.folder == nil ? bytes : nil
      }
    } catch {
      throw UserMessage(
        .config, "the configuration file \(ShellWord.quoted(path)) cannot be written")
    }
  }

  private static let fileLimit = 64 << 10

  private static let name = "config.json"

  private static func path(_ world: World) -> String? {
    world.configurationFolder.map { $0 + "/" + name }
  }
}

extension World {
  /// Every folder that a variable, keybackup.conf or `init` names for the backup, also where
  /// another one is in force; none where a file cannot be used.
  package var namedFolders: [String] {
    [
      variable("KEYBACKUP_FOLDER"), SettingsFile.look(self)[.folder]?.value,
      (try? Configuration.load(self))?.folder,
    ].compactMap { $0 }
  }
}

internal import CommandKit
internal import CommandSupport
internal import Glibc
internal import SyncFolders

/// The folders that commands write to.
enum FolderChecks {
  static func run(_ options: FolderOptions, _ world: World) -> [Check] {
    [settings(world), backup(options, world), state(world)]
  }

  private static func settings(_ world: World) -> Check {
    let name = "settings"
    do throws(UserMessage) {
      let file = try SettingsFile.load(world)
      let path = ShellWord.quoted(file.path ?? SettingsFile.name)
      return .ok(name, file.exists ? "\(path) can be used" : "there is no \(path); none is needed")
    } catch {
      return .failed(name, error)
    }
  }

  private static func backup(_ options: FolderOptions, _ world: World) -> Check {
    let name = "folder"
    do throws(UserMessage) {
      let known = KnownSyncFolders.find(world)
      // As every command that opens a backup finds it.
      let setting = try options.configured(world)
      var place = setting?.value
      if place == nil { place = try FolderOptions.onlyBackup(in: known)?.place }
      guard let path = place else {
        let usable = known.usable.map { "\(ShellWord.quoted($0.path)) (\($0.title))" }
        return .ok(
          name, "none is known yet",
          hint: "to start a backup: keybackup init FOLDER"
            + (usable.isEmpty ? "" : "; sync folders here: " + usable.joined(separator: ", ")))
      }
      guard FileCheck.exists(path) else {
        return .failed(
          name, .noInput, "\(ShellWord.quoted(path)) is not there",
          hint: "is the synced folder mounted?" + (setting.map { " check \($0.place)" } ?? ""))
      }
      try FileCheck.requireWritable(path)
      let report = PlaceReport(path, known: known)
      guard report.warnings.isEmpty else {
        return .warning(
          name,
          "\(ShellWord.quoted(path)) can be written; " + report.warnings.joined(separator: "; "),
          hint: "keep it in a folder that a sync program carries")
      }
      return .ok(
        name,
        "\(ShellWord.quoted(path)) can be written"
          + (report.folder.map { "; \($0.title) uploads it" } ?? ""))
    } catch {
      return .failed(name, error)
    }
  }

  /// Where it is remembered what was seen, so that a rollback shows.
  private static func state(_ world: World) -> Check {
    let name = "state-folder"
    guard let path = world.stateFolder else {
      return .failed(
        name, .config, "no home folder is known, so a rolled back backup would not be noticed",
        hint: "set HOME or XDG_STATE_HOME")
    }
    // It is made when it is needed.
    do throws(UserMessage) {
      try FileCheck.requireWritable(future: path)
      return .ok(name, "\(ShellWord.quoted(path)) can be written")
    } catch {
      return .failed(name, error)
    }
  }
}

internal import ArgumentParser
internal import BackupFolder
package import CommandKit
internal import CommandSupport
internal import SyncFolders
internal import Unlocking

/// The verdict that `keybackup` alone shows above its help: the state of the
/// backup, if one is known.
///
/// Never fails and never waits for longer than about a second: the folder may
/// be on a mount whose server is gone.
package enum FrontPage {
  /// Seconds that reading this computer's own settings may take.
  private static let settingsPatience = 0.5
  /// Seconds that the folder may take to tell.
  private static let patience = 1.0

  /// One line; nil where no backup is known on this computer.
  package static func verdict(_ world: World) -> String? {
    let found = TimeLimit.result(within: settingsPatience) { configured(world) }
    guard let found else { return nil }
    let path: String
    switch found {
    case .unusable(let error):
      return "Attention: \(PrintableText.clean(error.message, limit: 300))."
    case .path(nil): return nil
    case .path(let named?): path = named
    }
    let said = TimeLimit.result(within: patience) { look(path, world) }
    return said
      ?? "The backup in \(ShellWord.quoted(path)) did not answer within a second. "
      + "Run: keybackup status"
  }

  /// Which folder is in force, or why nobody can tell.
  private enum Configured: Sendable {
    case path(String?)
    case unusable(UserMessage)
  }

  private static func configured(_ world: World) -> Configured {
    do throws(UserMessage) {
      if let path = world.variable("KEYBACKUP_FOLDER") { return .path(path) }
      if let setting = try SettingsFile.load(world)[.folder] { return .path(setting.value) }
    } catch {
      return .unusable(error)
    }
    return .path(try? Configuration.load(world).folder)
  }

  /// The first line of `keybackup status`.
  private static func look(_ path: String, _ world: World) -> String? {
    guard let status = try? StatusCommand.parse(["--no-input", "--quiet"]) else { return nil }
    do throws(UserMessage) {
      let backup = try Backup(at: path, status.folder, world, status.common)
      try backup.requireOne(world.run)
      var report = try StatusReport(structureOf: backup, world.run)
      report.judgeAll(at: world.now())
      return report.verdict
    } catch {
      // Where there is no backup yet, none is known.
      if error.code == .noInput, (try? Configuration.load(world).folder) != path { return nil }
      return "Attention: \(PrintableText.clean(error.message, limit: 300))."
    }
  }
}

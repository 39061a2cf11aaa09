package import ArgumentParser
package import CommandKit
internal import SecurityKeys
internal import SyncFolders

/// `keybackup config show`: each setting in force, and where it comes from.
package struct ConfigShowCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show each setting in force, and where it comes from.",
    discussion: """
      An option comes before a variable, a variable before keybackup.conf, and that before \
      what keybackup init remembered. No key is asked, and nothing is changed.
      Give the options of another command to see what is in force there.
      The exit code is 78 when something is wrong in keybackup.conf or in a variable.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var pins: PINOptions
  @OptionGroup var folder: FolderOptions

  package init() {}

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    let file = SettingsFile.look(world)
    var report = SettingsReport(file)
    report.add(.folder) { () throws(UserMessage) in try shownFolder(world, file) }
    report.add(.pinFile) { () throws(UserMessage) in try shownPINFile(world, file) }
    report.add(.askpass) { () throws(UserMessage) in shownAskpass(world, file) }
    report.add(.wait) { () throws(UserMessage) in
      seconds(.wait, "--wait", device.wait, file)
        ?? ShownSetting(standard: .wait, "30 on a terminal, else 0")
    }
    report.add(.timeout) { () throws(UserMessage) in
      seconds(.timeout, "--timeout", device.timeout, file)
        ?? ShownSetting(standard: .timeout, String(DeviceOptions.standardTimeout))
    }
    return try report.print(common.output(world))
  }

  private func shownFolder(
    _ world: World, _ file: SettingsFile
  ) throws(UserMessage) -> ShownSetting {
    // What is wrong in the file is told with its line: here the rest counts.
    if let setting = try folder.configured(world, reading: { file }) {
      return ShownSetting(setting, remark: FileLook.folder(setting.value))
    }
    do throws(UserMessage) {
      guard let found = try FolderOptions.onlyBackup(in: KnownSyncFolders.find(world)) else {
        return ShownSetting(standard: .folder, "none")
      }
      return ShownSetting(
        Setting(name: .folder, value: found.place, origin: .found(found.folder.title)))
    } catch {
      return ShownSetting(standard: .folder, "none", remark: error.message)
    }
  }

  private func shownPINFile(
    _ world: World, _ file: SettingsFile
  ) throws(UserMessage) -> ShownSetting {
    if pins.pinFd != nil {
      return ShownSetting(
        Setting(name: .pinFile, value: "none: the descriptor is read", origin: .option("--pin-fd")),
        isValue: false)
    }
    guard let setting = try pins.setting(world, file) else {
      return ShownSetting(standard: .pinFile, "none: a person is asked")
    }
    let remark = FileLook.pinFile(setting.value, isRegular: setting.isAlwaysThere)
    // The PIN itself may have been put there.
    return remark == FileLook.absent
      ? ShownSetting(hiding: setting, remark: "there is no such file")
      : ShownSetting(setting, remark: remark)
  }

  private func shownAskpass(_ world: World, _ file: SettingsFile) -> ShownSetting {
    let variable = "KEYBACKUP_ASKPASS"
    let setting =
      world.variable(variable).map {
        Setting(name: .askpass, value: $0, origin: .variable(variable))
      } ?? file[.askpass]
    guard let setting else { return ShownSetting(standard: .askpass, "none") }
    return shown(
      setting, FileLook.program(setting.value, world.environment), else: "there is no such program")
  }

  /// A setting without its value where that may be a PIN.
  private func shown(
    _ setting: Setting, _ remark: String?, else words: String
  ) -> ShownSetting {
    remark == FileLook.absent && PINLook.isSeen(in: setting.value)
      ? ShownSetting(hiding: setting, remark: words) : ShownSetting(setting, remark: remark)
  }

  private func seconds(
    _ name: SettingName, _ option: String, _ given: Int?, _ file: SettingsFile
  ) -> ShownSetting? {
    let setting =
      given.map { Setting(name: name, value: String($0), origin: .option(option)) } ?? file[name]
    return setting.map { ShownSetting($0) }
  }
}

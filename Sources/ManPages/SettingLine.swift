/// A line of the settings file.
struct SettingLine {
  /// Its name.
  let name: String
  /// The name of its value.
  let value: String
  /// Its purpose.
  let text: String

  /// All of them.
  static let all = [
    SettingLine(
      name: "folder", value: "path",
      text: "The synced folder. Without it, the folder counts that keybackup init remembered."),
    SettingLine(
      name: "pin-file", value: "path",
      text: "A file whose first line is the PIN of one key; only you may read it."),
    SettingLine(
      name: "askpass", value: "path",
      text: "A program that asks for the PIN, as KEYBACKUP_ASKPASS does."),
    SettingLine(
      name: "wait", value: "seconds",
      text: "How long to wait for a security key, 0 to 86400, as --wait."),
    SettingLine(
      name: "timeout", value: "seconds",
      text: "How long to wait for a touch, 1 to 600, as --timeout. Default: 60."),
  ]

  /// Where the file is.
  static let file = "~/.config/keybackup/keybackup.conf"
}

/// A file or folder that manual pages name.
struct NamedFile {
  /// Where it is.
  let path: String
  /// Its content.
  let text: String

  /// All of them.
  static let all = [
    NamedFile(
      path: SettingLine.file, text: "Settings, see keybackup(5). $XDG_CONFIG_HOME may move it."),
    NamedFile(
      path: "~/.config/keybackup/config.json", text: "The folder that keybackup init remembered."),
    NamedFile(
      path: "~/.local/state/keybackup/",
      text: "What this computer remembers of each backup, so that a lost or old file is noticed. "
        + "It holds no secret. $XDG_STATE_HOME may move it."),
    NamedFile(
      path: "FOLDER/cspp-namespaces/",
      text: "The backup in the synced folder, see keybackup-format(7)."),
  ]
}

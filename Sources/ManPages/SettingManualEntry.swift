/// A setting as keybackup(5) describes it.
struct SettingManualEntry {
  /// Its name.
  let name: String
  /// What its value is called.
  let value: String
  /// What it is for.
  let text: String

  /// All of them.
  static let all = [
    SettingManualEntry(
      name: "folder", value: "path",
      text: "The synced folder. Without this line, the one that keybackup init remembered."),
    SettingManualEntry(
      name: "pin-file", value: "path",
      text: "A file whose first line is the PIN; only you may read it."),
    SettingManualEntry(
      name: "askpass", value: "program",
      text: "A program that asks for the PIN, as KEYBACKUP_ASKPASS does."),
    SettingManualEntry(
      name: "wait", value: "seconds", text: "How long to wait for a security key, as --wait."),
    SettingManualEntry(
      name: "timeout", value: "seconds", text: "How long to wait for a touch, as --timeout."),
  ]

  /// Where the file is.
  static let file = "~/.config/keybackup/keybackup.conf"
}

/// A file or folder that manual pages name.
struct NamedFile {
  /// Where it is.
  let path: String
  /// What it holds.
  let text: String

  /// All of them.
  static let all = [
    NamedFile(
      path: SettingManualEntry.file,
      text: "Settings, see keybackup(5). $XDG_CONFIG_HOME may move it."),
    NamedFile(
      path: "~/.local/state/keybackup/",
      text: "What this computer remembers of each backup, so that a lost or old file is noticed. "
        + "It holds no secret. $XDG_STATE_HOME may move it."),
    NamedFile(
      path: "FOLDER/cspp-namespaces/",
      text: "The backup in the synced folder, see keybackup-format(7)."),
  ]
}

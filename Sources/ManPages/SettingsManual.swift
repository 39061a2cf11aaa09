/// `keybackup(5)`: the settings file and the environment.
enum SettingsManual {
  /// The page.
  static func page(_ release: Release) -> String {
    var page = Roff("keybackup", section: 5, release)
    page.name("keybackup", "settings and environment of keybackup.")
    page.section("Synopsis")
    page.line(Roff.placeholder(SettingManualEntry.file))
    page.section("Description")
    page.paragraph(
      "The settings file is text. Each line is a name, an equals sign and a value. Empty lines "
        + "and lines that begin with # are left out.")
    page.paragraph(
      "An option goes before a variable, a variable before a setting. To see what is in force "
        + "and where it comes from, run:")
    page.code(["keybackup config show"])
    page.paragraph("No secret belongs in this file. A PIN is in a file of its own.")
    page.section("Options")
    for setting in SettingManualEntry.all {
      page.item(
        Roff.bold(setting.name) + " = " + Roff.placeholder(setting.value.uppercased()),
        setting.text)
    }
    page.section("Examples")
    page.paragraph("A folder, and a longer time for a touch:")
    page.code(["folder = /home/alice/Nextcloud", "timeout = 120"])
    page.section("Files")
    for file in NamedFile.all { page.item(Roff.placeholder(file.path), file.text) }
    page.section("Environment")
    for variable in Variable.all { page.item(Roff.bold(variable.name), variable.text) }
    page.section("Exit status")
    page.paragraph(
      "A command ends with 78 where a setting or a variable cannot be used. "
        + ExitStatus.unknown)
    page.seeAlso(["keybackup(1)", "keybackup-config(1)", "keybackup-format(7)"])
    return page.source
  }
}

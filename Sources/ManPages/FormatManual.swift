/// `keybackup-format(7)`: the document of the format as a manual page, so that it can be read
/// where there is nothing but the installed program and the backup.
enum FormatManual {
  /// The page.
  ///
  /// - Parameters:
  ///   - document: docs/format.md.
  ///   - release: version and date.
  /// - Returns: its source.
  static func page(_ document: String, _ release: Release) -> String {
    var page = Roff("keybackup-format", section: 7, release)
    page.name("keybackup-format", "the files of a backup, byte by byte.")
    page.section("Description")
    Markdown(document).write(into: &page)
    page.section("Files")
    page.item(
      Roff.placeholder("FOLDER/cspp-namespaces/"), "The backup in the synced folder.")
    page.seeAlso(["keybackup(1)", "keybackup(5)"])
    return page.source
  }
}

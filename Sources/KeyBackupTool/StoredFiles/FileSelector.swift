internal import BackupFolder
internal import CSPP
internal import CommandSupport

/// Finds the file that a person names: by its name, by `COMPUTER/NAME`, or by the beginning of its
/// ID.
enum FileSelector {
  /// Why a text names no file; nil: it may.
  static func problem(_ selector: String) -> String? {
    selector.isEmpty ? "name the file, as keybackup file list shows it" : nil
  }

  /// The one file that is meant.
  ///
  /// - Parameters:
  ///   - files: all files of the backup.
  ///   - selector: what the person named.
  ///   - retired: the keys of retired computers, whose files are told from others of the same name.
  ///   - withRemoved: whether a removed file is meant as much as another one of the same name.
  /// - Returns: the file.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func only(
    _ files: [BackedUpFile], _ selector: String, retired: Set<SigningKey> = [],
    withRemoved: Bool = true
  ) throws(UserMessage) -> BackedUpFile {
    var meant = meant(files, selector)
    if !withRemoved, meant.count > 1 {
      let kept = meant.filter { FileRow($0).state != .removed }
      if kept.count == 1 { meant = kept }
    }
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "there is no file \"\(PrintableText.name(selector))\" in the backup",
        hint: "to see what is there: keybackup file list")
    }
    guard meant.count == 1 else { throw ambiguous(selector, meant, among: files, retired) }
    return first
  }

  /// The files that a text may mean.
  ///
  /// A whole ID wins over all names, and a name over the beginning of an ID. A name with as many
  /// digits as lists show of an ID does not: the computer that wrote that file chose it.
  static func meant(_ files: [BackedUpFile], _ selector: String) -> [BackedUpFile] {
    let digits = selector.lowercased()
    if let whole = files.first(where: { $0.id.hex == digits }) { return [whole] }
    let isShown = selector.count >= ShortID.leastShown
    let named = files.filter { names($0).contains(selector) }
    if !named.isEmpty, !isShown { return named }
    return files.filter { names($0).contains(selector) || ShortID.matches(digits, $0.id.hex) }
  }

  /// The ID of a file as a command takes it: its first digits, if nothing else has them.
  static func id(of file: BackedUpFile, among files: [BackedUpFile]) -> String {
    let short = ShortID.shown(file.id.hex, among: files.map(\.id.hex))
    return meant(files, short).count == 1 ? short : file.id.hex
  }

  /// The names under which a file is known: those of its versions, alone and with their computer's.
  private static func names(_ file: BackedUpFile) -> Set<String> {
    guard let newest = file.newest else { return [] }
    return [newest.name.text, (newest.label.map { $0.text + "/" } ?? "") + newest.name.text]
  }

  private static func ambiguous(
    _ selector: String, _ meant: [BackedUpFile], among files: [BackedUpFile],
    _ retired: Set<SigningKey>
  ) -> UserMessage {
    let rows = meant.map(FileRow.init)
    let full = rows.map { ($0.label.map { $0 + "/" } ?? "") + $0.text }
    // A name that only one of them has is easier to type.
    let shown = rows.indices.prefix(10).map { place in
      full.count { $0 == full[place] } == 1 && full[place] != selector
        ? ShellWord.quoted(full[place])
        : "\(id(of: meant[place], among: files)) (\(origin(rows[place], retired)))"
    }
    let rest = meant.count > 10 ? " and \(meant.count - 10) more" : ""
    return UserMessage(
      .ambiguous, "\(meant.count) files are called \"\(PrintableText.name(selector))\"",
      hint: "name one: \(shown.joined(separator: ", "))\(rest)")
  }

  /// The computer that a file belongs to, and when the newest version was written.
  private static func origin(_ row: FileRow, _ retired: Set<SigningKey>) -> String {
    let newest = row.file.newest
    let isRetired = newest?.by.map(retired.contains) ?? false
    return "of \(PrintableText.name(row.label ?? "-", limit: 40))" + (isRetired ? ", retired" : "")
      + ", \(PrintableTime.minute(newest?.at))"
  }

  /// The one version of a file that is meant.
  ///
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func only(
    _ file: BackedUpFile, version selector: String
  ) throws(UserMessage) -> StoredVersion {
    let meant = file.versions.filter { $0.matches(selector) }
    let shown = ShortID.shown(file.versions.map(\.operation.digest.hex))
    let some = shown.prefix(10).joined(separator: ", ") + (shown.count > 10 ? ", ..." : "")
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "the file has no version \(PrintableText.name(selector, limit: 64))",
        hint: "its versions: " + some)
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous, "\(meant.count) versions begin with \(PrintableText.name(selector, limit: 64))",
        hint: "type more digits; the versions: " + some)
    }
    return first
  }

  /// Why a text names no version; nil: it may.
  static func versionProblem(_ selector: String) -> String? {
    selector.utf8.count < ShortID.leastTyped
      ? "a version has at least \(ShortID.leastTyped) digits, from keybackup file history" : nil
  }
}

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
  /// A whole name wins over the beginning of an ID.
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
    let named = files.filter { names($0).contains(selector) }
    var meant =
      named.isEmpty ? files.filter { ShortID.matches(selector.lowercased(), $0.id.hex) } : named
    if !withRemoved, meant.count > 1 {
      let kept = meant.filter { FileRow($0).state != .removed }
      if kept.count == 1 { meant = kept }
    }
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "there is no file \"\(PrintableText.name(selector))\" in the backup",
        hint: "to see what is there: keybackup file list")
    }
    guard meant.count == 1 else { throw ambiguous(selector, meant, retired) }
    return first
  }

  /// The names under which a file is known: those of its versions, alone and with their computer's.
  private static func names(_ file: BackedUpFile) -> Set<String> {
    guard let newest = file.newest else { return [] }
    return [newest.name.text, (newest.label.map { $0.text + "/" } ?? "") + newest.name.text]
  }

  private static func ambiguous(
    _ selector: String, _ meant: [BackedUpFile], _ retired: Set<SigningKey>
  ) -> UserMessage {
    let rows = meant.map(FileRow.init)
    let full = rows.map { ($0.label.map { $0 + "/" } ?? "") + $0.text }
    let ids = ShortID.shown(meant.map(\.id.hex))
    // A name that only one of them has is easier to type.
    let shown = rows.indices.prefix(10).map { place in
      full.count { $0 == full[place] } == 1 && full[place] != selector
        ? ShellWord.quoted(full[place])
        : "\(ids[place]) (\(origin(rows[place], retired)))"
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

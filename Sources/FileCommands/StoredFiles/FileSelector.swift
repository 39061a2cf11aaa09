internal import BackupFolder
internal import CSPP
internal import CommandKit
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
      // A file that was once called so does not stand in for the removed one.
      let kept = meant.filter { file in
        FileRow(file).state != .removed
          && Likeness.allCases.contains { like in
            file.newest.map { names($0).contains { like.holds(selector, $0) } } ?? false
          }
      }
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

  /// How well a text fits a file; only files that it fits best are meant.
  private enum Fit: Int, Comparable {
    /// A version that counts has the name, or the text is the beginning of an ID as lists show it.
    case counting
    /// Another version has the name, or the text is a shorter beginning of the ID.
    case earlier
    /// Only a version that is held back has the name: a retired computer chose it.
    case heldBack

    static func < (one: Fit, other: Fit) -> Bool { one.rawValue < other.rawValue }
  }

  /// The files that a text may mean.
  ///
  /// A whole ID wins over all names, and a name that counts over the beginning of an ID. A name with
  /// as many digits as lists show of an ID does not: the computer that wrote that file chose it.
  ///
  /// - Parameters:
  ///   - files: all files of the backup.
  ///   - selector: what the person named.
  /// - Returns: those that it fits best.
  static func meant(_ files: [BackedUpFile], _ selector: String) -> [BackedUpFile] {
    let digits = selector.lowercased()
    if let whole = files.first(where: { $0.id.hex == digits }) { return [whole] }
    for like in Likeness.allCases {
      let fitting = files.compactMap { file in fit(file, selector, like).map { (file, $0) } }
      guard let best = fitting.map(\.1).min() else { continue }
      return fitting.filter { $0.1 == best }.map(\.0)
    }
    return []
  }

  /// How a typed name is like a file's.
  private enum Likeness: CaseIterable {
    /// Both have the same bytes.
    case exact
    /// Both have the same letters. A keyboard may compose them in another way than the file's name.
    case letters

    func holds(_ typed: String, _ name: String) -> Bool {
      self == .exact ? NameBytes(typed) == NameBytes(name) : typed == name
    }
  }

  private static func fit(
    _ file: BackedUpFile, _ selector: String, _ like: Likeness
  ) -> Fit? {
    let named = file.versions.filter { names($0).contains { like.holds(selector, $0) } }
    var fits = named.map { version -> Fit in
      switch version.standing {
      case .live: .counting
      case .replaced, .removed, .late: .earlier
      case .heldBack: .heldBack
      }
    }
    if ShortID.matches(selector.lowercased(), file.id.hex) {
      fits.append(selector.count >= ShortID.leastShown ? .counting : .earlier)
    }
    return fits.min()
  }

  /// The ID of a file as a command takes it: its first digits, if nothing else has them.
  static func id(of file: BackedUpFile, among files: [BackedUpFile]) -> String {
    let short = ShortID.shown(file.id.hex, among: files.map(\.id.hex))
    return meant(files, short).map(\.id) == [file.id] ? short : file.id.hex
  }

  /// The word for a file in a command that is suggested.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - name: its name, as a person may know it.
  ///   - files: all files of the backup.
  /// - Returns: the name, quoted for a shell, if no version of another file has it; else the ID.
  static func word(
    for file: BackedUpFile, named name: String, among files: [BackedUpFile]
  ) -> String {
    let fitting = files.filter { fit($0, name, .exact) != nil }
    return !name.hasPrefix("-") && fitting.map(\.id) == [file.id]
      ? ShellWord.quoted(name) : id(of: file, among: files)
  }

  /// The names under which a version is known: its own, alone and with its computer's.
  private static func names(_ version: StoredVersion) -> [String] {
    let name = version.name.text
    return [name] + (version.label.map { ["\($0.text)/\(name)"] } ?? [])
  }

  private static func ambiguous(
    _ selector: String, _ meant: [BackedUpFile], among files: [BackedUpFile],
    _ retired: Set<SigningKey>
  ) -> UserMessage {
    let rows = meant.map(FileRow.init)
    let full = rows.map { ($0.label.map { $0 + "/" } ?? "") + $0.text }
    // A name that only one of them has is easier to type.
    let shown = rows.indices.prefix(10).map { place in
      full[place] != selector && Self.meant(files, full[place]).map(\.id) == [meant[place].id]
        ? ShellWord.quoted(full[place])
        : "\(id(of: meant[place], among: files)) (\(origin(meant[place], retired)))"
    }
    let rest = meant.count > 10 ? " and \(meant.count - 10) more" : ""
    return UserMessage(
      .ambiguous, "\(meant.count) files are called \"\(PrintableText.name(selector))\"",
      hint: "name one: \(shown.joined(separator: ", "))\(rest)")
  }

  /// The computer that a file belongs to, and when the newest version was written.
  static func origin(_ file: BackedUpFile, _ retired: Set<SigningKey>) -> String {
    let newest = file.newest
    let isRetired = newest?.by.map(retired.contains) ?? false
    let label = PrintableText.name(newest?.label?.text ?? "-", limit: 40)
    return "of \(label)" + (isRetired ? ", retired" : "") + ", \(PrintableTime.minute(newest?.at))"
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

internal import BackupFolder
internal import CSPP

/// Finds the version of a wallet that the user names.
enum VersionSelector {
  /// Why a text names no version; nil: it may.
  static func problem(_ selector: String) -> String? {
    selector.utf8.count < ShortID.leastTyped
      ? "a version has at least \(ShortID.leastTyped) digits, from keybackup wallet history" : nil
  }

  /// The one version that is meant.
  ///
  /// - Parameters:
  ///   - versions: the versions of one wallet from which to choose.
  ///   - selector: the start of its ID.
  /// - Returns: the version.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func only(
    _ versions: [VersionID], _ selector: String
  ) throws(UserMessage) -> VersionID {
    let meant = versions.filter { $0.matches(selector) }
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "the wallet has no version \(PrintableText.name(selector))",
        hint: "its versions: " + shown(versions))
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous,
        "\(meant.count) versions of the wallet begin with \(PrintableText.name(selector))",
        hint: "type more digits; the versions: "
          + shown(meant))
    }
    return first
  }

  private static func shown(_ versions: [VersionID]) -> String {
    versions.prefix(10).map(\.description).joined(separator: ", ")
      + (versions.count > 10 ? ", ..." : "")
  }
}

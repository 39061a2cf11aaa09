internal import BackupFolder
internal import CSPP
internal import CommandKit

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
        hint: "its versions: " + list(versions))
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous,
        "\(meant.count) versions of the wallet begin with \(PrintableText.name(selector))",
        hint: "type more digits; the versions: "
          + list(meant))
    }
    return first
  }

  /// How each of a wallet's versions is shown, in their order.
  static func shown(_ versions: [VersionID]) -> [String] { ShortID.shown(versions.map(\.hex)) }

  /// The first few of them for a sentence.
  static func list(_ versions: [VersionID]) -> String {
    shown(versions).prefix(10).joined(separator: ", ") + (versions.count > 10 ? ", ..." : "")
  }
}

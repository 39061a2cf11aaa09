internal import BackupFolder
internal import CSPP

/// Finds the version of a wallet that the user names.
enum VersionSelector {
  /// The version that the user means.
  ///
  /// - Parameters:
  ///   - versions: all versions of one wallet.
  ///   - selector: the start of its ID.
  /// - Returns: the version.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func only(
    _ versions: [WalletVersion], _ selector: String
  ) throws(UserMessage) -> WalletVersion {
    let meant = versions.filter { $0.id.matches(selector) }
    guard let first = meant.first else {
      throw UserMessage(
        .noInput, "the wallet has no version \(PrintableText.clean(selector))",
        hint: "its versions: " + versions.map(\.id.description).joined(separator: ", "))
    }
    guard meant.count == 1 else {
      throw UserMessage(
        .ambiguous, "several versions of the wallet start like this",
        hint: "give more digits")
    }
    return first
  }
}

// This folder is for choosing the wallet that a person means, and showing a wallet or a
// version as a row. Commands use it on an open namespace. How that was opened is not known
// here.

internal import BackupFolder
internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// The one wallet that a person means.
struct ChosenWallet: ~Copyable {
  /// The version that is meant; several where that was allowed, never none.
  let versions: [WalletVersion]
  /// What each version can spend.
  let spending: [VersionID: WalletSpending]
  /// The first version's entry.
  let bytes: SecretBytes

  /// The version that is meant, the first of several.
  var version: WalletVersion { versions[0] }

  /// Finds it.
  ///
  /// - Parameters:
  ///   - selector: a name, an ID, a record ID, or the beginning of one; a whole ID wins.
  ///   - versionID: of a wallet with several versions, this one.
  ///   - allowsVersions: whether it may be all versions of one wallet.
  ///   - opened: the backup.
  /// - Returns: the wallet.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func find(
    _ selector: String, versionID: String?, allowsVersions: Bool = false,
    in opened: inout OpenNamespace
  ) throws(UserMessage) -> ChosenWallet {
    var found: [WalletVersion] = []
    var spending: [VersionID: WalletSpending] = [:]
    // The bytes of the version that `only` will choose: the first that is
    // meant, and one meant by its ID before any meant by its name.
    var bytes = SecretBytes(zeroed: 0)
    var isByID = false
    let report = opened.forEachWallet { version, entry in
      guard WalletSelector.matches(selector, version) else { return }
      let isMeant = versionID.map { version.id.matches($0) } ?? true
      let matchesID = WalletSelector.matchesID(selector, WalletRow(version))
      if isMeant, bytes.count == 0 || (matchesID && !isByID) {
        bytes = entry.copy()
        isByID = isByID || matchesID
      }
      found.append(version)
      spending[version.id] = version.entry.spending(in: entry)
    }
    try Interruption.check()
    let row = try WalletSelector.only(
      found.map { WalletRow($0) }, selector, report, opened.health, opened.logFindings)
    var versions = found.filter { $0.recordID == row.recordID }
    if let versionID {
      versions = [try VersionSelector.only(versions, versionID)]
    } else if versions.count > 1, !allowsVersions {
      throw ambiguous(versions)
    }
    return ChosenWallet(versions: versions, spending: spending, bytes: bytes)
  }

  /// A secret is not picked out of several.
  private static func ambiguous(_ versions: [WalletVersion]) -> UserMessage {
    UserMessage(
      .ambiguous, "the wallet has \(versions.count) versions",
      hint: "name one with --version-id: " + versions.map(\.id.description).joined(separator: ", ")
        + "; to see them: keybackup conflicts list")
  }
}

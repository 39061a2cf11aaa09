// This folder is for selecting the wallet that the user means, and for showing a wallet or a
// version as a row. Commands use it on an open namespace. The opening of that namespace is not
// known here.

internal import BackupFolder
internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// The wallet that the user means.
struct ChosenWallet: ~Copyable {
  /// The selected version, or several if that was allowed; never empty.
  let versions: [WalletVersion]
  /// The spending ability of each version.
  let spending: [VersionID: WalletSpending]
  /// The first version's entry.
  let bytes: SecretBytes

  /// The selected version, or the first of several.
  var version: WalletVersion { versions[0] }

  /// Finds the wallet.
  ///
  /// - Parameters:
  ///   - selector: a name, an ID, a record ID, or the beginning of one; a whole ID wins
  ///     over a beginning.
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
    // The bytes of the version that `only` will select: the first match, and a match by ID before
    // any other; with the name of another wallet, none is selected.
    var bytes = SecretBytes(zeroed: 0)
    var isByID = false
    var similar = SimilarWallets(to: selector)
    let report = opened.forEachWallet { version, entry in
      similar.note(version)
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
      found.map { WalletRow($0) }, selector, report, opened.health, opened.logFindings,
      besides: similar)
    var versions = found.filter { $0.recordID == row.recordID }
    if let versionID {
      versions = [try VersionSelector.only(versions, versionID)]
    } else if versions.count > 1, !allowsVersions {
      throw ambiguous(versions)
    }
    return ChosenWallet(versions: versions, spending: spending, bytes: bytes)
  }

  /// The error that a secret must not be chosen from several.
  private static func ambiguous(_ versions: [WalletVersion]) -> UserMessage {
    UserMessage(
      .ambiguous, "the wallet has \(versions.count) versions",
      hint: "name one with --version-id: " + versions.map(\.id.description).joined(separator: ", ")
        + "; to see them: keybackup conflicts list")
  }
}

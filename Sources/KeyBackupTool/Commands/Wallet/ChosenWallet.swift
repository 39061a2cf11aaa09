internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// The one version of the one wallet that a person means.
struct ChosenWallet: ~Copyable {
  let version: WalletVersion
  /// Its entry's bytes.
  let bytes: SecretBytes

  /// Finds it.
  ///
  /// - Parameters:
  ///   - selector: an ID, record ID or name; an ID wins over a name.
  ///   - versionID: of a wallet with several versions, this one.
  ///   - opened: the backup.
  /// - Returns: the wallet.
  /// - Throws: `no-input` for none, `ambiguous` for several.
  static func find(
    _ selector: String, versionID: String?, in opened: inout OpenNamespace
  ) throws(UserMessage) -> ChosenWallet {
    var found: [WalletVersion] = []
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
    }
    try Interruption.check()
    let row = try WalletSelector.only(
      found.map { WalletRow($0) }, selector, report, opened.health, opened.logFindings)
    let versions = found.filter { $0.recordID == row.recordID }
    if let versionID {
      return ChosenWallet(version: try VersionSelector.only(versions, versionID), bytes: bytes)
    }
    guard versions.count == 1 else { throw WalletShowCommand.ambiguous(versions) }
    return ChosenWallet(version: versions[0], bytes: bytes)
  }
}

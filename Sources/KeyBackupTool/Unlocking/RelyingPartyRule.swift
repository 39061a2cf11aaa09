internal import BackupFolder
internal import CSPP

/// For which relying parties security keys are asked (docs/decisions/0029).
///
/// A file in the folder says which one it wants. Whoever writes to the folder and runs a web page
/// on which the person uses the same key could name that page: its secrets are known there.
struct RelyingPartyRule: Sendable {
  /// What the person named.
  var given: String?
  /// Where this computer's memory of a namespace is.
  var folder: BackupFolder

  /// Whether a key may be asked for the secret of a namespace's key slot.
  func allows(_ rpID: String, in namespace: NamespaceID) -> Bool {
    rpID == BackupRelyingPartyOption.standard || rpID == given
      || folder.credentialMemory(of: namespace).relyingParties.contains(rpID)
  }

  /// Whether a key may be asked for the second secret of a recovery kit.
  func allowsSecondSecret(_ rpID: String, in namespace: NamespaceID) -> Bool {
    rpID == DeriveRelyingParty.standard || allows(rpID, in: namespace)
  }

  /// Whom to ask for where another program's envelope names nobody.
  func unnamed(in namespace: NamespaceID) -> [String] {
    if let given { return [given] }
    let known = folder.credentialMemory(of: namespace).relyingParties
    return known.isEmpty ? [BackupRelyingPartyOption.standard] : known.sorted()
  }
}

extension Backup {
  /// The rule for what `--rp-id` said.
  func rule(_ given: String?) -> RelyingPartyRule {
    RelyingPartyRule(given: given, folder: folder)
  }
}

extension UserMessage {
  /// Files here want a key's secret of relying parties that nobody allowed.
  ///
  /// - Parameters:
  ///   - parties: from the files; at least one.
  ///   - what: what happened without them.
  /// - Returns: the error.
  static func relyingPartyNotAllowed(_ parties: Set<String>, _ what: String) -> UserMessage {
    let all = parties.sorted()
    let names = all.prefix(3).map { PrintableText.clean($0) }
    let others = all.count > names.count ? ", ..." : ""
    return UserMessage(
      .wrongKey,
      "\(what); a file in this folder asks for a secret of \(names.joined(separator: ", "))\(others)",
      hint: "if that is how you enrolled the key, add --rp-id \(names[0])\na web page of "
        + "\(names[0]) where you use this key can compute that secret")
  }

  /// Who can read a backup whose key was enrolled for another relying party.
  static func readableBy(_ rpID: String) -> String? {
    guard rpID != BackupRelyingPartyOption.standard else { return nil }
    let name = PrintableText.clean(rpID)
    return
      "This key was enrolled for \(name). A web page of \(name) where you use the key can compute "
      + "its secret. With the folder it can read the backup."
  }
}

package import BackupFolder
internal import CSPP
package import CommandKit
internal import CommandSupport

/// The relying parties for which security keys may be asked (docs/decisions/0029).
///
/// A file in the folder names its relying party. An attacker who can write to the folder may run a
/// web page on which the user uses the same key. A file could name that page, whose secrets the
/// attacker knows.
package struct RelyingPartyRule: Sendable {
  /// The relying party that the user named.
  package var given: String?
  /// The folder with this computer's state of a namespace.
  package var folder: BackupFolder

  /// Whether a key may be asked for the secret of a namespace's key slot.
  func allows(_ rpID: String, in namespace: NamespaceID) -> Bool {
    rpID == BackupRelyingPartyOption.standard || rpID == given
      || folder.credentialMemory(of: namespace).relyingParties.contains(rpID)
  }

  /// Whether a key may be asked for the second secret of a recovery kit.
  func allowsSecondSecret(_ rpID: String, in namespace: NamespaceID) -> Bool {
    rpID == DeriveRelyingParty.standard || allows(rpID, in: namespace)
  }

  /// The relying parties to request where another program's envelope names none.
  func unnamed(in namespace: NamespaceID) -> [String] {
    if let given { return [given] }
    let known = folder.credentialMemory(of: namespace).relyingParties
    return known.isEmpty ? [BackupRelyingPartyOption.standard] : known.sorted()
  }
}

extension Backup {
  /// The rule for the value of `--rp-id`.
  package func rule(_ given: String?) -> RelyingPartyRule {
    RelyingPartyRule(given: given, folder: folder)
  }
}

extension UserMessage {
  /// The error that files here need a key's secret for relying parties that the user did not allow.
  ///
  /// - Parameters:
  ///   - parties: from the files; at least one.
  ///   - what: the consequence of not asking them.
  /// - Returns: the error.
  package static func relyingPartyNotAllowed(_ parties: Set<String>, _ what: String) -> UserMessage
  {
    let all = parties.sorted()
    let names = all.prefix(3).map { PrintableText.name($0) }
    let others = all.count > names.count ? ", ..." : ""
    return UserMessage(
      .wrongKey,
      "\(what); a file in this folder asks for a secret of \(names.joined(separator: ", "))\(others)",
      hint:
        "if that is how you enrolled the key, add --rp-id \(ShellWord.quoted(all[0]))\na web page of "
        + "\(names[0]) where you use this key can compute that secret")
  }

  /// A warning about who can read a backup whose key was enrolled for another relying party.
  package static func readableBy(_ rpID: String) -> String? {
    guard rpID != BackupRelyingPartyOption.standard else { return nil }
    let name = PrintableText.name(rpID)
    return
      "This key was enrolled for \(name). A web page of \(name) where you use the key can compute "
      + "its secret. With the folder it can read the backup."
  }
}

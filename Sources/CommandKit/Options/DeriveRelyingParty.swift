internal import PRFDevice

/// The relying party of credentials that belong to no backup.
package enum DeriveRelyingParty {
  /// The default.
  ///
  /// Like OpenSSH's `ssh:` it is no valid host name, so no web page can ask for
  /// its secrets.
  package static let standard = "keybackup-derive:"

  /// Refuses the relying party of backups: its PRF outputs are wrapping keys,
  /// and printing one would open the backup to anyone who sees it.
  ///
  /// - Throws: `usage`.
  package static func check(_ rpID: String) throws(UserMessage) {
    guard rpID != BackupRelyingPartyOption.standard else {
      throw UserMessage(
        .usage, "credentials of \(rpID) belong to backups and are not used for this",
        hint: "leave out --rp-id, or choose another one")
    }
    let limit = PRFRequest.maximumRelyingPartyIDBytes
    guard (1...limit).contains(rpID.utf8.count) else {
      throw UserMessage(.usage, "a relying party ID has 1 to \(limit) bytes")
    }
  }
}

internal import PRFDevice
internal import SecretMemory

/// A credential ID as the person gives it: base64url, base64 or hex.
package enum CredentialIDArgument {
  /// The possible readings of `argument`.
  ///
  /// Hex digits are base64url characters too, so both readings go into the
  /// allow-list, and the key says which one it made.
  ///
  /// - Throws: `usage` when it is neither.
  package static func candidates(_ argument: String) throws(UserMessage) -> [[UInt8]] {
    let readings = [LenientDecoding.hex(argument), LenientDecoding.base64(argument)]
    let ids = readings.compactMap { $0 }.filter {
      (1...CredentialID.maximumSize).contains($0.count)
    }
    guard !ids.isEmpty else {
      throw UserMessage(
        .usage, "the credential ID is neither base64url nor hex",
        hint: "to see the IDs: keybackup credential list")
    }
    return ids
  }

  /// Base64url without padding, as the format and JSON print IDs.
  package static func encode(_ id: [UInt8]) -> String { Base64.string(id, .url) }

  /// The command that deletes a credential; an ID that begins like an option is none.
  ///
  /// - Parameters:
  ///   - id: the credential.
  ///   - force: for one that this run has made, or taken out of the backup.
  /// - Returns: a line for a shell.
  package static func deletion(of id: [UInt8], force: Bool = false) -> String {
    let text = encode(id)
    return "keybackup credential delete " + (force ? "--force " : "")
      + (text.hasPrefix("-") ? "-- " : "") + text
  }
}

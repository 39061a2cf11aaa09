public import SecretMemory

extension WalletEntry {
  /// A copy of an entry's bytes with another mark; nothing else changes.
  ///
  /// For an entry from elsewhere: its `keybackup` member is replaced in place, or added after the
  /// last member.
  ///
  /// - Parameters:
  ///   - plaintext: the entry's bytes.
  ///   - mark: the operation that will hold the entry.
  /// - Returns: the new bytes.
  /// - Throws: the errors of ``init(parsing:)-(SecretBytes)``, also for the result.
  public static func marking(
    _ plaintext: borrowing SecretBytes, with mark: Mark
  ) throws(CSPPError) -> SecretBytes {
    let marked = try plaintext.withBytes { (text) throws(CSPPError) in
      let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
      guard let last = object.members.last else { throw .missingField("wallet_id") }
      var writer = SecretWriter(capacity: text.byteCount + 256)
      if let old = try object.value("keybackup", in: text) {
        writer.raw(text.extracting(0..<old.fullRange.lowerBound))
        writer.raw(mark.json)
        writer.raw(text.extracting(old.fullRange.upperBound..<text.byteCount))
      } else {
        let end = last.value.fullRange.upperBound
        writer.raw(text.extracting(0..<end))
        writer.raw(",\"keybackup\":\(mark.json)")
        writer.raw(text.extracting(end..<text.byteCount))
      }
      return writer.finish()
    }
    _ = try WalletEntry(parsing: marked)
    return marked
  }
}

extension WalletEntry.Mark {
  /// The mark as it is written in an entry.
  var json: String { "{\"writer_id\":\"\(writerID)\",\"counter\":\(counter)}" }
}

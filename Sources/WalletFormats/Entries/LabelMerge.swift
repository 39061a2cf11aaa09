public import CSPP
public import SecretMemory

extension WalletLabels {
  /// Combines new labels with the old ones about other subjects.
  ///
  /// - Parameters:
  ///   - new: BIP-329 JSON lines, which take precedence for a transaction, an address and so on.
  ///   - old: the wallet's JSON lines so far.
  /// - Returns: lines, the new ones first.
  /// - Throws: ``WalletFormatError`` for lines that are not labels.
  public static func merge(
    _ new: borrowing SecretBytes, over old: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    // Compared without a byte order mark, as in the check.
    _ = try WalletLabels(checking: new)
    var union = LabelUnion(capacity: new.count + old.count + 2)
    new.withBytes { union.add($0, isNew: true) }
    old.withBytes { union.add($0, isNew: false) }
    return union.finish()
  }
}

/// New label lines, and old ones about other subjects.
private struct LabelUnion: ~Copyable {
  private var writer: SecretWriter
  private var known: Set<Digest> = []

  init(capacity: Int) { writer = SecretWriter(capacity: capacity) }

  consuming func finish() -> SecretBytes { writer.finish() }

  /// Adds lines; omits old ones whose subject a new one has.
  mutating func add(_ text: RawSpan, isNew: Bool) {
    var start = text.starts(with: [0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
    while start < text.byteCount {
      var end = start
      while end < text.byteCount, text.byte(end) != 0x0A { end += 1 }
      let line = text.extracting(start..<end)
      start = end + 1
      guard let subject = Self.subject(of: line) else { continue }
      if isNew {
        known.insert(subject)
      } else if known.contains(subject) {
        continue
      }
      writer.raw(line)
      writer.raw("\n")
    }
  }

  /// The subject of a label: its type and reference; `nil` for an empty line.
  private static func subject(of line: RawSpan) -> Digest? {
    guard let object = try? JSONObject(parsing: line, duplicates: .refusedOnLookup),
      let type = try? object.required("type", in: line), type.kind == .string,
      let reference = try? object.required("ref", in: line), reference.kind == .string
    else { return nil }
    var writer = SecretWriter(capacity: 256)
    type.secret(in: line).withBytes { writer.string($0) }
    reference.secret(in: line).withBytes { writer.string($0) }
    return writer.withBytes { Digest(of: $0) }
  }
}

extension WalletEntry {
  /// The entry with other labels; everything else stays unchanged.
  ///
  /// - Parameters:
  ///   - plaintext: the entry's bytes.
  ///   - labels: the new labels.
  ///   - updatedAt: Unix seconds.
  /// - Returns: the new entry's bytes.
  /// - Throws: the errors of parsing the result.
  public static func replacingLabels(
    of plaintext: borrowing SecretBytes, with labels: borrowing WalletLabels, updatedAt: UInt64
  ) throws(CSPPError) -> SecretBytes {
    let replaced: [StaticString] = [
      "labels_zstd_jsonl", "labels_count", "labels_hash", "labels_uncompressed_size",
      "content_revision_hash", "updated_at", "keybackup",
    ]
    let entry = try plaintext.withBytes { text throws(CSPPError) in
      var writer = SecretWriter(capacity: text.byteCount + labels.compressed.count * 2 + 512)
      writer.raw("{")
      for member in try JSONObject(parsing: text, duplicates: .refusedOnLookup).members
      where !replaced.contains(where: { member.name.equals($0, in: text) }) {
        writer.raw(text.extracting(member.name.fullRange))
        writer.raw(":")
        writer.raw(text.extracting(member.value.fullRange))
        writer.raw(",")
      }
      writer.raw("\"labels_zstd_jsonl\":\"")
      labels.compressed.withBytes { writer.base64($0) }
      writer.raw("\",\"labels_count\":\(labels.count),\"labels_hash\":\"\(labels.hash)\"")
      writer.raw(",\"labels_uncompressed_size\":\(labels.uncompressedSize)")
      writer.raw(",\"content_revision_hash\":\"")
      // As for a new entry, the hash is over these bytes with an empty hash.
      let tail = "\",\"updated_at\":\(updatedAt)}"
      var hash = SHA256()
      writer.withBytes { hash.update($0) }
      unsafe hash.update(Array(tail.utf8).span.bytes)
      writer.raw(Hex.string(hash.finalize()))
      writer.raw(tail)
      return writer.finish()
    }
    _ = try WalletEntry(parsing: entry)
    return entry
  }
}

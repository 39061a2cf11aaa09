public import CSPP
public import SecretMemory

extension WalletLabels {
  /// Brings a wallet's labels up to date, as ``merge(_:over:)`` does, and compresses them.
  ///
  /// - Throws: as ``merge(_:over:)``; `labelsTooLarge`.
  public init(
    merging new: borrowing SecretBytes, over old: borrowing SecretBytes
  ) throws(WalletFormatError) {
    try self.init(keeping: Self.merge(new, over: old))
  }

  /// Brings a wallet's labels up to date, as BIP-329 specifies.
  ///
  /// A new record changes the fields that it has. Any other field of the old record about the same
  /// transaction, address and so on stays. A field that is null counts as omitted. Where both name
  /// an origin, records of different origins are about different wallets.
  ///
  /// - Parameters:
  ///   - new: BIP-329 JSON lines; a later one changes an earlier one.
  ///   - old: the wallet's JSON lines so far; those about anything else stay byte for byte.
  /// - Returns: lines, those of new records first.
  /// - Throws: ``WalletFormatError`` for new lines that are not labels.
  public static func merge(
    _ new: borrowing SecretBytes, over old: borrowing SecretBytes
  ) throws(WalletFormatError) -> SecretBytes {
    _ = try WalletLabels.check(new)
    var text = SecretWriter(capacity: old.count + new.count + 1)
    old.withBytes { text.raw($0) }
    text.raw("\n")
    let start = text.count
    new.withBytes { text.raw($0) }
    return text.withBytes { text in
      var union = LabelUnion()
      ASCII.forEachLine(in: text.extracting(0..<start)) { line, _ in
        union.add(old: line, in: text)
      }
      ASCII.forEachLine(in: text.extracting(start..<text.byteCount)) { line, _ in
        union.add(new: start + line.lowerBound..<start + line.upperBound, in: text)
      }
      return union.lines(of: text)
    }
  }
}

/// The records of label lines, each with all the lines about it.
private struct LabelUnion {
  private struct Record {
    var origin: Digest?
    /// The oldest line first.
    var lines: [Range<Int>]
    /// Whether a new line is among them.
    var isChanged = false
  }

  private var records: [Record] = []
  /// The places of the records with the same type and reference.
  private var places: [Digest: [Int]] = [:]
  /// The places of the records that new lines are about, in their order.
  private var changed: [Int] = []

  mutating func add(old line: Range<Int>, in text: RawSpan) {
    guard let found = Self.subject(of: text.extracting(line)) else {
      records.append(Record(lines: [line]))
      return
    }
    if let place = places[found.subject]?.first(where: { records[$0].origin == found.origin }) {
      records[place].lines.append(line)
    } else {
      append(Record(origin: found.origin, lines: [line]), found.subject)
    }
  }

  mutating func add(new line: Range<Int>, in text: RawSpan) {
    guard let found = Self.subject(of: text.extracting(line)) else { return }
    var matching = places[found.subject] ?? []
    if let origin = found.origin {
      let same = matching.filter { records[$0].origin == origin }
      matching = same.isEmpty ? matching.filter { records[$0].origin == nil } : same
    }
    if matching.isEmpty {
      matching = [records.count]
      append(Record(origin: found.origin, lines: []), found.subject)
    }
    for place in matching {
      if !records[place].isChanged { changed.append(place) }
      records[place].isChanged = true
      records[place].lines.append(line)
      records[place].origin = records[place].origin ?? found.origin
    }
  }

  private mutating func append(_ record: Record, _ subject: Digest) {
    places[subject, default: []].append(records.count)
    records.append(record)
  }

  /// One line for each record with a new line, then the other lines as they are.
  func lines(of text: RawSpan) -> SecretBytes {
    var writer = SecretWriter(capacity: text.byteCount + 2)
    for place in changed {
      Self.write(records[place].lines, of: text, into: &writer)
      writer.raw("\n")
    }
    for record in records where !record.isChanged {
      for line in record.lines {
        writer.raw(text.extracting(line))
        writer.raw("\n")
      }
    }
    return writer.finish()
  }

  /// Writes the record of several lines: each field as in the last line that has it.
  ///
  /// The last line stays as it is if it has all fields, and none is null.
  private static func write(
    _ lines: [Range<Int>], of text: RawSpan, into writer: inout SecretWriter
  ) {
    var names: Set<[UInt8]> = []
    var fields: [(line: Range<Int>, member: JSONObject.Member)] = []
    var isUnchanged = true
    for (age, line) in lines.reversed().enumerated() {
      let text = text.extracting(line)
      let object = try? JSONObject(parsing: text, duplicates: .refusedOnLookup)
      for member in object?.members ?? [] {
        if member.value.kind == .null {
          if age == 0 { isUnchanged = false }
          continue
        }
        let isFirst = names.insert(Array(member.name.string(in: text).utf8)).inserted
        if isFirst || age == 0 { fields.append((line, member)) }
        if isFirst, age > 0 { isUnchanged = false }
      }
    }
    if isUnchanged, let last = lines.last {
      writer.raw(text.extracting(last))
      return
    }
    for (place, field) in fields.enumerated() {
      let text = text.extracting(field.line)
      writer.raw(place == 0 ? "{" : ",")
      writer.raw(text.extracting(field.member.name.fullRange))
      writer.raw(":")
      writer.raw(text.extracting(field.member.value.fullRange))
    }
    writer.raw("}")
  }

  /// The type and reference that a line is about, and its origin; `nil` for a line without them.
  private static func subject(of line: RawSpan) -> (subject: Digest, origin: Digest?)? {
    guard let object = try? JSONObject(parsing: line, duplicates: .refusedOnLookup),
      let type = try? object.required("type", in: line), type.kind == .string,
      let reference = try? object.required("ref", in: line), reference.kind == .string
    else { return nil }
    var writer = SecretWriter(capacity: 256)
    type.secret(in: line).withBytes { writer.string($0) }
    reference.secret(in: line).withBytes { writer.string($0) }
    let subject = writer.withBytes { Digest(of: $0) }
    guard let origin = try? object.optional("origin", in: line), origin.kind == .string else {
      return (subject, nil)
    }
    return (subject, origin.secret(in: line).withBytes { Digest(of: $0) })
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

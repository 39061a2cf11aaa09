// This folder is for the bytes of operations and marks: what is read becomes values of LogState, and
// what is written comes from them. No file, folder or clock is known here, and no rule.

public import CSPP
public import LogState
public import SecretMemory

/// The mark that makes a wallet's entry unlike every other one (docs/format.md, rule 1).
///
/// It is the member `keybackup` of the entry. CSPP ignores it.
public struct EntryMark: Equatable, Sendable {
  /// 16 random bytes.
  public let nonce: [UInt8]
  /// The silent writer that made the entry, if one did.
  public let author: SigningKey?

  /// Makes a mark with fresh random bytes.
  public static func random(by author: SigningKey? = nil) -> EntryMark {
    EntryMark(nonce: Randomness.bytes(count: nonceSize), author: author)
  }

  static let nonceSize = 16
  /// The name of the member.
  static let member: StaticString = "keybackup"

  /// Copies an entry with this mark in the place of any other; nothing else changes.
  ///
  /// - Parameter entry: the entry's bytes.
  /// - Returns: the marked entry.
  /// - Throws: the errors of ``CSPP/WalletEntry``, also for the result.
  public func marking(_ entry: borrowing SecretBytes) throws(CSPPError) -> SecretBytes {
    let marked = try entry.withBytes { (text) throws(CSPPError) in
      let place = try MarkPlace(in: text)
      var writer = SecretWriter(capacity: text.byteCount + 256)
      place.copy(0..<place.end, of: text, to: &writer)
      writer.raw(",\"\(Self.member)\":\(json(place.contents(in: text)))")
      place.copy(place.end..<text.byteCount, of: text, to: &writer)
      return writer.finish()
    }
    _ = try WalletEntry(parsing: marked)
    return marked
  }

  private func json(_ contents: Digest) -> String {
    JSONText.object([
      ("nonce", JSONText.quoted(Hex.string(nonce))),
      ("by", (author?.hex).map(JSONText.quoted)),
      ("sha256", JSONText.quoted(contents.hex)),
    ])
  }
}

extension ItemVersion {
  /// The version that an entry is.
  ///
  /// - Parameter entry: the entry's bytes.
  /// - Throws: the errors of ``CSPP/WalletEntry``.
  public init(of entry: RawSpan) throws(CSPPError) {
    let record = try WalletEntry(parsing: entry).recordID
    let place = try MarkPlace(in: entry)
    let contents = place.contents(in: entry)
    let mark = place.value.flatMap { EntryMark($0, of: contents, in: entry) }
    self.init(
      wallet: record, entry: Digest(of: entry), contents: contents, by: mark?.author)
  }
}

extension EntryMark {
  /// Reads a mark; one that is malformed, or does not fit the entry, counts as none.
  fileprivate init?(_ value: JSONValue, of contents: Digest, in text: RawSpan) {
    guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup),
      let nonce = try? object.value("nonce", in: text)?
        .hex("nonce", in: text, count: Self.nonceSize),
      let stated: Digest = try? object.value("sha256", in: text)?.identifier("sha256", in: text),
      stated == contents
    else { return nil }
    var author: SigningKey?
    do throws(CSPPError) {
      if let by = try object.value("by", in: text) { author = try by.identifier("by", in: text) }
    } catch {
      return nil
    }
    self.init(nonce: nonce, author: author)
  }
}

/// The place of the mark in an entry.
private struct MarkPlace {
  /// The mark; nil without one.
  let value: JSONValue?
  /// The bytes that go with it: also the comma before it or, of the first member, behind it.
  let removed: Range<Int>
  /// The end of the last member that stays.
  let end: Int

  init(in text: RawSpan) throws(CSPPError) {
    let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
    let members = object.members
    let value = try object.value(EntryMark.member, in: text)
    let place = value.flatMap { value in members.firstIndex { $0.value == value } }
    guard let kept = members.indices.last(where: { $0 != place }) else {
      throw .missingField("wallet_id")
    }
    self.value = value
    end = members[kept].value.fullRange.upperBound
    removed =
      switch place {
      case nil: 0..<0
      case 0: members[0].name.fullRange.lowerBound..<members[1].name.fullRange.lowerBound
      case let place?:
        members[place - 1].value.fullRange.upperBound..<members[place].value.fullRange.upperBound
      }
  }

  /// Writes the bytes of a range that stay.
  func copy(_ range: Range<Int>, of text: RawSpan, to writer: inout SecretWriter) {
    writer.raw(text.extracting(range.clamped(to: 0..<removed.lowerBound)))
    writer.raw(text.extracting(range.clamped(to: removed.upperBound..<text.byteCount)))
  }

  /// The digest of the entry without its mark.
  func contents(in text: RawSpan) -> Digest {
    var entry = SecretWriter(capacity: text.byteCount)
    copy(0..<text.byteCount, of: text, to: &entry)
    return entry.withBytes { Digest(of: $0) }
  }
}

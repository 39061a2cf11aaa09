import CSPP
import SecretMemory

/// One file's bytes, with their meaning to a holder of the master key.
///
/// Equal bytes are one object, which is opened once.
final class Content {
  /// The kind of a file according to its contents.
  enum Meaning {
    case operation(LoggedOperation)
    case wallet(Entry)
    case other
  }

  let bytes: [UInt8]
  let meaning: Meaning

  init(_ bytes: [UInt8], _ meaning: Meaning) {
    self.bytes = bytes
    self.meaning = meaning
  }
}

/// A wallet's sealed bytes.
struct Entry {
  let record: RecordID
  /// The digest of the sealed bytes.
  let value: Digest
  /// The secret: in a history no two users ever write the same one.
  let words: String
  let mark: WalletEntry.Mark?
}

/// An operation according to its file.
struct LoggedOperation {
  let reference: CSPP.Operation.Seen
  let previous: Digest?
  let seen: [CSPP.Operation.Seen]
  /// The records that it writes; an entry of nil is a `remove`.
  let changes: [(record: RecordID, entry: Entry?)]

  /// Whether its `put` says only that these bytes were there.
  func finds(_ entry: Entry) -> Bool {
    seen.isEmpty
      || entry.mark
        == WalletEntry.Mark(writerID: reference.writerID, counter: reference.counter)
  }

  /// Every operation that it names.
  var references: [CSPP.Operation.Seen] {
    guard let previous else { return seen }
    return seen + [
      CSPP.Operation.Seen(
        writerID: reference.writerID, counter: reference.counter - 1, digest: previous)
    ]
  }
}

/// Opens files with the master key through CSPP's decoders alone, so that a folder's contents are
/// known without the code under test.
final class Archive {
  private var contents: [[UInt8]: Content] = [:]
  private let masterKey: MasterKey
  private var cipher: WalletCipher
  private var plaintext = SecretBytes(zeroed: 0)

  init(_ masterKey: consuming MasterKey) {
    cipher = WalletCipher(masterKey)
    self.masterKey = masterKey
  }

  /// The content with these bytes.
  func content(_ bytes: [UInt8]) -> Content {
    if let known = contents[bytes] { return known }
    let made = Content(bytes, meaning(of: bytes))
    contents[bytes] = made
    return made
  }

  /// Seals a wallet's envelope as another CSPP program does.
  func seal(wallet: String, words: String, mark: WalletEntry.Mark?) -> [UInt8] {
    do {
      var entry = secret(WalletText.entry(wallet, words: words))
      if let mark { entry = try WalletEntry.marking(entry, with: mark) }
      return try WalletEnvelope.seal(
        entry, entry: WalletEntry(parsing: entry), with: &cipher, createdAt: 1, updatedAt: 1)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Creates a file of a key slot that the user's key does not open.
  func keySlot(_ header: KeyHeader) -> [UInt8]? {
    try? KeyWrapper.seal(
      masterKey, secret: secret([UInt8](repeating: 3, count: 32)), header: header)
  }

  private func meaning(of bytes: [UInt8]) -> Content.Meaning {
    if let operation = try? operation(bytes) { return .operation(operation) }
    if let envelope = try? WalletEnvelope(
      parsing: bytes.span, at: masterKey.namespaceID, recordID: nil),
      let entry = try? envelope.open(with: &cipher, recordID: nil, into: &plaintext)
    {
      return .wallet(Self.entry(entry, plaintext))
    }
    return .other
  }

  private func operation(_ bytes: [UInt8]) throws(CSPPError) -> LoggedOperation {
    let file = try OperationFile(parsing: bytes.span, at: masterKey.namespaceID)
    var text = secret(bytes)
    let operation = try file.open(inPlace: &text, masterKey: masterKey)
    var changes: [(RecordID, Entry?)] = []
    for change in operation.changes {
      switch change {
      case .put(let record, let payload):
        var bytes = SecretBytes(zeroed: 0)
        try CSPP.Operation.decode(payload, in: text, into: &bytes)
        changes.append((record, Self.entry(try WalletEntry(parsing: bytes), bytes)))
      case .remove(let record): changes.append((record, nil))
      default: break
      }
    }
    return LoggedOperation(
      reference: CSPP.Operation.Seen(
        writerID: file.header.writerID, counter: file.header.counter, digest: file.digest),
      previous: file.header.previous, seen: operation.seen, changes: changes)
  }

  private static func entry(_ entry: WalletEntry, _ bytes: borrowing SecretBytes) -> Entry {
    Entry(
      record: entry.recordID, value: bytes.withBytes { CSPP.Digest(of: $0) },
      words: entry.words(in: bytes), mark: entry.mark)
  }
}

func secret(_ bytes: [UInt8]) -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

extension WalletEntry {
  /// The secret, which is not confidential in a history.
  func words(in bytes: borrowing SecretBytes) -> String {
    // An optional of an optional cannot be bound here, since it cannot be copied.
    let found: SecretBytes?
    do { found = try secret(in: bytes) } catch { return "" }
    guard let found else { return "" }
    return found.withBytes { span in
      unsafe span.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

/// The wallets of histories.
enum WalletText {
  static func entry(_ wallet: String, words: String) -> [UInt8] {
    Array(
      """
      {"wallet_id":"\(wallet)","secret":{"Mnemonic":"\(words)"},"metadata":{"name":"\(wallet)",\
      "network":"Bitcoin"},"descriptors":null,"xpub":null,"wallet_mode":"Main",\
      "labels_zstd_jsonl":null,"labels_count":0,"labels_hash":null,\
      "labels_uncompressed_size":null,"content_revision_hash":"","updated_at":1700000000}
      """.utf8)
  }
}

internal import CSPP
internal import SecretMemory

/// Opens wallet envelopes in sequence, in memory that is reused.
struct WalletReader: ~Copyable {
  /// The result of opening a file.
  enum Outcome {
    /// An envelope that opens: its entry, and the digest of the entry's bytes in
    /// ``WalletReader/plaintext``.
    case opened(WalletEntry, Digest)
    /// A file that disappeared since it was listed, or a folder.
    case absent
    /// Anything else.
    case failed(Failure)
  }

  /// The reason why a file gave no wallet.
  struct Failure {
    let state: WalletState
    let reason: String
    /// Whether the log's newest version may replace the file.
    ///
    /// False where a newer program or another namespace may need the bytes.
    let mayBeReplaced: Bool
  }

  private var cipher: WalletCipher
  private var buffer = FileBuffer()
  /// The entry opened last.
  private(set) var plaintext = SecretBytes(zeroed: 16 * 1024)
  private let namespaceID: NamespaceID
  let limit: Int

  init(_ masterKey: borrowing MasterKey, limit: Int) {
    cipher = WalletCipher(masterKey)
    namespaceID = masterKey.namespaceID
    self.limit = limit
  }

  /// Reads and opens a file, whatever its name.
  mutating func open(_ name: String, in directory: Directory) -> Outcome {
    do {
      try buffer.read(name, in: directory, limit: limit)
    } catch {
      switch error {
      case .absent: return .absent
      case .incomplete:
        return .failed(
          Failure(
            state: .incomplete, reason: "empty: not yet synchronised",
            mayBeReplaced: !SyncPlaceholder.isPlaceholder(name)))
      default:
        return .failed(
          Failure(
            state: error.state, reason: error.words,
            // A link or pipe holds nothing, and a folder is put aside.
            mayBeReplaced: error == .notRegular))
      }
    }
    let limit = limit
    let namespaceID = namespaceID
    do {
      let envelope = try buffer.parse { (bytes) throws(CSPPError) in
        try WalletEnvelope(parsing: bytes, at: namespaceID, recordID: nil, limit: limit)
      }
      return .opened(try open(envelope), plaintext.withBytes { Digest(of: $0) })
    } catch {
      return .failed(Failure(error))
    }
  }

  /// Opens bytes that are already in memory.
  mutating func open(bytes: Span<UInt8>) -> Outcome {
    do {
      let envelope = try WalletEnvelope(
        parsing: bytes, at: namespaceID, recordID: nil, limit: limit)
      return .opened(try open(envelope), plaintext.withBytes { Digest(of: $0) })
    } catch {
      return .failed(Failure(error))
    }
  }

  private mutating func open(_ envelope: WalletEnvelope) throws(CSPPError) -> WalletEntry {
    try envelope.open(with: &cipher, recordID: nil, into: &plaintext)
  }

  /// Seals an entry.
  mutating func seal(
    _ entry: borrowing SecretBytes, _ parsed: WalletEntry, at time: UInt64
  ) throws(CSPPError) -> [UInt8] {
    try WalletEnvelope.seal(
      entry, entry: parsed, with: &cipher, createdAt: time, updatedAt: time)
  }
}

extension WalletReader.Failure {
  init(_ error: CSPPError) {
    switch error {
    case .empty, .truncated:
      self.init(
        state: .incomplete, reason: "cut off: not yet synchronised", mayBeReplaced: true)
    case .unsupportedVersion, .otherFormat, .contradictsPlace, .unknownSecretKind, .tooLarge:
      self.init(state: .unreadable, reason: "\(error)", mayBeReplaced: false)
    default:
      self.init(state: .unreadable, reason: "\(error)", mayBeReplaced: true)
    }
  }
}

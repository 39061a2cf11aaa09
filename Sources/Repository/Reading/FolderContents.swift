// This folder is for the contents of a folder's files, opened with keys: values of LogState, and the
// file in which each version lies. No folder is listed here: its files are handed in, in any order.

public import CSPP
public import LogState
public import SecretMemory

/// A file of a namespace that holds operations or a wallet.
public struct FolderFile: Hashable, Sendable {
  /// The kinds of such files.
  public enum Kind: Hashable, Sendable {
    /// An ordinary operation, in `log/`.
    case operation
    /// An operation of a silent writer, in `sealed/`.
    case sealed
    /// A wallet's envelope, in `wallets/`, or a conflict copy of one.
    case view
  }

  /// The namespace of its folder.
  public let namespace: NamespaceID
  /// Its kind, by its folder.
  public let kind: Kind
  /// Its path in the namespace's folder, for messages.
  public let path: String

  /// Creates the value.
  public init(_ kind: Kind, in namespace: NamespaceID, _ path: String) {
    self.kind = kind
    self.namespace = namespace
    self.path = path
  }
}

/// The files of a folder, opened with the keys that are known.
///
/// Hand in the key slots' files first, then all that ``wanted(_:)`` names, until nothing new opens, and
/// call ``openSealed()`` then.
public struct FolderContents: ~Copyable {
  /// The keys of the namespaces that open.
  public private(set) var keys = MasterKeys()
  /// Of these, what a key slot opens by a file of its own.
  public private(set) var own: Set<NamespaceID> = []
  /// The operations and view files that were read.
  public private(set) var entries = LogContents()
  /// The files in which each version lies.
  public private(set) var places: [VersionName: Set<FolderFile>] = [:]
  /// The files that were handed in and do not open, with the reason.
  public private(set) var unread: [FolderFile: CSPPError] = [:]
  /// Changes that this program does not know, by the file that has them.
  public private(set) var unknown: [FolderFile: Set<String>] = [:]
  /// Sealed operations whose writer no operation has named yet.
  private var sealed: [FolderFile: SealedOperationFile] = [:]
  /// The keys under which each silent writer's ID was authorised.
  private var signers: [WriterID: Set<SigningKey>] = [:]

  /// Starts with nothing.
  public init() {}

  /// Tries a key slot's file.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - namespace: the namespace of its folder.
  ///   - secret: the slot's secret.
  /// - Throws: errors about bytes and fields; ``CSPP/CSPPError/authenticationFailed`` for another
  ///   slot's secret; ``CSPP/CSPPError/otherNamespace`` for a box of another namespace's key.
  public mutating func open(
    keyFile file: Span<UInt8>, in namespace: NamespaceID, secret: borrowing SecretBytes
  ) throws(CSPPError) {
    let wrapper: KeyWrapper
    do throws(CSPPError) {
      wrapper = try KeyWrapper(parsing: file, at: namespace)
    } catch .otherFormat {
      let opened = try BoxFile(parsing: file).open(secret)
      guard opened.masterKey.namespaceID == namespace else { throw .otherNamespace }
      keys.insert(opened.masterKey.copy())
      keys.insert(opened.earlier.copy())
      return
    }
    keys.insert(try wrapper.open(secret: secret))
    own.insert(namespace)
  }

  /// Whether a file can be opened now: its namespace's key is known.
  public borrowing func wanted(_ file: FolderFile) -> Bool { keys.contains(file.namespace) }

  /// Reads a file.
  ///
  /// What does not open is noted in ``unread``.
  ///
  /// - Parameters:
  ///   - file: which file it is.
  ///   - bytes: its bytes; afterwards the text of an ordinary operation, else as they were.
  public mutating func read(_ file: FolderFile, _ bytes: inout SecretBytes) {
    do throws(CSPPError) {
      switch file.kind {
      case .operation: try readOperation(file, &bytes)
      case .sealed: try readSealed(file, bytes)
      case .view: try readView(file, bytes)
      }
    } catch {
      unread[file] = error
    }
  }

  private mutating func readOperation(
    _ file: FolderFile, _ bytes: inout SecretBytes
  ) throws(CSPPError) {
    let parsed = try bytes.withBytes { (text) throws(CSPPError) in
      try OperationFile(parsing: Span(_bytes: text), at: file.namespace)
    }
    guard let text = try openText(parsed, &bytes) else { throw .otherNamespace }
    for name in text.versions.keys { places[name, default: []].insert(file) }
    if !text.unknown.isEmpty { unknown[file] = text.unknown }
    for range in text.masterKeys.values { keys.insert(try Self.key(range, in: bytes)) }
    for case .addWriter(let key, let id, _, _) in text.operation.changes {
      signers[id, default: []].insert(key)
    }
    entries.insert(.operation(text.operation))
  }

  private func openText(
    _ file: OperationFile, _ bytes: inout SecretBytes
  ) throws(CSPPError) -> OperationText? {
    guard let key = keys.copy(of: file.header.namespaceID) else { return nil }
    return try file.openText(inPlace: &bytes, masterKey: key)
  }

  private static func key(
    _ range: Range<Int>, in text: borrowing SecretBytes
  ) throws(CSPPError) -> MasterKey {
    let bytes = try text.withBytes { (text) throws(CSPPError) in try text.secret(range) }
    return try MasterKey(bytes)
  }

  private mutating func readSealed(
    _ file: FolderFile, _ bytes: borrowing SecretBytes
  ) throws(CSPPError) {
    // Its header may name an earlier namespace: then it was copied from there.
    sealed[file] = try bytes.withBytes { (text) throws(CSPPError) in
      try SealedOperationFile(parsing: Span(_bytes: text), at: nil)
    }
  }

  private mutating func readView(
    _ file: FolderFile, _ bytes: borrowing SecretBytes
  ) throws(CSPPError) {
    let envelope = try bytes.withBytes { (text) throws(CSPPError) in
      try WalletEnvelope(parsing: Span(_bytes: text), at: file.namespace, recordID: nil)
    }
    guard let key = keys.copy(of: file.namespace) else { throw .otherNamespace }
    var cipher = WalletCipher(key)
    var entry = SecretBytes(zeroed: bytes.count)
    _ = try envelope.open(with: &cipher, recordID: nil, into: &entry)
    let version = try entry.withBytes { (text) throws(CSPPError) in try ItemVersion(of: text) }
    places[version.name, default: []].insert(file)
    entries.insert(.view(ViewVersion(in: file.namespace, version)))
  }

  /// Opens the sealed operations whose writers are known by now.
  ///
  /// Call it when all operations have been read. One that no key fits waits: it has no effect, and
  /// raises no alarm.
  public mutating func openSealed() {
    for (file, operation) in sealed {
      for key in signers[operation.header.writerID, default: []] {
        do throws(CSPPError) {
          guard let text = try Self.open(operation, signedBy: key, keys) else { continue }
          for name in text.versions.keys { places[name, default: []].insert(file) }
          if !text.ignored.isEmpty { unknown[file] = text.ignored }
          entries.insert(.sealed(text.operation))
          sealed[file] = nil
          unread[file] = nil
          break
        } catch .invalidSignature {
          continue
        } catch {
          unread[file] = error
        }
      }
    }
  }

  private static func open(
    _ file: SealedOperationFile, signedBy key: SigningKey, _ keys: borrowing MasterKeys
  ) throws(CSPPError) -> SealedText? {
    let identity = SilentWriter.Identity(writerID: file.header.writerID, signingKey: key)
    try file.verify(by: identity)
    guard let master = keys.copy(of: file.header.namespaceID) else { return nil }
    let inbox = InboxPair(of: master)
    let secret = master.writerSecret(identity)
    var bytes = SecretBytes(zeroed: 0)
    try file.openText(
      by: identity, inbox: inbox, writerSecret: secret, isVerified: true, into: &bytes)
    return try bytes.withBytes { (text) throws(CSPPError) in
      try SealedText(parsing: text, of: file, signedBy: key)
    }
  }

  /// The sealed operations that wait for their writer.
  public var waiting: Set<FolderFile> { Set(sealed.keys) }
}

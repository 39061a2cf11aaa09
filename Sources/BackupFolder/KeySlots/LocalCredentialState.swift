public import CSPP
internal import SecretMemory

/// The relying parties and credentials that this computer itself has used in a namespace
/// (docs/format.md, *What a computer remembers*).
///
/// Anyone who can write to the folder can change what its files say about relying parties and
/// credentials. The state holds no secrets. It stays when the namespace disappears, since a copy of
/// the namespace may return.
public struct LocalCredentialState: Equatable, Sendable {
  /// The relying parties for which this computer enrolled a key slot, or adopted another program's
  /// namespace.
  public internal(set) var relyingParties: Set<String> = []
  /// The credentials that this computer enrolled, or that opened the namespace here.
  var credentials: Set<[UInt8]> = []

  /// Adds a key slot that is being enrolled.
  mutating func learn(_ kind: KeyHeader.Kind) {
    switch kind {
    case .securityKey(let key):
      relyingParties.insert(key.rpID)
      credentials.insert(key.credentialID)
    case .recoveryCode(let derivation):
      // Its credential may have other uses; alone it does not open the backup.
      guard case .securityKey(let rpID, _, _) = derivation.secondSecret else { return }
      relyingParties.insert(rpID)
    case .guardedPIN, .guardedLogin, .unknown: break
    }
  }
}

/// The file format: lines of text; a last line shows that none is missing.
extension LocalCredentialState {
  static let header = "keybackup-credentials 1"

  /// Parses the output of ``bytes``; `nil` for anything else.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.first.map(String.init) == Self.header, lines.last == "end", lines.count > 1 else {
      return nil
    }
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      switch (words[0], words.count) {
      case ("party", 2):
        guard let text = Hex.bytes(words[1]) else { return nil }
        relyingParties.insert(String(decoding: text, as: UTF8.self))
      case ("credential", 2):
        guard let id = Hex.bytes(words[1]) else { return nil }
        credentials.insert(id)
      default: return nil
      }
    }
  }

  /// The contents of the file.
  var bytes: [UInt8] {
    let parties = relyingParties.map { "party \(Hex.string(Array($0.utf8)))" }
    let ids = credentials.map { "credential \(Hex.string($0))" }
    let lines = [Self.header] + parties.sorted() + ids.sorted() + ["end", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }
}

extension StateFolder {
  private static let credentialMemoryLimit = 1 << 20
  private static let credentialSuffix = ".credentials"

  /// The remembered relying parties and credentials of a namespace; empty where there are none.
  ///
  /// - Throws: as ``read(_:limit:header:_:)``.
  func credentials(of namespace: NamespaceID) throws(BackupFolderError) -> LocalCredentialState {
    let own = try read(
      namespace.hex + Self.credentialSuffix, limit: Self.credentialMemoryLimit,
      header: LocalCredentialState.header
    ) { bytes in
      LocalCredentialState(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
    }
    if let own { return own }
    return others.reduce(into: LocalCredentialState()) { state, other in
      let known = other.readableCredentials(of: namespace)
      state.relyingParties.formUnion(known.relyingParties)
      state.credentials.formUnion(known.credentials)
    }
  }

  /// The same state for reading only: empty where the file cannot be used.
  func readableCredentials(of namespace: NamespaceID) -> LocalCredentialState {
    (try? credentials(of: namespace)) ?? LocalCredentialState()
  }

  /// Changes the state durably; the caller holds the lock.
  func update(
    credentialsOf namespace: NamespaceID, _ change: (inout LocalCredentialState) -> Void
  ) throws(BackupFolderError) {
    let known = try credentials(of: namespace)
    var news = known
    change(&news)
    guard news != known else { return }
    try replace(namespace.hex + Self.credentialSuffix, with: news.bytes)
    try directory.sync()
  }

  /// The namespaces for which a state exists.
  fileprivate func namespacesWithCredentials() -> [NamespaceID] {
    ((try? own?.names()) ?? []).compactMap { name in
      guard name.hasSuffix(Self.credentialSuffix) else { return nil }
      return NamespaceID(hex: String(name.dropLast(Self.credentialSuffix.count)))
    }
  }
}

extension BackupFolder {
  /// The relying parties and credentials that this computer has used in a namespace.
  ///
  /// The relying parties include those of the namespaces that it follows.
  ///
  /// - Parameter id: the namespace.
  /// - Returns: an empty state where nothing can be read.
  public func credentialMemory(of id: NamespaceID) -> LocalCredentialState {
    guard let state = try? StateFolder(path: settings.stateFolder, folder: root, make: false)
    else { return LocalCredentialState() }
    var known = state.readableCredentials(of: id)
    for earlier in state.readableMemory(of: id).earlier {
      known.relyingParties.formUnion(state.readableCredentials(of: earlier).relyingParties)
    }
    return known
  }

  /// The credentials that this computer enrolled or opened a backup with, in any folder.
  ///
  /// - Parameter path: the program's own folder; see ``Settings/stateFolder``.
  /// - Returns: their IDs; none where nothing can be read.
  public static func rememberedCredentials(in path: String) -> Set<[UInt8]> {
    guard let localState = (try? Directory.open(path: path).subdirectory("memory")) ?? nil else {
      return []
    }
    var ids: Set<[UInt8]> = []
    for name in (try? localState.names()) ?? [] {
      guard let folder = (try? localState.subdirectory(name)) ?? nil else { continue }
      let state = StateFolder(directory: folder)
      for id in state.namespacesWithCredentials() {
        ids.formUnion(state.readableCredentials(of: id).credentials)
      }
    }
    return ids
  }
}

extension Namespace {
  /// Remembers a key slot that is about to be enrolled here; the caller holds the lock.
  func remember(enrolmentOf kind: KeyHeader.Kind) throws(BackupFolderError) {
    try state(make: true).update(credentialsOf: id) { $0.learn(kind) }
  }
}

internal import CSPP
internal import SecretMemory

/// What a writing run found out about a namespace, for the next one
/// (docs/decisions/0014): which operations there are, and what the wallets'
/// files hold, so that adding a wallet need not open them all again.
///
/// One file of the state folder, sealed with a key of the namespace: nobody else
/// reads or makes it. One that is gone, damaged or another version's is as good
/// as none. Reading commands, which promise to look, never ask it.
struct NamespaceCache {
  var log: OperationLog?
  var view: ViewStamps?

  /// To be raised whenever ``OperationLog`` keeps more of an operation, or the
  /// encoding changes.
  private static let version = "keybackup-cache 5"
  private static let limit = 1 << 30

  private static func name(_ namespace: NamespaceID) -> String { "\(namespace).cache" }

  private static func associatedData(_ namespace: NamespaceID) -> [UInt8] {
    Array("\(version) \(namespace)".utf8)
  }

  /// Reads the cache of a namespace; an empty one if there is none of use.
  static func load(
    _ namespace: NamespaceID, from state: StateFolder, masterKey: borrowing MasterKey
  ) -> NamespaceCache {
    var cache = NamespaceCache()
    var buffer = FileBuffer()
    let overhead = ChaCha20Poly1305.nonceSize + ChaCha20Poly1305.tagSize
    guard (try? buffer.read(name(namespace), in: state.directory, limit: limit)) != nil,
      buffer.count > overhead
    else { return cache }
    let nonce = buffer.withBytes { bytes in
      (0..<ChaCha20Poly1305.nonceSize).map { bytes[bytes.count - ChaCha20Poly1305.nonceSize + $0] }
    }
    buffer.bytes.resize(to: buffer.count - nonce.count)
    do {
      try ChaCha20Poly1305.open(
        inPlace: &buffer.bytes, key: masterKey.cacheKey(), nonce: nonce,
        associatedData: associatedData(namespace))
    } catch {
      return cache
    }
    var reader = buffer.withBytes { CacheReader($0) }
    let log = OperationLog(from: &reader)
    let view = reader.number(UInt8.self) == 1 ? ViewStamps(from: &reader) : nil
    if reader.isWhole {
      cache.log = log
      cache.view = view
    }
    return cache
  }

  /// Replaces the cache of a namespace.
  ///
  /// Nothing is lost if it fails, or if a crash leaves half of it.
  func save(
    _ namespace: NamespaceID, to state: StateFolder, masterKey: borrowing MasterKey
  ) throws(BackupFolderError) {
    guard let log, log.isCacheable else { return Self.remove(namespace, from: state) }
    var writer = CacheWriter(capacity: 1024 + 320 * log.index.nodes.count)
    log.encode(into: &writer)
    writer.add(UInt8(view == nil ? 0 : 1))
    view?.encode(into: &writer)
    let nonce = Randomness.bytes(count: ChaCha20Poly1305.nonceSize)
    let sealed: [UInt8]
    do {
      sealed =
        try unsafe ChaCha20Poly1305.seal(
          writer.bytes.span.bytes, key: masterKey.cacheKey(), nonce: nonce,
          associatedData: Self.associatedData(namespace)) + nonce
    } catch {
      throw .internalError("sealing the cache: \(error)")
    }
    let file = try unsafe AtomicFile(
      staging: sealed.span.bytes, in: state.directory, tag: "memory")
    try file.place(overwriting: Self.name(namespace))
  }

  /// Removes the cache of a namespace.
  static func remove(_ namespace: NamespaceID, from state: StateFolder) {
    try? state.directory.unlink(name(namespace))
  }
}

extension StateFolder {
  /// Forgets a namespace: one that never came to be, or that is gone and whose
  /// loss a person has accepted.
  func forget(_ namespace: NamespaceID) throws(BackupFolderError) {
    NamespaceCache.remove(namespace, from: self)
    forgetKeySlots(of: namespace)
    try directory.unlink(namespace.hex)
  }
}

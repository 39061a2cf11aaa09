internal import CSPP
internal import SecretMemory

/// The knowledge of a writing run about a namespace, for the next run (docs/decisions/0014).
///
/// It holds the operations and the contents of the wallets' files, so that adding a wallet need not
/// open them all again. It is one file of the state folder, sealed with a key of the namespace, so
/// nobody else can read or create it. A missing or damaged file, or one of another version, counts
/// as no cache. Reading commands promise to look at the folder, so they never use it.
struct NamespaceCache {
  var log: OperationLog?
  var view: ViewStamps?

  /// The version; it must rise whenever ``OperationLog`` keeps more of an operation or the encoding
  /// changes.
  private static let version = "keybackup-cache 5"
  private static let limit = 1 << 30

  private static func name(_ namespace: NamespaceID) -> String { "\(namespace).cache" }

  private static func associatedData(_ namespace: NamespaceID) -> [UInt8] {
    Array("\(version) \(namespace)".utf8)
  }

  /// Reads the cache of a namespace; empty if there is no usable one.
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
  /// A failure, or a crash that leaves half of it, loses nothing.
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
  /// Forgets a namespace that was never finished, or that is missing and whose loss the user has
  /// accepted.
  func forget(_ namespace: NamespaceID) throws(BackupFolderError) {
    NamespaceCache.remove(namespace, from: self)
    forgetKeySlots(of: namespace)
    try directory.unlink(namespace.hex)
  }
}

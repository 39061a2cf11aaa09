internal import CSPP
internal import SecretMemory
internal import Synchronization

/// Contents that hold nothing: none at all, or only zero bytes, as a crash of a file system leaves them.
enum BlankContents {
  private static let zeros = [UInt8](repeating: 0, count: FilePieces.size)
  private static let mostKnown = 4096
  private static let known = Mutex<[UInt64: Digest]>([:])

  /// Whether contents are blank, by their digest.
  ///
  /// - Parameters:
  ///   - content: the digest.
  ///   - size: their size in bytes.
  /// - Returns: whether so many zero bytes have this digest.
  static func have(_ content: Digest, _ size: UInt64) -> Bool {
    if size == 0 { return true }
    if let digest = known.withLock({ $0[size] }) { return digest == content }
    var hash = SHA256()
    var left = size
    while left > 0 {
      let count = min(left, UInt64(zeros.count))
      unsafe hash.update(zeros.span.bytes.extracting(first: Int(count)))
      left -= count
    }
    let digest = Digest(hash)
    known.withLock { if $0.count < mostKnown { $0[size] = digest } }
    return digest == content
  }
}

extension StoredVersion {
  /// The largest size at which it is found out whether all bytes are zero.
  private static let mostHashed: UInt64 = 16 << 20

  /// Whether it is empty, or has only zero bytes; a large one is taken for one that has others.
  public var isBlank: Bool { size <= Self.mostHashed && BlankContents.have(content, size) }
}

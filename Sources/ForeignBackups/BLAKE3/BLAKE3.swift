package import SecretMemory

/// BLAKE3 with 32-byte digests: the hash, and the key derivation.
///
/// No library of Debian 12 has it. Written from its specification (O'Connor and others, 2021),
/// portable and without threads. All that is worked on lies in guarded memory.
package struct BLAKE3: ~Copyable {
  /// The size of a digest and of a derived key, 32 bytes.
  package static let digestSize = 32

  private var memory = BLAKE3Memory()
  private let mode: BLAKE3Flags
  /// How many chunks are complete.
  private var chunks: UInt64 = 0
  /// How many blocks of the current chunk are compressed, up to 15.
  private var blocks = 0
  /// How many bytes the current block has.
  private var filled = 0
  /// How many subtrees wait for their right half.
  private var waiting = 0

  /// Starts a digest that receives its message in pieces.
  package init() { self.init(mode: []) }

  private init(mode: BLAKE3Flags) { self.mode = mode }

  /// Adds bytes to the message.
  package mutating func update(_ bytes: RawSpan) {
    var offset = 0
    while offset < bytes.byteCount {
      if filled == BLAKE3Memory.blockSize { endBlock() }
      let count = min(BLAKE3Memory.blockSize - filled, bytes.byteCount - offset)
      memory.fill(at: filled, with: bytes.extracting(offset..<offset + count))
      filled += count
      offset += count
    }
  }

  /// The digest of everything added; consumes the value.
  package consuming func finalize() -> [UInt8] {
    finish().withBytes { bytes in
      (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
  }

  /// The 32-byte digest of `bytes`.
  package static func hash(_ bytes: RawSpan) -> [UInt8] {
    var digest = BLAKE3()
    digest.update(bytes)
    return digest.finalize()
  }

  /// The 32-byte digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { unsafe hash(bytes.span.bytes) }

  /// The mode `derive_key`.
  ///
  /// - Parameters:
  ///   - context: what the key is for; the same text always, and nobody else's.
  ///   - material: the secret to derive from, of any size.
  /// - Returns: 32 bytes.
  package static func deriveKey(
    context: String, material: borrowing SecretBytes
  ) -> SecretBytes {
    var name = BLAKE3(mode: .deriveKeyContext)
    let words = Array(context.utf8)
    unsafe name.update(words.span.bytes)
    var key = BLAKE3(mode: .deriveKeyMaterial)
    key.memory.use(key: name.finish())
    material.withBytes { key.update($0) }
    return key.finish()
  }

  /// The current chunk's flags: its first block is marked.
  private var flags: BLAKE3Flags { blocks == 0 ? mode.union(.chunkStart) : mode }

  /// Compresses the full block, knowing that more follows.
  private mutating func endBlock() {
    if blocks < 15 {
      memory.compress(counter: chunks, size: filled, flags)
      blocks += 1
    } else {
      memory.compress(counter: chunks, size: filled, flags.union(.chunkEnd))
      chunks += 1
      // A complete subtree for each zero at the end of the number of chunks.
      for _ in 0..<chunks.trailingZeroBitCount {
        waiting -= 1
        memory.join(waiting, mode.union(.parent))
      }
      memory.push(waiting)
      waiting += 1
      blocks = 0
    }
    memory.clearBlock()
    filled = 0
  }

  private consuming func finish() -> SecretBytes {
    let last = flags.union(.chunkEnd)
    memory.compress(counter: chunks, size: filled, waiting == 0 ? last.union(.root) : last)
    while waiting > 0 {
      waiting -= 1
      memory.join(waiting, waiting == 0 ? [mode, .parent, .root] : [mode, .parent])
    }
    return memory.chainingValue()
  }
}

/// The domain flags of BLAKE3's table 3 that are in use.
struct BLAKE3Flags: OptionSet {
  let rawValue: UInt32
  static let chunkStart = BLAKE3Flags(rawValue: 1)
  static let chunkEnd = BLAKE3Flags(rawValue: 2)
  static let parent = BLAKE3Flags(rawValue: 4)
  static let root = BLAKE3Flags(rawValue: 8)
  static let deriveKeyContext = BLAKE3Flags(rawValue: 32)
  static let deriveKeyMaterial = BLAKE3Flags(rawValue: 64)
}

internal import SecretMemory

/// The words that BLAKE3 works on, in one guarded allocation, and its compression function.
struct BLAKE3Memory: ~Copyable {
  /// The size of a block, in bytes.
  static let blockSize = 64

  /// Where things lie, in words of 4 bytes.
  private enum Place {
    /// The key of 8 words, or the initial values.
    static let key = 0
    /// The chaining value, 8 words.
    static let chaining = 8
    /// The block, 16 words as they came: the first byte is the lowest.
    static let block = 16
    /// The state, 16 words.
    static let state = 32
    /// 54 chaining values of 8 words, which is enough for 2^64 bytes.
    static let stack = 48
    static let end = 48 + 54 * 8
  }

  private static let initial: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
    0x5BE0_CD19,
  ]

  /// Which word of the block each step of a round takes, for all 7 rounds.
  private static let schedule: [Int] = {
    let permutation = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
    var words = Array(0..<16)
    var all = words
    for _ in 1..<7 {
      words = permutation.map { words[$0] }
      all += words
    }
    return all
  }()

  private var memory = SecretBytes(zeroed: Place.end * 4)

  /// Starts with BLAKE3's initial values.
  init() {
    unsafe withWords { words in
      for word in 0..<8 { unsafe words[Place.key + word] = Self.initial[word] }
    }
    restart()
  }

  /// Starts with a key of 32 bytes instead.
  mutating func use(key: borrowing SecretBytes) {
    key.withBytes { key in
      unsafe withWords { words in
        for word in 0..<8 {
          let value = unsafe key.unsafeLoad(fromByteOffset: 4 * word, as: UInt32.self)
          unsafe words[Place.key + word] = UInt32(littleEndian: value)
        }
      }
    }
    restart()
  }

  /// Puts bytes into the block.
  mutating func fill(at offset: Int, with bytes: RawSpan) {
    unsafe memory.withUnsafeMutableBytes { memory in
      let start = 4 * Place.block + offset
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + bytes.count])
          .copyMemory(from: bytes)
      }
    }
  }

  /// Empties the block.
  mutating func clearBlock() {
    unsafe withWords { words in
      for word in 0..<16 { unsafe words[Place.block + word] = 0 }
    }
  }

  /// Keeps the chaining value on the stack, and starts the next chunk.
  mutating func push(_ place: Int) {
    unsafe withWords { words in
      for word in 0..<8 {
        unsafe words[Place.stack + 8 * place + word] = words[Place.chaining + word]
      }
    }
    restart()
  }

  /// Joins a subtree of the stack with the chaining value, its right half.
  mutating func join(_ place: Int, _ flags: BLAKE3Flags) {
    unsafe withWords { words in
      for word in 0..<8 {
        unsafe words[Place.block + word] = words[Place.stack + 8 * place + word].littleEndian
        unsafe words[Place.block + 8 + word] = words[Place.chaining + word].littleEndian
      }
    }
    restart()
    compress(counter: 0, size: Self.blockSize, flags)
  }

  /// The chaining value as 32 bytes.
  func chainingValue() -> SecretBytes {
    memory.withBytes { source in
      SecretBytes(count: BLAKE3.digestSize) { target in
        for word in 0..<8 {
          let value = unsafe source.unsafeLoad(
            fromByteOffset: 4 * (Place.chaining + word), as: UInt32.self)
          target.storeBytes(
            of: value.littleEndian, toByteOffset: 4 * word, as: UInt32.self)
        }
      }
    }
  }

  /// Makes the key the chaining value.
  private mutating func restart() {
    unsafe withWords { words in
      for word in 0..<8 { unsafe words[Place.chaining + word] = words[Place.key + word] }
    }
  }

  /// The compression function: changes the chaining value by the block.
  ///
  /// - Parameters:
  ///   - counter: the number of the chunk; 0 for a parent.
  ///   - size: how many bytes of the block count.
  ///   - flags: what the block is.
  mutating func compress(counter: UInt64, size: Int, _ flags: BLAKE3Flags) {
    unsafe withWords { words in
      let state = unsafe words + Place.state
      let chaining = unsafe words + Place.chaining
      for word in 0..<8 { unsafe state[word] = chaining[word] }
      for word in 0..<4 { unsafe state[8 + word] = Self.initial[word] }
      unsafe state[12] = UInt32(truncatingIfNeeded: counter)
      unsafe state[13] = UInt32(truncatingIfNeeded: counter >> 32)
      unsafe state[14] = UInt32(size)
      unsafe state[15] = flags.rawValue
      for round in 0..<7 { unsafe Self.round(state, words + Place.block, 16 * round) }
      for word in 0..<8 { unsafe chaining[word] = state[word] ^ state[8 + word] }
    }
  }

  /// One round: the columns, then the diagonals.
  private static func round(
    _ state: UnsafeMutablePointer<UInt32>, _ block: UnsafeMutablePointer<UInt32>, _ start: Int
  ) {
    func mix(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ step: Int) {
      unsafe half(state, a, b, c, d, block[schedule[start + step]], 16, 12)
      unsafe half(state, a, b, c, d, block[schedule[start + step + 1]], 8, 7)
    }
    mix(0, 4, 8, 12, 0)
    mix(1, 5, 9, 13, 2)
    mix(2, 6, 10, 14, 4)
    mix(3, 7, 11, 15, 6)
    mix(0, 5, 10, 15, 8)
    mix(1, 6, 11, 12, 10)
    mix(2, 7, 8, 13, 12)
    mix(3, 4, 9, 14, 14)
  }

  /// Half of the function G: one word of the block, two rotations to the right.
  private static func half(
    _ state: UnsafeMutablePointer<UInt32>, _ a: Int, _ b: Int, _ c: Int, _ d: Int,
    _ word: UInt32, _ first: UInt32, _ second: UInt32
  ) {
    unsafe state[a] = state[a] &+ state[b] &+ UInt32(littleEndian: word)
    let crossed = unsafe state[d] ^ state[a]
    unsafe state[d] = crossed &>> first | crossed &<< (32 - first)
    unsafe state[c] = state[c] &+ state[d]
    let turned = unsafe state[b] ^ state[c]
    unsafe state[b] = turned &>> second | turned &<< (32 - second)
  }

  private mutating func withWords(_ body: (UnsafeMutablePointer<UInt32>) -> Void) {
    unsafe memory.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return }
      unsafe body(start.assumingMemoryBound(to: UInt32.self))
    }
  }
}

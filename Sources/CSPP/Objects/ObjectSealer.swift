// This folder is for objects, the encrypted contents of files. They are sealed and opened piece by
// piece, in memory that does not grow with the file. Which version names an object is not known
// here.

public import SecretMemory

/// The sizes of objects.
public enum ObjectFormat {
  /// The size of a chunk before it is sealed, 64 KiB.
  public static let chunkSize = 64 * 1024
  /// The size of a sealed chunk in bytes.
  static let sealedChunkSize = chunkSize + SecretStreamSealer.overhead

  /// The size in bytes of the object for contents of a size, at most ``SizeLimits/file``.
  public static func objectSize(of size: UInt64) -> UInt64 {
    let padded = Padding.padme(size)
    let chunk = UInt64(chunkSize)
    let chunks = (padded + chunk - 1) / chunk
    return UInt64(SecretStreamSealer.headerSize) + padded
      + chunks * UInt64(SecretStreamSealer.overhead)
  }
}

/// An object that was written: its name, its key, and its contents' size and digest.
public struct SealedObject: ~Copyable, Sendable {
  /// The digest of the object's bytes, which names its file.
  public let name: Digest
  /// The key, 32 bytes.
  public let key: SecretBytes
  /// The size of the contents in bytes.
  public let size: UInt64
  /// The digest of the contents.
  public let content: Digest
}

/// Encrypts the contents of a file into an object, under a new key.
///
/// The contents are read twice: for their digest, then to be sealed. The key derives from both a
/// random number and the digest. A virtual machine that was reset repeats its random numbers, but
/// does not use one key for two contents.
///
/// Write what each call puts into `output`, in this order:
/// 1. ``seal(_:into:)`` for each piece of the contents;
/// 2. ``finish(into:)`` until it returns false;
/// 3. then take the ``result()``.
///
/// After an error the object is discarded, and what was written of it must not stay.
public struct ObjectSealer: ~Copyable {
  private var stream: SecretStreamSealer
  private let key: SecretBytes
  private let expected: Digest
  private var chunk = SecretBytes(zeroed: ObjectFormat.chunkSize)
  private var filled = 0
  private var size: UInt64 = 0
  private var padding: UInt64?
  private var isFinished = false
  private var content = LongSHA256()
  private var object = LongSHA256()
  private var hasHeader = false

  /// Starts an object.
  ///
  /// - Parameters:
  ///   - seed: a secret of this computer, such as the seed of its signing pair.
  ///   - content: the digest of the contents.
  public init(hedge seed: borrowing SecretBytes, expecting content: Digest) {
    self.init(hedge: seed, expecting: content, random: .random(count: 32))
  }

  /// Starts an object with random bytes that a test knows.
  init(
    hedge seed: borrowing SecretBytes, expecting content: Digest, random: consuming SecretBytes
  ) {
    expected = content
    key = HKDFSHA256.deriveKey(
      ikm: random.joined(with: seed), info: "keybackup:v1:object-key:\(content)")
    do throws(SecretMemoryError) {
      stream = try SecretStreamSealer(key: key)
    } catch {
      preconditionFailure("a key of the right size")
    }
  }

  /// Seals the next bytes of the contents.
  ///
  /// - Parameters:
  ///   - bytes: any number; 64 KiB at a time keep the memory small.
  ///   - output: afterwards the object's next bytes, or none.
  /// - Throws: ``CSPPError/tooLarge(limit:)`` beyond ``SizeLimits/file``; further calls throw it too.
  public mutating func seal(_ bytes: RawSpan, into output: inout [UInt8]) throws(CSPPError) {
    precondition(padding == nil, "the object is finished")
    begin(&output)
    size += UInt64(bytes.byteCount)
    guard size <= SizeLimits.file else { throw .tooLarge(limit: Int(SizeLimits.file)) }
    content.update(bytes)
    var place = 0
    while place < bytes.byteCount {
      // A full chunk waits here: only the end of the contents tells whether it is the last one.
      if filled == ObjectFormat.chunkSize { emit(isLast: false, onto: &output) }
      let count = min(ObjectFormat.chunkSize - filled, bytes.byteCount - place)
      fill(bytes.extracting(place..<place + count))
      place += count
    }
    end(output)
  }

  /// Pads and ends the object, at most 64 KiB at a time.
  ///
  /// - Parameter output: afterwards the object's next bytes.
  /// - Returns: false if there are none, because the object is complete.
  public mutating func finish(into output: inout [UInt8]) -> Bool {
    begin(&output)
    if isFinished { return false }
    var left = padding ?? (Padding.padme(size) - size)
    if filled == ObjectFormat.chunkSize, left > 0 {
      emit(isLast: false, onto: &output)
    } else {
      let zeroes = min(UInt64(ObjectFormat.chunkSize - filled), left)
      chunk.withMutableBytes { chunk in
        for place in filled..<filled + Int(zeroes) {
          chunk.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
        }
      }
      filled += Int(zeroes)
      left -= zeroes
      isFinished = left == 0
      emit(isLast: isFinished, onto: &output)
    }
    padding = left
    end(output)
    return true
  }

  /// The finished object's name and key.
  ///
  /// - Precondition: ``finish(into:)`` returned false.
  /// - Returns: the object.
  /// - Throws: ``CSPPError/invalidField(_:)`` if the contents are not the expected ones: the file
  ///   changed while it was read. The object is then discarded.
  public consuming func result() throws(CSPPError) -> SealedObject {
    precondition(isFinished, "the object is not finished")
    guard Digest(finalizing: content) == expected else { throw .invalidField("content") }
    return SealedObject(
      name: Digest(finalizing: object), key: key, size: size, content: expected)
  }

  private mutating func begin(_ output: inout [UInt8]) {
    output.removeAll(keepingCapacity: true)
    if !hasHeader { output += stream.header }
    hasHeader = true
  }

  private mutating func end(_ output: [UInt8]) { object.update(unsafe output.span.bytes) }

  private mutating func fill(_ bytes: RawSpan) {
    let start = filled
    unsafe chunk.withUnsafeMutableBytes { chunk in
      unsafe bytes.withUnsafeBytes { bytes in
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[start...])
        unsafe target.copyMemory(from: bytes)
      }
    }
    filled += bytes.byteCount
  }

  private mutating func emit(isLast: Bool, onto output: inout [UInt8]) {
    let count = filled
    unsafe chunk.withUnsafeBytes { chunk in
      let bytes = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
      stream.seal(bytes, isLast: isLast, onto: &output)
    }
    filled = 0
  }
}

extension Digest {
  init(finalizing hash: consuming LongSHA256) {
    let digest = hash.finalize()
    self.init(words: unsafe SIMD4(bigEndian: digest.span.bytes))
  }
}

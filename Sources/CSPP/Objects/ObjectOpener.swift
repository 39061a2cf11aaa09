public import SecretMemory

/// Decrypts an object piece by piece.
///
/// Nothing of it may get its name before ``finish()`` has returned: until then the end may be
/// missing.
///
/// 1. Compare the object's size with ``objectSize``.
/// 2. Give ``open(_:into:)`` pieces of ``nextCount`` bytes until that is 0.
/// 3. Call ``finish()``.
public struct ObjectOpener: ~Copyable {
  /// The object's size in bytes; a larger or smaller file is not this object.
  public let objectSize: UInt64
  /// The number of bytes of the object that ``open(_:into:)`` takes next; 0 after the last.
  ///
  /// It is at most 64 KiB and 17 bytes.
  public private(set) var nextCount = SecretStreamSealer.headerSize

  private let name: Digest
  private let content: Digest
  private let key: SecretBytes
  private var stream: SecretStreamOpener?
  private var objectLeft: UInt64
  private var contentsLeft: UInt64
  private var object = LongSHA256()
  private var contents = LongSHA256()

  /// Starts with a version's description of the object.
  ///
  /// - Parameters:
  ///   - name: the digest of the object.
  ///   - key: 32 bytes.
  ///   - size: the size of the contents in bytes.
  ///   - content: the digest of the contents.
  /// - Throws: ``CSPPError/invalidField(_:)`` for a key of another size or a size beyond
  ///   ``SizeLimits/file``.
  public init(
    name: Digest, key: consuming SecretBytes, size: UInt64, content: Digest
  ) throws(CSPPError) {
    guard size <= SizeLimits.file else { throw .invalidField("size") }
    guard key.count == SecretStreamSealer.keySize else { throw .invalidField("key") }
    objectSize = ObjectFormat.objectSize(of: size)
    self.name = name
    self.content = content
    self.key = key
    objectLeft = objectSize
    contentsLeft = size
  }

  /// Opens the next piece of the object.
  ///
  /// - Parameters:
  ///   - piece: ``nextCount`` bytes.
  ///   - bytes: afterwards the next bytes of the contents, perhaps none; none after an error.
  /// - Throws: ``CSPPError/truncated`` for fewer bytes; ``CSPPError/authenticationFailed`` for a
  ///   changed piece or another key; ``CSPPError/invalidField(_:)`` for an end in the wrong place.
  ///   Nothing can be opened after an error.
  public mutating func open(
    _ piece: RawSpan, into bytes: inout SecretBytes
  ) throws(CSPPError) {
    let expected = nextCount
    nextCount = 0
    bytes.resize(to: 0)
    guard piece.byteCount >= expected else { throw .truncated }
    guard piece.byteCount == expected, expected > 0 else { throw .invalidField("object") }
    object.update(piece)
    let left = objectLeft - UInt64(expected)
    do throws(SecretMemoryError) {
      if stream == nil {
        let header = unsafe piece.withUnsafeBytes { unsafe Array($0) }
        stream = try SecretStreamOpener(header: header, key: key)
      } else if try stream?.open(piece, into: &bytes) != (left == 0) {
        bytes.resize(to: 0)
        throw .invalidParameter("object")
      }
    } catch {
      throw CSPPError(error)
    }
    objectLeft = left
    // What follows the contents is padding.
    bytes.resize(to: Int(min(UInt64(bytes.count), contentsLeft)))
    contentsLeft -= UInt64(bytes.count)
    bytes.withBytes { contents.update($0) }
    nextCount = Int(min(UInt64(ObjectFormat.sealedChunkSize), objectLeft))
  }

  /// Checks that the object was complete, and is the one that the version describes.
  ///
  /// - Throws: ``CSPPError/truncated``; ``CSPPError/contradictsPlace(_:)`` for an object of another
  ///   name; ``CSPPError/invalidField(_:)`` for other contents.
  public consuming func finish() throws(CSPPError) {
    guard objectLeft == 0 else { throw .truncated }
    guard Digest(finalizing: object) == name else { throw .contradictsPlace("object") }
    guard Digest(finalizing: contents) == content else { throw .invalidField("content") }
  }
}

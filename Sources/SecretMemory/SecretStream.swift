internal import CSodium

/// Encrypts a message of any size in chunks: libsodium's `crypto_secretstream_xchacha20poly1305`.
///
/// Chunks cannot be dropped, repeated or exchanged unnoticed, and the last one is marked as such.
public struct SecretStreamSealer: ~Copyable {
  /// The size of a key, 32 bytes.
  public static let keySize = 32
  /// The size of the header before the first chunk, 24 bytes.
  public static let headerSize = 24
  /// The number of bytes by which a sealed chunk is longer than its message: 17.
  public static let overhead = 17

  /// The header, 24 random bytes; the opener needs it.
  public let header: [UInt8]
  private var state: SecretStreamState

  /// Starts a stream.
  ///
  /// - Parameter key: 32 bytes.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size.
  public init(key: borrowing SecretBytes) throws(SecretMemoryError) {
    guard key.count == Self.keySize else { throw .invalidParameter("key: 32 bytes") }
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    var state = SecretStreamState()
    unsafe key.withUnsafeBytes { key in
      unsafe state.with { state in
        _ = unsafe crypto_secretstream_xchacha20poly1305_init_push(state, &header, key.cBytes)
      }
    }
    self.header = header
    self.state = state
  }

  /// Seals the next chunk.
  ///
  /// - Parameters:
  ///   - message: the chunk.
  ///   - isLast: whether no chunk follows.
  ///   - output: gets the sealed chunk at its end, 17 bytes longer than the message.
  public mutating func seal(_ message: RawSpan, isLast: Bool, onto output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: message.byteCount + Self.overhead))
    let tag = SecretStreamState.tag(isLast: isLast)
    unsafe message.withUnsafeBytes { message in
      unsafe output.withUnsafeMutableBytes { output in
        let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: output[start...])
        unsafe state.with { state in
          _ = unsafe crypto_secretstream_xchacha20poly1305_push(
            state, sealed.cBytes, nil, message.cBytes, UInt64(message.count), nil, 0, tag)
        }
      }
    }
  }
}

/// Decrypts the chunks of a ``SecretStreamSealer``, in their order.
public struct SecretStreamOpener: ~Copyable {
  private var state: SecretStreamState

  /// Starts a stream.
  ///
  /// - Parameters:
  ///   - header: 24 bytes.
  ///   - key: 32 bytes.
  /// - Throws: ``SecretMemoryError/invalidParameter(_:)`` for another size.
  public init(header: [UInt8], key: borrowing SecretBytes) throws(SecretMemoryError) {
    guard key.count == SecretStreamSealer.keySize else { throw .invalidParameter("key: 32 bytes") }
    guard header.count == SecretStreamSealer.headerSize else {
      throw .invalidParameter("header: 24 bytes")
    }
    var state = SecretStreamState()
    unsafe key.withUnsafeBytes { key in
      unsafe state.with { state in
        _ = unsafe crypto_secretstream_xchacha20poly1305_init_pull(state, header, key.cBytes)
      }
    }
    self.state = state
  }

  /// Opens the next chunk.
  ///
  /// - Parameters:
  ///   - sealed: the sealed chunk.
  ///   - message: afterwards exactly the chunk's message; empty after an error.
  /// - Returns: whether this is the last chunk.
  /// - Throws: ``SecretMemoryError/authenticationFailed``, also for a chunk out of its order;
  ///   ``SecretMemoryError/invalidParameter(_:)`` for a tag that ``SecretStreamSealer`` never
  ///   gives.
  public mutating func open(
    _ sealed: RawSpan, into message: inout SecretBytes
  ) throws(SecretMemoryError) -> Bool {
    let count = sealed.byteCount - SecretStreamSealer.overhead
    guard count >= 0 else {
      message.resize(to: 0)
      throw .authenticationFailed
    }
    message.reuse(count: count)
    var tag: UInt8 = 0
    let opened = unsafe message.withUnsafeMutableBytes { message in
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe state.with { state in
          unsafe crypto_secretstream_xchacha20poly1305_pull(
            state, message.cBytes, nil, &tag, sealed.cBytes, UInt64(sealed.count), nil, 0) == 0
        }
      }
    }
    guard opened else {
      message.resize(to: 0)
      throw .authenticationFailed
    }
    if tag == SecretStreamState.tag(isLast: true) { return true }
    guard tag == SecretStreamState.tag(isLast: false) else {
      message.resize(to: 0)
      throw .invalidParameter("tag")
    }
    return false
  }
}

/// libsodium's state of a stream, which holds its key, in guarded memory.
private struct SecretStreamState: ~Copyable {
  private var bytes = SecretBytes(
    zeroed: MemoryLayout<crypto_secretstream_xchacha20poly1305_state>.size)

  mutating func with<R>(
    _ body: (UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state>) -> R
  ) -> R {
    // The state is an array of bytes to C, so any address is aligned.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe body(
        UnsafeMutableRawPointer(bytes.cBytes).assumingMemoryBound(
          to: crypto_secretstream_xchacha20poly1305_state.self))
    }
  }

  static func tag(isLast: Bool) -> UInt8 {
    isLast
      ? crypto_secretstream_xchacha20poly1305_tag_final()
      : crypto_secretstream_xchacha20poly1305_tag_message()
  }
}

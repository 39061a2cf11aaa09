internal import CZstd
internal import SecretMemory

/// Zstandard (RFC 8878) from guarded memory into guarded memory.
///
/// Its working memory, which contains pieces of the text, is guarded and wiped too.
enum Zstd {
  struct Failure: Error {}

  /// Compresses into one frame that states its content's size.
  static func compress(_ input: borrowing SecretBytes) throws(Failure) -> SecretBytes {
    // zstd's own default; label files are small.
    let level: Int32 = 3
    var workspace = SecretBytes(zeroed: ZSTD_estimateCCtxSize(level))
    var output = SecretBytes(zeroed: ZSTD_compressBound(input.count))
    let size = unsafe workspace.withUnsafeMutableBytes { workspace -> Int? in
      guard
        let context = unsafe ZSTD_initStaticCCtx(workspace.baseAddress, workspace.count)
      else { return nil }
      return unsafe output.withUnsafeMutableBytes { output in
        unsafe input.withUnsafeBytes { input in
          unsafe checked(
            ZSTD_compressCCtx(
              context, output.baseAddress, output.count, input.baseAddress, input.count, level))
        }
      }
    }
    guard let size else { throw Failure() }
    output.resize(to: size)
    return output
  }

  /// Decompresses to at most `limit` bytes, whatever sizes the frames state; fails before it writes
  /// more.
  static func decompress(
    _ input: borrowing SecretBytes, limit: Int
  ) throws(Failure) -> SecretBytes {
    var output = SecretBytes(zeroed: try capacity(for: input, limit: limit))
    var workspace = SecretBytes(zeroed: ZSTD_estimateDCtxSize())
    let size = unsafe workspace.withUnsafeMutableBytes { workspace -> Int? in
      guard
        let context = unsafe ZSTD_initStaticDCtx(workspace.baseAddress, workspace.count)
      else { return nil }
      return unsafe output.withUnsafeMutableBytes { output in
        unsafe input.withUnsafeBytes { input in
          unsafe checked(
            ZSTD_decompressDCtx(
              context, output.baseAddress, output.count, input.baseAddress, input.count))
        }
      }
    }
    guard let size else { throw Failure() }
    output.resize(to: size)
    return output
  }

  /// The size of the output buffer: the stated size of a single frame, otherwise the limit.
  private static func capacity(
    for input: borrowing SecretBytes, limit: Int
  ) throws(Failure) -> Int {
    let (stated, isSingle) = unsafe input.withUnsafeBytes { input in
      unsafe (
        ZSTD_getFrameContentSize(input.baseAddress, input.count),
        ZSTD_findFrameCompressedSize(input.baseAddress, input.count) == input.count
      )
    }
    // The two highest numbers mean "unknown" and "not a frame"; for the latter no memory is
    // allocated.
    if stated == UInt64.max { return limit }
    guard stated <= UInt64(limit) else { throw Failure() }
    return isSingle ? Int(stated) : limit
  }

  private static func checked(_ result: Int) -> Int? {
    ZSTD_isError(result) == 0 ? result : nil
  }
}

internal import CSodium

/// Random bytes that need not stay secret: nonces, salts, IDs.
public enum Randomness {
  /// `count` bytes from the operating system's random source.
  public static func bytes(count: Int) -> [UInt8] {
    Sodium.start()
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&bytes, count)
    return bytes
  }
}

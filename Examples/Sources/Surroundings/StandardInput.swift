import Glibc
import SecretMemory

/// Secrets come by standard input, a line each: never as arguments, never as a String.
public enum StandardInput {
  /// Reads a line into guarded memory.
  ///
  /// - Returns: the line without its end; empty at the end of input.
  public static func line(limit: Int = 1024) -> SecretBytes {
    var line = SecretBytes(zeroed: limit)
    let length = line.withUnsafeMutableBytes { bytes in
      var length = 0
      while length < limit {
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
        guard read(0, rest.baseAddress, 1) == 1, rest[0] != 0x0A else { break }
        length += 1
      }
      return length
    }
    line.resize(to: length)
    return line
  }
}

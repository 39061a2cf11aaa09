import Glibc
import SecretMemory

/// Looks for a secret in this process's own memory.
enum MemorySearch {
  private static let flip: UInt8 = 0x5A

  /// A copy of the first 16 bytes, masked so that the search does not find the copy.
  static func mask(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in
      (0..<min(16, bytes.byteCount)).map { offset in
        unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) ^ flip
      }
    }
  }

  /// Counts how often the masked bytes occur in memory that can be read and written.
  static func count(_ mask: [UInt8]) -> Int {
    guard let maps = unsafe fopen("/proc/self/maps", "r") else { return -1 }
    defer { unsafe fclose(maps) }
    let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(memory) }
    var regions: [(Int, Int)] = []
    var line = [CChar](repeating: 0, count: 4096)
    while unsafe fgets(&line, Int32(line.count), maps) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = text.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      if words[1].hasPrefix("rw"), bounds.count == 2 { regions.append((bounds[0], bounds[1])) }
    }
    let size = 1 << 20
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    defer { unsafe buffer.deallocate() }
    var found = 0
    for (start, end) in regions {
      var position = start
      while position < end {
        // The buffer itself would show a copy of what was read earlier.
        let address = Int(bitPattern: buffer)
        if position < address + size, address < position + size, start <= address, address < end {
          position = address + size
          continue
        }
        let count = unsafe pread(memory, buffer, min(size, end - position), position)
        guard count > 0 else { break }
        found += unsafe occurrences(of: mask, in: UnsafeBufferPointer(start: buffer, count: count))
        position += count == size ? size - mask.count : count
      }
    }
    return found
  }

  private static func occurrences(
    of mask: [UInt8], in bytes: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var found = 0
    let first = mask[0] ^ flip
    for start in 0..<max(0, bytes.count - mask.count) where unsafe bytes[start] == first {
      if mask.indices.allSatisfy({ unsafe bytes[start + $0] ^ flip == mask[$0] }) { found += 1 }
    }
    return found
  }
}

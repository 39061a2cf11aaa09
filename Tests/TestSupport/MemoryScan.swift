import Glibc

/// A piece of a secret to look for.
///
/// It is kept inverted, so that the scan does not find the copy kept here.
public struct Needle: Sendable {
  let inverted: [UInt8]

  /// Takes the bytes to look for.
  public init(_ bytes: RawSpan) {
    inverted = (0..<bytes.byteCount).map {
      unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) ^ 0xFF
    }
  }
}

/// Looks for secrets in this process's own memory.
public enum MemoryScan {
  /// The process's memory cannot be read.
  public struct Unreadable: Error {}

  /// Counts how often the needle occurs in writable memory, except the scan's own.
  public static func count(_ needle: Needle) throws -> Int {
    let window = 1 << 20
    let size = window + needle.inverted.count
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4096)
    let plain = UnsafeMutableRawPointer.allocate(
      byteCount: needle.inverted.count, alignment: 16)
    for (index, byte) in needle.inverted.enumerated() {
      unsafe plain.storeBytes(of: byte ^ 0xFF, toByteOffset: index, as: UInt8.self)
    }
    defer {
      unsafe memset(plain, 0, needle.inverted.count)
      unsafe memset(buffer, 0, size)
      unsafe plain.deallocate()
      unsafe buffer.deallocate()
    }
    let own = [
      (UInt(bitPattern: buffer), size), (UInt(bitPattern: plain), needle.inverted.count),
    ]
    let memory = unsafe open("/proc/self/mem", O_RDONLY)
    guard memory >= 0 else { throw Unreadable() }
    defer { close(memory) }
    var found = 0
    for region in try writableRegions() {
      var start = region.lowerBound
      while start < region.upperBound {
        let wanted = min(size, Int(region.upperBound - start))
        let read = unsafe pread(memory, buffer, wanted, off_t(start))
        if read > 0 {
          for distance in unsafe hits(of: plain, needle.inverted.count, in: buffer, read) {
            let address = start + UInt(distance)
            if !own.contains(where: { address >= $0.0 && address < $0.0 + UInt($0.1) }) {
              found += 1
            }
          }
        }
        start += UInt(window)
      }
    }
    return found
  }

  private static func hits(
    of needle: UnsafeMutableRawPointer, _ needleSize: Int, in buffer: UnsafeMutableRawPointer,
    _ size: Int
  ) -> [Int] {
    let first = Int32(unsafe needle.load(as: UInt8.self))
    var hits: [Int] = []
    var offset = 0
    while size - offset >= needleSize,
      let hit = unsafe memchr(buffer + offset, first, size - offset - needleSize + 1)
    {
      offset = unsafe hit - buffer
      if unsafe memcmp(hit, needle, needleSize) == 0 { hits.append(offset) }
      offset += 1
    }
    return hits
  }

  private static func writableRegions() throws -> [Range<UInt>] {
    guard let maps = unsafe fopen("/proc/self/maps", "re") else { throw Unreadable() }
    defer { unsafe fclose(maps) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = unsafe fread(&buffer, 1, buffer.count, maps), count > 0 {
      text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2 else { return nil }
      return ends[0]..<ends[1]
    }
  }
}

import Glibc
import SecretMemory
import Testing

@testable import WalletFormats

/// After a check, nothing of what was checked is left in this process's memory
/// once its guarded copies are gone.
@Suite(.serialized) struct ResidueTests {
  /// A piece of a secret to look for, kept inverted so that it is not found
  /// where it is kept.
  struct Needle {
    let inverted: [UInt8]

    init(_ secret: borrowing SecretBytes, _ range: Range<Int>) {
      inverted = unsafe secret.withUnsafeBytes { bytes in
        range.map { unsafe bytes[$0] ^ 0xFF }
      }
    }
  }

  @Test func theScanFindsWhatIsThere() throws {
    let kept = SecretBytes.random(count: 32)
    #expect(try count(Needle(kept, 0..<32)) > 0)
  }

  @Test func mnemonicsLeaveNothing() throws {
    let needles = try mnemonicNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func extendedKeysLeaveNothing() throws {
    let needles = try keyNeedles(asDescriptor: false)
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func descriptorsLeaveNothing() throws {
    let needles = try keyNeedles(asDescriptor: true)
    for needle in needles { #expect(try count(needle) == 0) }
  }

  @Test func labelsLeaveNothing() throws {
    let needles = try labelNeedles()
    for needle in needles { #expect(try count(needle) == 0) }
  }

  /// A random mnemonic, refused or not.
  private func mnemonicNeedles() throws -> [Needle] {
    let phrase = SecretBytes(count: 12 * 9 - 1) { span in
      for offset in 0..<(12 * 9 - 1) where offset % 9 == 8 { span.set(offset, 0x20) }
      for word in 0..<12 {
        // Words of 8 letters keep the places the same.
        let long = EnglishWordList.packed.filter { $0 >> 56 != 0 }
        let packed = long.randomElement() ?? 0
        for letter in 0..<8 {
          span.set(
            word * 9 + letter, UInt8(truncatingIfNeeded: packed >> (56 - 8 * UInt64(letter))))
        }
      }
    }
    let error = refusal { () throws(WalletFormatError) in _ = try Mnemonic(checking: phrase) }
    #expect(error == nil || error == .mnemonicChecksum)
    return [Needle(phrase, 0..<26), Needle(phrase, 45..<80), Needle(phrase, 81..<107)]
  }

  /// A random extended private key.
  private func keyNeedles(asDescriptor: Bool) throws -> [Needle] {
    var payload = SecretBytes.random(count: 78)
    payload.withMutableBytes { payload in
      for (index, byte) in ([0x04, 0x88, 0xAD, 0xE4, 1] as [UInt8]).enumerated() {
        payload.set(index, byte)
      }
      payload.set(45, 0)
      payload.set(46, 1)
    }
    let key = payload.withBytes { Base58.encode($0) }
    if asDescriptor {
      let wrapped = SecretBytes(count: key.count + 6) { span in
        for (index, byte) in "wpkh(".utf8.enumerated() { span.set(index, byte) }
        key.withBytes { key in
          for index in 0..<key.byteCount { span.set(index + 5, key.byte(index)) }
        }
        span.set(span.byteCount - 1, 0x29)
      }
      let descriptor = try Descriptor(checking: wrapped)
      let containsPrivateKey = descriptor.containsPrivateKey
      #expect(containsPrivateKey)
      _ = descriptor.branch(0)
    } else {
      let checked = try ExtendedKey(checking: key, expecting: .privateKey)
      _ = checked.plainText()
    }
    return [Needle(key, 20..<50), Needle(key, 60..<100), Needle(payload, 46..<78)]
  }

  /// A label with a random reference.
  private func labelNeedles() throws -> [Needle] {
    let random = SecretBytes.random(count: 64)
    let head = Array(#"{"type":"tx","ref":""#.utf8)
    let line = SecretBytes(count: head.count + 64 + 2) { span in
      for (index, byte) in head.enumerated() { span.set(index, byte) }
      random.withBytes { random in
        for index in 0..<64 { span.set(head.count + index, 0x61 + random.byte(index) % 26) }
      }
      span.set(head.count + 64, 0x22)
      span.set(head.count + 65, 0x7D)
    }
    let labels = try WalletLabels(checking: line)
    _ = try WalletLabels.decompress(labels.compressed)
    return [
      Needle(line, head.count..<(head.count + 30)), Needle(line, head.count + 30..<head.count + 64),
    ]
  }

  /// How often the needle occurs in writable memory, the scan's own excepted.
  private func count(_ needle: Needle) throws -> Int {
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
    #expect(memory >= 0)
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

  private func hits(
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

  private func writableRegions() throws -> [Range<UInt>] {
    try Files.text("/proc/self/maps").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2 else { return nil }
      return ends[0]..<ends[1]
    }
  }
}

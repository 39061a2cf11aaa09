import Glibc
import SecretMemory
import TestSupport
import Testing

/// The promises of ``SecretBytes`` about its memory.
@Suite("SecretBytes")
struct SecretBytesTests {
  @Test(arguments: [0, 1, 31, 32, 4096, 100_000])
  func `Starts as zeroes and keeps what is copied in`(count: Int) {
    #expect(array(SecretBytes(zeroed: count)) == Array(repeating: 0, count: count))
    let bytes = Randomness.bytes(count: count)
    let held = secret(bytes)
    #expect(held.count == count)
    #expect(array(held) == bytes)
    #expect(array(held.copy()) == bytes)
  }

  @Test
  func `Is filled in place, and a copy is independent`() {
    var original = SecretBytes(count: 4) { span in
      for index in 0..<4 {
        span.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self)
      }
    }
    let copy = original.copy()
    unsafe original.withUnsafeMutableBytes { unsafe $0[0] = 9 }
    #expect(array(original) == [9, 1, 2, 3])
    #expect(array(copy) == [0, 1, 2, 3])
    #expect(array(original.copy(1..<3)) == [1, 2])
  }

  @Test
  func `Bytes that fall away are wiped, not hidden`() {
    var bytes = secret(Array(1...32))
    bytes.resize(to: 8)
    // Within the allocation, past the count: what a careless reader would see.
    let tail = unsafe bytes.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress.unsafelyUnwrapped
      return unsafe Array(UnsafeRawBufferPointer(start: start + 8, count: 24))
    }
    #expect(tail == Array(repeating: 0, count: 24))
    bytes.resize(to: 32)
    #expect(array(bytes) == Array(1...8) + Array(repeating: 0, count: 24))
  }

  @Test(arguments: 0..<32)
  func `Equality looks at every byte`(index: Int) {
    let bytes = [UInt8](1...32)
    var other = bytes
    other[index] ^= 0x80
    #expect(equal(bytes, bytes))
    #expect(!equal(bytes, other))
    #expect(!equal(bytes, Array(bytes[..<index])))
  }

  private func equal(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    secret(first).isEqual(to: secret(second))
  }

  @Test
  func `Random bytes differ from one call to the next`() {
    let drawn = (0..<64).map { _ in array(SecretBytes.random(count: 32)) }
    #expect(Set(drawn).count == 64)
    #expect(Set((0..<64).map { _ in Randomness.bytes(count: 16) }).count == 64)
    // A source stuck on one value would show; 8192 random bytes hold nearly all 256.
    #expect(Set(drawn.joined()).count > 200)
  }

  @Test
  func `The memory is gone after destruction: reading it ends the process`() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      var address: UnsafeRawPointer?
      do {
        let bytes = secret([1, 2, 3])
        unsafe address = bytes.withUnsafeBytes { $0.baseAddress }
      }
      _ = unsafe address.unsafelyUnwrapped.load(as: UInt8.self)
    }
  }

  @Test
  func `Reading past the end ends the process`() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      let bytes = secret(Array(repeating: 1, count: 64))
      unsafe bytes.withUnsafeBytes { buffer in
        let start = unsafe buffer.baseAddress.unsafelyUnwrapped
        // The allocation is flush with the guard page behind it.
        _ = unsafe (start + 64).load(as: UInt8.self)
      }
    }
  }

  @Test
  func `Writing before the start ends the process when the memory is freed`() async {
    await #expect(processExitsWith: .failure) {
      let bytes = secret(Array(repeating: 1, count: 64))
      unsafe bytes.withUnsafeBytes { buffer in
        let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress.unsafelyUnwrapped)
        // Random bytes lie there: any fixed value would be the same byte once in 256 runs.
        let other = unsafe ~(start - 1).load(as: UInt8.self)
        unsafe (start - 1).storeBytes(of: other, as: UInt8.self)
      }
    }
  }

  /// Pages are used again: nothing of the last secret may be in them.
  @Test(arguments: [0, 1, 15, 16, 17, 64, 4079, 4080, 4081, 10_000])
  func `New memory is zero, aligned and whole, whatever was there before`(_ count: Int) {
    for _ in 0..<100 {
      let several = [0, count / 2, count, count].map { count in
        var bytes = SecretBytes(zeroed: count)
        #expect(array(bytes) == Array(repeating: 0, count: count))
        unsafe bytes.withUnsafeMutableBytes { buffer in
          for place in buffer.indices { unsafe buffer[place] = 0xFF }
        }
        return array(bytes)
      }
      #expect(several.allSatisfy { $0.allSatisfy { $0 == 0xFF } })
      let bytes = SecretBytes(zeroed: count)
      let address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      #expect(count > 4080 || address % 16 == 0)
    }
  }

  @Test
  func `Two secrets never share memory`() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<16 {
        group.addTask {
          for round in 0..<500 {
            let mine = UInt8(truncatingIfNeeded: task &* 31 &+ round)
            let first = secret(Array(repeating: mine, count: 32 + round % 100))
            let second = secret(Array(repeating: ~mine, count: 32 + task))
            await Task.yield()
            if !array(first).allSatisfy({ $0 == mine }) { return false }
            if !array(second).allSatisfy({ $0 == ~mine }) { return false }
          }
          return true
        }
      }
      for await isWhole in group { #expect(isWhole) }
    }
  }

  @Test
  func `The pages are kept out of core dumps, and locked where the limit allows`() throws {
    // One that was used before, as most are.
    do { _ = secret([1]) }
    let bytes = secret(Array(repeating: 1, count: 64))
    let address = unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    let flags = try #require(vmFlags(of: address))
    #expect(flags.contains("dd"), "dd: not dumped; the flags are \(flags)")
    var limit = rlimit()
    // RLIMIT_MEMLOCK, a macro that Swift does not import.
    unsafe getrlimit(__rlimit_resource_t(8), &limit)
    if limit.rlim_cur > 1 << 20 {
      #expect(flags.contains("lo"), "lo: locked; the flags are \(flags)")
    }
  }

  /// The VmFlags words of the mapping that holds `address`.
  private func vmFlags(of address: UInt) -> [Substring]? {
    var inside = false
    for line in procFile("/proc/self/smaps").split(separator: "\n") {
      if let range = line.split(separator: " ").first?.split(separator: "-"), range.count == 2,
        let low = UInt(range[0], radix: 16), let high = UInt(range[1], radix: 16)
      {
        inside = (low..<high).contains(address)
      } else if inside, line.hasPrefix("VmFlags:") {
        return line.dropFirst("VmFlags:".count).split(separator: " ")
      }
    }
    return nil
  }
}

/// The text of a file whose size is not known before it is read.
func procFile(_ path: String) -> String {
  let file = unsafe fopen(path, "r")
  guard let file = unsafe file else { return "" }
  defer { _ = unsafe fclose(file) }
  var text: [UInt8] = []
  while case let next = unsafe fgetc(file), next != EOF { text.append(UInt8(next)) }
  return String(decoding: text, as: UTF8.self)
}

@Suite("SHA256")
struct SHA256ResidueTests {
  @Test
  func `A hash that is given up leaves nothing of its message where it was`() {
    let message = SecretBytes.random(count: 40)
    let place = UnsafeMutablePointer<SHA256>.allocate(capacity: 1)
    unsafe place.initialize(to: SHA256())
    message.withBytes { unsafe place.pointee.update($0) }
    unsafe place.deinitialize(count: 1)
    let size = MemoryLayout<SHA256>.size
    let left = unsafe Array(UnsafeRawBufferPointer(start: place, count: size))
    unsafe place.deallocate()
    let piece = Array(array(message).prefix(16))
    #expect(!left.indices.contains { left[$0...].starts(with: piece) })
  }

  @Test
  func `A message in pieces leaves none of its blocks in memory`() throws {
    for needle in digested() { #expect(try MemoryScan.count(needle) == 0) }
  }

  /// The first and the last blocks of a message that was digested, also as words of this processor.
  private func digested() -> [Needle] {
    let message = SecretBytes.random(count: 64 * 1000 + 40)
    var hash = SHA256()
    message.withBytes { hash.update($0) }
    _ = hash.finalize()
    return [0, 64 * 999, 64 * 1000].flatMap { start in
      let block = message.copy(start..<start + 32)
      var words = SecretBytes(zeroed: 32)
      for place in 0..<32 {
        let byte = block.withBytes {
          unsafe $0.unsafeLoad(fromByteOffset: place ^ 3, as: UInt8.self)
        }
        words.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
      }
      return [block.withBytes { Needle($0) }, words.withBytes { Needle($0) }]
    }
  }
}

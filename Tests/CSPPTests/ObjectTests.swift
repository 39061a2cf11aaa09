import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import CSPP

@Suite("Objects")
struct ObjectTests {
  /// A sealed object, with its secrets in the open.
  struct Made {
    var bytes: [UInt8]
    let name: Digest
    let key: [UInt8]
    let size: UInt64
    let content: Digest
  }

  /// Seals contents in pieces of a size.
  private func seal(_ contents: [UInt8], pieces: Int = 10_000) throws -> Made {
    var sealer = ObjectSealer(hedge: .random(count: 32), expecting: digest(contents))
    var (output, bytes): ([UInt8], [UInt8]) = ([], [])
    for start in stride(from: 0, to: contents.count, by: pieces) {
      let piece = Array(contents[start..<min(start + pieces, contents.count)])
      try unsafe sealer.seal(piece.span.bytes, into: &output)
      bytes += output
    }
    while sealer.finish(into: &output) { bytes += output }
    #expect(output.isEmpty && !sealer.finish(into: &output))
    let object = try sealer.result()
    return Made(
      bytes: bytes, name: object.name, key: object.key.revealed, size: object.size,
      content: object.content)
  }

  private func open(_ made: Made) throws(CSPPError) -> [UInt8] {
    var opener = try ObjectOpener(
      name: made.name, key: secret(made.key), size: made.size, content: made.content)
    var (contents, place) = ([UInt8](), 0)
    var bytes = SecretBytes(zeroed: 0)
    while opener.nextCount > 0 {
      let end = min(place + opener.nextCount, made.bytes.count)
      let piece = Array(made.bytes[place..<end])
      try unsafe opener.open(piece.span.bytes, into: &bytes)
      contents += bytes.revealed
      place = end
    }
    try opener.finish()
    return contents
  }

  private func refused(_ made: Made) -> CSPPError? {
    refusal { () throws(CSPPError) in _ = try open(made) }
  }

  @Test(arguments: [
    0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 300_000,
  ])
  func `Contents of any size come back, and the object's size tells only a range`(size: Int) throws
  {
    var random = SeededGenerator(seed: UInt64(size))
    let contents = random.bytes(size)
    for pieces in [65_536, 7777, 100_001] {
      let made = try seal(contents, pieces: pieces)
      #expect(made.size == UInt64(size) && made.content == digest(contents))
      #expect(made.name == digest(made.bytes))
      #expect(UInt64(made.bytes.count) == ObjectFormat.objectSize(of: UInt64(size)))
      #expect(try open(made) == contents)
    }
  }

  @Test
  func `Padding is Padmé with a floor of 4 KiB, and at most 12 percent`() throws {
    let pairs = try #require(Vectors.sealed("padding")["padme"] as? [[NSNumber]])
    #expect(pairs.count == 20)
    for pair in pairs {
      #expect(Padding.padme(pair[0].uint64Value) == pair[1].uint64Value, "\(pair[0])")
    }
    for size in UInt64(4096)...200_000 {
      let padded = Padding.padme(size)
      #expect(padded >= size && padded - size <= size * 12 / 100)
    }
    #expect(
      [0, 1, 4095, 4096].map(Padding.powerOfTwo) == [4096, 4096, 4096, 4096]
        && [4097, 8192, 8193].map(Padding.powerOfTwo) == [8192, 8192, 16384])
  }

  @Test
  func `Changed, cut and grown objects, and another description, are refused`() throws {
    let contents = [UInt8](repeating: 0xAB, count: 70_000)
    let good = try seal(contents)
    #expect(refused(good) == nil)
    for place in stride(from: 0, to: good.bytes.count, by: 997) {
      var changed = good
      changed.bytes[place] ^= 4
      #expect(refused(changed) == .authenticationFailed, "byte \(place)")
    }
    for count in [0, 23, 24, 25, 65_577, good.bytes.count - 1] {
      var cut = good
      cut.bytes.removeLast(cut.bytes.count - count)
      #expect(refused(cut) == .truncated)
    }
    func with(name: Digest? = nil, key: [UInt8]? = nil, size: UInt64? = nil, content: Digest? = nil)
      -> CSPPError?
    {
      refused(
        Made(
          bytes: good.bytes, name: name ?? good.name, key: key ?? good.key, size: size ?? good.size,
          content: content ?? good.content))
    }
    #expect(with(name: digest([])) == .contradictsPlace("object"))
    #expect(with(key: [UInt8](repeating: 0, count: 32)) == .authenticationFailed)
    #expect(with(key: [1]) == .invalidField("key"))
    #expect(with(content: digest([])) == .invalidField("content"))
    #expect(with(size: 69_999) == .invalidField("content"))
    #expect(with(size: 1) == .authenticationFailed)
    #expect(with(size: 65_000) == .invalidField("object"))
    #expect(with(size: 140_000) == .truncated)
    #expect(with(size: SizeLimits.file + 1) == .invalidField("size"))
    // The wrong key of empty contents: the digests alone would not tell.
    let empty = try seal([])
    var opener = try ObjectOpener(
      name: empty.name, key: SecretBytes(zeroed: 32), size: 0, content: empty.content)
    var bytes = SecretBytes(zeroed: 0)
    let (head, tail) = (Array(empty.bytes.prefix(24)), Array(empty.bytes.dropFirst(24)))
    try unsafe opener.open(head.span.bytes, into: &bytes)
    do throws(CSPPError) {
      try unsafe opener.open(tail.span.bytes, into: &bytes)
      Issue.record("another key")
    } catch {
      #expect(error == .authenticationFailed && opener.nextCount == 0)
    }
    let end: CSPPError?
    do throws(CSPPError) {
      try opener.finish()
      end = nil
    } catch {
      end = error
    }
    #expect(end == .truncated)
  }

  @Test
  func `An end in the wrong place is noticed`() throws {
    // A stream whose first chunk is its last, then more: no object of this size.
    let key = SecretBytes.random(count: 32)
    for lasts in [[true, true], [false, false]] {
      var stream = try SecretStreamSealer(key: key)
      var bytes = stream.header
      let contents = [UInt8](repeating: 1, count: 131_072)
      for (place, isLast) in lasts.enumerated() {
        let chunk = Array(contents[place * 65_536..<(place + 1) * 65_536])
        unsafe stream.seal(chunk.span.bytes, isLast: isLast, onto: &bytes)
      }
      let made = Made(
        bytes: bytes, name: digest(bytes), key: key.revealed, size: 131_072,
        content: digest(contents))
      #expect(refused(made) == .invalidField("object"))
    }
  }

  @Test
  func `Objects that Python made, with independent code`() throws {
    let objects = try Vectors.sealed("objects").list("objects")
    #expect(objects.count == 8)
    var opened = 0
    for object in objects {
      let size = try object.number("size")
      #expect(try ObjectFormat.objectSize(of: size) == object.number("object_size"))
      guard object["bytes"] != nil else { continue }
      let made = Made(
        bytes: try object.base64("bytes"), name: try object.id("object"),
        key: bytes(hex: try object.string("key")), size: size, content: try object.id("content"))
      let contents = try open(made)
      #expect(UInt64(contents.count) == size && digest(contents) == made.content)
      opened += 1
    }
    #expect(opened == 4)
  }

  @Test
  func `Each object has its own key`() throws {
    #expect(try seal([1]).key != seal([1]).key && seal([1]).name != seal([1]).name)
  }

  @Test
  func `A repeated random number gives two contents two keys`() throws {
    func key(_ contents: [UInt8], _ random: UInt8, _ seed: UInt8 = 1) throws -> [UInt8] {
      var sealer = ObjectSealer(
        hedge: secret([UInt8](repeating: seed, count: 32)), expecting: digest(contents),
        random: secret([UInt8](repeating: random, count: 32)))
      var output: [UInt8] = []
      try unsafe sealer.seal(contents.span.bytes, into: &output)
      while sealer.finish(into: &output) {}
      return try sealer.result().key.revealed
    }
    let first = try key([1], 7)
    #expect(try key([1], 7) == first)
    #expect(try key([2], 7) != first)
    #expect(try key([1], 8) != first)
    #expect(try key([1], 7, 2) != first)
  }

  @Test
  func `The key of an object as Python derives it`() throws {
    let vector = try Vectors.sealed("objects").object("object_key")
    var sealer = ObjectSealer(
      hedge: try secret(hex: vector.string("seed")), expecting: try vector.id("content"),
      random: try secret(hex: vector.string("random")))
    var output: [UInt8] = []
    let contents = try bytes(hex: vector.string("contents"))
    try unsafe sealer.seal(contents.span.bytes, into: &output)
    while sealer.finish(into: &output) {}
    #expect(try Hex.string(sealer.result().key.revealed) == vector.string("key"))
  }

  @Test
  func `Contents that changed while they were read give no object`() throws {
    func finish(_ contents: [UInt8]) throws -> UInt64 {
      var sealer = ObjectSealer(hedge: secret([1]), expecting: digest([1, 2, 3]))
      var output: [UInt8] = []
      try unsafe sealer.seal(contents.span.bytes, into: &output)
      while sealer.finish(into: &output) {}
      return try sealer.result().size
    }
    #expect(try finish([1, 2, 3]) == 3)
    for changed in [[1, 2], [1, 2, 3, 0], [1, 2, 4], []] as [[UInt8]] {
      #expect(throws: CSPPError.invalidField("content")) { try finish(changed) }
    }
  }

  @Test func `A sum of claimed sizes never overflows`() {
    #expect(([1, 2, 3] as [UInt64]).sumOfClaims() == 6)
    #expect([UInt64]().sumOfClaims() == 0)
    #expect([UInt64.max].sumOfClaims() == SizeLimits.file)
    #expect([UInt64](repeating: .max, count: 1 << 23).sumOfClaims() == 1 << 62)
  }
}

import SecretMemory
import TestSupport
import Testing

/// libsodium's `crypto_secretstream_xchacha20poly1305`.
@Suite("Secret streams")
struct SecretStreamTests {
  struct Case: Decodable {
    struct Chunk: Decodable { let message, sealed: String }
    let key, header: String
    let chunks: [Chunk]
  }

  /// The messages, and whether the last chunk was marked.
  private func open(
    _ chunks: [[UInt8]], _ header: [UInt8], _ key: [UInt8]
  ) throws(SecretMemoryError) -> (messages: [[UInt8]], isWhole: Bool) {
    var opener = try SecretStreamOpener(header: header, key: secret(key))
    var message = SecretBytes(zeroed: 0)
    var (messages, isLast) = ([[UInt8]](), false)
    for chunk in chunks {
      do throws(SecretMemoryError) {
        isLast = try unsafe opener.open(chunk.span.bytes, into: &message)
      } catch {
        #expect(array(message).isEmpty)
        throw error
      }
      messages.append(array(message))
    }
    return (messages, isLast)
  }

  private func seal(_ messages: [[UInt8]], _ key: [UInt8]) throws -> ([UInt8], [[UInt8]]) {
    var sealer = try SecretStreamSealer(key: secret(key))
    let chunks = messages.enumerated().map { place, message in
      var chunk: [UInt8] = []
      unsafe sealer.seal(message.span.bytes, isLast: place == messages.count - 1, onto: &chunk)
      return chunk
    }
    return (sealer.header, chunks)
  }

  @Test func `Streams that another program made`() throws {
    let cases = try vectors("secretstream", of: Case.self)
    #expect(cases.count == 4)
    for vector in cases {
      let chunks = try vector.chunks.map { try bytes($0.sealed) }
      let opened = try open(chunks, bytes(vector.header), bytes(vector.key))
      #expect(opened.messages.map(hex) == vector.chunks.map(\.message) && opened.isWhole)
    }
  }

  @Test func `There and back, with empty chunks`() throws {
    var random = SeededGenerator(seed: 77)
    for count in 1..<20 {
      let key = random.bytes(32)
      let messages = (0..<count).map { _ in random.bytes(upTo: 300) }
      let (header, chunks) = try seal(messages, key)
      let opened = try open(chunks, header, key)
      #expect(opened.messages == messages && opened.isWhole)
      #expect(zip(messages, chunks).allSatisfy { $1.count == $0.count + 17 })
      #expect(try !open(Array(chunks.dropLast()), header, key).isWhole)
    }
  }

  @Test func `Changed, exchanged, repeated and left-out chunks, another key and header`() throws {
    let key = [UInt8](repeating: 5, count: 32)
    let messages = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] as [[UInt8]]
    let (header, chunks) = try seal(messages, key)
    func refused(_ chunks: [[UInt8]], _ header: [UInt8], _ key: [UInt8]) -> Bool {
      do {
        _ = try open(chunks, header, key)
        return false
      } catch {
        return error == .authenticationFailed
      }
    }
    #expect(!refused(chunks, header, key))
    for place in chunks[0].indices {
      var changed = chunks
      changed[0][place] ^= 0x20
      #expect(refused(changed, header, key))
    }
    #expect(refused([chunks[1], chunks[0], chunks[2]], header, key))
    #expect(refused([chunks[0], chunks[0]], header, key))
    #expect(refused([chunks[0], chunks[2]], header, key))
    #expect(refused([chunks[0] + [0]], header, key))
    #expect(refused([Array(chunks[0].prefix(16))], header, key) && refused([[]], header, key))
    var other = header
    other[23] ^= 1
    #expect(refused(chunks, other, key))
    #expect(refused(chunks, header, [UInt8](repeating: 6, count: 32)))
    #expect(throws: SecretMemoryError.self) { try open(chunks, [1], key) }
    #expect(throws: SecretMemoryError.self) { try open(chunks, header, [1]) }
    #expect(throws: SecretMemoryError.self) { try seal(messages, [1]) }
  }

  @Test func `A tag that no sealer here gives is refused`() throws {
    struct Tagged: Decodable { let key, header, sealed: String }
    for vector in try vectors("secretstream-tags", of: Tagged.self) {
      #expect(throws: SecretMemoryError.invalidParameter("tag")) {
        try open([bytes(vector.sealed)], bytes(vector.header), bytes(vector.key))
      }
    }
  }
}

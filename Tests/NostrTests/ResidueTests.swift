import SecretMemory
import TestSupport
import Testing

@testable import Nostr

/// No part of a secret key is left in this process's memory once its guarded copies are gone.
///
/// That covers its bytes, their digits and the nsec.
@Suite(.serialized) struct ResidueTests {
  @Test func `The scan finds what is there`() throws {
    let kept = SecretBytes.random(count: 32)
    #expect(try MemoryScan.count(kept.withBytes { Needle($0) }) > 0)
  }

  @Test func `Deriving, signing and encoding leave nothing`() throws {
    for needle in try use() { #expect(try MemoryScan.count(needle) == 0) }
  }

  /// Uses a random key in every way, and returns the bytes to look for afterwards.
  private func use() throws -> [Needle] {
    let output = SecretBytes.random(count: 32)
    let key = try NostrSecretKey(prfOutput: output)
    let nsec = NIP19.nsec(key)
    let decoded = try nsec.withBytes { (text) throws(NostrError) in try NIP19.decode(text) }
    switch consume decoded {
    case .secretKey(let back):
      let same = back.publicKey == key.publicKey
      #expect(same)
    case .publicKey: Issue.record("an nsec is no public key")
    }
    let json = Array(#"{"kind":1,"content":"x"}"#.utf8)
    let event = try unsafe NostrEvent(parsing: json.span.bytes)
    _ = try event.signed(by: key, at: 0)
    return [
      output.withBytes { Needle($0) }, key.withBytes { Needle($0) },
      nsec.withBytes { Needle($0.extracting(5..<40)) },
      // The curve library's scalars: four words, the least significant first.
      reversed(key).withBytes { Needle($0) },
    ]
  }

  private func reversed(_ key: borrowing NostrSecretKey) -> SecretBytes {
    let bytes = key.copyBytes()
    return SecretBytes(count: 32) { span in
      for index in 0..<32 {
        let byte = bytes.withBytes {
          unsafe $0.unsafeLoad(fromByteOffset: 31 - index, as: UInt8.self)
        }
        span.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
  }
}

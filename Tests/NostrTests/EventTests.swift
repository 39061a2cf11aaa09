import Foundation
import SecretMemory
import Testing

@testable import Nostr

struct EventTests {
  private func key(_ byte: UInt8 = 3) throws(NostrError) -> NostrSecretKey {
    try NostrSecretKey(secret([UInt8](repeating: byte, count: 32)))
  }

  private func event(_ json: String) throws(NostrError) -> NostrEvent {
    let bytes = Array(json.utf8)
    return try unsafe NostrEvent(parsing: bytes.span.bytes)
  }

  @Test func `A signed event's ID is the hash NIP-01 says, and the signature holds`() throws {
    let key = try key()
    let json = #"{"kind":1,"content":"a\u00e9\"\\\n\t\r\b\f/ \u2028","tags":[["e","x"],[]]}"#
    let signed = try event(json).signed(by: key, at: 1_700_000_000)
    struct Signed: Decodable {
      let id, pubkey, content, sig: String
      let kind: Int
      let createdAt: Int
      let tags: [[String]]
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let read = try decoder.decode(Signed.self, from: Data(signed.utf8))
    #expect(read.pubkey == key.publicKey.hex)
    #expect(read.kind == 1)
    #expect(read.createdAt == 1_700_000_000)
    #expect(read.tags == [["e", "x"], []])
    #expect(read.content == "aé\"\\\n\t\r\u{8}\u{c}/ \u{2028}")
    let hashed =
      "[0,\"\(read.pubkey)\",1700000000,1,[[\"e\",\"x\"],[]],"
      + #""aé\"\\\n\t\r\b\f/ "# + "\u{2028}\"]"
    #expect(read.id == Hex.string(SHA256.hash(Array(hashed.utf8))))
    #expect(key.publicKey.verifies(signature: unhex(read.sig), of: unhex(read.id)))
  }

  @Test func `Its own time and key are kept, another's key is refused`() throws {
    let key = try key()
    let own = #"{"kind":0,"content":"","created_at":5,"pubkey":"\#(key.publicKey.hex)"}"#
    #expect(try event(own).signed(by: key, at: 9).contains("\"created_at\":5,"))
    let other = try self.key(4).publicKey.hex
    let foreign = try event(#"{"kind":0,"content":"","pubkey":"\#(other)"}"#)
    #expect(throws: NostrError.otherPublicKey) { try foreign.signed(by: key, at: 9) }
  }

  static let wrong = [
    "", "[]", "{}", #"{"kind":1}"#, #"{"content":"x"}"#, #"{"kind":65536,"content":""}"#,
    #"{"kind":-1,"content":""}"#, #"{"kind":1.5,"content":""}"#, #"{"kind":"1","content":""}"#,
    #"{"kind":1,"content":null}"#, #"{"kind":1,"content":"","tags":{}}"#,
    #"{"kind":1,"content":"","tags":["x"]}"#, #"{"kind":1,"content":"","tags":[["x",1]]}"#,
    #"{"kind":1,"content":"","tags":[[null]]}"#, #"{"kind":1,"content":"","created_at":-1}"#,
    #"{"kind":1,"content":"","pubkey":"00"}"#, #"{"kind":1,"kind":1,"content":""}"#,
    #"{"kind":1,"content":"","sig":"00"}"#, #"{"kind":1,"content":"","id":"00"}"#,
    #"{"kind":1,"content":"","note":"x"}"#, #"{"kind":1,"content":"\ud800"}"#,
    #"{"kind":1,"content":""} x"#,
  ]

  @Test(arguments: wrong)
  func `Anything else is refused`(_ json: String) {
    #expect(throws: NostrError.self) { _ = try event(json) }
  }

  @Test func `Control characters without a spelling of their own are not signed`() throws {
    let key = try key()
    let odd = try event(#"{"kind":1,"content":"\u0001"}"#)
    #expect(throws: NostrError.self) { try odd.signed(by: key, at: 0) }
  }
}

import CSPP
import GuardProtocol

/// The messages between a client and a guard: any bytes, given to the reader of every one.
///
/// What one accepts, it writes again; that has to be read as the same message.
enum GuardTarget {
  static func run(_ bytes: [UInt8]) -> Bool {
    let accepted = [
      read(AccountRequest.self, bytes), read(CounterRequest.self, bytes),
      read(EvaluateRequest.self, bytes), read(ReleaseRequest.self, bytes),
      read(CollectRequest.self, bytes), read(VetoRequest.self, bytes),
      read(CreateAccountRequest.self, bytes), read(CreateAccountAnswer.self, bytes),
      read(EvaluateAnswer.self, bytes), read(ReleaseAnswer.self, bytes),
      read(CollectAnswer.self, bytes), read(AccountAnswer.self, bytes),
      read(RefusalAnswer.self, bytes), read(GuardInfo.self, bytes), headers(bytes),
    ]
    return accepted.contains(true)
  }

  private static func read<Message: GuardMessage>(_: Message.Type, _ bytes: [UInt8]) -> Bool {
    guard let message = try? unsafe Message(parsing: bytes.span.bytes) else { return false }
    let body = message.body
    must(body.count <= GuardCall.maximumBodySize, "a body that no guard reads")
    guard let again = try? unsafe Message(parsing: body.span.bytes) else {
      must(false, "a body that cannot be read again")
      return true
    }
    must(again == message, "another message")
    must(again.body == body, "another body")
    return true
  }

  /// The two headers: the first 64 characters, and the rest.
  private static func headers(_ bytes: [UInt8]) -> Bool {
    let key = String(decoding: bytes.prefix(64), as: UTF8.self)
    let text = String(decoding: bytes.dropFirst(64), as: UTF8.self)
    guard let signature = try? GuardSignature(key: key, signature: text) else { return false }
    must(signature.key.hex == key && signature.signatureText == text, "another signature")
    // It is nobody's: no seed was near.
    must(
      (try? signature.verify(.status, body: [], guardID: GuardID(words: .zero))) == nil, "forged")
    return true
  }

  /// A body of each kind.
  static let seeds: [String] = {
    let id = String(repeating: "1f", count: 32)
    let point = "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"
    // The public keys of RFC 8032, tests 1 and 2.
    let reset = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    let owner = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    // RFC 7748, section 6.1.
    let session = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    let keys = #""reset_key":"\#(reset)","owner_key":"\#(owner)""#
    let one = "01" + String(repeating: "00", count: 31)
    let proof = one + one
    return [
      #"{"account":"\#(id)"}"#, #"{"account":"\#(id)","counter":7}"#,
      // Refused: twice, and null.
      #"{"account":"\#(id)","account":"\#(id)"}"#, #"{"account":null}"#,
      #"{"account":"\#(id)","counter":7,"element":"\#(point)"}"#,
      #"{"account":"\#(id)","id_token":"a.b.c","session_key":"\#(session)"}"#,
      #"{"account":"\#(id)","session_key":"\#(session)"}"#,
      #"{"account":"\#(id)","release_id":"\#(id.prefix(32))"}"#,
      #"{"invite":"abc",\#(keys),"kind":"pin","schedule":"pin"}"#,
      #"{\#(keys),"kind":"login","key_id":"\#(id.prefix(32))","client_id":"c","delay":86400,"#
        + #""id_token":"a.b.c","session_key":"\#(session)"}"#,
      #"{"account":"\#(id)","counter":0,"oprf_key":"\#(point)"}"#,
      #"{"account":"\#(id)","counter":0,"sealed":"\#(String(repeating: "ab", count: 80))"}"#,
      #"{"counter":1,"element":"\#(point)","proof":"\#(proof)","tries_left":19,"not_before":5}"#,
      #"{"release_id":"\#(id.prefix(32))","start":1,"not_before":2,"end":3}"#,
      #"{"sealed":"\#(String(repeating: "ab", count: 80))"}"#,
      #"{"counter":1,"state":"confirmed","tries_left":20,"not_before":5}"#,
      #"{"counter":1,"state":"retired","releases":[{"release_id":"\#(id.prefix(32))","start":1,"#
        + #""not_before":2,"end":3}]}"#,
      #"{"error":"counter","counter":4}"#, #"{"error":"too_early","not_before":4}"#,
      #"{"error":"unknown"}"#,
      #"{"guard_key":"\#(reset)","urls":["https://g.example"],"suite":"ristretto255-SHA512","#
        + #""schedules":["pin","password"],"issuers":[]}"#,
      reset + String(repeating: "11", count: 64),
    ]
  }()
}

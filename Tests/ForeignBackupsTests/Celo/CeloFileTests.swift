import Foundation
import SecretMemory
import Testing

@testable import ForeignBackups

/// Reading files: what is refused, with which part, and what is allowed.
struct CeloFileTests {
  private static let data = Base64.string([UInt8](repeating: 1, count: 28), .standard)
  private static let nonce = Base64.string([UInt8](repeating: 2, count: 32), .standard)

  /// A file with these fields beside the required ones.
  private static func file(_ fields: String, version: String = #""0.0.1""#) -> String {
    #"{"encryptedData":"\#(data)","nonce":"\#(nonce)","version":\#(version)\#(fields)}"#
  }

  private static func scrypt(_ fields: String) -> String {
    file(#","computationalHardening":{"function":"scrypt",\#(fields)}"#)
  }

  private static func domain(_ stage: String) -> String {
    file(
      #","odisDomain":{"name":"ODIS Sequential Delay Domain","version":"1","stages":[\#(stage)],"address":{"defined":false,"value":""},"salt":{"defined":false,"value":""}}"#
    )
  }

  private static let optional = #"{"defined":true,"value":1}"#
  private static let stage =
    #"{"delay":0,"resetTimer":{"defined":true,"value":true},"batchSize":\#(optional),"repetitions":\#(optional)}"#

  @Test(arguments: [
    ("", "the file (it is empty)"), ("  \n", "the file (it is empty)"),
    ("[]", "the file (it is no JSON object)"), ("{} x", "the file's JSON at byte 4"),
    (#"{"version":"0.0.1""#, "the end of the file (it is cut off)"),
    (#"{"a":"# + String(repeating: "[", count: 100), "the file's JSON (it is nested too deep)"),
    (file("", version: "1"), "the field version"),
    (file(#","nonce":"""#), "the field nonce (it is there twice)"),
    (file(#","metadata":[]"#), "the field metadata"),
    (file(#","metadata":null"#), "the field metadata"),
    (file(#","encryptedFuseKey":"""#), "the field encryptedFuseKey"),
    (file(#","encryptedFuseKey":"AA=""#), "the field encryptedFuseKey"),
    (file(#","environment":1"#), "the field environment"),
    (file(#","environment":{"odis":1}"#), "the field environment.odis"),
    (
      file(#","environment":{"odis":{"odisUrl":1,"odisPubKey":""}}"#),
      "the field environment.odis.odisUrl"
    ),
    (file(#","computationalHardening":null"#), "the field computationalHardening"),
    (scrypt(#""cost":1"#), "the field computationalHardening.cost"),
    (scrypt(#""cost":1000"#), "the field computationalHardening.cost"),
    (scrypt(#""cost":1024.0"#), "the field computationalHardening.cost"),
    (scrypt(#""cost":-1024"#), "the field computationalHardening.cost"),
    (scrypt(#""cost":"1024""#), "the field computationalHardening.cost"),
    (scrypt(#""cost":65536,"blockSize":1"#), "the field computationalHardening.cost"),
    (scrypt(#""cost":1024,"blockSize":0"#), "the field computationalHardening.blockSize"),
    (
      scrypt(#""cost":1024,"parallelization":0"#),
      "the field computationalHardening.parallelization"
    ),
    (
      file(#","computationalHardening":{"function":"pbkdf2_sha256","iterations":0}"#),
      "the field computationalHardening.iterations"
    ),
    (domain("1"), "the field odisDomain.stages[0]"),
    (domain(stage + ",1"), "the field odisDomain.stages[1]"),
    (
      domain(stage.replacing(#""delay":0"#, with: #""delay":9007199254740992"#)),
      "the field odisDomain.stages[0].delay"
    ),
    (
      domain(stage.replacing(#""value":true"#, with: #""value":1"#)),
      "the field odisDomain.stages[0].resetTimer.value"
    ),
    (
      domain(stage).replacing(
        #""address":{"defined":false,"value":""}"#, with: #""address":{"defined":true,"value":""}"#
      ), "the field odisDomain.address"
    ),
    (
      domain(stage).replacing(
        #""address":{"defined":false,"value":""}"#,
        with: #""address":{"defined":true,"value":"0x0000000000000000000000000000000000000001"}"#),
      "the field nonce or odisDomain.address (the one does not give the other)"
    ),
  ])
  func `What is damaged is named`(file: String, part: String) {
    #expect(refusal(of: file) == .damaged(part: part))
  }

  @Test(arguments: [
    ("{}", "the field version"), (#"{"version":"0.0.1"}"#, "the field encryptedData"),
    (#"{"version":"0.0.1","encryptedData":"\#(data)"}"#, "the field nonce"),
    (
      file(#","computationalHardening":{"function":"scrypt"}"#),
      "the field computationalHardening.cost"
    ),
    (
      file(#","environment":{"circuitBreaker":{"url":"x"}}"#),
      "the field environment.circuitBreaker.publicKey"
    ),
    (domain("{}"), "the field odisDomain.stages[0].delay"),
  ])
  func `What is missing is named`(file: String, part: String) {
    #expect(refusal(of: file) == .missing(part: part))
  }

  @Test(arguments: [
    (file("", version: #""0.0.2""#), "the field version"),
    (
      file(#","computationalHardening":{"function":"argon2"}"#),
      "the field computationalHardening.function"
    ),
    (domain("").replacing("Sequential", with: "Other"), "the field odisDomain.name"),
    (domain("").replacing(#""1""#, with: #""2""#), "the field odisDomain.version"),
  ])
  func `What is of another kind is named`(file: String, part: String) {
    #expect(refusal(of: file) == .unsupported(part: part))
  }

  @Test(arguments: [
    (scrypt(#""cost":4194304"#), "memory", 512 << 20),
    (scrypt(#""cost":4503599627370496"#), "memory", 512 << 20),
    (scrypt(#""cost":2,"blockSize":9007199254740991"#), "memory", 512 << 20),
    (scrypt(#""cost":65536,"parallelization":65536"#), "work", 1 << 25),
    (
      file(#","computationalHardening":{"function":"pbkdf2_sha256","iterations":10000001}"#),
      "iterations", 10_000_000
    ),
    (
      domain([String](repeating: stage, count: 1025).joined(separator: ",")), "stages", 1024
    ),
    (String(repeating: " ", count: CeloBackup.sizeLimit + 1), "file", 4 << 20),
  ])
  func `Costs and sizes over their limits are refused unread`(
    file: String, word: String, limit: Int
  ) {
    guard case .tooLarge(let part, limit)? = refusal(of: file) else {
      Issue.record("\(String(describing: refusal(of: file)))")
      return
    }
    #expect(part.contains(word))
  }

  @Test func `What is at its limits is read`() {
    #expect(refusal(of: Self.scrypt(#""cost":262144,"blockSize":15"#)) == nil)
    #expect(refusal(of: Self.scrypt(#""cost":32768,"parallelization":128"#)) == nil)
    #expect(refusal(of: Self.scrypt(#""cost":32768,"blockSize":1"#)) == nil)
    let stages = [String](repeating: Self.stage, count: 1024).joined(separator: ",")
    #expect(refusal(of: Self.domain(stages)) == nil)
    #expect(refusal(of: Self.file(#","later":{"x":[1]},"metadata":{"a":1}"#)) == nil)
  }

  @Test func `The costs of Celo's own password profile are computed here, and fail there`() throws {
    let theirs = CeloHardening.scrypt(cost: 32768, blockSize: 8, parallelization: 1)
    #expect(theirs.memory == 33_557_504 && !theirs.opensOnNode)
    #expect(CeloHardening.standard.opensOnNode)
    #expect(CeloHardening.pbkdf2(iterations: 1).opensOnNode)
    let vectors = try CeloVectors()
    let data = try open(vectors.oneCase("only scrypt 32768").backup(), vectors.password)
    #expect(data == vectors.data)
  }

  @Test func `A file that nothing hardens is opened only when that is allowed`() throws {
    let vectors = try CeloVectors()
    let file = try String(decoding: vectors.oneCase("pbkdf2").file, as: UTF8.self)
    let bare = Array(
      file.replacing(
        #""computationalHardening":{"function":"pbkdf2_sha256","iterations":10000},"#, with: ""
      ).utf8)
    let backup = try unsafe CeloBackup(parsing: bare.span.bytes)
    #expect(!backup.isHardened)
    #expect(
      refusal { () throws(ForeignBackupError) in _ = try open(backup, vectors.password) }
        == .unhardened)
    // Its data was sealed with the hardening, which shows only now.
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try open(backup, vectors.password, allowsUnhardened: true)
      } == .wrongSecret(part: "the password"))
  }

  @Test func `Unknown fields do no harm and are named`() throws {
    let file = Array(Self.file(#","odisDomaim":{},"x\ny":1"#).utf8)
    let backup = try unsafe CeloBackup(parsing: file.span.bytes)
    #expect(backup.unknownFields == ["odisDomaim", "x\ny"])
  }

  @Test func `Escaped slashes in base64 are slashes`() throws {
    let data = [UInt8](repeating: 0xFF, count: 28)
    let text = Base64.string(data, .standard).replacing("/", with: #"\/"#)
    let file = Array(
      #"{"encryptedData":"\#(text)","nonce":"\#(Self.nonce)","version":"0.0.1"}"#.utf8)
    #expect(text.contains(#"\/"#))
    #expect(try unsafe CeloBackup(parsing: file.span.bytes).encryptedData == data)
  }

  @Test func `What is written is read as the same`() throws {
    for item in try CeloVectors().cases {
      let backup = try item.backup()
      let text = Array(backup.json.utf8)
      #expect(try unsafe CeloBackup(parsing: text.span.bytes) == backup)
    }
  }
}

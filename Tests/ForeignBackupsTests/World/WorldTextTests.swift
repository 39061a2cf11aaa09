import SecretMemory
import Testing

@testable import ForeignBackups

/// The JSON around an archive: the root secret and the server's metadata.
struct WorldTextTests {
  private func rootError(_ text: String) -> ForeignBackupError? {
    do throws(ForeignBackupError) {
      _ = try rootSecret(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `A root secret that is none is refused`() {
    let key = String(repeating: "ab", count: 32)
    let damaged = ForeignBackupError.damaged(part: "the root secret")
    for text in [
      "", "{}", "[]", #"{"version":"V1"}"#, #"{"key":"\#(key)"}"#,
      #"{"version":"V1","key":12}"#, #"{"version":"V1","version":"V1","key":"\#(key)"}"#,
      #"{"version":"V1","key":"\#(key)"}x"#, #"{"version":1,"key":"\#(key)"}"#,
    ] { #expect(rootError(text) == damaged, "\(text)") }
    for wrong in [String(key.dropLast()), key + "00", String(repeating: "g", count: 64), ""] {
      #expect(
        rootError(#"{"version":"V1","key":"\#(wrong)"}"#)
          == .damaged(part: "the key of the root secret"))
    }
    #expect(
      rootError(#"{"version":"V2","key":"\#(key)"}"#)
        == .unsupported(part: "the root secret, by its version,"))
    let long = String(repeating: " ", count: WorldLimits.rootSecret) + "{}"
    #expect(
      rootError(long) == .tooLarge(part: "the root secret, in bytes,", limit: 64 << 10))
  }

  @Test func `The key of a root secret V0 is any text, with its escapes resolved`() throws {
    func id(_ key: String) throws -> String {
      try rootSecret(#"{"version":"V0","key":"\#(key)"}"#).accountKey().id
    }
    #expect(try id("\\u00e9") == id("é"))
    #expect(try id("é") != id("e"))
    #expect(try id("").hasPrefix("backup_account_0"))
  }

  private let box = String(repeating: "ab", count: 80)

  @Test func `Metadata is read, also inside an answer of the server`() throws {
    let hash = String(repeating: "cd", count: 32)
    let text = #"""
      {"id":"backup_account_02","factors":[{"kind":{}}],"syncFactors":[],"manifestHash":"\#(hash)",
      "keys":[{"kind":"PRF","encryptedKey":"\#(box)"},{"kind":"NEW","encryptedKey":"\#(box)"},
      {"kind":"TURNKEY","encryptedKey":"\#(box)","turnkeyAccountId":"x"}]}
      """#
    for whole in [text, #"{"backup":"QUJD","metadata":\#(text)}"#] {
      let metadata = try readMetadata(whole)
      #expect(metadata.accountID == "backup_account_02")
      #expect(metadata.manifestHash.map(Hex.string) == hash)
      #expect(metadata.keys.map(\.kind) == [.prf, nil, .turnkey])
    }
  }

  @Test func `Metadata that is none is refused`() {
    let damaged = ForeignBackupError.damaged(part: "the metadata")
    for (text, expected) in [
      ("{}", damaged), ("", damaged), (#"{"keys":{}}"#, damaged),
      (#"{"keys":[{"kind":"PRF"}]}"#, damaged),
      (#"{"keys":[{"kind":"PRF","encryptedKey":"xx"}]}"#, damaged),
      (#"{"keys":[]}"#, .damaged(part: "the metadata, which has no key,")),
      (
        #"{"keys":[{"kind":"PRF","encryptedKey":"\#(box)00"}]}"#,
        .damaged(part: "the encrypted backup keypair, which has 80 bytes,")
      ),
      (
        #"{"keys":[\#(Array(repeating: #"{"kind":"PRF","encryptedKey":"\#(box)"}"#, count: 65).joined(separator: ","))]}"#,
        .tooLarge(part: "the number of keys", limit: 64)
      ),
    ] {
      #expect(throws: expected, "\(text.prefix(80))") { _ = try readMetadata(text) }
    }
  }

  @Test func `A keypair with any byte changed, cut or grown is refused`() throws {
    let factor = [UInt8](repeating: 7, count: 32)
    let message = [UInt8](0..<32)
    let box = try unsafe SealedBox.seal(
      message.span.bytes, to: X25519.publicKey(of: secret(factor)))
    #expect(try plain(WorldKeypair(box: box).open(with: secret(factor))) == message)
    for index in box.indices {
      var changed = box
      changed[index] ^= 1
      #expect(throws: ForeignBackupError.wrongSecret(part: "the factor secret"), "\(index)") {
        _ = try WorldKeypair(box: changed).open(with: secret(factor))
      }
    }
    for size in [0, 79, 81] {
      #expect(throws: ForeignBackupError.self) {
        _ = try WorldKeypair(box: [UInt8](repeating: 1, count: size))
      }
    }
  }
}

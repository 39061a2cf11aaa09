import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP
@testable import SecretMemory

/// Content sealed by an attacker with the master key, or by a broken program.
///
/// Each such text is refused for itself, and the other wallets come back.
@Suite struct HostileContentTests {
  static let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
  static let texts = [
    "", "{", "null", "[]", deep, #"{"at":"# + deep + "}",
    #"{"at":1,"at":2,"writer_label":"w","seen":[],"changes":[]}"#,
    #"{"at":1e999,"writer_label":"w","seen":[],"changes":[]}"#,
    #"{"at":99999999999999999999999999,"writer_label":"w","seen":[],"changes":[]}"#,
    #"{"at":-1,"writer_label":"w","seen":[],"changes":[]}"#,
    #"{"at":1,"writer_label":"\ud800","seen":[],"changes":[]}"#,
    #"{"at":1,"writer_label":"w","seen":[],"changes":[{"put":{"record_id":"00","entry":"zz"}}]}"#,
    #"{"at":1,"writer_label":"w","seen":[{}],"changes":[]}"#,
    "{\"at\":1,\"writer_label\":\"\u{0}\",\"seen\":[],\"changes\":[]}",
    #"{"wallet_id":1,"wallet_id":"x"}"#, #"{"wallet_id":"\udfff"}"#,
    #"{"wallet_id":"w9","updated_at":1e999}"#,
    #"{"wallet_id":"w9","metadata":"# + deep + "}",
    #"{"wallet_id":"w9","wallet_id":"w1"}"#,
  ]

  @Test(arguments: texts.indices)
  func `Hostile content is refused alone`(_ index: Int) throws {
    let scene = try Scene()
    var first = try scene.create()
    try first.add(.of("w1", "w2"))
    let text = Self.texts[index]
    try plant(operation: text, in: scene, first.masterKey)
    try plant(wallet: text, in: scene, first.masterKey)
    let before = try Scene.contents(scene.folder).count
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w1 abandon about current", "w2 abandon about current"])
    #expect(restored.report.failures.count == 1)
    #expect(second.logFindings.count == 1)
    #expect(try Scene.contents(scene.folder).count == before)
  }

  private func secret(_ text: String) -> SecretBytes {
    let bytes = Array(text.utf8)
    return unsafe SecretBytes(copying: bytes.span.bytes)
  }

  /// An operation of another computer with this text.
  private func plant(
    operation text: String, in scene: Scene, _ masterKey: borrowing MasterKey
  ) throws {
    let writer = WriterID.random()
    let header = try OperationHeader(
      namespaceID: masterKey.namespaceID, writerID: writer, counter: 1, previous: nil)
    let key = masterKey.operationKey(writer: writer, counter: 1)
    let file = try ProtectedFile.seal(
      secret(text), header: header.json, format: "keybackup-op", key: key)
    let bytes = file.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    let name = FolderLayout.operationFile(counter: 1, digest: Digest(of: bytes.span))
    let folder = try scene.namespacePath + "/keybackup/log/\(writer)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  /// A wallet's envelope with this text.
  private func plant(
    wallet text: String, in scene: Scene, _ masterKey: borrowing MasterKey
  ) throws {
    let record = RecordID(walletID: "w9")
    let salt = [UInt8](repeating: 1, count: 32)
    let nonce = [UInt8](repeating: 2, count: 12)
    let key = masterKey.walletKey(salt: salt)
    let plain = Array(text.utf8)
    let sealed = try unsafe ChaCha20Poly1305.seal(plain.span.bytes, key: key, nonce: nonce)
    let file = """
      {"version":1,"kind":"wallet","schema_version":1,"namespace_id":"\(masterKey.namespaceID)",\
      "record_id":"\(record)","wallet_id":"w9","created_at":1,"updated_at":2,\
      "wallet_salt":"\(Hex.string(salt))","nonce":"\(Hex.string(nonce))",\
      "ciphertext":"\(Data(sealed).base64EncodedString())"}
      """
    let path = try scene.namespacePath + "/wallets/" + FolderLayout.walletFile(record)
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
  }
}

import SecretMemory
import Testing

@testable import ForeignBackups

struct CeloWritingTests {
  private static let cheap = CeloHardening.scrypt(cost: 16, blockSize: 1, parallelization: 1)

  private func sealed(
    _ data: [UInt8], hardening: CeloHardening = cheap
  ) throws(ForeignBackupError) -> CeloBackup {
    try CeloBackup.sealing(
      secret(data), password: secret(Array("pässword".utf8)), hardening: hardening)
  }

  @Test(arguments: [0, 1, 16, 1000, CeloBackup.dataLimit])
  func `What was written opens with its password and no other`(size: Int) throws {
    let data = Randomness.bytes(count: size)
    let text = Array(try sealed(data).json.utf8)
    let backup = try unsafe CeloBackup(parsing: text.span.bytes)
    #expect(try open(backup, Array("pässword".utf8)) == data)
    #expect(
      refusal { () throws(ForeignBackupError) in _ = try open(backup, Array("password".utf8)) }
        == .wrongSecret(part: "the password"))
  }

  @Test func `Nonce and IV are new every time`() throws {
    let two = [try sealed([1]), try sealed([1])]
    #expect(two[0].nonce != two[1].nonce)
    #expect(two[0].encryptedData.prefix(12) != two[1].encryptedData.prefix(12))
  }

  @Test func `Nothing but scrypt is written, and not too much`() {
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try sealed([1], hardening: .pbkdf2(iterations: 100_000))
      } == .unhardened)
    let tooMuch = [UInt8](repeating: 0, count: CeloBackup.dataLimit + 1)
    #expect(
      refusal { () throws(ForeignBackupError) in _ = try sealed(tooMuch) }
        == .tooLarge(part: "the data, in bytes,", limit: CeloBackup.dataLimit))
  }
}

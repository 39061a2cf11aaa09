import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import ForeignBackups

/// Tests/reader/celo.py, which shares no code with the product, reads ours, and we read its.
struct CeloAgreementTests {
  private struct Made: Decodable {
    let file: String
    let password: String
    let fuseKey: String
    let odisOutput: String
    let breakerKey: String
    let data: String
  }

  @Test func `Files of every kind that the other program makes are opened`() throws {
    let first = TestSeed.value % 1_000_000 * 8
    let made: [Made] = try Python.made("reader/celo.py", ["make", "24", "\(first)"])
    #expect(made.count == 24)
    for one in made {
      let text = Array(one.file.utf8)
      let backup = try unsafe CeloBackup(parsing: text.span.bytes)
      var fuseKey: [UInt8] = []
      if let wrapped = backup.encryptedFuseKey {
        let key = try CircuitBreakerKey(pem: secret(Array(one.breakerKey.utf8)))
        fuseKey = plain(try key.unwrap(wrapped))
        #expect(fuseKey == unhex(one.fuseKey))
        var changed = wrapped
        changed[7] ^= 1
        #expect(
          refusal { () throws(ForeignBackupError) in _ = try key.unwrap(changed) }
            == .wrongSecret(part: "the circuit breaker's key"))
      }
      let data = try open(
        backup, Array(one.password.utf8), fuseKey: fuseKey, odisOutput: unhex(one.odisOutput),
        allowsUnhardened: !backup.isHardened)
      #expect(data == unhex(one.data))
      try checkService(backup, one.file)
    }
  }

  /// The domain's hash, its schedule, and requests.
  private func checkService(_ backup: CeloBackup, _ file: String) throws {
    guard let domain = backup.odisDomain else { return }
    let object = try JSONSerialization.jsonObject(with: Data(file.utf8)) as? [String: Any]
    let theirs =
      try JSONSerialization.jsonObject(
        with: Data(python(["domain"], object?["odisDomain"] ?? [:]).output.utf8)) as? [String: Any]
    #expect(domain.hash == unhex(theirs?["hash"]))
    #expect(
      domain.schedule(from: 1_700_000_000, limit: 300) == theirs?["times"] as? [UInt64])
    let kinds: [ODISRequest.Kind] = [.quota, .disable, .sign(blindedMessage: "QUJD")]
    for (number, kind) in kinds.enumerated() where domain.signer != nil {
      let request = try ODISRequest(
        kind, for: backup, counter: number == 0 ? nil : UInt64(number),
        session: number == 1 ? nil : "sé\u{1}\"")
      let body = try JSONSerialization.jsonObject(with: Data(request.json.utf8))
      let signer = try python(["request"], ["file": file, "request": body])
      #expect(signer.output == "\(backup.authorizationAddress?.text ?? "")\n")
    }
  }

  @Test func `The other program opens what is written here, and only with the password`() throws {
    let data = Array("abandon ability able".utf8)
    let backup = try CeloBackup.sealing(
      secret(data), password: secret(Array("correct horse".utf8)))
    func read(_ password: String) throws -> (status: Int32, output: String) {
      try python(
        ["open"],
        [
          "file": backup.json, "password": Hex.string(Array(password.utf8)), "fuse_key": "",
          "odis_output": "",
        ])
    }
    let opened = try read("correct horse")
    #expect(opened.status == 0 && opened.output == Hex.string(data) + "\n")
    let refused = try read("correct horsf")
    #expect(refused.status == 1 && refused.output.isEmpty)
  }

  @Test(arguments: [
    ("", ForeignBackupError.otherKind("private RSA key (PEM)")),
    (
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      .otherKind("private RSA key (PEM)")
    ),
    (
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n",
      .refused(
        part: "the circuit breaker's key, which is no RSA key,",
        advice: "check that it is the right file")
    ),
  ])
  func `What is no RSA key is refused`(pem: String, error: ForeignBackupError) {
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try CircuitBreakerKey(pem: secret(Array(pem.utf8)))
      } == error)
  }

  @Test(arguments: ["-aes256", "-aes128 -traditional"])
  func `A key with a password of its own is refused, and nobody is asked`(form: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "openssl genrsa 1024 2>/dev/null | openssl rsa \(form) -passout pass:xyzw 2>/dev/null",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let pem = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(pem.count > 500)
    #expect(
      refusal { () throws(ForeignBackupError) in
        _ = try CircuitBreakerKey(pem: secret([UInt8](pem)))
      }
        == .refused(
          part: "the circuit breaker's key, which has a password of its own,",
          advice: "make a copy without it: openssl pkey -in KEY -out COPY"))
  }

  private func python(
    _ arguments: [String], _ input: Any? = nil
  ) throws -> (status: Int32, output: String) {
    try Python.run("reader/celo.py", arguments, input)
  }
}

import GuardTestSupport
import TestSupport
import Testing

/// Certificates, and servers that only seem to speak TLS.
@Suite(.serialized) struct TLSTests {
  @Test(arguments: ["localhost", "127.0.0.1"])
  func `A certificate of an authority that was named is trusted`(_ host: String) async throws {
    let server = try await SharedServer.server()
    let child = try AskChild(trusting: [server.certificates.authority])
    let line = try await child.info(1, at: "https://\(host):\(server.port("good"))/echo")
    #expect(line.answer?.status == 200, "\(line)")
  }

  @Test(arguments: ["other-name", "expired", "self-signed", "old", "garbage"])
  func `No other certificate is trusted, and no server without TLS`(
    _ name: String
  ) async throws {
    let server = try await SharedServer.server()
    let child = try AskChild(trusting: [server.certificates.authority])
    for (id, host) in ["localhost", "127.0.0.1"].enumerated() {
      let line = try await child.info(id + 1, at: "https://\(host):\(server.port(name))/echo")
      #expect(line.failure?.reason == "tls", "\(line)")
    }
  }

  @Test func `An authority that was not named is not trusted`() async throws {
    let server = try await SharedServer.server()
    let line = try await AskChild().info(1, at: "https://localhost:\(server.port("good"))/echo")
    #expect(line.failure?.reason == "tls", "\(line)")
  }

  @Test func `A server that never begins with TLS costs no more than the time`() async throws {
    let server = try await SharedServer.server()
    let child = try AskChild()
    let url = "https://localhost:\(server.port("silent"))"
    let line = try await child.info(1, at: url, milliseconds: 700)
    #expect(line.failure?.reason == "timeout", "\(line)")
  }

  @Test func `A file without certificates ends the program with a reason`() async throws {
    let made = try TestCertificates()
    for file in ["/dev/null", made.path("ca.key"), "/nonexistent"] {
      let run = try FinishedProgram([BuiltProduct.path("keybackup-guard"), "ask", "--ca", file])
      #expect(run.code == 65)
      #expect(run.output.hasPrefix("keybackup-guard: \(file) holds no certificate in PEM\n"))
    }
  }
}

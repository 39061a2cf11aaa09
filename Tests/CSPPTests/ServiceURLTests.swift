import Foundation
import TestSupport
import Testing

@testable import CSPP

/// One reading of an address, also by the Python program that was written from docs/format.md.
@Suite("Addresses of guards and issuers")
struct ServiceURLTests {
  private static let allowed = [
    "https://guard.example", "https://guard.example:8443", "https://guard.example/a/b-c_d~e.f/",
    "https://GUARD.example", "https://10.0.0.1:1", "https://[2001:db8::1]:65535/x",
    "https://accounts.example/realms/two%20words", "https://a/@:!$&'()*+,;=", "http://localhost",
    "http://localhost:8080/x", "http://127.0.0.1:9", "http://127.255.0.9", "http://[::1]:80",
    "https://x//y", "https://a-b.c1", "https://127.0.0.1/...", "https://0x7f.a1",
    "https://a--b.example", "https://guard.example/%2e%2e%2e/a%2e",
  ]

  private static let refused = [
    "", "https://", "https:///x", "guard.example", "HTTPS://guard.example", "ftp://guard.example",
    "https:/guard.example", "https://guard.example?", "https://guard.example/x?y=1",
    "https://guard.example#f", "https://user@guard.example", "https://user:pw@guard.example",
    "https://guard.example:", "https://guard.example:0", "https://guard.example:08",
    "https://guard.example:65536", "https://guard.example:80a", "https://guard.example:-1",
    "https://guard..example", "https://.example", "https://example.", "https://gu ard.example",
    "https://guard.example/a b", "https://guard.example/%", "https://guard.example/%2",
    "https://guard.example/%zz", "https://guard.example/a/../b", "https://guard.example/.",
    "https://guard.example\\evil.example", "https://gu\u{E4}rd.example",
    "https://guard.example/\u{E4}", "https://guard.example\n", " https://guard.example",
    "https://guard.example/\"", "https://[::1", "https://[]", "https://[:]",
    "https://[fe80::1%25eth0]",
    "https://[::1]x", "https://[2001:DB8::1]", "https://[127.0.0.1]", "http://guard.example",
    "http://127.0.0.1.example", "http://127.0.0", "http://127.0.0.256", "http://127.0.0.01",
    "http://0127.0.0.1", "http://128.0.0.1", "http://localhost.example", "http://LOCALHOST",
    "https://127.1", "https://0x7f000001", "https://0x7f.1", "https://2130706433", "https://1.2.3",
    "https://1.2.3.256", "https://1.2.3.04", "https://guard.example.1", "https://1",
    "http://[::2]", "http://[0::1]", "https://under_score.example", "https://-a.example",
    "https://a-.example", "https://a.-", "https://-", "https://guard.example/%2e",
    "https://guard.example/%2E%2e/b", "https://guard.example/b/.%2e", "https://guard.example/%2E.",
    "https://" + String(repeating: "a", count: 64),
    "https://" + String(repeating: "a.", count: 127) + "a",
    "https://guard.example/" + String(repeating: "a", count: 500),
  ]

  @Test func `What is allowed, and what is not`() {
    for text in Self.allowed { #expect(ServiceURL(text)?.text == text, "\(text)") }
    for text in Self.refused { #expect(ServiceURL(text) == nil, "\(text)") }
    #expect(ServiceURL("https://guard.example:8443/x")?.host == "guard.example:8443")
    #expect(ServiceURL("https://[2001:db8::1]/x")?.host == "[2001:db8::1]")
    let longest = "https://guard.example/" + String(repeating: "a", count: 512 - 22)
    #expect(ServiceURL(longest) != nil && ServiceURL(longest + "a") == nil)
  }

  @Test func `Another program judges these and others alike`() throws {
    var random = SeededGenerator(seed: TestSeed.value)
    let pieces = [
      "https", "http", "://", "/", ":", "@", "?", "#", "[", "]", "%", "%41", "%2e", "/%2E", ".",
      "..", "a", "Z9",
      "0x7f", "10.0.0.1",
      "-", "_", "127.0.0.1", "localhost", "::1", "443", "0", "65536", "\u{E4}", " ",
      "guard.example",
      "\\", "~", "!",
    ]
    var texts = Self.allowed + Self.refused
    for _ in 0..<4000 {
      var text = Int.random(in: 0..<4, using: &random) == 0 ? "http://" : "https://"
      if Bool.random(using: &random) { text += "guard.example" }
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        text += pieces.randomElement(using: &random) ?? ""
      }
      texts.append(text)
    }
    let judged = try Python.run(
      "guarded_slots.py", "addresses", ["values": texts.map { ["text": $0] }])
    let results = try judged.list("results")
    try #require(results.count == texts.count)
    var allowed = 0
    for (text, result) in zip(texts, results) {
      let isAllowed = try #require(result["allowed"] as? Bool)
      #expect((ServiceURL(text) != nil) == isAllowed, "\(text.debugDescription)")
      allowed += isAllowed ? 1 : 0
    }
    #expect(allowed > 200)
  }
}

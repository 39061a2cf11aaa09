import TestSupport
import Testing

@testable import GuardClient

/// Which URLs are allowed, and what becomes of them.
@Suite struct AddressTests {
  @Test(arguments: [
    ("https://guard.example", "https://guard.example/v1/info"),
    ("https://guard.example/", "https://guard.example/v1/info"),
    ("https://Guard.Example:8443/keybackup", "https://guard.example:8443/keybackup/v1/info"),
    ("https://guard.example/a%20b/~c;d/", "https://guard.example/a%20b/~c;d/v1/info"),
    ("https://192.0.2.7", "https://192.0.2.7/v1/info"),
    ("https://[2001:db8::7]:444", "https://[2001:db8::7]:444/v1/info"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/info"),
    ("http://127.9.8.7", "http://127.9.8.7/v1/info"),
    ("http://localhost", "http://localhost/v1/info"), ("http://[::1]", "http://[::1]/v1/info"),
    ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/v1/info"),
  ])
  func `The path comes below the URL's own`(_ url: String, _ whole: String) throws {
    #expect(try WebAddress(url).appending("/v1/info").text == whole)
  }

  @Test(arguments: [
    "", "https:", "https://", "https:///", "HTTPS://a.example", "ftp://a.example", "a.example",
    "https://a@b.example", "https://a:b@c.example", "https://@a.example", "https://a.example?",
    "https://a.example?b", "https://a.example#", "https://a.example/#b", "https://a.example/?b",
    "https://a.example:", "https://a.example:0", "https://a.example:65536",
    "https://a.example:0443", "https://a.example:+1", "https://a.example:x", "https://a b.example",
    "https://a.example/b c", "https://a.example/\u{0}", "https://a.example/\n",
    "https://a.example\\b", "https://a.example/%", "https://a.example/%zz", "https://a.example/%4",
    "https://bücher.example", "https://a.example/ü", "https://a..example", "https://.a.example",
    "https://a.example.", "https://-a.example", "https://a-.example", "https://[::1",
    "https://[::1%25lo]", "https://[]", "https://::1", "https://1.2.3", "https://127.1",
    "https://0x7f.0.0.1", "https://2130706433", "https://1.2.3.04", "https://1.2.3.256",
    "https://a.example/./b", "https://a.example/../b", "https://a.example/%2e%2E/b",
    "https://a.example/b/.%2e", "http://a.example", "http://10.0.0.1", "http://128.0.0.1",
    "http://[::2]", "http://[::ffff:127.0.0.1]", "http://localhost.example", "http://a.localhost",
    "http://0.0.0.0", "http://127.0.0.1.example", "https://under_score.example",
  ])
  func `No other URL is allowed`(_ url: String) {
    #expect(throws: AskFailure.self) { try WebAddress(url) }
  }

  @Test func `A query is kept where there may be one`() throws {
    let address = try WebAddress("https://a.example/b?c=d&e=/f?g", withQuery: true)
    #expect(address.path == "/b")
    #expect(address.query == "c=d&e=/f?g")
    #expect(address.text == "https://a.example/b?c=d&e=/f?g")
    #expect(throws: AskFailure.self) { try WebAddress("https://a.example/?b#c", withQuery: true) }
    #expect(throws: AskFailure.self) { try WebAddress("https://a_b.example/?c", withQuery: true) }
    let longest = "https://a.example/" + String(repeating: "a", count: 494)
    #expect(try WebAddress(longest).path.count == 495)
    #expect(throws: AskFailure.self) { try WebAddress(longest + "a") }
  }

  @Test func `Names and values of forms come back as they were`() throws {
    var generator = SeededGenerator(seed: TestSeed.value)
    for _ in 0..<300 {
      let fields = (0..<4).map { place in
        let scalars = (0..<Int.random(in: 0...9, using: &generator)).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0..<0x1_0000, using: &generator))
        }
        return (name: "name \(place)&", value: String(String.UnicodeScalarView(scalars)))
      }
      let text = FormFields.encode(fields)
      #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
      let back = try #require(FormFields.decode(text))
      #expect(back.count == 4)
      for (name, value) in fields {
        #expect(back[name].map { Array($0.utf8) } == Array(value.utf8))
      }
    }
    #expect(FormFields.decode("a=1+2%20&b") == ["a": "1 2 ", "b": ""])
    for text in ["a=1&a=2", "a=%", "a=%4", "a=%g0", "a=%ff", "%61=1&a=1"] {
      #expect(FormFields.decode(text) == nil)
    }
  }
}

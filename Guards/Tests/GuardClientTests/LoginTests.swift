import FoundationEssentials
import GuardTestSupport
import TestSupport
import Testing

/// Logins of the real child at issuers of Tests/guards/hostile_issuers.py.
///
/// The test is the browser.
@Suite(.serialized) struct LoginTests {
  /// The address to open, taken apart.
  private struct Opened {
    let text: String
    let endpoint: String
    let fields: [String: String]

    init(_ line: AskedLine) throws {
      text = try #require(line.authorize?.url, "\(line)")
      let parts = URLComponents(string: text)
      endpoint = String(text.prefix { $0 != "?" })
      let items = try #require(parts?.queryItems)
      fields = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
      #expect(items.count == fields.count)
    }

    var redirect: String { fields["redirect_uri"] ?? "" }

    func back(_ query: String) -> String {
      redirect + "?state=\(fields["state"] ?? "")" + (query.isEmpty ? "" : "&" + query)
    }
  }

  /// The status and the text that a browser gets.
  private func get(_ url: String, _ words: String...) throws -> (status: String, text: String) {
    let run = try FinishedProgram(
      ["/usr/bin/curl", "-s", "-m", "20", "-w", "\n%{http_code}"] + words + [url])
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
  }

  private func issuer(_ fault: String = "") async throws -> String {
    try await SharedServer.server().url("issuer" + (fault.isEmpty ? "" : "." + fault))
  }

  @Test func `A login asks with PKCE, takes the browser's return, and ends with the token`()
    async throws
  {
    let issuer = try await issuer("whole")
    let errors = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).errors").path
    defer { try? FileManager.default.removeItem(atPath: errors) }
    let child = try AskChild(errors: errors)
    let opened = try Opened(try await child.ask(Lines.login(4, at: issuer)))
    #expect(opened.endpoint == issuer + "/authorize")
    #expect(opened.fields["response_type"] == "code")
    #expect(opened.fields["client_id"] == "client")
    #expect(opened.fields["scope"] == "openid")
    #expect(opened.fields["nonce"] == Lines.nonce)
    #expect(opened.fields["prompt"] == nil)
    #expect(opened.fields["max_age"] == "300")
    #expect(opened.fields["code_challenge_method"] == "S256")
    #expect(opened.fields["state"]?.count == 43)
    #expect(opened.redirect.hasPrefix("http://127.0.0.1:"))
    let page = try get(opened.back("code=the%2Bcode"))
    #expect(page.status == "200")
    #expect(page.text.contains("You can close this window."))
    let last = try await child.line()
    #expect(last.id == 4)
    #expect(try #require(last.idToken, "\(last)").split(separator: ".").count == 3)
    let form = try #require(try await forms().last { $0["code"] == "the+code" })
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["client_id"] == "client")
    #expect(form["redirect_uri"] == opened.redirect)
    let verifier = try #require(form["code_verifier"])
    #expect(opened.fields["code_challenge"] == Self.challenge(verifier))
    #expect(try get(opened.back("code=x")).status == "000", "it listens no more")
    child.program.closeInput()
    #expect(try await child.program.ending() == 0)
    #expect(try Data(contentsOf: URL(filePath: errors)).isEmpty, "nothing is logged")
  }

  /// The forms that came to token endpoints.
  private func forms() async throws -> [[String: String]] {
    let url = try await SharedServer.server().url("forms") + "/all"
    let texts = try JSONDecoder().decode([String].self, from: Data(try get(url).text.utf8))
    return texts.map { text in
      let items = URLComponents(string: "http://form/?" + text)?.queryItems ?? []
      return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }
  }

  private static func challenge(_ verifier: String) -> String {
    let run = try? FinishedProgram([
      "/usr/bin/python3", "-c",
      """
      import base64,hashlib,sys
      print(base64.urlsafe_b64encode(hashlib.sha256(sys.argv[1].encode()).digest()).decode().rstrip("="))
      """, verifier,
    ])
    return run?.output.split(separator: "\n").first.map(String.init) ?? ""
  }

  @Test func `Other requests to the listener change nothing`() async throws {
    let child = try AskChild()
    let opened = try Opened(try await child.ask(Lines.login(1, at: try await issuer())))
    for path in ["favicon.ico", "index.html", "/", "?/"] {
      let status = try get(opened.redirect + path).status
      #expect(status == (path.hasPrefix("?") ? "400" : "404"), "\(path)")
    }
    #expect(try get(opened.back("code=x"), "-X", "POST").status == "404")
    #expect(try get(opened.back("code=x"), "-I").status == "404")
    let foreign = [
      "", "?code=x", "?code=x&state=", "?code=x&state=wrong", "?error=access_denied&state=wrong",
      "?code=x&state=wrong&state=\(opened.fields["state"] ?? "")", "?code=%zz&state=%ff",
    ]
    for query in foreign {
      let page = try get(opened.redirect + query)
      #expect(page.status == "400", "\(query)")
      #expect(page.text.contains("another login"))
    }
    let long = "code=x&padding=" + String(repeating: "x", count: 70_000)
    #expect(try get(opened.back(long)).status != "200")
    // Half a request, and many that say nothing.
    let port = try #require(opened.redirect.split(separator: ":").last?.dropLast())
    let flood = "for n in $(seq 40); do exec {fd}<>/dev/tcp/127.0.0.1/\(port); done; sleep 0.5"
    _ = try FinishedProgram(["/bin/bash", "-c", flood])
    #expect(try get(opened.back("code=x")).status == "200")
    #expect(try await child.line().idToken != nil)
  }

  @Test(arguments: [
    ("error=access_denied", "denied"), ("error=login_required", "login"), ("", "login"),
    ("error=access_denied&code=x", "denied"), ("code=x&iss=https://other.example", "login"),
    ("error=access_denied&iss=https://other.example", "login"), ("code=", "login"),
  ])
  func `The issuer's refusal and another issuer's code end the login`(
    _ query: String, _ reason: String
  ) async throws {
    let child = try AskChild()
    let opened = try Opened(try await child.ask(Lines.login(1, at: try await issuer())))
    let page = try get(opened.back(query))
    #expect(page.status == "400")
    #expect(page.text.contains("did not succeed"))
    #expect(try await child.line().failure?.reason == reason)
  }

  @Test func `An issuer that promises its name in redirects is held to it`() async throws {
    let issuer = try await issuer("named")
    for (query, isGood) in [("code=x", false), ("code=x&iss=\(issuer)", true)] {
      let child = try AskChild()
      let opened = try Opened(try await child.ask(Lines.login(1, at: issuer)))
      _ = try get(opened.back(query))
      let last = try await child.line()
      #expect((last.idToken != nil) == isGood, "\(last)")
      #expect(isGood || last.failure?.reason == "login")
    }
  }

  @Test(arguments: [
    ("other-issuer", "login"), ("plain-pkce", "login"), ("no-token-endpoint", "login"),
    ("far-endpoint", "login"), ("script-endpoint", "login"), ("metadata-missing", "login"),
    ("metadata-moved", "redirect"), ("metadata-not-json", "login"),
    ("metadata-large", "too-large"), ("metadata-twice", "login"),
  ])
  func `An issuer whose configuration is at fault is not used`(
    _ fault: String, _ reason: String
  ) async throws {
    let line = try await AskChild().ask(Lines.login(1, at: try await issuer(fault)))
    #expect(line.failure?.reason == reason, "\(line)")
  }

  @Test(arguments: [
    ("token-nonce", "login"), ("token-no-nonce", "login"), ("token-issuer", "login"),
    ("token-two-parts", "login"), ("token-large", "login"), ("token-not-json", "login"),
    ("token-missing", "login"), ("token-moved", "redirect"), ("answer-not-json", "login"),
    ("answer-large", "too-large"), ("code-refused", "login"), ("odd-error", "login"),
  ])
  func `A token that is not for this login is not passed on`(
    _ fault: String, _ reason: String
  ) async throws {
    let child = try AskChild()
    let opened = try Opened(try await child.ask(Lines.login(1, at: try await issuer(fault))))
    #expect(try get(opened.back("code=x")).status == "200")
    let last = try await child.line()
    let failure = try #require(last.failure, "\(last)")
    #expect(failure.reason == reason, "\(failure)")
    #expect(failure.detail.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    // The issuer's own words say why.
    if fault == "code-refused" { #expect(failure.detail.hasSuffix("invalid_grant (<b>)")) }
  }

  @Test(arguments: ["no-pkce-list", "query"])
  func `An issuer may leave out its methods, and have a query`(_ fault: String) async throws {
    let child = try AskChild()
    let opened = try Opened(try await child.ask(Lines.login(1, at: try await issuer(fault))))
    #expect((opened.fields["tenant"] == "7") == (fault == "query"))
    _ = try get(opened.back("code=x"))
    #expect(try await child.line().idToken != nil)
  }

  @Test func `Without a browser here, the person pastes the address`() async throws {
    let child = try AskChild()
    let line = try await child.ask(Lines.login(1, at: try await issuer(), pasted: true))
    let opened = try Opened(line)
    #expect(try get(opened.redirect).status == "000", "nothing listens")
    let long = opened.back("code=" + String(repeating: "x", count: 20_000))
    for wrong in ["nonsense", opened.redirect, opened.redirect + "?code=x&state=wrong", long] {
      let again = try await child.ask(#"{"id":1,"redirect":"\#(wrong)"}"#)
      #expect(again.authorize?.url == opened.text, "it goes on waiting")
    }
    let last = try await child.ask(#"{"id":1,"redirect":" \#(opened.back("code=x#_")) "}"#)
    #expect(last.idToken != nil, "\(last)")
  }

  @Test func `A pasted address does for a login with a listener, too`() async throws {
    let child = try AskChild()
    let opened = try Opened(try await child.ask(Lines.login(1, at: try await issuer())))
    let last = try await child.ask(#"{"id":1,"redirect":"\#(opened.back("error=access_denied"))"}"#)
    #expect(last.failure?.reason == "denied")
    #expect(try get(opened.redirect).status == "000")
  }

  @Test func `A login ends with its time, when it is cancelled, and with the child's input`()
    async throws
  {
    let issuer = try await issuer()
    let child = try AskChild()
    let late = try Opened(try await child.ask(Lines.login(1, at: issuer, milliseconds: 10_000)))
    #expect(try await child.line().failure?.reason == "timeout")
    #expect(try get(late.redirect).status == "000")
    let cancelled = try Opened(try await child.ask(Lines.login(2, at: issuer)))
    #expect(try await child.ask(#"{"id":2,"cancel":true}"#).failure?.reason == "cancelled")
    #expect(try get(cancelled.redirect).status == "000")
    let ended = try Opened(try await child.ask(Lines.login(3, at: issuer)))
    child.program.closeInput()
    #expect(try await child.program.ending() == 0)
    #expect(try get(ended.redirect).status == "000")
  }

  @Test func `Two logins at a time do not take each other's redirects`() async throws {
    let issuer = try await issuer()
    let child = try AskChild()
    let first = try Opened(try await child.ask(Lines.login(1, at: issuer)))
    let second = try Opened(try await child.ask(Lines.login(2, at: issuer)))
    #expect(first.redirect != second.redirect)
    #expect(first.fields["state"] != second.fields["state"])
    let crossed = first.redirect + "?code=x&state=\(second.fields["state"] ?? "")"
    #expect(try get(crossed).status == "400")
    _ = try get(second.back("code=x"))
    #expect(try await child.line().id == 2)
    _ = try get(first.back("code=x"))
    #expect(try await child.line().id == 1)
  }

  @Test(arguments: ["http://issuer.example", "https://u@issuer.example", "issuer.example"])
  func `An issuer's URL is checked as a guard's is`(_ url: String) async throws {
    #expect(try await AskChild().ask(Lines.login(1, at: url)).failure?.reason == "bad-url")
  }
}

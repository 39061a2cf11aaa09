internal import CSPP
internal import GuardProtocol

/// The lines that go to the program `keybackup-guard ask` and come from it: one JSON object each.
package enum GuardLine {
  /// A request over HTTP.
  struct Request {
    /// The number that its reply has.
    var id: Int
    /// The guard's address.
    var url: ServiceURL
    /// The call, which has the method and the path.
    var call: GuardCall
    /// Key and signature; nil for `info`.
    var signature: GuardSignature?
    /// The body; empty for `info`.
    var body: [UInt8]
    /// The time limit in milliseconds.
    var timeout: Int64

    /// The line.
    var text: String {
      let request = JSONText.object([
        ("url", JSONText.quoted(url.text)), ("method", JSONText.quoted(call.method)),
        ("path", JSONText.quoted(call.path)),
        ("key", signature.map { JSONText.quoted($0.key.hex) }),
        ("signature", signature.map { JSONText.quoted($0.signatureText) }),
        ("body", call == .info ? nil : JSONText.quoted(String(decoding: body, as: UTF8.self))),
        ("timeout_ms", "\(timeout)"),
      ])
      return JSONText.object([("id", "\(id)"), ("request", request)])
    }
  }

  /// The begin of a login.
  struct Login {
    /// The number that its replies have.
    var id: Int
    /// The OpenID provider.
    var issuer: ServiceURL
    /// The client ID.
    var clientID: String
    /// The nonce that the ID token must have.
    var nonce: String
    /// Whether the person brings the redirect's address from another computer.
    var isPasted: Bool
    /// The time limit in milliseconds.
    var timeout: Int64

    /// The line.
    var text: String {
      let login = JSONText.object([
        ("issuer", JSONText.quoted(issuer.text)), ("client_id", JSONText.quoted(clientID)),
        ("nonce", JSONText.quoted(nonce)), ("paste", isPasted ? "true" : "false"),
        ("timeout_ms", "\(timeout)"),
      ])
      return JSONText.object([("id", "\(id)"), ("login", login)])
    }
  }

  /// The line with the address to which the provider redirected a browser elsewhere.
  static func redirect(_ address: String, of id: Int) -> String {
    JSONText.object([("id", "\(id)"), ("redirect", JSONText.quoted(address))])
  }

  /// The line that ends a login.
  package static func cancel(_ id: Int) -> String {
    JSONText.object([("id", "\(id)"), ("cancel", "true")])
  }

  /// A reply.
  package struct Reply: Equatable {
    /// The contents of a reply.
    package enum Content: Equatable {
      /// HTTP's status and body, and the key and signature that came with them.
      case answer(status: Int, body: [UInt8], key: String?, signature: String?)
      /// No answer: a word, and a text for the person.
      case failure(reason: String, detail: String)
      /// The address at which the person logs in.
      case authorize(String)
      /// The result of a login.
      case token(String)
    }

    /// The number of the request.
    package let id: Int
    /// The contents.
    package let content: Content

    /// Reads a line; nil for one that is not of this form.
    package init?(parsing line: [UInt8]) {
      guard let reply = try? Reply(line) else { return nil }
      self = reply
    }

    private init(_ line: [UInt8]) throws(CSPPError) {
      let text = unsafe line.span.bytes
      let object = try JSONObject(parsing: text, duplicates: .refused)
      let number = try object.required("id", in: text).integer("id", in: text)
      guard let id = Int(exactly: number) else { throw .invalidField("id") }
      self.id = id
      func inner(_ name: StaticString) throws(CSPPError) -> JSONObject? {
        guard let value = try object.optional(name, in: text) else { return nil }
        return try JSONObject(value, in: text, duplicates: .refused)
      }
      func field(
        _ name: StaticString, _ object: JSONObject
      ) throws(CSPPError) -> String? {
        guard let value = try object.optional(name, in: text) else { return nil }
        return try value.text(name, in: text)
      }
      if let answer = try inner("answer") {
        let status = try answer.required("status", in: text).integer("status", in: text)
        guard (100...599).contains(status) else { throw .invalidField("status") }
        content = .answer(
          status: Int(status), body: Array((try field("body", answer) ?? "").utf8),
          key: try field("key", answer), signature: try field("signature", answer))
      } else if let failure = try inner("failure") {
        content = .failure(
          reason: try field("reason", failure) ?? "", detail: try field("detail", failure) ?? "")
      } else if let authorize = try inner("authorize") {
        content = .authorize(try authorize.required("url", in: text).text("url", in: text))
      } else {
        content = .token(try object.required("id_token", in: text).text("id_token", in: text))
      }
    }
  }
}

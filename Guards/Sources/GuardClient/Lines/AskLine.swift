internal import GuardProtocol
internal import SecretMemory

/// One line from the parent.
struct AskLine: Equatable, Sendable {
  /// The most bytes of a line, 256 KiB, without its line end.
  static let maximumSize = 262_144

  /// The kinds of line.
  enum Content: Equatable, Sendable {
    /// A call to a guard.
    case request(AskedRequest)
    /// A login at an issuer.
    case login(AskedLogin)
    /// The address to which the issuer sent a browser elsewhere, pasted by the person.
    case redirect(String)
    /// The end of a request or login.
    case cancel
  }

  /// The number that the answer repeats; 0 means that it is not known.
  let id: UInt64
  /// The content, or the reason why there is none.
  let content: Result<Content, AskFailure>

  /// Reads a line.
  init(_ line: [UInt8]) {
    var id: UInt64 = 0
    do throws(AskFailure) {
      let fields = try LineFields(line)
      guard let number = try fields.number("id", in: 1...UInt64(Int64.max)) else {
        throw LineFields.invalid("id")
      }
      id = number
      content = .success(try Self.content(fields))
    } catch {
      content = .failure(error)
    }
    self.id = id
  }

  private static func content(_ fields: LineFields) throws(AskFailure) -> Content {
    if let request = try fields.object("request") {
      try fields.refuseOthers(than: ["id", "request"])
      return .request(try AskedRequest(request))
    }
    if let login = try fields.object("login") {
      try fields.refuseOthers(than: ["id", "login"])
      return .login(try AskedLogin(login))
    }
    if let redirect = try fields.text("redirect", upTo: AskLine.maximumSize) {
      try fields.refuseOthers(than: ["id", "redirect"])
      return .redirect(redirect)
    }
    try fields.refuseOthers(than: ["id", "cancel"])
    guard try fields.bool("cancel") == true else { throw LineFields.invalid("cancel") }
    return .cancel
  }
}

/// A call to a guard, as the parent signed it.
struct AskedRequest: Equatable, Sendable {
  /// The guard's URL, not checked yet.
  let url: String
  /// The call that method and path name.
  let call: GuardCall
  /// The header with the public key; nil where the call has none.
  let key: String?
  /// The header with the signature; nil where the call has none.
  let signature: String?
  /// The body, JSON.
  let body: String?
  /// The total time.
  let limit: Duration

  init(_ fields: LineFields) throws(AskFailure) {
    try fields.refuseOthers(than: [
      "url", "method", "path", "key", "signature", "body", "timeout_ms",
    ])
    guard let url = try fields.text("url", upTo: GuardInfo.maximumURL) else {
      throw LineFields.invalid("url")
    }
    self.url = url
    let method = try fields.text("method", upTo: 8)
    let path = try fields.text("path", upTo: 64)
    guard let call = GuardCall.allCases.first(where: { $0.path == path && $0.method == method })
    else { throw LineFields.invalid("path") }
    self.call = call
    key = try fields.digits("key", count: Ed25519.publicKeySize)
    signature = try fields.digits("signature", count: Ed25519.signatureSize)
    body = try fields.text("body", upTo: GuardCall.maximumBodySize)
    // `info` is signed by the guard, every other call by the client.
    let isSigned = call.signer != .guardKey
    guard isSigned == (key != nil), isSigned == (signature != nil), isSigned == (body != nil) else {
      throw AskFailure(.protocol, "key, signature and body do not fit the call")
    }
    let milliseconds = try fields.number("timeout_ms", in: 1...600_000) ?? 10_000
    limit = .milliseconds(milliseconds)
  }
}

/// A login at an issuer.
struct AskedLogin: Equatable, Sendable {
  /// The most bytes of a redirect's address.
  static let maximumRedirect = 16_384

  /// The issuer's URL, not checked yet.
  let issuer: String
  /// The client's ID at the issuer.
  let clientID: String
  /// The nonce that the ID token must have.
  let nonce: String
  /// Whether the browser is on another computer.
  let isPasted: Bool
  /// The total time.
  let limit: Duration

  init(_ fields: LineFields) throws(AskFailure) {
    try fields.refuseOthers(than: ["issuer", "client_id", "nonce", "paste", "timeout_ms"])
    issuer = try Self.visible("issuer", upTo: GuardInfo.maximumURL, in: fields)
    clientID = try Self.visible("client_id", upTo: 512, in: fields)
    nonce = try Self.visible("nonce", upTo: 128, in: fields)
    isPasted = try fields.bool("paste") ?? false
    let milliseconds = try fields.number("timeout_ms", in: 1...3_600_000) ?? 300_000
    limit = .milliseconds(milliseconds)
  }

  /// A text of visible ASCII characters.
  private static func visible(
    _ name: StaticString, upTo limit: Int, in fields: LineFields
  ) throws(AskFailure) -> String {
    guard let text = try fields.text(name, upTo: limit), !text.isEmpty,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw LineFields.invalid(name) }
    return text
  }
}

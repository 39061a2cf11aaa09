internal import CSPP

/// The claims of an ID token that a login depends on (OpenID Connect Core, section 2).
struct IDTokenClaims: Equatable, Sendable {
  /// How far ahead an issuer's clock may be, in seconds.
  static let skew: UInt64 = 60
  /// How long ago a person may have logged in, in seconds.
  static let maximumAge: UInt64 = 600

  /// The issuer.
  let issuer: String
  /// The person, by the issuer's name.
  let subject: String
  /// The only audience.
  let audience: String
  /// The party that asked for the token, if it is named.
  let party: String?
  let nonce: String
  /// Times in Unix seconds.
  let expires: UInt64
  let issued: UInt64?
  let notBefore: UInt64?
  let loggedIn: UInt64

  /// Reads claims.
  ///
  /// - Returns: nil where one is missing, there twice, or of another form; also for several
  ///   audiences, or none.
  init?(parsing claims: [UInt8]) {
    let text = unsafe claims.span.bytes
    do throws(CSPPError) {
      let object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
      func word(_ name: StaticString) throws(CSPPError) -> String {
        try object.required(name, in: text).text(name, in: text)
      }
      func optionalTime(_ name: StaticString) throws(CSPPError) -> UInt64? {
        try object.optional(name, in: text).map { value throws(CSPPError) in
          try Self.time(value, name, in: text)
        }
      }
      issuer = try word("iss")
      subject = try word("sub")
      nonce = try word("nonce")
      party = try object.value("azp", in: text)?.text("azp", in: text)
      audience = try Self.audience(try object.required("aud", in: text), in: text)
      expires = try Self.time(try object.required("exp", in: text), "exp", in: text)
      loggedIn = try Self.time(try object.required("auth_time", in: text), "auth_time", in: text)
      issued = try optionalTime("iat")
      notBefore = try optionalTime("nbf")
    } catch {
      return nil
    }
    guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ $0 > 0x1F }) else {
      return nil
    }
  }

  /// Whether they are for this login, now.
  func hold(nonce: String, clientID: String, now: UInt64) -> Bool {
    let latest = now + Self.skew
    return self.nonce == nonce && audience == clientID && (party ?? clientID) == clientID
      && now < expires && issued ?? 0 <= latest && notBefore ?? 0 <= latest && loggedIn <= latest
      && now < loggedIn.addingReportingOverflow(Self.maximumAge + 1).partialValue
  }

  private static func audience(
    _ value: JSONValue, in text: RawSpan
  ) throws(CSPPError) -> String {
    guard value.kind == .array else { return try value.text("aud", in: text) }
    var elements = try JSONElements(value, field: "aud")
    guard let first = try elements.next(in: text), try elements.next(in: text) == nil else {
      throw .invalidField("aud")
    }
    return try first.text("aud", in: text)
  }

  /// A number of seconds; a fraction of one is dropped.
  private static func time(
    _ value: JSONValue, _ name: StaticString, in text: RawSpan
  ) throws(CSPPError) -> UInt64 {
    guard value.kind == .number else { throw .invalidField(name.description) }
    let digits = unsafe text.extracting(value.range).withUnsafeBytes {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let seconds = UInt64(parts[0]), seconds <= 1 << 53,
      parts.dropFirst().allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { throw .invalidField(name.description) }
    return seconds
  }
}

internal import SecretMemory

/// The fields that both kinds of guarded key slots have.
enum GuardFields {
  /// Checks what both kinds must keep to.
  ///
  /// - Parameters:
  ///   - nonce: `guard_nonce`.
  ///   - guards: the guards' IDs; none may be there twice, or one guard would hold two shares.
  ///   - needed: `threshold`.
  /// - Returns: the numbers of guards.
  /// - Throws: ``CSPPError/invalidField(_:)``.
  static func check(
    _ nonce: [UInt8], _ guards: [GuardID], _ needed: Int
  ) throws(CSPPError) -> GuardThreshold {
    guard nonce.count == KeyHeader.guardNonceSize else { throw .invalidField("guard_nonce") }
    guard (1...GuardThreshold.maximumGuards).contains(guards.count) else {
      throw .invalidField("guards")
    }
    guard let threshold = GuardThreshold(of: guards.count, needing: needed) else {
      throw .invalidField("threshold")
    }
    guard Set(guards).count == guards.count else { throw .invalidField("guard_id") }
    return threshold
  }

  static func nonce(_ object: JSONObject, in text: RawSpan) throws(CSPPError) -> [UInt8] {
    try object.required("guard_nonce", in: text)
      .hex("guard_nonce", in: text, count: KeyHeader.guardNonceSize)
  }

  static func needed(_ object: JSONObject, in text: RawSpan) throws(CSPPError) -> Int {
    Int(try object.required("threshold", in: text).integer("threshold", in: text))
  }

  static func url(
    _ object: JSONObject, _ field: StaticString, in text: RawSpan
  ) throws(CSPPError) -> ServiceURL {
    let written = try object.required(field, in: text).text(field, in: text)
    guard let url = ServiceURL(written) else { throw .invalidField(field.description) }
    return url
  }

  /// Parses `guards`: at most as many as a way in may have.
  static func list<Guard>(
    _ object: JSONObject, in text: RawSpan,
    _ parse: (JSONObject) throws(CSPPError) -> Guard
  ) throws(CSPPError) -> [Guard] {
    var elements = try JSONElements(try object.required("guards", in: text), field: "guards")
    var guards: [Guard] = []
    while let element = try elements.next(in: text) {
      guard guards.count < GuardThreshold.maximumGuards, element.kind == .object else {
        throw .invalidField("guards")
      }
      guards.append(try parse(JSONObject(element, in: text, duplicates: .refused)))
    }
    return guards
  }

  static func members(_ nonce: [UInt8], _ threshold: GuardThreshold) -> [(String, String)] {
    [
      ("guard_nonce", JSONText.quoted(Hex.string(nonce))),
      ("threshold", String(threshold.needed)),
    ]
  }

  static func guards(_ guards: [[(String, String)]]) -> (String, String) {
    ("guards", "[" + guards.map { JSONText.object($0) }.joined(separator: ",") + "]")
  }
}

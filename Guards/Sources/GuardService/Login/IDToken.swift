internal import CSPP
internal import SecretMemory

/// An ID token in its parts (RFC 7515, compact form), read strictly and not yet believed.
struct IDToken: Sendable {
  /// The largest token, in bytes.
  static let maximumSize = 16_384

  /// The header's `alg`.
  let algorithm: String
  /// The header's `kid`.
  let keyID: String?
  /// The claims, JSON in UTF-8.
  let claims: [UInt8]
  /// The signed bytes.
  let message: [UInt8]
  /// The signature.
  let signature: [UInt8]

  /// Takes a token apart.
  ///
  /// - Returns: nil for another form, for a header with `crit` or another `typ`, and for a field
  ///   that is there twice.
  init?(_ token: String) {
    let bytes = Array(token.utf8)
    guard bytes.count <= Self.maximumSize else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.decode(parts[0]),
      let claims = Self.decode(parts[1]), let signature = Self.decode(parts[2]),
      let fields = Self.fields(of: header)
    else { return nil }
    algorithm = fields.algorithm
    keyID = fields.keyID
    self.claims = claims
    self.signature = signature
    message = Array(bytes[..<parts[1].endIndex])
  }

  private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe Base64.decode(Array(part).span.bytes, .url)
  }

  private static func fields(of header: [UInt8]) -> (algorithm: String, keyID: String?)? {
    let text = unsafe header.span.bytes
    do throws(CSPPError) {
      let object = try JSONObject(parsing: text, duplicates: .refused)
      guard try object.value("crit", in: text) == nil else { return nil }
      if let type = try object.value("typ", in: text),
        try type.text("typ", in: text).uppercased() != "JWT"
      {
        return nil
      }
      return (
        try object.required("alg", in: text).text("alg", in: text),
        try object.value("kid", in: text)?.text("kid", in: text)
      )
    } catch {
      return nil
    }
  }
}

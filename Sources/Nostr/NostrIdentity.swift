internal import CSPP
internal import SecretMemory

/// An identity that was derived once; a later derivation must give the same one.
///
/// An identity with a passphrase is never stored: nothing reveals that it exists.
public struct NostrIdentity: Hashable, Sendable {
  /// The relying party ID of the credential.
  public let rpID: String
  /// The credential.
  public let credentialID: [UInt8]
  /// Its index; nil for the standard identity.
  public let index: UInt32?
  /// The public key.
  public let publicKey: NostrPublicKey

  /// Creates an identity.
  public init(rpID: String, credentialID: [UInt8], index: UInt32?, publicKey: NostrPublicKey) {
    self.rpID = rpID
    self.credentialID = credentialID
    self.index = index
    self.publicKey = publicKey
  }

  /// Whether both have the same credential and input.
  public func isSamePlace(as other: NostrIdentity) -> Bool {
    rpID == other.rpID && credentialID == other.credentialID && index == other.index
  }

  /// The identity as a JSON object: `rp_id`, `credential_id` (base64url),
  /// `index` if there is one, `public_key` (hexadecimal).
  public var json: String {
    JSONText.object([
      ("rp_id", JSONText.quoted(rpID)),
      ("credential_id", JSONText.quoted(Base64.string(credentialID, .url))),
      ("index", index.map { String($0) }),
      ("public_key", JSONText.quoted(publicKey.hex)),
    ])
  }

  /// Several identities as one JSON array.
  public static func json(_ identities: [NostrIdentity]) -> String {
    "[" + identities.map(\.json).joined(separator: ",") + "]"
  }

  /// Parses the output of ``json(_:)``.
  ///
  /// - Throws: ``NostrError/invalidIdentity``.
  public static func parse(_ text: [UInt8]) throws(NostrError) -> [NostrIdentity] {
    let text = unsafe text.span.bytes
    do {
      var elements = try JSONElements(JSON.parse(text), field: "identities")
      var identities: [NostrIdentity] = []
      while let element = try elements.next(in: text) {
        let object = try JSONObject(element, in: text, duplicates: .refused)
        let index = try object.value("index", in: text)?.integer("index", in: text)
        guard index ?? 0 <= UInt64(IdentityInput.maximumIndex) else {
          throw NostrError.invalidIdentity
        }
        identities.append(
          NostrIdentity(
            rpID: try object.required("rp_id", in: text).text("rp_id", in: text),
            credentialID: try object.required("credential_id", in: text)
              .base64("credential_id", in: text, .url),
            index: index.map { UInt32($0) },
            publicKey: try NostrPublicKey(
              object.required("public_key", in: text).hex("public_key", in: text, count: 32))))
      }
      return identities
    } catch {
      throw .invalidIdentity
    }
  }
}

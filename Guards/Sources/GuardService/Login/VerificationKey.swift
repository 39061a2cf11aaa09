internal import CSPP
internal import JWTKit
internal import SecretMemory

/// One key of an issuer, for one algorithm.
///
/// The algorithm belongs to the key. What a token says of it has to agree, and chooses nothing.
struct VerificationKey: Sendable {
  /// The name by which a token calls it.
  let id: String?
  /// The algorithm, such as `RS256`.
  let algorithm: String
  private let verifier: any JWTAlgorithm

  /// The largest modulus of an RSA key, 4,096 bits: a larger one would cost more than a request may.
  static let maximumModulus = 512

  /// Takes a key up.
  ///
  /// - Returns: nil for numbers that are no key.
  init?(_ description: KeyDescription) async {
    guard let verifier = await Self.verifier(description.jwk),
      verifier.name == description.algorithm
    else { return nil }
    id = description.id
    algorithm = description.algorithm
    self.verifier = verifier
  }

  /// Whether a signature of this key holds.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    (try? verifier.verify(signature, signs: message)) ?? false
  }

  /// The check of one key.
  ///
  /// A collection of one has no other key to fall back to.
  private static func verifier(_ key: JWK) async -> (any JWTAlgorithm)? {
    let collection = JWTKeyCollection()
    guard (try? await collection.add(jwk: key)) != nil else { return nil }
    return try? await collection.getKey(for: key.keyIdentifier)
  }
}

/// A key of a set (RFC 7517), read strictly: text only, and the algorithm decided.
struct KeyDescription {
  /// Its name in the set.
  let id: String?
  /// The algorithm that it is for.
  let algorithm: String
  /// The key as JWTKit takes it, with that algorithm and without the rest.
  let jwk: JWK

  /// Reads a key.
  ///
  /// - Returns: nil for a key that is for another use, of another kind, or not as it should be.
  init?(_ value: JSONValue, in text: RawSpan) {
    guard let object = try? JSONObject(value, in: text, duplicates: .refusedOnLookup),
      object.members.count <= 32
    else { return nil }
    var texts: [String: String] = [:]
    let names: [StaticString] = ["kty", "kid", "use", "alg", "crv", "n", "e", "x", "y"]
    for name in names {
      do {
        guard let value = try object.optional(name, in: text) else { continue }
        texts[name.description] = try value.text(name, in: text)
      } catch {
        return nil
      }
    }
    guard texts["use"] ?? "sig" == "sig", Self.mayVerify(object, in: text),
      texts["kid"].map({ $0.utf8.count <= 256 }) ?? true
    else { return nil }
    id = texts["kid"]
    let named = JWKIdentifier(string: "the only one")
    switch (texts["kty"], texts["crv"]) {
    case ("RSA", nil):
      let known: [String: JWK.Algorithm] = [
        "RS256": .rs256, "RS384": .rs384, "RS512": .rs512, "PS256": .ps256, "PS384": .ps384,
        "PS512": .ps512,
      ]
      algorithm = texts["alg"] ?? "RS256"
      guard let kind = known[algorithm], let n = texts["n"], let e = texts["e"],
        let modulus = Self.bytes(n), modulus.count <= VerificationKey.maximumModulus,
        let exponent = Self.bytes(e), exponent.count <= 4
      else { return nil }
      jwk = .rsa(kind, identifier: named, modulus: n, exponent: e)
    case ("EC", let curve?):
      let known: [String: (String, JWK.Algorithm, ECDSACurve, Int)] = [
        "P-256": ("ES256", .es256, .p256, 32), "P-384": ("ES384", .es384, .p384, 48),
      ]
      guard let (name, kind, curve, size) = known[curve], texts["alg"] ?? name == name,
        let x = texts["x"], let y = texts["y"], Self.bytes(x)?.count == size,
        Self.bytes(y)?.count == size
      else { return nil }
      algorithm = name
      jwk = .ecdsa(kind, identifier: named, x: x, y: y, curve: curve)
    case ("OKP", "Ed25519"):
      guard texts["alg"] ?? "EdDSA" == "EdDSA", let x = texts["x"], Self.bytes(x)?.count == 32
      else { return nil }
      algorithm = "EdDSA"
      jwk = .octetKeyPair(.eddsa, identifier: named, x: x, y: nil, curve: .ed25519)
    default: return nil
    }
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    unsafe Base64.decode(Array(text.utf8).span.bytes, .url)
  }

  /// Whether `key_ops`, where it stands, has `verify` in it.
  private static func mayVerify(_ object: JSONObject, in text: RawSpan) -> Bool {
    do throws(CSPPError) {
      guard let value = try object.optional("key_ops", in: text) else { return true }
      var operations = try JSONElements(value, field: "key_ops")
      while let operation = try operations.next(in: text) {
        if try operation.text("key_ops", in: text) == "verify" { return true }
      }
    } catch {
      return false
    }
    return false
  }
}

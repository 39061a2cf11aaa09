internal import CSPP
package import SecretMemory

/// The metadata that World's server keeps beside a sealed archive.
///
/// Nothing in it is authenticated: it is what the server said.
package struct WorldMetadata: Equatable, Sendable {
  /// The kinds of a key, as the server writes them.
  package enum KeyKind: String, Sendable {
    case prf = "PRF"
    case iCloud = "ICLOUD"
    case turnkey = "TURNKEY"
  }

  /// One factor's copy of the backup keypair.
  package struct Key: Equatable, Sendable {
    /// Which kind of factor opens it; nil for a kind that is not known here.
    package let kind: KeyKind?
    /// The copy.
    package let keypair: WorldKeypair
  }

  /// The backup account's ID; nil where the file has none.
  package let accountID: String?
  /// The hash of the manifest, 32 bytes; nil where the file has none.
  package let manifestHash: [UInt8]?
  /// The copies of the keypair.
  package let keys: [Key]

  /// The most copies that are read.
  private static let keyLimit = 64

  /// Reads the object that the server keeps, or an answer that has it under `metadata`.
  ///
  /// - Throws: ``ForeignBackupError/damaged(part:)``, ``ForeignBackupError/otherKind(_:)``,
  ///   ``ForeignBackupError/tooLarge(part:limit:)``.
  package init(parsing text: RawSpan) throws(ForeignBackupError) {
    guard text.byteCount <= WorldLimits.metadata else {
      throw .tooLarge(part: "the metadata, in bytes,", limit: WorldLimits.metadata)
    }
    guard Self.mayBeObject(text) else { throw .otherKind("JSON object") }
    var keys: [Key] = []
    do {
      var object = try JSONObject(parsing: text, duplicates: .refusedOnLookup)
      if let inner = try object.optional("metadata", in: text) {
        object = try JSONObject(inner, in: text, duplicates: .refusedOnLookup)
      }
      accountID = try object.optional("id", in: text)?.text("id", in: text)
      manifestHash = try object.optional("manifestHash", in: text)?
        .hex("manifestHash", in: text, count: 32, upperCase: true)
      var elements = try JSONElements(object.required("keys", in: text), field: "keys")
      while let element = try elements.next(in: text) {
        guard keys.count < Self.keyLimit else {
          throw ForeignBackupError.tooLarge(part: "the number of keys", limit: Self.keyLimit)
        }
        keys.append(try Self.key(element, in: text))
      }
    } catch let error as ForeignBackupError {
      throw error
    } catch {
      throw .damaged(part: "the metadata")
    }
    guard !keys.isEmpty else { throw .damaged(part: "the metadata, which has no key,") }
    self.keys = keys
  }

  /// Whether a brace is at the beginning or at the end, or nothing is there at all.
  private static func mayBeObject(_ text: RawSpan) -> Bool {
    var first: UInt8?
    var last: UInt8?
    for place in 0..<text.byteCount {
      let byte = unsafe text.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      if [9, 10, 13, 32].contains(byte) { continue }
      first = first ?? byte
      last = byte
    }
    return first == nil || first == UInt8(ascii: "{") || last == UInt8(ascii: "}")
  }

  private static func key(_ element: JSONValue, in text: RawSpan) throws -> Key {
    let object = try JSONObject(element, in: text, duplicates: .refusedOnLookup)
    let kind = try object.required("kind", in: text).text("kind", in: text)
    let box = try object.required("encryptedKey", in: text)
      .hex("encryptedKey", in: text, upperCase: true)
    return Key(kind: KeyKind(rawValue: kind), keypair: try WorldKeypair(box: box))
  }

  /// Opens the first copy that a secret opens.
  ///
  /// - Throws: ``ForeignBackupError/wrongSecret(part:)``.
  package func open(with factor: borrowing SecretBytes) throws(ForeignBackupError) -> SecretBytes {
    for key in keys {
      if let secret = try? key.keypair.open(with: factor) { return secret }
    }
    throw .wrongSecret(part: "the factor secret")
  }
}

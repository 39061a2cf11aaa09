internal import CSPP
internal import SecretMemory

/// World App's root secret: what the account, the wallet and the identity are derived from.
package struct WorldRootSecret: ~Copyable {
  /// How the key is written.
  package enum Version: String, Sendable {
    /// Any text; its SHA-256 is derived from.
    case v0 = "V0"
    /// 32 bytes as 64 hexadecimal digits.
    case v1 = "V1"
  }

  /// How the key is written.
  package let version: Version
  /// The input of the key derivation, 32 bytes.
  private let input: SecretBytes

  /// Reads `root_secret.json`: `{"version":"V1","key":"…"}`.
  ///
  /// - Throws: ``ForeignBackupError/damaged(part:)``, ``ForeignBackupError/unsupported(part:)``,
  ///   ``ForeignBackupError/tooLarge(part:limit:)``.
  package init(parsing text: RawSpan) throws(ForeignBackupError) {
    guard text.byteCount <= WorldLimits.rootSecret else {
      throw .tooLarge(part: "the root secret, in bytes,", limit: WorldLimits.rootSecret)
    }
    let fields: (name: String, key: JSONValue)
    do throws(CSPPError) {
      let object = try JSONObject(parsing: text, duplicates: .refused)
      let key = try object.required("key", in: text)
      guard key.kind == .string else { throw .invalidField("key") }
      fields = (try object.required("version", in: text).text("version", in: text), key)
    } catch {
      throw .damaged(part: "the root secret")
    }
    guard let version = Version(rawValue: fields.name) else {
      throw .unsupported(part: "the root secret, by its version,")
    }
    input = try Self.input(version, fields.key.secret(in: text))
    self.version = version
  }

  /// The input of the key derivation, for a key as it is written.
  private static func input(
    _ version: Version, _ key: consuming SecretBytes
  ) throws(ForeignBackupError) -> SecretBytes {
    switch version {
    case .v0: return key.withBytes { SHA256.secretHash($0) }
    case .v1:
      var bytes = SecretBytes(zeroed: 0)
      guard key.withBytes({ decode($0, into: &bytes) }) else {
        throw .damaged(part: "the key of the root secret")
      }
      return bytes
    }
  }

  /// Decodes 64 digits of either case.
  private static func decode(_ digits: RawSpan, into bytes: inout SecretBytes) -> Bool {
    digits.byteCount == 64 && Hex.decode(digits, upperCase: true, into: &bytes)
  }

  /// The key whose public half is the backup account's ID.
  ///
  /// - Throws: ``ForeignBackupError/damaged(part:)``, with a chance of about 2^-128.
  package func accountKey() throws(ForeignBackupError) -> WorldAccountKey {
    let secret: SecretBytes
    do throws(SecretMemoryError) {
      secret = try BLAKE2bSubkey.derive(from: input, number: 0x101, context: "OXIDEKEY")
    } catch {
      throw .damaged(part: "the root secret")
    }
    return try WorldAccountKey(secret)
  }
}

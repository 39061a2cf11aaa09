public import CSPP
internal import LogState
public import SecretMemory

/// A file in `keys/` by which a key slot opens a namespace that was made while it was not plugged in.
///
/// It holds the slot's own file of an earlier namespace, and the new master key in a sealed box
/// (docs/format.md, *Boxes*). It proves nothing until ``open(_:)`` has checked it.
public struct BoxFile: Equatable, Sendable {
  static let format: StaticString = "keybackup-box"

  /// The slot's own file of an earlier namespace.
  public let own: KeyWrapper
  /// The bytes of that file.
  public let ownBytes: [UInt8]
  private let box: [UInt8]
  private let proof: [UInt8]

  /// Reads a box.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - limit: the largest size in bytes.
  /// - Throws: errors about bytes and fields.
  public init(
    parsing file: Span<UInt8>, limit: Int = 2 * SizeLimits.standard.wrapper
  ) throws(CSPPError) {
    guard file.count <= limit else { throw .tooLarge(limit: limit) }
    let text = unsafe file.bytes
    let object = try JSONObject(parsing: text, duplicates: .refused)
    guard try object.required("format", in: text).equals(Self.format, in: text) else {
      throw .otherFormat
    }
    guard try object.required("version", in: text).integer("version", in: text) == 1 else {
      throw .unsupportedVersion
    }
    let bytes = try object.required("own", in: text).base64("own", in: text, .standard)
    own = try KeyWrapper(parsing: bytes.span, at: nil)
    ownBytes = bytes
    box = try object.required("box", in: text).hex("box", in: text)
    proof = try object.required("hmac", in: text).hex("hmac", in: text, count: 32)
  }

  /// Seals a namespace's key for a slot.
  ///
  /// - Parameters:
  ///   - masterKey: the new namespace's key.
  ///   - own: the bytes of the slot's own file of an earlier namespace.
  ///   - earlier: that namespace's key.
  /// - Returns: the file's bytes.
  /// - Throws: errors about the own file.
  public static func seal(
    _ masterKey: borrowing MasterKey, for own: [UInt8], of earlier: borrowing MasterKey
  ) throws(CSPPError) -> [UInt8] {
    let wrapper = try KeyWrapper(parsing: own.span, at: earlier.namespaceID)
    let box = try masterKey.sealed(to: wrapper.recipient)
    let proof = Self.proof(own, box, masterKey.namespaceID, earlier)
      .withBytes { Hex.string(unsafe $0.withUnsafeBytes { unsafe Array($0) }) }
    let ownText = String(
      decoding: unsafe Base64.encode(own.span.bytes, .standard), as: UTF8.self)
    return Array(
      ("{\"format\":\"\(format)\",\"version\":1,\"own\":\"\(ownText)\",\"box\":\""
        + "\(Hex.string(box))\",\"hmac\":\"\(proof)\"}").utf8)
  }

  /// Opens the box.
  ///
  /// - Parameter secret: the slot's secret.
  /// - Returns: the earlier namespace's key, and that of the namespace of this file.
  /// - Throws: ``CSPP/CSPPError/authenticationFailed`` for another slot's secret, and for a box that
  ///   nobody made who had the earlier key.
  public func open(
    _ secret: borrowing SecretBytes
  ) throws(CSPPError) -> OpenedBox {
    let earlier = try own.open(secret: secret)
    let masterKey = try MasterKey(opening: box, secret: secret, keyID: own.header.keyID)
    let expected = Self.proof(ownBytes, box, masterKey.namespaceID, earlier)
    guard expected.isEqual(to: unsafe SecretBytes(copying: proof.span.bytes)) else {
      throw .authenticationFailed
    }
    return OpenedBox(earlier: earlier, masterKey: masterKey)
  }

  private static func proof(
    _ own: [UInt8], _ box: [UInt8], _ namespace: NamespaceID, _ earlier: borrowing MasterKey
  ) -> SecretBytes {
    let key = earlier.withBytes {
      HKDFSHA256.deriveKey(ikm: SecretBytes(copying: $0), info: "keybackup:v1:box")
    }
    let message = Digest(of: own.span).bytes + box + namespace.bytes
    return HMACSHA256.code(for: message, key: key)
  }
}

/// The two keys that a box gives.
public struct OpenedBox: ~Copyable, Sendable {
  /// The key of the slot's earlier namespace.
  public let earlier: MasterKey
  /// The key of the box's namespace.
  public let masterKey: MasterKey
}

extension SlotFile {
  /// Reads which kind of file a key slot has.
  ///
  /// - Parameters:
  ///   - file: its bytes.
  ///   - key: the key ID in its name.
  ///   - namespace: the namespace of its folder.
  /// - Throws: errors about bytes and fields.
  init(parsing file: [UInt8], key: KeyID, in namespace: NamespaceID) throws(CSPPError) {
    let digest = Digest(of: file.span)
    do throws(CSPPError) {
      _ = try KeyWrapper(parsing: file.span, at: namespace)
      self.init(key, .own, digest)
    } catch .otherFormat {
      _ = try BoxFile(parsing: file.span)
      self.init(key, .box, digest)
    }
  }
}

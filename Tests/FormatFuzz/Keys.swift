import CSPP
import SecretMemory

/// The keys with which everything is sealed, so that inputs get past the seals.
enum Keys {
  static let masterKey: MasterKey = {
    do { return try MasterKey(secret([UInt8](repeating: 7, count: 32))) } catch {
      fatalError("\(error)")
    }
  }()
  static let namespace = masterKey.namespaceID
  static let prfOutput = secret([UInt8](repeating: 1, count: 32))
  static let salt = [UInt8](repeating: 5, count: 32)
  static let nonce = [UInt8](repeating: 6, count: 12)
  static let keyID = KeyID(words: SIMD2(1, 2))
  static let writer = WriterID(words: SIMD2(3, 4))

  /// Seals one of our own files, with any header and any body.
  static func file(
    format: String, header: [UInt8], body: [UInt8], key: borrowing SecretBytes
  ) -> [UInt8] {
    let protected = unsafe Base64.encode(header.span.bytes, .url)
    let sealed = seal(body, key: key, associatedData: protected)
    return Array("{\"format\":\"\(format)\",\"version\":1,\"protected\":\"".utf8) + protected
      + Array("\",\"nonce\":\"\(Hex.string(nonce))\",\"ciphertext\":\"".utf8)
      + Array(Base64.string(sealed, .standard).utf8) + Array("\"}".utf8)
  }

  static func seal(
    _ body: [UInt8], key: borrowing SecretBytes, associatedData: [UInt8] = []
  ) -> [UInt8] {
    do {
      return try unsafe ChaCha20Poly1305.seal(
        body.span.bytes, key: key, nonce: nonce, associatedData: associatedData)
    } catch {
      fatalError("\(error)")
    }
  }
}

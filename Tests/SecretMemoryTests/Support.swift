import FoundationEssentials
import SecretMemory
import TestSupport
import Testing

/// Bytes as two lower-case hexadecimal digits each.
func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

func hex(_ bytes: borrowing SecretBytes) -> String { hex(array(bytes)) }

func array(_ bytes: borrowing SecretBytes) -> [UInt8] {
  unsafe bytes.withUnsafeBytes { unsafe Array($0) }
}

func secret(_ bytes: [UInt8]) -> SecretBytes { unsafe SecretBytes(copying: bytes.span.bytes) }

/// The bytes that hexadecimal digits of a vector file stand for.
func bytes(_ hex: String) throws -> [UInt8] {
  let digits = Array(hex.utf8)
  try #require(digits.count.isMultiple(of: 2), "hexadecimal digits come in pairs")
  return try stride(from: 0, to: digits.count, by: 2).map {
    try #require(UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16))
  }
}

/// A file of known answers under Tests/Vectors/crypto.
struct VectorFile<Case: Decodable>: Decodable {
  /// The source of the numbers.
  let source: String
  let cases: [Case]
}

/// The cases of a vector file.
///
/// - Throws: when the file is missing, empty or of another shape. Missing known answers must fail a
///   test, not skip it.
func vectors<Case: Decodable>(_ name: String, of type: Case.Type) throws -> [Case] {
  let here = URL(filePath: #filePath).deletingLastPathComponent()
  let file = here.appending(path: "../Vectors/crypto/\(name).json").standardized
  let data = try Data(contentsOf: file)
  let cases = try JSONDecoder().decode(VectorFile<Case>.self, from: data).cases
  try #require(!cases.isEmpty)
  return cases
}

extension SeededGenerator {
  /// Up to `limit` bytes; small sizes, empty included, come up often.
  mutating func bytes(upTo limit: Int) -> [UInt8] {
    let bound = Bool.random(using: &self) ? min(limit, 40) : limit
    return bytes(Int.random(in: 0...bound, using: &self))
  }
}

// The functions under test, with their secrets as plain arrays: what a test compares. They also
// keep move-only values out of `#expect`, which cannot capture them.

func sealed(
  _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8] = []
) throws(SecretMemoryError) -> [UInt8] {
  let key = secret(key)
  let result = unsafe try ChaCha20Poly1305.seal(
    plaintext.span.bytes, key: key, nonce: nonce, associatedData: data)
  var message = secret(plaintext)
  try ChaCha20Poly1305.seal(inPlace: &message, key: key, nonce: nonce, associatedData: data)
  #expect(array(message) == result, "in place, the same")
  return result
}

func opened(
  _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8] = []
) throws(SecretMemoryError) -> [UInt8] {
  let key = secret(key)
  var message = secret(sealed)
  var refusal: SecretMemoryError?
  do throws(SecretMemoryError) {
    try ChaCha20Poly1305.open(inPlace: &message, key: key, nonce: nonce, associatedData: data)
  } catch {
    refusal = error
  }
  let inPlace = array(message)
  do throws(SecretMemoryError) {
    let plaintext = array(
      unsafe try ChaCha20Poly1305.open(
        sealed.span.bytes, key: key, nonce: nonce, associatedData: data))
    #expect(refusal == nil && inPlace == plaintext, "in place, the same")
    return plaintext
  } catch {
    #expect(refusal == error, "in place, the same")
    if error == .authenticationFailed { #expect(inPlace.isEmpty) }
    throw error
  }
}

func computeHKDF(ikm: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
  let okm = unsafe HKDFSHA256.deriveKey(ikm: ikm.span.bytes, salt: salt, info: info, count: count)
  return array(okm)
}

func computeHMAC(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
  let code = unsafe HMACSHA256.code(for: message.span.bytes, key: key.span.bytes)
  return array(code)
}

func computeArgon2id(
  _ password: [UInt8], salt: [UInt8], memoryKiB: Int, passes: Int, count: Int
) throws(SecretMemoryError) -> [UInt8] {
  let password = secret(password)
  let parameters = try Argon2id.Parameters(memoryKiB: memoryKiB, passes: passes)
  let key = try Argon2id.deriveKey(
    password: password, salt: salt, parameters: parameters, count: count)
  return array(key)
}

func computeX25519(_ scalar: [UInt8]) throws(SecretMemoryError) -> [UInt8] {
  let scalar = secret(scalar)
  return try X25519.publicKey(of: scalar)
}

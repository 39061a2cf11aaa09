import Foundation
import SecretMemory
import Testing

@testable import CSPP

// Foundation and Crypto have types of the same names.
typealias Operation = CSPP.Operation
typealias Digest = CSPP.Digest

/// Files under Tests/Vectors/cspp.
enum Vectors {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Vectors/cspp")

  static func json(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: root.appending(path: name))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appending(path: path)))
  }
}

extension [String: Any] {
  func string(_ name: String) throws -> String { try #require(self[name] as? String) }

  func list(_ name: String) throws -> [[String: Any]] {
    try #require(self[name] as? [[String: Any]])
  }

  func base64(_ name: String) throws -> [UInt8] {
    [UInt8](try #require(Data(base64Encoded: try string(name))))
  }
}

/// Decodes hexadecimal digits with code other than the product's.
func bytes(hex: String) -> [UInt8] {
  stride(from: 0, to: hex.count, by: 2).map { offset in
    let start = hex.index(hex.startIndex, offsetBy: offset)
    return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
  }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
  unsafe SecretBytes(copying: bytes.span.bytes)
}

func secret(hex: String) -> SecretBytes { secret(bytes(hex: hex)) }

func secret(text: String) -> SecretBytes { secret(Array(text.utf8)) }

func digest(_ bytes: [UInt8]) -> Digest { Digest(of: bytes.span) }

extension SecretBytes {
  /// A copy to compare; tests have nothing to hide.
  var revealed: [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }

  var text: String { String(decoding: revealed, as: UTF8.self) }
}

/// The error with which `body` refuses; nil when it does not.
func refusal(_ body: () throws(CSPPError) -> Void) -> CSPPError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

extension SealedOperation {
  /// The file's bytes.
  var bytes: [UInt8] { file.revealed }
}

extension OperationFile {
  /// Opens the bytes that were parsed, in a copy of them.
  func open(
    _ bytes: [UInt8], masterKey: borrowing MasterKey, into text: inout SecretBytes
  ) throws(CSPPError) -> CSPP.Operation {
    text = secret(bytes)
    return try open(inPlace: &text, masterKey: masterKey)
  }
}

/// A namespace with fixed keys, for tests that write their own files.
enum Sample {
  static let prfOutput = [UInt8](repeating: 0x51, count: 32)
  static let prfSalt = [UInt8](repeating: 0x52, count: 32)
  static let walletID = "wallet-1"
  static let recordID = RecordID(walletID: walletID)
  static let entry =
    #"{"wallet_id":"wallet-1","secret":{"Mnemonic":"zoo zoo"},"metadata":{"name":"N"},"wallet_mode":"Main"}"#

  static func masterKey() throws -> MasterKey {
    try MasterKey(secret([UInt8](repeating: 7, count: 32)))
  }

  static func namespaceID() throws -> NamespaceID { try masterKey().namespaceID }

  /// The file of an envelope of ``entry`` or another plaintext, with fields replaced or, for nil,
  /// omitted.
  ///
  /// Values are JSON.
  static func wallet(
    _ plaintext: String = entry, changing changes: [String: String?] = [:]
  ) throws -> [UInt8] {
    let key = try masterKey().walletKey(salt: [UInt8](repeating: 1, count: 32))
    let sealed = try unsafe ChaCha20Poly1305.seal(
      Array(plaintext.utf8).span.bytes, key: key, nonce: [UInt8](repeating: 2, count: 12))
    return file(
      [
        ("version", "1"), ("kind", "\"wallet\""), ("schema_version", "1"),
        ("namespace_id", "\"\(try namespaceID())\""), ("record_id", "\"\(recordID)\""),
        ("wallet_id", "\"\(walletID)\""), ("created_at", "1"), ("updated_at", "2"),
        ("wallet_salt", "\"\(String(repeating: "01", count: 32))\""),
        ("nonce", "\"\(String(repeating: "02", count: 12))\""),
        ("ciphertext", "\"\(Data(sealed).base64EncodedString())\""),
      ], changes)
  }

  /// The file of a master-key envelope, with fields replaced or omitted.
  static func master(changing changes: [String: String?] = [:]) throws -> [UInt8] {
    let masterKey = try masterKey()
    let key = secret(prfOutput)
    let sealed = try masterKey.withBytes {
      try ChaCha20Poly1305.seal($0, key: key, nonce: [UInt8](repeating: 2, count: 12))
    }
    return file(
      [
        ("version", "1"), ("kind", "\"master_key\""), ("schema_version", "1"),
        ("namespace_id", "\"\(masterKey.namespaceID)\""),
        ("record_id", "\"cspp-master-key-v1\""), ("passkey_provider_hint", "null"),
        ("prf_salt", "\"\(String(repeating: "52", count: 32))\""),
        ("nonce", "\"\(String(repeating: "02", count: 12))\""),
        ("ciphertext", "\"\(Data(sealed).base64EncodedString())\""),
      ], changes)
  }

  /// The file of a header and a body in our own format.
  static func protected(
    format: String, header: String, body: String, key: borrowing SecretBytes
  ) throws -> [UInt8] {
    try ProtectedFile.seal(secret(text: body), header: header, format: format, key: key).revealed
  }

  static func file(
    _ members: [(String, String)], _ changes: [String: String?]
  ) -> [UInt8] {
    var texts = members.compactMap { name, value -> String? in
      guard let change = changes[name] else { return "\"\(name)\":\(value)" }
      return change.map { "\"\(name)\":\($0)" }
    }
    for (name, value) in changes where !members.contains(where: { $0.0 == name }) {
      texts.append(value.map { "\"\(name)\":\($0)" } ?? "")
    }
    return Array("{\(texts.joined(separator: ","))}".utf8)
  }
}

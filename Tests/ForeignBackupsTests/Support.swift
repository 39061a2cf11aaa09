import FoundationEssentials
import SecretMemory

/// The files under Tests/Vectors/foreign.
enum Vectors {
  static func bytes(_ name: String, source: String = #filePath) throws -> [UInt8] {
    let folder = source.split(separator: "/").prefix { $0 != "ForeignBackupsTests" }
    let path = "/" + folder.joined(separator: "/") + "/Vectors/foreign/\(name)"
    return try [UInt8](Data(contentsOf: URL(filePath: path)))
  }

  static func decode<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws
    -> Value
  {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: Data(bytes(name)))
  }
}

/// Bytes for a comparison in a test.
func plain(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withBytes { bytes in
    (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
  }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
  unsafe SecretBytes(copying: bytes.span.bytes)
}

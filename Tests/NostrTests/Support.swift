import FoundationEssentials
import Nostr
import SecretMemory

/// The files under Tests/Vectors/nostr.
enum Vectors {
  static func decode<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/\(folder)/Vectors/nostr/\(name)"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(T.self, from: data)
  }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
  unsafe SecretBytes(copying: bytes.span.bytes)
}

func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

func unhex(_ text: String) -> [UInt8] {
  let digits = Array(text.utf8)
  return unsafe Hex.decode(digits.span.bytes) ?? []
}

/// Reads an `npub` or `nsec`: its hexadecimal digits after its kind.
func decoded(_ text: some StringProtocol) throws(NostrError) -> String {
  let bytes = Array(text.utf8)
  let key = try unsafe NIP19.decode(bytes.span.bytes)
  switch consume key {
  case .publicKey(let key): return "npub " + key.hex
  case .secretKey(let key): return "nsec " + key.withBytes { digits($0) }
  }
}

func digits(_ span: RawSpan) -> String {
  String(decoding: Hex.encode(span), as: UTF8.self)
}

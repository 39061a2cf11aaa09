import FoundationEssentials
import Glibc
import SecretMemory
import WalletFormats

/// The files under Tests/Vectors.
enum Vectors {
  static func data(_ path: String) throws -> Data {
    var folder = #filePath.split(separator: "/").dropLast(2)
    folder.append("Vectors")
    return try Data(
      contentsOf: URL(filePath: "/" + folder.joined(separator: "/") + "/" + path))
  }

  static func decode<T: Decodable>(_ path: String, as type: T.Type = T.self) throws -> T {
    try JSONDecoder().decode(T.self, from: data(path))
  }
}

/// A file with a list of cases.
struct CaseFile<Case: Decodable>: Decodable {
  let cases: [Case]
}

func secret(_ text: String) -> SecretBytes {
  secret(Array(text.utf8))
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
  SecretBytes(count: bytes.count) { span in
    for (index, byte) in bytes.enumerated() {
      span.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
  }
}

func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
  unsafe secret.withUnsafeBytes { unsafe Array($0) }
}

func text(_ secret: borrowing SecretBytes) -> String {
  String(decoding: bytes(secret), as: UTF8.self)
}

/// The error's case without its values.
func name(_ error: WalletFormatError?) -> String? {
  error.map { String("\($0)".prefix { $0 != "(" }) }
}

/// Runs `body` for the error it throws.
func refusal(_ body: () throws(WalletFormatError) -> Void) -> WalletFormatError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Files that state no size, like those of /proc.
enum Files {
  static func text(_ path: String) throws -> String {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { throw POSIXFailure(number: errno) }
    defer { close(file) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe read(file, &piece, piece.count)
      guard count > 0 else { break }
      content += piece[0..<count]
    }
    return String(decoding: content, as: UTF8.self)
  }

  struct POSIXFailure: Error { let number: Int32 }
}

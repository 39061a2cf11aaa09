import SecretMemory

@testable import ForeignBackups

/// Archives as World App writes them, and as nobody should, for tests.
///
/// The gzip members here are stored, not deflated. Tests/interop/world.py makes deflated ones.
enum MadeArchive {
  static let root = Array(
    #"{"version":"V1","key":"\#(String(repeating: "21", count: 32))"}"#.utf8)
  static let version: (String, [UInt8]) = ("OXIDE_BACKUP_VERSION", [0])

  /// An unpacked archive with a version, a root secret and these entries.
  static func tar(_ entries: [(name: String, body: [UInt8])]) -> [UInt8] {
    tar(all: [version, ("root_secret.json", root)] + entries)
  }

  /// An unpacked archive of these entries and nothing else.
  static func tar(all entries: [(name: String, body: [UInt8])]) -> [UInt8] {
    entries.flatMap { entry($0.name, $0.body) } + [UInt8](repeating: 0, count: 1024)
  }

  /// A tar entry in GNU's format.
  static func entry(
    _ name: String, _ body: [UInt8], type: Character = "0", link: String = "", size: Int? = nil
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (place, byte) in text.utf8.prefix(100).enumerated() { header[offset + place] = byte }
    }
    func octal(_ number: Int, digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    put(name, at: 0)
    put("0000600", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(octal(size ?? body.count, digits: 11), at: 124)
    put("00000000001", at: 136)
    put("        ", at: 148)
    put(String(type), at: 156)
    put(link, at: 157)
    put("ustar  ", at: 257)
    if type == "S" {
      // One piece of data, behind a hole of 512 bytes.
      put(octal(512, digits: 11), at: 386)
      put(octal(body.count, digits: 11), at: 398)
      put(octal(512 + body.count, digits: 11), at: 483)
    }
    put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0 ", at: 148)
    let padding = [UInt8](repeating: 0, count: (512 - body.count % 512) % 512)
    // A name of more than 100 bytes comes in an entry of its own.
    let long =
      name.utf8.count > 100 ? entry("././@LongLink", Array(name.utf8) + [0], type: "L") : []
    return long + header + body + padding
  }

  /// A body, with any field changed.
  static func body(
    _ data: [UInt8], path: String, designator: String = "orb_pkg", checksum: [UInt8]? = nil,
    asByteStrings: Bool = false
  ) -> [UInt8] {
    let bytes = asByteStrings ? { head(2, $0.count) + $0 } : numbers
    return head(5, 4) + text("data") + bytes(data)
      + text("checksum") + bytes(checksum ?? BLAKE3.hash(data))
      + text("path") + text(path) + text("designator") + text(designator)
  }

  /// The head of a CBOR item: its kind from 0 to 7, and its number.
  static func head(_ kind: UInt8, _ number: Int) -> [UInt8] {
    switch number {
    case ..<24: [kind << 5 | UInt8(number)]
    case ..<0x100: [kind << 5 | 24, UInt8(number)]
    case ..<0x10000: [kind << 5 | 25, UInt8(number >> 8), UInt8(number & 255)]
    default: [kind << 5 | 26] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
  }

  static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

  static func numbers(_ bytes: [UInt8]) -> [UInt8] {
    head(4, bytes.count) + bytes.flatMap { head(0, Int($0)) }
  }

  /// A gzip member with stored blocks.
  static func gzip(_ text: [UInt8], statedSize: Int? = nil) -> [UInt8] {
    var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let count = min(65535, text.count - start)
      let size = [UInt8(count & 255), UInt8(count >> 8)]
      member += [start + count == text.count ? 1 : 0] + size + size.map { ~$0 }
      member += text[start..<start + count]
      start += count
    } while start < text.count
    let size = statedSize ?? text.count
    return member + littleEndian(crc(text)) + littleEndian(UInt32(size))
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in
        sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
  }

  /// A backup keypair of tests, and a sealed archive for it.
  static let secretKey = [UInt8](32..<64)

  static func seal(_ packed: [UInt8]) throws -> [UInt8] {
    let recipient = try X25519.publicKey(of: secret(secretKey))
    return try unsafe SealedBox.seal(packed.span.bytes, to: recipient)
  }

  /// Opens a sealed archive, and gives the error or nil.
  static func error(of sealed: [UInt8]) -> ForeignBackupError? {
    do throws(ForeignBackupError) {
      _ = try WorldArchive(sealed: sealed, secret: secret(secretKey))
      return nil
    } catch {
      return error
    }
  }

  /// Reads an unpacked archive, and gives the error or nil.
  static func error(of tar: [UInt8], unpacked: Void) -> ForeignBackupError? {
    do throws(ForeignBackupError) {
      _ = try WorldArchive(tar: secret(tar))
      return nil
    } catch {
      return error
    }
  }
}

internal import SecretMemory

/// A file of an archive, without its contents.
package struct WorldFile: Equatable, Sendable {
  /// Where World App keeps it.
  package let path: WorldPath
  /// Its purpose, such as `orb_pkg`.
  package let designator: String
  /// The BLAKE3 digest of its contents, 32 bytes.
  package let checksum: [UInt8]
  /// The size of its contents, in bytes.
  package let size: Int
  /// Where it lies in the archive, encoded.
  let range: Range<Int>

  /// The designators of version V0, as of August 2026.
  private static let knownDesignators: Set<String> = [
    "orb_pkg", "document_pkg", "credential_vault", "face_pkg", "anonymized_third_party_analytics",
  ]

  /// Whether the designator is one of those that are known here.
  package var isKnown: Bool { Self.knownDesignators.contains(designator) }
}

/// The body of an entry: a CBOR map of `data`, `checksum`, `path` and `designator`.
struct WorldEntry {
  let path: String
  let designator: String
  /// 32 bytes; not compared yet.
  let checksum: [UInt8]

  /// The error for a body that is none, with the field that it failed at.
  struct Malformed: Error { let field: String }

  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - body: the whole of it.
  ///   - reader: at its start.
  ///   - data: afterwards the contents, not compared with the checksum.
  /// - Throws: ``Malformed``.
  init(
    _ body: RawSpan, _ reader: consuming CBORStream, data: inout SecretBytes
  ) throws(Malformed) {
    var field = "fields"
    var (path, designator): (String?, String?)
    var checksum: [UInt8]?
    var hasData = false
    do throws(CBORStream.Malformed) {
      guard try reader.next(in: body) == .map(4) else { throw .init() }
      for _ in 0..<4 {
        let name = try reader.text(in: body)
        switch name {
        case "data" where !hasData:
          field = "data"
          try reader.bytes(into: &data, in: body)
          hasData = true
        case "checksum" where checksum == nil:
          field = "checksum"
          checksum = try Self.checksum(&reader, in: body)
        case "path" where path == nil:
          field = "path"
          path = try reader.text(in: body)
        case "designator" where designator == nil:
          field = "designator"
          designator = try reader.text(in: body)
        default: throw .init()
        }
        field = "fields"
      }
      guard reader.position == body.byteCount else { throw .init() }
    } catch {
      throw Malformed(field: field)
    }
    // Four different names are all four.
    guard let path, let designator, let checksum else { throw Malformed(field: field) }
    guard Self.isName(designator) else { throw Malformed(field: "designator") }
    (self.path, self.designator, self.checksum) = (path, designator, checksum)
  }

  private static func checksum(
    _ reader: inout CBORStream, in body: RawSpan
  ) throws(CBORStream.Malformed) -> [UInt8] {
    var bytes = SecretBytes(zeroed: 0)
    try reader.bytes(into: &bytes, in: body)
    guard bytes.count == BLAKE3.digestSize else { throw .init() }
    return unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Whether a designator is a word as World App has them; it becomes part of the manifest.
  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }
}

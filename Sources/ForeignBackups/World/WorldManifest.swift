internal import SecretMemory

/// The list of files that World App and its server compare to notice a change.
///
/// It covers neither the root secret nor the backup keypair.
package enum WorldManifest {
  /// The hash of a list of files, 32 bytes.
  ///
  /// BLAKE3 of `BEDROCK_MANIFEST`, a zero, the number of files in 4 bytes, and for each file in
  /// the order of the paths in small letters: designator, zero, path, zero, checksum.
  package static func hash(_ files: [WorldFile]) -> [UInt8] {
    var text = Array("BEDROCK_MANIFEST".utf8) + [0]
    text += (0..<4).map { UInt8(truncatingIfNeeded: files.count >> (24 - 8 * $0)) }
    let sorted = files.map { (folded: $0.path.folded, file: $0) }
      .sorted { $0.folded.utf8.lexicographicallyPrecedes($1.folded.utf8) }
    for (_, file) in sorted {
      text += Array(file.designator.utf8) + [0] + Array(file.path.text.utf8) + [0] + file.checksum
    }
    return BLAKE3.hash(text)
  }
}

public import CSPP

/// The ID of a release, 32 digits: the first 16 bytes of a SHA-256 of its session key.
///
/// So it is the same at all guards, and one ID is enough to veto.
public struct ReleaseID: HexIdentifier {
  /// The bytes as big-endian words.
  public let words: SIMD2<UInt64>
  /// Creates the ID from big-endian words.
  public init(words: SIMD2<UInt64>) { self.words = words }

  /// The ID of the release to this session key.
  public init(of sessionKey: X25519Key) {
    let digest = Digest(of: (Array("keybackup:v1:guard-release:".utf8) + sessionKey.bytes).span)
    words = SIMD2(digest.words[0], digest.words[1])
  }
}

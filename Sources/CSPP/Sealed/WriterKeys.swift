// This folder is for computers that write without opening the backup: their keys, their sealed
// operations, and the lines by which they are authorised. Which operations count, and in which
// order, is not known here.

public import SecretMemory

/// The X25519 pair to which silent writers seal, derived from the master key.
public struct InboxPair: ~Copyable, Sendable {
  /// The namespace of the master key.
  public let namespaceID: NamespaceID
  /// The public half, which a silent writer is told when it is authorised.
  public let publicKey: X25519Key
  let secret: SecretBytes

  /// Derives the pair.
  public init(of masterKey: borrowing MasterKey) {
    namespaceID = masterKey.namespaceID
    secret = masterKey.withBytes {
      HKDFSHA256.deriveKey(ikm: $0, info: Array("keybackup:v1:inbox".utf8))
    }
    publicKey = X25519Key(of: secret)
  }
}

extension X25519Key {
  /// The public half of 32 secret bytes.
  init(of secret: borrowing SecretBytes) {
    do throws(SecretMemoryError) {
      let key = try X25519.publicKey(of: secret)
      self.init(words: unsafe SIMD4(bigEndian: key.span.bytes))
    } catch {
      preconditionFailure("a secret of the right size")
    }
  }
}

extension MasterKey {
  /// The second secret of one silent writer's operations, 32 bytes.
  ///
  /// That writer has it too, so that what lies in the folder does not rest on X25519 alone.
  public borrowing func writerSecret(_ writer: SilentWriter.Identity) -> SecretBytes {
    let info = "keybackup:v1:silent-writer:\(writer.writerID):\(writer.signingKey)"
    return withBytes { HKDFSHA256.deriveKey(ikm: $0, info: Array(info.utf8)) }
  }
}

/// The Ed25519 pair of a silent writer, made and kept on its computer.
public struct SigningPair: ~Copyable, Sendable {
  /// The public half, which `writer-add` names.
  public let publicKey: SigningKey
  let seed: SecretBytes

  /// Creates a random pair.
  public static func random() -> SigningPair {
    do throws(CSPPError) {
      return try SigningPair(seed: .random(count: Ed25519.seedSize))
    } catch {
      preconditionFailure("a seed of the right size")
    }
  }

  /// Creates the pair of a seed.
  ///
  /// - Parameter seed: 32 bytes.
  /// - Throws: ``CSPPError/invalidField(_:)`` for another size.
  public init(seed: consuming SecretBytes) throws(CSPPError) {
    do throws(SecretMemoryError) {
      let key = try Ed25519.publicKey(of: seed)
      publicKey = SigningKey(words: unsafe SIMD4(bigEndian: key.span.bytes))
    } catch {
      throw CSPPError(error)
    }
    self.seed = seed
  }

  /// Passes the 32 bytes of the seed to a closure that stores them.
  public borrowing func withSeed<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try seed.withBytes(body)
  }

  borrowing func sign(_ message: [UInt8]) -> [UInt8] {
    do throws(SecretMemoryError) {
      return try unsafe Ed25519.sign(message.span.bytes, seed: seed)
    } catch {
      preconditionFailure("a seed of the right size")
    }
  }
}

/// The key of one sealed operation.
enum SealedOperationKey {
  /// Derives the ephemeral secret of an operation.
  ///
  /// A virtual machine that was restored repeats its random bytes. It then has the same secret only
  /// for the same plaintext.
  ///
  /// - Parameters:
  ///   - plaintext: the padded text.
  ///   - random: 32 random bytes.
  ///   - signer: the signing pair.
  /// - Returns: 32 bytes.
  static func ephemeral(
    _ plaintext: borrowing SecretBytes, random: borrowing SecretBytes,
    signer: borrowing SigningPair
  ) -> SecretBytes {
    let digest = plaintext.withBytes { Digest(of: $0) }
    return HKDFSHA256.deriveKey(
      ikm: random.joined(with: signer.seed), info: "keybackup:v1:sealed-ephemeral:\(digest)")
  }

  /// Derives the key from what both sides share.
  ///
  /// The signing key goes in too: who has another one cannot sign a box that this key opens.
  ///
  /// - Throws: ``CSPPError/invalidField(_:)`` with `ephemeral` or `inbox` if the shared secret is
  ///   zero.
  static func derive(
    secret: borrowing SecretBytes, with other: X25519Key, ephemeral: X25519Key, inbox: X25519Key,
    writerSecret: borrowing SecretBytes, header: OperationHeader, signingKey: SigningKey
  ) throws(CSPPError) -> SecretBytes {
    guard writerSecret.count == 32 else { throw .invalidField("writer secret") }
    let shared: SecretBytes
    do throws(SecretMemoryError) {
      shared = try X25519.sharedSecret(of: secret, with: other.bytes)
    } catch {
      throw .invalidField(other == inbox ? "inbox" : "ephemeral")
    }
    return HKDFSHA256.deriveKey(
      ikm: shared.joined(with: writerSecret),
      info: "keybackup:v1:sealed:\(header.writerID):\(header.counter):\(ephemeral):\(inbox)"
        + ":\(signingKey)")
  }
}

extension SecretBytes {
  /// These bytes, then others.
  borrowing func joined(with other: borrowing SecretBytes) -> SecretBytes {
    var writer = SecretWriter(capacity: count + other.count)
    withBytes { writer.raw($0) }
    other.withBytes { writer.raw($0) }
    return writer.finish()
  }
}

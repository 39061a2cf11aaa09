package import SecretMemory

/// The secret half of a backup keypair, as a factor has it: sealed to the factor's secret.
package struct WorldKeypair: Equatable, Sendable {
  /// The size of the sealed box, 80 bytes.
  package static let size = 32 + SealedBox.overhead

  /// The sealed box, 80 bytes.
  package let box: [UInt8]

  /// - Parameter box: 80 bytes.
  /// - Throws: ``ForeignBackupError/damaged(part:)`` for another size.
  package init(box: [UInt8]) throws(ForeignBackupError) {
    guard box.count == Self.size else {
      throw .damaged(part: "the encrypted backup keypair, which has 80 bytes,")
    }
    self.box = box
  }

  /// Opens the box.
  ///
  /// - Parameter factor: the factor's secret, 32 bytes: the PRF output, or what another kind of
  ///   factor keeps.
  /// - Returns: the X25519 secret that opens the archive, 32 bytes.
  /// - Throws: ``ForeignBackupError/wrongSecret(part:)``.
  package func open(with factor: borrowing SecretBytes) throws(ForeignBackupError) -> SecretBytes {
    do throws(SecretMemoryError) {
      return try SealedBox.open(box, secret: factor)
    } catch {
      throw .wrongSecret(part: "the factor secret")
    }
  }
}

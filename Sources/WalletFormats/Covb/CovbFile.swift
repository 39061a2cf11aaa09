// This folder is for the file that Cove encrypts with a password. Callers open and seal one, and
// convert its wallets to entries and back. The backup folder is not known here.

public import SecretMemory

/// The `.covb` file that Cove writes and reads with a password.
///
/// It consists of `COVB`, 4, salt (16 bytes), nonce (24), size of the rest (32 bits,
/// little-endian), and XChaCha20-Poly1305 of zstd of JSON. The key comes from Argon2id with 32 MiB,
/// three passes, one lane.
public enum CovbFile {
  /// The largest file that is read, 16 MiB: an incompressible one holds at most
  /// ``CovbContent/sizeLimit``.
  public static let sizeLimit = 16 * 1024 * 1024

  private static let magic = Array("COVB".utf8)
  private static let version: UInt8 = 4
  private static let saltRange = 5..<21
  private static let nonceRange = 21..<45
  private static let headerSize = 49
  private static let memoryKiB = 32_768
  private static let passes = 3

  /// Checks everything that needs no password.
  ///
  /// - Throws: ``WalletFormatError``: `covbForm`, `covbVersion`.
  public static func check(_ file: borrowing SecretBytes) throws(WalletFormatError) {
    try file.withBytes { file throws(WalletFormatError) in
      guard file.byteCount <= sizeLimit, file.starts(with: magic, at: 0), file.byteCount > 4 else {
        throw .covbForm
      }
      guard file.byte(4) == version else { throw .covbVersion(Int(file.byte(4))) }
      guard file.byteCount >= headerSize + XChaCha20Poly1305.tagSize else { throw .covbForm }
      let stated = (0..<4).reduce(0) { $0 | Int(file.byte(45 + $1)) << (8 * $1) }
      guard file.byteCount == headerSize + stated else { throw .covbForm }
    }
  }

  /// Decrypts a file and decompresses its contents.
  ///
  /// The password is tried as typed, then in Unicode's two normal forms if they differ.
  ///
  /// - Throws: as ``check(_:)``, and `covbAuthentication`, `covbCompression`; `outOfMemory` if
  ///   Argon2id gets no memory.
  public static func open(
    _ file: borrowing SecretBytes, password: borrowing CovbPassword
  ) throws(WalletFormatError) -> SecretBytes {
    try check(file)
    let (salt, nonce) = file.withBytes { file in
      (saltRange.map { file.byte($0) }, nonceRange.map { file.byte($0) })
    }
    for form in CovbPassword.Form.allCases {
      guard let text = password.text(in: form) else { continue }
      let key = try key(text, salt: salt)
      var content = file.copy(headerSize..<file.count)
      do {
        try XChaCha20Poly1305.open(inPlace: &content, key: key, nonce: nonce)
      } catch {
        continue
      }
      do {
        return try Zstd.decompress(content, limit: CovbContent.sizeLimit)
      } catch {
        throw .covbCompression
      }
    }
    throw .covbAuthentication
  }

  /// Compresses and encrypts the contents of a file.
  ///
  /// - Throws: `covbTooLarge`; `outOfMemory`.
  public static func seal(
    _ json: borrowing SecretBytes, password: borrowing CovbPassword
  ) throws(WalletFormatError) -> SecretBytes {
    guard json.count <= CovbContent.sizeLimit else {
      throw .covbTooLarge(limit: CovbContent.sizeLimit)
    }
    let salt = Randomness.bytes(count: saltRange.count)
    let nonce = Randomness.bytes(count: nonceRange.count)
    let key = try key(password.text, salt: salt)
    var content: SecretBytes
    do {
      content = try Zstd.compress(json)
    } catch {
      throw .covbCompression
    }
    do {
      try XChaCha20Poly1305.seal(inPlace: &content, key: key, nonce: nonce)
    } catch {
      throw .covbAuthentication
    }
    let size = content.count
    return SecretBytes(count: headerSize + size) { file in
      for (offset, byte) in (magic + [version] + salt + nonce).enumerated() {
        file.set(offset, byte)
      }
      for place in 0..<4 { file.set(45 + place, UInt8(truncatingIfNeeded: size >> (8 * place))) }
      content.withBytes { content in
        for offset in 0..<size { file.set(headerSize + offset, content.byte(offset)) }
      }
    }
  }

  private static func key(
    _ password: borrowing SecretBytes, salt: [UInt8]
  ) throws(WalletFormatError) -> SecretBytes {
    do {
      return try Argon2id.deriveKey(
        password: password, salt: salt,
        parameters: Argon2id.Parameters(memoryKiB: memoryKiB, passes: passes))
    } catch {
      // The format fixes the parameters, and they are in range.
      throw .outOfMemory
    }
  }
}

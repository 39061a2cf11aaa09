internal import CSPP
internal import GuardProtocol
internal import SecretMemory

/// An OPRF key or a share under the sealing key, bound to all that an account cannot change.
///
/// The share of a row that somebody changed or moved to another account cannot be read.
enum SealedShare {
  /// Seals 32 bytes for an account.
  ///
  /// - Returns: the nonce, the ciphertext, the tag: 72 bytes.
  static func seal(
    _ share: borrowing SecretBytes, for account: StoredAccount, by key: borrowing ServerKey
  ) throws(SecretMemoryError) -> [UInt8] {
    let nonce = Randomness.bytes(count: XChaCha20Poly1305.nonceSize)
    var box = SecretBytes(zeroed: share.count + XChaCha20Poly1305.tagSize)
    box.resize(to: share.count)
    unsafe box.withUnsafeMutableBytes { box in
      unsafe share.withUnsafeBytes { unsafe box.copyMemory(from: $0) }
    }
    try XChaCha20Poly1305.seal(
      inPlace: &box, key: key.sealing, nonce: nonce, associatedData: associatedData(account))
    return unsafe nonce + box.withUnsafeBytes { unsafe Array($0) }
  }

  /// Opens an account's share, 32 bytes.
  ///
  /// - Throws: ``GuardStoreError/damaged(_:)``.
  static func open(
    _ account: StoredAccount, by key: borrowing ServerKey
  ) throws(GuardStoreError) -> SecretBytes {
    let size = XChaCha20Poly1305.nonceSize
    guard let share = account.share, share.count > size else { throw .damaged("share") }
    let sealed = Array(share[size...])
    var box = unsafe SecretBytes(copying: sealed.span.bytes)
    do throws(SecretMemoryError) {
      try XChaCha20Poly1305.open(
        inPlace: &box, key: key.sealing, nonce: Array(share[..<size]),
        associatedData: associatedData(account))
    } catch {
      throw .damaged("share")
    }
    return box
  }

  /// A label, the account, its keys, kind and terms, and its login; sizes are fixed but the last.
  private static func associatedData(_ account: StoredAccount) -> [UInt8] {
    var data = Array("keybackup:v1:guard-account".utf8)
    data += account.id.bytes + account.resetKey.bytes + account.ownerKey.bytes
    let kind: UInt8 = if case .pin = account.state { 0 } else { 1 }
    data.append(kind)
    data += BigEndian.bytes(account.state.terms)
    if let login = account.login {
      data += login.subject + login.keyID.bytes
      data += Array(login.clientID.utf8)
    }
    return data
  }
}

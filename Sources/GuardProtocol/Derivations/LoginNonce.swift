public import CSPP
internal import SecretMemory

/// The `nonce` of a login, which ties an ID token to one session key of one key slot.
///
/// A token that was shown to one guard is of no use to it elsewhere: the share is sealed to the
/// session key.
public enum LoginNonce {
  /// The text, 43 characters: base64url of a SHA-256.
  public static func text(keyID: KeyID, sessionKey: X25519Key) -> String {
    let message = Array("keybackup:v1:login:".utf8) + keyID.bytes + sessionKey.bytes
    return Base64.string(SHA256.hash(message), .url)
  }
}

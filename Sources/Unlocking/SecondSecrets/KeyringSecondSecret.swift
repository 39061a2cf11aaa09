package import CSPP
package import CommandKit
package import SecretMemory
internal import SecretStores

/// A recovery kit's second secret in the desktop's keyring: 32 random bytes.
///
/// It is stored as hex digits, because some services can store only text.
package struct KeyringSecondSecret {
  package let keyID: KeyID
  package let common: CommonOptions
  package let world: World

  /// The size in bytes.
  package static let size = 32

  package init(keyID: KeyID, common: CommonOptions, world: World) {
    self.keyID = keyID
    self.common = common
    self.world = world
  }

  private var attributes: SecretService.Attributes {
    ["xdg:schema": "keybackup.RecoveryKit", "kit": keyID.hex]
  }

  /// Stores the secret and reads it back.
  ///
  /// - Throws: the errors of the keyring.
  package func keep(_ secret: borrowing SecretBytes) throws(UserMessage) {
    var digits = SecretBytes(zeroed: 2 * secret.count)
    secret.withBytes { bytes in
      unsafe digits.withUnsafeMutableBytes { unsafe Hex.encode(bytes, into: $0) }
    }
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: !common.noInput)
      try service.keep(
        digits, label: "keybackup: second secret of recovery kit \(keyID.hex.prefix(8))",
        attributes)
    } catch {
      throw message(
        error, hint: "nothing was changed in the backup; --secret-file needs no keyring")
    }
  }

  /// Finds the secret.
  ///
  /// - Throws: `no-input` when this computer's keyring does not have it, and the errors of the
  ///   keyring.
  package func find() throws(UserMessage) -> SecretBytes {
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: !common.noInput)
      guard let digits = try service.find(attributes) else { throw .notKept }
      var secret = SecretBytes(zeroed: Self.size)
      guard digits.withBytes({ Hex.decode($0, into: &secret) }) else { throw .notKept }
      return secret
    } catch .notKept {
      throw UserMessage(
        .noInput,
        "the second secret of recovery kit \(keyID.hex.prefix(8)) is not in this keyring",
        hint: Self.place)
    } catch {
      throw message(error, hint: Self.place)
    }
  }

  /// Removes the secret of a kit whose creation failed.
  package func forget() {
    guard var service = try? world.secretService(mayPrompt: false) else { return }
    _ = try? service.forget(attributes)
  }

  private static let place =
    "the kit was made on a computer whose desktop's keyring has it: open the backup there, with "
    + "its keyring unlocked"

  private func message(_ error: SecretStoreError, hint: String) -> UserMessage {
    let words = UserMessage(error, .secretService)
    return UserMessage(words.code, word: words.word, words.message, hint: hint)
  }
}

internal import CommandKit
internal import ForeignBackups
internal import SecretMemory
internal import SecretStores
internal import Unlocking

/// The KDF secret of a device, in the desktop's keyring.
struct SealVaultKeyring {
  private let deviceID: String
  private let mayPrompt: Bool
  private let world: World

  init(_ deviceID: String, mayPrompt: Bool, _ world: World) {
    (self.deviceID, self.mayPrompt, self.world) = (deviceID, mayPrompt, world)
  }

  private var attributes: SecretService.Attributes {
    ["xdg:schema": "keybackup.SealVaultSecret", "device": deviceID]
  }

  /// The secret.
  ///
  /// - Returns: 32 bytes; nil where there is none.
  /// - Throws: `data-invalid`, and the errors of the keyring.
  func find() throws(UserMessage) -> SecretBytes? {
    guard let digits = try found() else { return nil }
    return try SealVaultSecretOptions.encoded.decode(digits)
  }

  private func found() throws(UserMessage) -> SecretBytes? {
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      return try service.find(attributes)
    } catch {
      throw Self.message(error)
    }
  }

  /// Whether there is a secret, also in a keyring that is locked.
  ///
  /// - Throws: the errors of the keyring.
  func hasSecret() throws(UserMessage) -> Bool {
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      return try service.look(for: attributes) != .absent
    } catch {
      throw Self.message(error)
    }
  }

  /// Keeps a new secret.
  ///
  /// - Parameter secret: 32 bytes.
  /// - Throws: the errors of the keyring.
  func keep(_ secret: borrowing SecretBytes) throws(UserMessage) {
    var digits = SecretText()
    digits.append(hex: secret.copy())
    let text = digits.finish()
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      try service.keep(text, label: "keybackup: SealVault secret of \(deviceID)", attributes)
    } catch {
      throw Self.message(error)
    }
  }

  private static func message(_ error: SecretStoreError) -> UserMessage {
    UserMessage(
      error, .secretService,
      without: "if you have the KDF secret elsewhere, give it with --kdf-secret FILE", or: "")
  }

  /// The error where there is none and no new one would open anything.
  var missing: UserMessage {
    UserMessage(
      .noInput, "the desktop's keyring has no KDF secret for the device \(deviceID)",
      hint: "if you have it elsewhere: --kdf-secret FILE or --security-key. "
        + "Only SealVault's app can read its own, in the iCloud keychain")
  }

  /// Forgets the secret.
  ///
  /// - Returns: whether there was one.
  /// - Throws: the errors of the keyring.
  func forget() throws(UserMessage) -> Bool {
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      return try service.forget(attributes) > 0
    } catch {
      throw Self.message(error)
    }
  }
}

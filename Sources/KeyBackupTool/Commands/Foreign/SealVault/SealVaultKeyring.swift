internal import ForeignBackups
internal import SecretMemory
internal import SecretStores

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
  /// - Parameter mayMake: whether a new one is made where there is none.
  /// - Returns: 32 bytes.
  /// - Throws: `no-input` where there is none, and the errors of the keyring.
  func secret(mayMake: Bool) throws(UserMessage) -> SecretBytes {
    if let digits = try found() { return try SealVaultSecretOptions.encoded.decode(digits) }
    guard mayMake else {
      throw UserMessage(
        .noInput, "the desktop's keyring has no KDF secret for the device \(deviceID)",
        hint: "SealVault's own is in the iCloud keychain; export it there, and give it with "
          + "--kdf-secret")
    }
    let secret = SecretBytes.random(count: SealVaultKeys.secretSize)
    var digits = SecretText()
    digits.append(hex: secret.copy())
    let text = digits.finish()
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      try service.keep(text, label: "keybackup: SealVault secret of \(deviceID)", attributes)
    } catch {
      throw UserMessage(error, .secretService)
    }
    return secret
  }

  private func found() throws(UserMessage) -> SecretBytes? {
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: mayPrompt)
      return try service.find(attributes)
    } catch {
      throw UserMessage(error, .secretService)
    }
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
      throw UserMessage(error, .secretService)
    }
  }
}

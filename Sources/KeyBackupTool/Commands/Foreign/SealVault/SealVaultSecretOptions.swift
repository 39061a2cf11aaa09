internal import ArgumentParser
internal import ForeignBackups
internal import PRFDevice
internal import SecretMemory

/// Where the password of a SealVault backup and its KDF secret come from.
struct SealVaultSecretOptions: ParsableArguments {
  @OptionGroup var passwords: PasswordOptions

  @Option(
    help: ArgumentHelp(
      "Read the KDF secret, 64 hex digits, from this file, or - for standard input.",
      valueName: "path"))
  var kdfSecret: String?

  @Flag(help: "Take the KDF secret from the desktop's keyring.")
  var desktopKeyring = false

  @Flag(help: "Derive the KDF secret with a security key.")
  var securityKey = false

  @Option(
    help: ArgumentHelp(
      "The credential that derives it, if not the only one.", valueName: "id"))
  var credential: String?

  mutating func validate() throws {
    guard [kdfSecret != nil, desktopKeyring, securityKey].count(where: { $0 }) <= 1 else {
      throw ValidationError(
        "the KDF secret comes from one place: --kdf-secret, --desktop-keyring or --security-key")
    }
    if credential != nil, !securityKey {
      throw ValidationError("--credential goes with --security-key")
    }
    if passwords.input == "-", kdfSecret == "-" {
      throw ValidationError("password and KDF secret cannot both come from standard input")
    }
  }

  /// `-` where one of them comes from standard input.
  var input: String? { kdfSecret == "-" ? "-" : passwords.input }

  /// The password.
  ///
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  func password(_ prompter: Prompter) throws(UserMessage) -> SealVaultPassword {
    let text = try passwords.read(
      "SealVault password", prompter, twice: false, limit: SealVaultPassword.sizeLimit)
    do throws(ForeignBackupError) {
      return try SealVaultPassword(parsing: text)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Refuses files with secrets that are carried elsewhere.
  ///
  /// - Throws: `config`.
  func requirePrivate(
    _ synced: SyncedFolderOption, besides folder: String? = nil, _ world: World
  ) throws(UserMessage) {
    try synced.requirePrivate(
      input: kdfSecret, passwords.passwordFile, besides: folder, world)
  }

  /// A KDF secret.
  struct KDFSecret: ~Copyable {
    /// 32 bytes.
    let bytes: SecretBytes
    /// The keyring that has to keep a new one before anything depends on it; nil: it is not new.
    let keyring: SealVaultKeyring?
  }

  /// The KDF secret of a device.
  ///
  /// - Parameters:
  ///   - deviceID: the device.
  ///   - unlock: the security keys, and what asks the person.
  ///   - mayMake: whether a new one is made for a keyring that has none.
  ///   - world: what surrounds the process.
  /// - Returns: the secret; nothing is kept here.
  /// - Throws: `config`, `no-input`, `data-invalid`, and the errors of a security key.
  func secret(
    of deviceID: String, _ unlock: UnlockOptions, mayMake: Bool, _ world: World
  ) async throws(UserMessage) -> KDFSecret {
    if securityKey {
      return KDFSecret(bytes: try await derived(deviceID, unlock, world), keyring: nil)
    }
    let prompter = unlock.common.prompter(world)
    guard desktopKeyring else {
      let read = try Self.encoded.read(
        file: kdfSecret, option: "--kdf-secret", prompter,
        nobody: "say where it is: --kdf-secret, --desktop-keyring or --security-key")
      return KDFSecret(bytes: read, keyring: nil)
    }
    let keyring = SealVaultKeyring(deviceID, mayPrompt: prompter.canAsk, world)
    if let found = try keyring.find() { return KDFSecret(bytes: found, keyring: nil) }
    guard mayMake else { throw keyring.missing }
    return KDFSecret(bytes: .random(count: SealVaultKeys.secretSize), keyring: keyring)
  }

  /// The KDF secret as text.
  static let encoded = EncodedSecret(what: "KDF secret", size: SealVaultKeys.secretSize)

  // MARK: A security key

  /// The PRF input of a device: the name of SealVault's own item in the keychain.
  static func prfInput(_ deviceID: String) -> PRFInput {
    .webAuthn(Array("sealvault:KDF-SECRET_\(deviceID)".utf8))
  }

  /// The secret as `keybackup derive` gives it, by the same rules: never with a credential that
  /// opens a backup.
  private func derived(
    _ deviceID: String, _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> SecretBytes {
    let rpID = DeriveRelyingParty.standard
    let enrolled = try EnrolledCredentials.known(world, unlock.folder)
    var ids: [CredentialID] = []
    if let credential {
      ids = try CredentialIDArgument.candidates(credential).map { CredentialID($0) }
    }
    let finder = try AuthenticatorFinder(unlock.common, unlock.device, unlock.pins, world)
    let evaluation = try await enrolled.otherEvaluation(
      PRFRequest(rpID: rpID, credentialIDs: ids, first: Self.prfInput(deviceID)), finder,
      why: "for the KDF secret", options: "--credential"
    ) { key in
      UserMessage(
        .wrongKey, "\(key) holds no credential for \(rpID)",
        hint: "use the key that derives this backup's KDF secret; to make a first credential: "
          + "keybackup credential create")
    }
    return evaluation.first()
  }
}

internal import ArgumentParser
internal import CommandKit
internal import ForeignBackups
internal import Glibc
internal import PRFDevice
internal import SecretMemory
internal import SyncFolders
internal import Unlocking

/// Where the password of a SealVault backup and its KDF secret come from.
struct SealVaultSecretOptions: ParsableArguments {
  @OptionGroup var passwords: PasswordOptions

  @Option(
    help: ArgumentHelp(
      "Read the KDF secret (64 hex digits) from a file or -.", valueName: "path"))
  var kdfSecret: String?

  @Flag(help: "Take the KDF secret from the desktop's keyring.")
  var desktopKeyring = false

  @Flag(help: "Derive the KDF secret with a security key.")
  var securityKey = false

  @Option(
    help: ArgumentHelp(
      "The credential that derives it, if not the only one.", valueName: "id"))
  var credential: String?

  @OptionGroup var factorKey: FactorKeyOption

  mutating func validate() throws {
    guard [kdfSecret != nil, desktopKeyring, securityKey].count(where: { $0 }) <= 1 else {
      throw ValidationError(
        "the KDF secret comes from one place: --kdf-secret, --desktop-keyring or --security-key")
    }
    if credential != nil, !securityKey {
      throw ValidationError("--credential goes with --security-key")
    }
    if factorKey.factorDevice != nil, !securityKey {
      throw ValidationError("--factor-device goes with --security-key")
    }
    if passwords.input == "-", kdfSecret == "-" {
      throw ValidationError("password and KDF secret cannot both come from standard input")
    }
  }

  /// `-` where one of them comes from standard input.
  var input: String? { kdfSecret == "-" ? "-" : passwords.input }

  /// Refuses what can be seen to be wrong before a person is asked for anything.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - makesPassword: whether a new password is made.
  /// - Throws: `config` where others can read a file, or nobody can be asked; `no-input`,
  ///   `permission-denied`.
  func requireUsable(
    _ prompter: Prompter, makesPassword: Bool = false
  ) throws(UserMessage) {
    try passwords.requireUsable()
    try SecretLine.requireUsable(kdfSecret, what: Self.encoded.what, option: "--kdf-secret")
    let hasSecret = kdfSecret != nil || desktopKeyring || securityKey
    if !prompter.canAsk, !passwords.isGiven, !makesPassword, !hasSecret {
      throw UserMessage(
        .config, "the SealVault password and the KDF secret are needed and nobody can be asked",
        hint: "give --password-file FILE, and --kdf-secret FILE, --desktop-keyring or "
          + "--security-key")
    }
  }

  /// The password.
  ///
  /// - Parameters:
  ///   - prompter: the person.
  ///   - advice: what may help where it cannot be a password.
  /// - Returns: the password.
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  func password(
    _ prompter: Prompter, advice: String? = nil
  ) throws(UserMessage) -> SealVaultPassword {
    let text = try passwords.read(
      "SealVault password", prompter, twice: false, limit: SealVaultPassword.sizeLimit)
    return try Self.parsed(text, advice)
  }

  private static func parsed(
    _ text: borrowing SecretBytes, _ advice: String?
  ) throws(UserMessage) -> SealVaultPassword {
    do throws(ForeignBackupError) {
      return try SealVaultPassword(parsing: text)
    } catch {
      guard let advice else { throw UserMessage(error) }
      throw UserMessage(error).adding(hint: advice)
    }
  }

  /// Whether a person types the password, unless a new one is made, or the KDF secret.
  func isTyped(makesPassword: Bool, _ streams: Streams) -> Bool {
    typesSecret(streams) || !makesPassword && passwords.isTyped(streams)
  }

  private func typesSecret(_ streams: Streams) -> Bool {
    !desktopKeyring && !securityKey
      && (kdfSecret == nil || kdfSecret == "-" && isatty(streams.input) == 1)
  }

  /// Asks again for what a person typed: a slip would make a backup that nothing opens.
  ///
  /// - Parameters:
  ///   - password: the password.
  ///   - isNew: whether it was made, and not typed.
  ///   - secret: the KDF secret, 32 bytes.
  ///   - prompter: the person.
  /// - Throws: `data-invalid` where it is not the same, `config`.
  func confirm(
    _ password: borrowing SealVaultPassword, isNew: Bool, _ secret: borrowing SecretBytes,
    _ prompter: Prompter
  ) throws(UserMessage) {
    let streams = prompter.output.streams
    let slip = "nothing was written; run it again, and type with care"
    if !isNew, passwords.isTyped(streams) {
      let text = try TwiceTyped.read(
        "SealVault password", prompt: "SealVault password again", prompter, twice: false,
        limit: SealVaultPassword.sizeLimit + 1, nobody: slip)
      guard try Self.parsed(text, slip).isEqual(to: password) else {
        throw UserMessage(.dataInvalid, "the two passwords are not the same", hint: slip)
      }
    }
    if typesSecret(streams) {
      let text = try TwiceTyped.read(
        Self.encoded.what, prompt: "\(Self.encoded.what) again", prompter, twice: false,
        limit: 256, nobody: slip)
      guard try Self.encoded.decode(text).isEqual(to: secret) else {
        throw UserMessage(.dataInvalid, "the two KDF secrets are not the same", hint: slip)
      }
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
  ///   - furtherPINs: the PINs that the command needs after that of the security key.
  ///   - world: what surrounds the process.
  /// - Returns: the secret; nothing is kept here.
  /// - Throws: `config`, `no-input`, `data-invalid`, and the errors of a security key.
  func secret(
    of deviceID: String, _ unlock: UnlockOptions, mayMake: Bool, furtherPINs: Int = 0,
    _ world: World
  ) async throws(UserMessage) -> KDFSecret {
    if securityKey {
      let bytes = try await derived(deviceID, unlock, furtherPINs, world)
      return KDFSecret(bytes: bytes, keyring: nil)
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
    _ deviceID: String, _ unlock: UnlockOptions, _ furtherPINs: Int, _ world: World
  ) async throws(UserMessage) -> SecretBytes {
    let rpID = DeriveRelyingParty.standard
    let enrolled = try EnrolledCredentials.known(world, unlock.folder)
    var ids: [CredentialID] = []
    if let credential {
      ids = try CredentialIDArgument.candidates(credential).map { CredentialID($0) }
    }
    let finder = try factorKey.finder(
      unlock.common, unlock.device, unlock.pins, furtherPINs: furtherPINs, world)
    let request = PRFRequest(rpID: rpID, credentialIDs: ids, first: Self.prfInput(deviceID))
    let evaluation = try await factorKey.evaluation(
      enrolled, request, finder, why: "for the KDF secret", options: "--credential"
    ) { key in
      UserMessage(
        .wrongKey, "\(key) holds no credential for \"\(rpID)\"",
        hint: "use the key that derives this backup's KDF secret; to make a first credential: "
          + "keybackup credential create")
    }
    return evaluation.first()
  }
}

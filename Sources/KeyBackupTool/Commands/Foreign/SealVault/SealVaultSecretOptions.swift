internal import ArgumentParser
internal import ForeignBackups
internal import PRFDevice
internal import SecretMemory

/// Where the password of a SealVault backup and its KDF secret come from.
struct SealVaultSecretOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Read the password from this open descriptor.", valueName: "n"))
  var passwordFd: Int32?

  @Option(
    help: ArgumentHelp("Read the password from this file; only you may read it.", valueName: "path")
  )
  var passwordFile: String?

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
    try DescriptorCheck.check(passwordFd, "--password-fd")
    if passwordFd != nil, passwordFile != nil {
      throw ValidationError("the password comes from one place")
    }
    guard [kdfSecret != nil, desktopKeyring, securityKey].count(where: { $0 }) <= 1 else {
      throw ValidationError(
        "the KDF secret comes from one place: --kdf-secret, --desktop-keyring or --security-key")
    }
    if credential != nil, !securityKey {
      throw ValidationError("--credential goes with --security-key")
    }
    if passwordFd == 0, kdfSecret == "-" {
      throw ValidationError("password and KDF secret cannot both come from standard input")
    }
  }

  /// `-` where one of them comes from standard input.
  var input: String? { passwordFd == 0 || kdfSecret == "-" ? "-" : nil }

  /// The password.
  ///
  /// - Throws: `config` where nobody can be asked or others can read the file, `data-invalid`.
  func password(_ prompter: Prompter) throws(UserMessage) -> SealVaultPassword {
    let limit = SealVaultPassword.sizeLimit + 1
    if let given = try SecretLine.read(
      descriptor: passwordFd, orFile: passwordFile, what: "password", limit: limit)
    {
      return try Self.password(given)
    }
    return try Self.password(
      TwiceTyped.read(
        "SealVault password", prompter, twice: false, limit: limit,
        nobody: "give it with --password-file or --password-fd"))
  }

  private static func password(
    _ text: borrowing SecretBytes
  ) throws(UserMessage) -> SealVaultPassword {
    do throws(ForeignBackupError) {
      return try SealVaultPassword(parsing: text)
    } catch {
      throw UserMessage(error)
    }
  }

  /// The KDF secret of a device.
  ///
  /// - Parameters:
  ///   - deviceID: the device.
  ///   - unlock: the security keys, and what asks the person.
  ///   - mayMake: whether a keyring that has none gets a new one.
  ///   - world: what surrounds the process.
  /// - Returns: 32 bytes.
  /// - Throws: `config`, `no-input`, `data-invalid`, and the errors of a security key.
  func secret(
    of deviceID: String, _ unlock: UnlockOptions, mayMake: Bool, _ world: World
  ) async throws(UserMessage) -> SecretBytes {
    if securityKey { return try await derived(deviceID, unlock, world) }
    let prompter = unlock.common.prompter(world)
    if desktopKeyring {
      return try SealVaultKeyring(deviceID, mayPrompt: prompter.canAsk, world)
        .secret(mayMake: mayMake)
    }
    return try Self.decode(typed(prompter))
  }

  private func typed(_ prompter: Prompter) throws(UserMessage) -> SecretBytes {
    let limit = 2 * SealVaultKeys.secretSize + 1
    if kdfSecret == "-" {
      return try SecretLine.read(
        descriptor: prompter.output.streams.input, what: "KDF secret", limit: limit)
    }
    if let kdfSecret {
      return try SecretLine.read(
        file: kdfSecret, what: "KDF secret", option: "--kdf-secret", limit: limit)
    }
    return try TwiceTyped.read(
      "KDF secret", prompt: "KDF secret, 64 hex digits", prompter, twice: false, limit: limit,
      nobody: "say where it is: --kdf-secret, --desktop-keyring or --security-key")
  }

  /// The bytes of 64 hex digits, small or large.
  static func decode(_ digits: consuming SecretBytes) throws(UserMessage) -> SecretBytes {
    var digits = digits
    var bytes = SecretBytes(zeroed: SealVaultKeys.secretSize)
    let isWhole = digits.count == 2 * SealVaultKeys.secretSize
    digits.withMutableBytes { digits in
      for place in 0..<digits.byteCount {
        let digit = unsafe digits.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        guard (0x41...0x46).contains(digit) else { continue }
        digits.storeBytes(of: digit | 0x20, toByteOffset: place, as: UInt8.self)
      }
    }
    guard isWhole, digits.withBytes({ Hex.decode($0, into: &bytes) }) else {
      throw UserMessage(
        ForeignBackupError.secretForm(part: "the KDF secret", form: "64 hex digits"))
    }
    return bytes
  }

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
    for id in ids { try enrolled.refuse(id.bytes, insteadOf: "credential create") }
    let finder = try AuthenticatorFinder(unlock.common, unlock.device, unlock.pins, world)
    let (key, held) = try await finder.key(holding: ids, rpID: rpID)
    if let held { ids = [held] } else { try await key.requirePRF() }
    let evaluation = try await key.onlyEvaluation(
      PRFRequest(rpID: rpID, credentialIDs: ids, first: Self.prfInput(deviceID)),
      why: "for the KDF secret")
    try enrolled.refuse(evaluation.credentialID.bytes, insteadOf: "credential create")
    return evaluation.first()
  }
}

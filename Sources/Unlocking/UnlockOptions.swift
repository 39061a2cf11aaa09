package import ArgumentParser
package import BackupFolder
internal import CSPP
package import CommandKit
package import SecurityKeys

/// The options of every command that opens a backup.
package struct UnlockOptions: ParsableArguments {
  // The titles stand in `keybackup help options`.
  @OptionGroup(title: "Output") package var common: CommonOptions
  @OptionGroup(title: "Security key") package var device: DeviceOptions
  @OptionGroup(title: "PIN") package var pins: PINOptions
  @OptionGroup(title: "Backup") package var folder: FolderOptions
  @OptionGroup(title: "Backup") package var sync: SyncOptions
  @OptionGroup(title: "Backup") package var relyingParty: BackupRelyingPartyOption
  @OptionGroup(title: "Recovery code") package var recovery: RecoveryCodeOptions
  @OptionGroup(title: "Guards") package var guards: GuardOptions

  @Flag(help: "Do not use a key that keybackup unlock keeps.")
  package var noKeyring = false

  package init() {}

  package mutating func validate() throws {
    if recovery.isUsed, guards.isUsed {
      throw ValidationError("open the backup with a recovery code, or with guards")
    }
    try requireOtherInput()
  }

  /// Throws if two inputs would be read from standard input.
  ///
  /// - Parameter inputs: the sources of the command's own inputs, `-` for standard input.
  /// - Throws: a usage error.
  package func requireOtherInput(than inputs: String?...) throws {
    let descriptors = [pins.pinFd, recovery.recoveryCodeFd, guards.guardPinFd].count { $0 == 0 }
    let files = [recovery.recoveryCodeFile, recovery.secretFile, guards.guardPinFile]
    let paths = (inputs + files).count { $0 == "-" }
    guard descriptors + paths <= 1 else {
      throw ValidationError("only one of PIN, code and other inputs can come from standard input")
    }
  }

  package func output(_ world: World) -> Output { common.output(world) }

  /// Those that were given and matter only where the backup is opened.
  package var given: GivenOptions { device.given + pins.given + givenBesidesKey }

  /// Those of them that are not about a security key.
  var givenBesidesKey: GivenOptions {
    relyingParty.given + recovery.given + guards.given + GivenOptions(["--no-keyring": noKeyring])
  }

  /// Refuses the options that a command on another program's backup does not use.
  ///
  /// - Parameters:
  ///   - opens: whether it puts something into the backup; nil: it never does.
  ///   - usesKey: whether a security key gives a secret of the other program's backup.
  /// - Throws: a usage error.
  package func refuseUnused(opens: Bool?, usesKey: Bool) throws {
    if opens == true { return }
    let others = givenBesidesKey + sync.given
    try others.refuse(without: opens == nil ? "a command that opens the backup" : "--add")
    if usesKey { return }
    try (device.given + pins.given)
      .refuse(without: opens == nil ? "--security-key" : "--security-key or --add")
  }

  /// Refuses options about ways in that are not used.
  ///
  /// - Parameter own: the options that the command itself uses.
  /// - Throws: `usage`.
  private func requireUse(besides own: Set<String>) throws(UserMessage) {
    let unused: [(given: GivenOptions, isUsed: Bool, needed: String)] = [
      (recovery.details, recovery.isUsed, "--recovery-code"),
      (guards.details, guards.isUsed, "--guard-pin or --guard-login"),
      (guards.pinDetails, guards.usesPIN, "--guard-pin"),
      (guards.loginDetails, guards.guardLogin, "--guard-login"),
    ]
    for (given, isUsed, needed) in unused where !isUsed {
      if let mistake = given.besides(own).mistake(without: needed) {
        throw UserMessage(.usage, mistake, hint: "leave it out, or say how the backup is opened")
      }
    }
  }

  /// Refuses options about a security key's PIN beside guards, which ask no key.
  ///
  /// A recovery code may need one: a kit's second secret may be a security key.
  ///
  /// - Throws: `usage`.
  private func requireKeyUse() throws(UserMessage) {
    guard guards.isUsed, !recovery.isUsed,
      let mistake = pins.given.mistake(without: "a security key, and none is asked")
    else { return }
    throw UserMessage(.usage, mistake, hint: "leave it out, or the other way in")
  }

  /// Finds the backup that these options name.
  ///
  /// - Parameters:
  ///   - world: the environment of the process.
  ///   - use: the command's use of it.
  ///   - own: options about ways in and keys that the command itself uses.
  /// - Returns: the backup; complete if the options request a wait for that.
  /// - Throws: as ``Backup/init(_:_:_:)``; `incomplete` after the wait; `usage` for options that
  ///   would have no effect.
  package func backup(
    _ world: World, for use: Backup.Use = .reading, using own: Set<String> = []
  ) async throws(UserMessage) -> Backup {
    try requireUse(besides: own)
    if own.isEmpty { try requireKeyUse() }
    return try await find(world, for: use)
  }

  /// Options that a command uses for another key than the one that opens the backup.
  package static let ownKey: Set = ["--device", "--pin-file", "--pin-fd", "--allow-last-tries"]

  private func find(_ world: World, for use: Backup.Use) async throws(UserMessage) -> Backup {
    guard folder.namespace == nil, let kit = try recovery.offlineKit(world) else {
      return try await Backup.find(folder, sync, common, world, for: use)
    }
    // An offline kit names the backup that it opens; another one may be its successor.
    var folder = folder
    folder.namespace = kit.header.namespaceID.hex
    var backup = try await Backup.find(folder, sync, common, world, for: use)
    backup.named = nil
    return backup
  }

  /// Opens the backup that these options name.
  ///
  /// - Parameters:
  ///   - world: the environment of the process.
  ///   - use: the command's use of the backup.
  ///   - purpose: whether everything must be read.
  ///   - own: options about ways in and keys that the command itself uses.
  /// - Returns: the open backup.
  /// - Throws: as ``backup(_:for:)`` and ``Backup/unlock(_:_:for:)``.
  package func open(
    _ world: World, for use: Backup.Use = .reading, purpose: OpenNamespace.Purpose = .reading,
    using own: Set<String> = []
  ) async throws(UserMessage) -> OpenNamespace {
    try await backup(world, for: use, using: own).unlock(self, world, for: purpose)
  }

  /// Creates a finder of security keys with these options.
  ///
  /// - Parameters:
  ///   - world: what surrounds the process.
  ///   - use: which key of the command it is.
  ///   - further: how many PINs the command needs after that key's.
  /// - Returns: what finds it.
  /// - Throws: `config` when this computer's settings cannot be used.
  package func finder(
    _ world: World, for use: PINPolicy.Use = .firstKey, furtherPINs further: Int = 0
  ) throws(UserMessage) -> AuthenticatorFinder {
    let settings = try SettingsFile.load(world)
    var policy = try pins.policy(world, settings, for: use)
    policy.furtherPINs = further
    return AuthenticatorFinder(common, device, policy, settings, world)
  }
}

internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// A master key, and how it came about.
struct UnlockedMasterKey: ~Copyable {
  let masterKey: MasterKey
  /// The key slot that gave it; nil: another program's envelope, or this computer
  /// knew it.
  let keyID: KeyID?
  /// That key slot.
  var slot: KeySlot?
  /// Its secret.
  var secret: SecretBytes?
  /// What the security key gave for ``UnlockTerms/extraSalt``.
  var extra: SecretBytes?
  /// What the security key gave for another salt in the same touch.
  var beside: SecretBytes?
  /// The security key.
  var key: OpenAuthenticator?
}

/// The order in which the key slots of a backup are tried.
extension Backup {
  /// Opens the backup: at most one PIN and one touch.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: what surrounds the process.
  ///   - terms: which key slots will do.
  ///   - purpose: what the command does with it.
  /// - Returns: the backup, open.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no
  ///   file opens, and what device and folder throw.
  func unlock(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    var damaged: [FileFinding] = []
    let opened = try await self.unlock(unlock, world, terms, for: purpose, damaged: &damaged)
    for finding in damaged { unlock.output.note("keybackup: \(finding.text)") }
    return opened
  }

  /// Opens the backup and checks every file of the key slot that was used:
  /// `damaged` receives those that do not open; see ``unlock(_:_:for:)``.
  func unlock(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    for purpose: OpenNamespace.Purpose = .reading, damaged: inout [FileFinding]
  ) async throws(UserMessage) -> OpenNamespace {
    let unlocked = try await masterKey(unlock, world, terms, damaged: &damaged)
    return try await open(unlocked, unlock, for: purpose)
  }

  /// Opens the backup with a master key: of the namespace in charge, where the
  /// master key was rotated since.
  ///
  /// - Throws: what the folder throws, and waiting for it.
  func open(
    _ unlocked: consuming UnlockedMasterKey, _ unlock: UnlockOptions,
    for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    let slot = unlocked.slot
    // Waiting looks at what was read of the logs.
    var opened = try await follow(
      SharedMasterKey(unlocked.masterKey.copy()), unlocked, unlock,
      for: wait == nil ? purpose : .reading)
    if let slot, let secret = unlocked.secret {
      opened.noteOpener(slot, secret: secret)
      let isAdopted = slot.kind == .csppEnvelope && use == .writing
      opened.rememberCredential(of: slot, adopting: isAdopted ? unlock.relyingParty.rpId : nil)
    } else if let key = unlocked.keyID {
      opened.noteOfflineKit(key)
    }
    let whole = try await wait(for: opened)
    if use == .writing { warn(ofWhatIsLackingIn: whole.health, unlock.output) }
    return whole
  }

  /// Adding to a backup that is not all here loses nothing, and a person should know.
  private func warn(ofWhatIsLackingIn health: LogHealth, _ output: Output) {
    let lacking = health.incomplete + health.rolledBack
    guard lacking > 0 else { return }
    output.warn(
      "keybackup: the folder lacks \(counted(lacking, "operation")) that the backup has had or "
        + "names; keybackup status says more")
  }

  /// Gets the master key from the first key slot that serves, and tells of the
  /// files of that key slot that do not open.
  func masterKey(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms()
  ) async throws(UserMessage) -> UnlockedMasterKey {
    var damaged: [FileFinding] = []
    let unlocked = try await masterKey(unlock, world, terms, damaged: &damaged)
    for finding in damaged { unlock.output.note("keybackup: \(finding.text)") }
    return unlocked
  }

  /// Gets the master key from the first key slot that serves.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: what surrounds the process.
  ///   - terms: which key slots will do.
  ///   - damaged: receives the files of the key slot that do not open.
  /// - Returns: the master key.
  /// - Throws: as ``unlock(_:_:for:)``.
  func masterKey(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    do throws(UserMessage) {
      return try await firstMasterKey(unlock, world, terms, damaged: &damaged)
    } catch  where error.code == .wrongKey || error.code == .noInput {
      throw namingLostKeySlots(error)
    }
  }

  private func firstMasterKey(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    // 1. What the person named.
    if unlock.recovery.isUsed, !terms.needsSecurityKey {
      let unlocked = try await masterKeyByCode(unlock, world, terms, damaged: &damaged)
      return try await inCharge(
        unlocked, ((try? scanAll()).map { terms.allowed($0) })?.keySlots ?? [])
    }
    let scan = try terms.allowed(scanAll())
    for finding in scan.findings {
      unlock.output.note("keybackup: \(finding.text)")
    }
    // 2. What this computer knows.
    if !terms.needsKeySlot, !terms.needsSecurityKey, let known = try cachedMasterKey(unlock, world),
      try isInCharge(known, unlock.output)
    {
      return UnlockedMasterKey(masterKey: known, keyID: nil)
    }
    // 3. Security keys.
    do throws(UserMessage) {
      let unlocked = try await masterKey(
        scan, from: unlock.finder(world, furtherPINs: terms.furtherPINs),
        rpID: unlock.relyingParty.rpId, terms, damaged: &damaged)
      return try await inCharge(unlocked, scan.keySlots)
    } catch
      where error.isAboutTheKey && !terms.needsSecurityKey
      && scan.keySlots.contains(where: { Kit($0) != nil })
    {
      throw error.adding(hint: "or open it with the recovery code: --recovery-code")
    }
  }
}

extension UserMessage {
  /// Whether there is no security key that could be used.
  fileprivate var isAboutTheKey: Bool {
    [.noAuthenticator, .wrongKey, .pinBlocked, .pinLastTries, .prfUnsupported].contains(code)
  }
}

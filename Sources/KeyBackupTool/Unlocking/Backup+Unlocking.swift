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

/// Opening a backup: one loop over the sources of its master key.
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
      "keybackup: \(counted(lacking, "change")) of the backup \(lacking == 1 ? "is" : "are") missing "
        + "from the folder")
    output.warn("hint: to see more: keybackup status")
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
    var request = UnlockRequest(self, unlock, world, terms)
    for source in Self.sources(unlock).sorted(by: { $0.cost < $1.cost }) {
      guard source.serves(terms), let found = try await source.masterKey(&request) else { continue }
      damaged += request.damaged
      // Only where there are several namespaces does one lead on to another.
      return candidates.isEmpty ? found : try await inCharge(found, request.slots)
    }
    throw request.noSource()
  }

  /// All sources that the options allow.
  private static func sources(_ unlock: UnlockOptions) -> [any MasterKeySource] {
    let keys: [any MasterKeySource] = [CachedKeySource(), SecurityKeySource()]
    return unlock.recovery.isUsed ? keys + [RecoveryCodeSource()] : keys
  }
}

package import BackupFolder
package import CSPP
package import CommandKit
package import SecretMemory
package import SecurityKeys

/// A master key and its origin.
package struct UnlockedMasterKey: ~Copyable {
  package let masterKey: MasterKey
  /// The key slot that gave it; nil for another program's envelope or a cached master key.
  package let keyID: KeyID?
  /// That key slot.
  package var slot: KeySlot?
  /// Its secret.
  package var secret: SecretBytes?
  /// The security key's output for ``UnlockTerms/extraSalt``.
  package var extra: SecretBytes?
  /// The security key's output for another salt in the same touch.
  var beside: SecretBytes?
  /// The security key.
  package var key: OpenAuthenticator?
}

/// Opens a backup with one loop over the sources of its master key.
extension Backup {
  /// Opens the backup: at most one PIN and one touch.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: the environment of the process.
  ///   - terms: the accepted key slots.
  ///   - purpose: the purpose of the command.
  /// - Returns: the open backup.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no file opens, and the
  ///   errors of the device and the folder.
  package func unlock(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    var damaged: [FileFinding] = []
    let opened = try await self.unlock(unlock, world, terms, for: purpose, damaged: &damaged)
    for finding in damaged { unlock.output(world).note("keybackup: \(finding.text)") }
    return opened
  }

  /// Opens the backup for a change that was confirmed or typed already; an error says that it was
  /// not made.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: the environment of the process.
  ///   - terms: the accepted key slots.
  ///   - undone: what is true where the backup does not open.
  ///   - purpose: the purpose of the command.
  /// - Returns: the open backup.
  /// - Throws: as ``unlock(_:_:_:for:)``, with `undone` among the advice.
  package func unlock(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    orElse undone: String, for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    do throws(UserMessage) {
      return try await self.unlock(unlock, world, terms, for: purpose)
    } catch  where error.code != .interrupted {
      throw error.adding(hint: undone)
    }
  }

  /// Opens the backup and checks every file of the key slot that was used.
  ///
  /// `damaged` receives the files that do not open; see ``unlock(_:_:for:)``.
  package func unlock(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms(),
    for purpose: OpenNamespace.Purpose = .reading, damaged: inout [FileFinding]
  ) async throws(UserMessage) -> OpenNamespace {
    let unlocked = try await masterKey(unlock, world, terms, damaged: &damaged)
    return try await open(unlocked, unlock, world, for: purpose)
  }

  /// Opens the backup with a master key; if the master key was rotated since, the namespace in
  /// charge.
  ///
  /// - Throws: the errors of the folder and of waiting for it.
  package func open(
    _ unlocked: consuming UnlockedMasterKey, _ unlock: UnlockOptions, _ world: World,
    for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    let slot = unlocked.slot
    // The wait examines the logs that were read.
    var opened = try await follow(
      SharedMasterKey(unlocked.masterKey.copy()), unlocked, unlock, world,
      for: wait == nil ? purpose : .reading)
    if let slot, let secret = unlocked.secret {
      opened.noteOpener(slot, secret: secret)
      let isAdopted = slot.kind == .csppEnvelope && use == .writing
      opened.rememberCredential(of: slot, adopting: isAdopted ? unlock.relyingParty.rpId : nil)
    } else if let key = unlocked.keyID {
      opened.noteOfflineKit(key)
    }
    let whole = try await wait(for: opened)
    if use == .writing {
      let missing = whole.missingStart ?? (whole.isRotationFinished ? nil : .rotationEnd)
      if let missing { throw UserMessage(missing) }
      warn(ofWhatIsLackingIn: whole.health, unlock.output(world))
    }
    return whole
  }

  /// Warns the user about an incomplete backup, although adding to it loses nothing.
  private func warn(ofWhatIsLackingIn health: LogHealth, _ output: Output) {
    let lacking = health.incomplete + health.rolledBack
    guard lacking > 0 else { return }
    output.warn(
      "keybackup: \(counted(lacking, "change")) of the backup \(lacking == 1 ? "is" : "are") missing "
        + "from the folder")
    output.warn("hint: to see more: keybackup status")
  }

  /// Gets the master key from the first usable source, and reports the key slot's files that do not
  /// open.
  package func masterKey(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms = UnlockTerms()
  ) async throws(UserMessage) -> UnlockedMasterKey {
    var damaged: [FileFinding] = []
    let unlocked = try await masterKey(unlock, world, terms, damaged: &damaged)
    for finding in damaged { unlock.output(world).note("keybackup: \(finding.text)") }
    return unlocked
  }

  /// Gets the master key from the first usable source.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: the environment of the process.
  ///   - terms: the accepted key slots.
  ///   - damaged: receives the files of the key slot that do not open.
  /// - Returns: the master key.
  /// - Throws: as ``unlock(_:_:for:)``.
  package func masterKey(
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
      // A namespace leads to another only if there are several.
      return candidates.isEmpty ? found : try await inCharge(found, request.slots)
    }
    throw request.noSource()
  }

  /// All sources that the options allow.
  private static func sources(_ unlock: UnlockOptions) -> [any MasterKeySource] {
    var sources: [any MasterKeySource] = [CachedKeySource(), SecurityKeySource()]
    if unlock.recovery.isUsed { sources.append(RecoveryCodeSource()) }
    if unlock.guards.usesPIN { sources.append(GuardedPINSource()) }
    if unlock.guards.guardLogin { sources.append(GuardedLoginSource()) }
    return sources
  }
}

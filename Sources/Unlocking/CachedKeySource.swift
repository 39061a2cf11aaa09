internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretStores
internal import SecurityKeys

/// The master key that `unlock` stored in a keyring of this computer.
struct CachedKeySource: MasterKeySource {
  let cost = SourceCost.nothing

  func serves(_ terms: UnlockTerms) -> Bool { !terms.needsKeySlot && !terms.needsSecurityKey }

  func masterKey(
    _ request: inout UnlockRequest
  ) async throws(UserMessage) -> UnlockedMasterKey? {
    // Problems of key slot files are reported whatever opens the backup.
    _ = try request.scan()
    let backup = request.backup
    guard let known = try backup.cachedMasterKey(request.unlock, request.world),
      try backup.isInCharge(known, request.unlock.output(request.world))
    else { return nil }
    return UnlockedMasterKey(masterKey: known, keyID: nil)
  }
}

extension Backup {
  /// The master key from the kernel's or the desktop's keyring.
  ///
  /// The keyrings are a convenience. If one fails, the command continues with the security key, and
  /// the user is not asked to unlock a keyring.
  ///
  /// - Parameters:
  ///   - unlock: the options; a user who names a device wants that one.
  ///   - world: the environment of the process.
  /// - Returns: the key; nil when it is not cached, or must not be used.
  /// - Throws: `interrupted`.
  fileprivate func cachedMasterKey(_ unlock: UnlockOptions, _ world: World) throws(UserMessage)
    -> MasterKey?
  {
    if unlock.noKeyring || unlock.device.device != nil { return nil }
    let known = CachedMasterKey(namespace.id, in: folder, world)
    do throws(SecretStoreError) {
      if let found = try known.inKernel() {
        tell(.kernelKeyring, unlock, world)
        return found.masterKey
      }
    } catch {
      // A command that only looks does not report missing keyrings.
      if case .noKeyrings = error {} else { try goOn(after: error, .kernelKeyring, unlock, world) }
    }
    guard known.mayBeInDesktop else { return nil }
    do throws(SecretStoreError) {
      var service = try world.secretService(mayPrompt: false)
      if let key = try known.inDesktop(&service) {
        tell(.secretService, unlock, world)
        return key
      }
      unlock.output(world).note(
        "keybackup: the master key is gone from the desktop's keyring; to stop looking there: "
          + "keybackup lock")
    } catch {
      try goOn(after: error, .secretService, unlock, world)
    }
    return nil
  }

  /// Whether a cached master key leads to the backup in charge.
  ///
  /// After a rotation elsewhere, a security key may open a backup that the cached key does not.
  fileprivate func isInCharge(
    _ known: borrowing MasterKey, _ output: Output
  ) throws(UserMessage) -> Bool {
    // The key leads to another namespace only if there are several.
    if candidates.isEmpty { return true }
    let search = SuccessionSearch(folder: folder, start: SharedMasterKey(known.copy()), keyID: nil)
    switch try search.run(.reading).obstacle {
    case nil, .notHere: return true
    case .noKey(let id, _), .uncompared(let id):
      output.note(
        "keybackup: the backup moved to \(id.hex); this computer knows only the old master key, and "
          + "goes on without it")
      return false
    }
  }

  private func tell(_ place: CachedKeyPlace, _ unlock: UnlockOptions, _ world: World) {
    guard unlock.common.verbose else { return }
    unlock.output(world).note("Opened with the master key from \(place.words). No way in was used.")
  }

  private func goOn(
    after error: SecretStoreError, _ place: CachedKeyPlace, _ unlock: UnlockOptions,
    _ world: World
  ) throws(UserMessage) {
    let message = UserMessage(error, place)
    if message.code == .interrupted { throw message }
    unlock.output(world).note("keybackup: \(message.message); going on without it")
  }
}

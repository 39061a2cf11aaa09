internal import BackupFolder
internal import CSPP

/// A master key, and how it came about.
struct UnlockedMasterKey: ~Copyable {
  let masterKey: MasterKey
  /// The way in that gave it; nil: another program's envelope, or this computer
  /// knew it.
  let keyID: KeyID?
}

/// The order in which the ways into a backup are tried.
extension Backup {
  /// Opens the backup: at most one PIN and one touch.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: what surrounds the process.
  ///   - purpose: what the command does with it.
  /// - Returns: the backup, open.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no
  ///   file opens, and what device and folder throw.
  func unlock(
    _ unlock: UnlockOptions, _ world: World, for purpose: OpenNamespace.Purpose = .reading
  ) async throws(UserMessage) -> OpenNamespace {
    var damaged: [FileFinding] = []
    let opened = try await self.unlock(unlock, world, for: purpose, damaged: &damaged)
    for finding in damaged { unlock.output.note("keybackup: \(finding.text)") }
    return opened
  }

  /// Opens the backup and checks every file of the way in that was used:
  /// `damaged` receives those that do not open; see ``unlock(_:_:for:)``.
  func unlock(
    _ unlock: UnlockOptions, _ world: World, for purpose: OpenNamespace.Purpose = .reading,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> OpenNamespace {
    let unlocked = try await masterKey(unlock, world, damaged: &damaged)
    let keyID = unlocked.keyID
    let opened: OpenNamespace
    do throws(BackupFolderError) {
      // Waiting looks at what was read of the logs.
      opened = try namespace.open(
        unlocked.masterKey, by: keyID, for: wait == nil ? purpose : .reading)
    } catch {
      throw UserMessage(error)
    }
    return try await wait(for: opened)
  }

  /// Gets the master key from the first way in that serves.
  func masterKey(
    _ unlock: UnlockOptions, _ world: World, damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    if let gone = try? folder.vanishedNamespaces(), !gone.isEmpty {
      unlock.output.warn(
        "keybackup: another backup that this computer knew is gone from \(folder.path): "
          + gone.map(\.hex).joined(separator: ", "))
    }
    // 1. What the person named.
    if unlock.recovery.isUsed {
      return try await masterKeyByCode(unlock, world, damaged: &damaged)
    }
    let scan = try scan()
    for finding in scan.findings {
      unlock.output.note("keybackup: \(finding.text)")
    }
    // 2. What this computer knows.
    if let known = try knownMasterKey(unlock, world) {
      return UnlockedMasterKey(masterKey: known, keyID: nil)
    }
    // 3. Security keys.
    do throws(UserMessage) {
      return try await masterKey(
        scan, from: unlock.finder(world), rpID: unlock.relyingParty.rpId, damaged: &damaged)
    } catch  where error.isAboutTheKey && scan.waysIn.contains(where: { Kit($0) != nil }) {
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

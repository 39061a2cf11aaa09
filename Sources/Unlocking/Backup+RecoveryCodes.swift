package import BackupFolder
package import CSPP
package import CommandKit
package import SecretMemory
internal import SecurityKeys

/// The recovery code that the user gives.
///
/// No security key is asked, unless it is the kit's second secret.
struct RecoveryCodeSource: MasterKeySource {
  let cost = SourceCost.named

  func serves(_ terms: UnlockTerms) -> Bool { !terms.needsSecurityKey }

  func masterKey(
    _ request: inout UnlockRequest
  ) async throws(UserMessage) -> UnlockedMasterKey? {
    try await request.backup.masterKeyByCode(
      request.unlock, request.world, request.terms, damaged: &request.damaged)
  }
}

extension Backup {
  /// Unwraps the master key with a recovery code.
  ///
  /// - Parameters:
  ///   - unlock: the options of the command.
  ///   - world: the environment of the process.
  ///   - terms: the accepted key slots.
  ///   - damaged: receives the files of the key slot that do not open.
  /// - Returns: the master key.
  /// - Throws: `data-invalid` for a text that is not a code, before anything is derived.
  ///   `wrong-key` for another backup's code. `no-input` when there is no kit here.
  fileprivate func masterKeyByCode(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    let kits = try kits(unlock, world, terms)
    let code = try RecoveryCodeAsker(unlock.recovery, unlock.common, world).code()
    var attempt = try KitAttempt(unlock, world, rule(unlock.relyingParty.rpId), kits.count)
    for kit in kits {
      try Interruption.check()
      guard let secret = try await attempt.secret(of: kit, code) else { continue }
      if let master = kit.unwrap(secret) {
        damaged += kit.findings(secret)
        return UnlockedMasterKey(
          masterKey: master, keyID: kit.keyID, slot: kit.slot, secret: secret)
      }
    }
    throw attempt.failure
  }

  /// The kits to which the code may belong; those that cost and ask least come first.
  private func kits(
    _ unlock: UnlockOptions, _ world: World, _ terms: UnlockTerms
  ) throws(UserMessage) -> [Kit] {
    if let file = try unlock.recovery.offlineKit(world) {
      guard let kit = Kit(file) else { return [] }
      for finding in (try? scan())?.findings ?? [] {
        unlock.output(world).note("keybackup: \(finding.text)")
      }
      let here = (try? folder.namespaces()) ?? []
      guard file.header.namespaceID == namespace.id || here.contains(file.header.namespaceID)
      else {
        throw UserMessage(
          .wrongKey, "the recovery kit belongs to another backup, \(file.header.namespaceID.hex)",
          hint: "the folder holds \(namespace.id.hex); is it the right folder?")
      }
      return [kit]
    }
    let scan: NamespaceScan
    do throws(UserMessage) {
      scan = try scanAll()
    } catch {
      throw error.adding(
        hint: "if the folder has lost its ways in for good, use an offline recovery kit: "
          + "--recovery-kit FILE")
    }
    for finding in scan.findings {
      unlock.output(world).note("keybackup: \(finding.text)")
    }
    let all = terms.allowed(scan).keySlots.compactMap(Kit.init)
    guard !all.isEmpty else {
      if scan.keySlots.contains(where: { Kit($0) != nil }) {
        throw UserMessage(
          .wrongKey, "this needs another way in than the recovery kit itself",
          hint: "use a security key, or another kit")
      }
      throw UserMessage(
        .noInput, "this backup has no recovery kit",
        hint: "to see its ways in: keybackup key list\nfor an offline kit: --recovery-kit FILE")
    }
    guard let wanted = unlock.recovery.kitId else {
      return all.sorted { $0.order < $1.order }
    }
    let named = all.filter { $0.keyID.hex.hasPrefix(wanted) }
    guard !named.isEmpty else {
      throw UserMessage(
        .noInput, "this backup has no recovery kit whose ID begins with \(wanted)",
        hint: "to see its ways in: keybackup key list")
    }
    return named.sorted { $0.order < $1.order }
  }
}

extension Backup {
  /// Reports the limits of an offline kit if the folder has lost its log.
  package func tell(
    _ opened: borrowing OpenNamespace, openedBy recovery: RecoveryCodeOptions, _ output: Output
  ) {
    guard recovery.recoveryKit != nil, opened.health.operations == 0 else { return }
    output.note(
      "The backup's log is missing. Nobody can tell whether these are all its wallets, or their "
        + "newest versions.")
    let id = opened.id
    let others = ((try? folder.namespaces()) ?? []).filter { $0 != id }
    guard !others.isEmpty else { return }
    output.note(
      "The folder also holds \(others.map(\.hex).joined(separator: ", ")), which this kit does not "
        + "open. If the master key was rotated after the kit was made, the newer wallets are "
        + "there. A key or a kit that was made later opens it.")
  }
}

/// A key slot with a recovery code, from the folder or from an offline kit.
package struct Kit {
  package let keyID: KeyID
  package let derivation: KeyHeader.CodeDerivation
  private let source: Source

  private enum Source {
    case folder(KeySlot)
    case file(KeyWrapper)
  }

  /// Returns nil for a slot of another kind.
  package init?(_ slot: KeySlot) {
    guard case .recoveryCode(let derivation) = slot.kind, let keyID = slot.keyID else { return nil }
    self.keyID = keyID
    self.derivation = derivation
    source = .folder(slot)
  }

  /// Returns nil for a slot of another kind.
  package init?(_ file: KeyWrapper) {
    guard case .recoveryCode(let derivation) = file.header.kind else { return nil }
    keyID = file.header.keyID
    self.derivation = derivation
    source = .file(file)
  }

  /// The order of trying kits.
  ///
  /// Known enrolled ones come first, among these the ones that ask for nothing else, then the cheap
  /// ones. A folder full of false kits must not keep the right one from being tried.
  fileprivate var order: Order {
    let asks =
      switch derivation.secondSecret {
      case nil: 0
      case .file: 1
      case .keyring: 2
      case .securityKey: 3
      }
    return Order(isClaim: slot?.isEnrolled == true ? 0 : 1, asks: asks, work: derivation.work)
  }

  fileprivate struct Order: Comparable {
    var isClaim: Int
    var asks: Int
    var work: Int

    static func < (one: Order, other: Order) -> Bool {
      (one.isClaim, one.asks, one.work) < (other.isClaim, other.asks, other.work)
    }
  }

  /// Whether a security key is the second secret.
  package var needsSecurityKey: Bool {
    if case .securityKey = derivation.secondSecret { true } else { false }
  }

  /// The namespace that the kit opens.
  package var namespaceID: NamespaceID {
    switch source {
    case .folder(let slot): slot.namespaceID
    case .file(let file): file.header.namespaceID
    }
  }

  /// The kit's key slot in the folder; nil for an offline kit.
  package var slot: KeySlot? { if case .folder(let slot) = source { slot } else { nil } }

  /// The master key; nil if the secret belongs to another slot.
  package func unwrap(_ secret: borrowing SecretBytes) -> MasterKey? {
    switch source {
    case .folder(let slot): try? slot.unwrap(secret: secret)
    case .file(let file): try? file.open(secret: secret)
    }
  }

  /// The files of the key slot that do not open with the secret that opened one.
  package func findings(_ secret: borrowing SecretBytes) -> [FileFinding] {
    switch source {
    case .folder(let slot):
      slot.findings(secret: secret, reason: "does not open with its own recovery code")
    case .file: []
    }
  }
}

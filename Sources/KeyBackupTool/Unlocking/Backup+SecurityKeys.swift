internal import BackupFolder
internal import CSPP
internal import PRFDevice
internal import SecretMemory

/// Security keys as key slots of a backup.
extension Backup {
  /// Unwraps the master key with a security key: one PIN, one touch.
  ///
  /// - Parameters:
  ///   - scan: the key slots.
  ///   - finder: where the keys are.
  ///   - rpID: the relying party that the person named.
  ///   - terms: what else is asked of the key.
  ///   - damaged: receives the files of the key slot that do not open.
  /// - Returns: the master key.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no
  ///   file opens, and what the device throws.
  func masterKey(
    _ scan: NamespaceScan, from finder: AuthenticatorFinder, rpID: String?, _ terms: UnlockTerms,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    let offers = UnlockOffers(scan.keySlots, rule(rpID), meant: meant)
    guard !offers.all.isEmpty else {
      guard offers.withheld.isEmpty else {
        throw .relyingPartyNotAllowed(offers.withheld, "no security key is asked")
      }
      throw Self.noSecurityKey(scan, terms)
    }
    let isUnnamed = offers.all.contains { $0.slot.kind == .csppEnvelope }
    do throws(UserMessage) {
      // Files that did not open although their own key answered.
      var failed: [KeySlot] = []
      var wanted = WantedAuthenticator(scan, offers)
      wanted.purpose = terms.purpose
      let unlocked = try await finder.ask(
        offers.questions, for: wanted, terms
      ) { answer in
        open(answer, offers, &failed, &damaged)
      }
      return unlocked
    } catch  where [.wrongKey, .dataInvalid].contains(error.code) && !offers.withheld.isEmpty {
      throw .relyingPartyNotAllowed(offers.withheld, error.message)
    } catch  where error.code == .wrongKey && isUnnamed && rpID == nil {
      throw UserMessage(
        .wrongKey, error.message,
        hint: "the backup was made by another program: name its relying party, "
          + "such as --rp-id covebitcoinwallet.com")
    }
  }

  /// What to say where no security key can be asked.
  ///
  /// - Parameters:
  ///   - scan: the key slots that will do.
  ///   - terms: why others will not.
  /// - Returns: the error.
  private static func noSecurityKey(_ scan: NamespaceScan, _ terms: UnlockTerms) -> UserMessage {
    let hasKit = scan.keySlots.contains { Kit($0) != nil }
    if terms.needsSecurityKey, hasKit || terms.only != nil {
      return UserMessage(
        .wrongKey, "this is done with a security key that opens the backup, and none is enrolled",
        hint: "enrol a key first: keybackup key add, with --recovery-code where only a recovery "
          + "kit is left")
    }
    if !terms.except.isEmpty {
      return UserMessage(
        .usage, "this needs another way in than the one to be removed",
        hint: hasKit ? "open the backup with the recovery code: --recovery-code" : nil)
    }
    // Whoever calls this tells of the recovery code.
    if hasKit {
      return UserMessage(
        .wrongKey, "no security key opens this backup: its ways in are recovery codes", hint: nil)
    }
    return UserMessage(
      .dataInvalid, "no way into this backup is of a kind that this version knows",
      hint: "a newer keybackup may know it")
  }

  private func open(
    _ answer: UnlockAnswer, _ offers: UnlockOffers, _ failed: inout [KeySlot],
    _ damaged: inout [FileFinding]
  ) -> UnlockedMasterKey? {
    for (slot, question) in offers.all where question == answer.question {
      let secret = answer.secret()
      guard let key = try? slot.unwrap(secret: secret) else {
        failed.append(slot)
        continue
      }
      let others = failed.filter { $0.credentialID != nil && $0.credentialID == slot.credentialID }
      for file in slot.damagedFiles(secret: secret) + others.flatMap(\.files) {
        damaged.append(
          FileFinding(
            file: file, recordID: nil, state: .unreadable,
            reason: "does not open with its own security key"))
      }
      return UnlockedMasterKey(
        masterKey: key, keyID: slot.keyID, slot: slot, secret: secret,
        extra: answer.isSecond ? nil : answer.evaluation.second(), beside: answer.other(),
        key: answer.key)
    }
    return nil
  }
}

extension WantedAuthenticator {
  /// The keys that open the backup, each as the surest file calls it.
  init(_ scan: NamespaceScan, _ offers: UnlockOffers) {
    for (slot, question) in offers.all {
      guard let id = question.credentialID, names[id] == nil else { continue }
      names[id] = slot.label
    }
    for slot in scan.keySlots {
      switch slot.kind {
      case .securityKey, .csppEnvelope: break
      case .recoveryCode: otherKeySlots.append(slot.title("recovery code"))
      case .unknown(let kind): otherKeySlots.append(slot.title(kind.replacing("_", with: " ")))
      }
    }
  }
}

extension KeySlot {
  /// What a person calls it: its kind and its label.
  fileprivate func title(_ kind: String) -> String {
    label.isEmpty ? kind : "\(kind) \"\(label)\""
  }
}

extension UnlockQuestion {
  /// What to ask for a credential; nil for one that no key made, for asking
  /// would fail for all.
  init?(rpID: String, credentialID: [UInt8], salt: [UInt8]) {
    guard !rpID.utf8.contains(0),
      (1...PRFRequest.maximumRelyingPartyIDBytes).contains(rpID.utf8.count),
      (1...CredentialID.maximumSize).contains(credentialID.count)
    else { return nil }
    let credential: CredentialID? = CredentialID(credentialID)
    self.init(rpID: rpID, credentialID: credential, salt: salt)
  }

  /// What to ask a security key for this key slot; nil for other kinds.
  ///
  /// - Parameters:
  ///   - slot: from the folder.
  ///   - rpID: for a slot that names no relying party.
  init?(_ slot: KeySlot, rpID: String) {
    switch slot.kind {
    case .securityKey:
      guard let own = slot.rpID, let credential = slot.credentialID else { return nil }
      self.init(rpID: own, credentialID: credential, salt: slot.prfSalt)
    case .csppEnvelope:
      self.init(rpID: rpID, credentialID: nil, salt: slot.prfSalt)
    case .recoveryCode, .unknown:
      return nil
    }
  }
}

package import BackupFolder
internal import CSPP
internal import CommandKit
internal import PRFDevice
internal import SecretMemory
package import SecurityKeys

/// The enrolled security keys: one PIN, one touch.
struct SecurityKeySource: MasterKeySource {
  let cost = SourceCost.touch

  func serves(_ terms: UnlockTerms) -> Bool { true }

  func masterKey(
    _ request: inout UnlockRequest
  ) async throws(UserMessage) -> UnlockedMasterKey? {
    let scan = try request.scan()
    do throws(UserMessage) {
      return try await request.backup.masterKey(scan, &request)
    } catch {
      throw error.offeringRecoveryCode(scan.keySlots, request.terms)
    }
  }
}

extension Backup {
  /// Unwraps the master key with a security key.
  ///
  /// - Parameters:
  ///   - scan: the key slots.
  ///   - request: the request; receives the files of the key slot that do not open.
  /// - Returns: the master key; nil where no key slot is a security key's.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no file opens, and the
  ///   errors of the device.
  fileprivate func masterKey(
    _ scan: NamespaceScan, _ request: inout UnlockRequest
  ) async throws(UserMessage) -> UnlockedMasterKey? {
    let (unlock, terms) = (request.unlock, request.terms)
    let rpID = unlock.relyingParty.rpId
    let offers = UnlockOffers(scan.keySlots, rule(rpID), meant: meant)
    guard !offers.all.isEmpty else {
      if offers.withheld.isEmpty { return nil }
      throw .relyingPartyNotAllowed(offers.withheld, "no security key is asked")
    }
    let isUnnamed = offers.all.contains { $0.slot.kind == .csppEnvelope }
    do throws(UserMessage) {
      // Files that did not open although their own key answered.
      var failed: [KeySlot] = []
      var wanted = WantedAuthenticator(scan, offers, present: presentKeySlots(scan, terms))
      wanted.purpose = terms.purpose
      if terms.needsSecurityKey { (wanted.otherKeySlots, wanted.otherOptions) = ([], []) }
      let finder = try unlock.finder(request.world, furtherPINs: terms.furtherPINs)
      var damaged: [FileFinding] = []
      defer { request.damaged += damaged }
      return try await finder.ask(offers.questions, for: wanted, terms) { answer in
        open(answer, offers, &failed, &damaged)
      }
    } catch  where [.wrongKey, .dataInvalid].contains(error.code) && !offers.withheld.isEmpty {
      throw .relyingPartyNotAllowed(offers.withheld, error.message)
    } catch  where error.code == .wrongKey && isUnnamed && rpID == nil {
      throw UserMessage(
        .wrongKey, error.message,
        hint: "another program made the backup: name its relying party, such as "
          + "--rp-id covebitcoinwallet.com")
    }
  }

  /// The accepted key slots of the newest namespace that this computer knows, without removed ones.
  ///
  /// - Parameters:
  ///   - scan: the key slots of all namespaces.
  ///   - terms: the accepted ones.
  /// - Returns: nil where it knows none.
  private func presentKeySlots(_ scan: NamespaceScan, _ terms: UnlockTerms) -> [KeySlot]? {
    if isOpen { return nil }
    let own = scan.keySlots.filter { $0.namespaceID == namespace.id }
    let pending = namespace.pendingKeySlots(among: scan.keySlots)
    return terms.allowed(scan.with(own + pending)).keySlots.filter { !$0.isRemoved }
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
      let reason = "does not open with its own security key"
      damaged += slot.findings(secret: secret, reason: reason)
      damaged += others.flatMap(\.files).map { file in
        FileFinding(file: file, recordID: nil, state: .unreadable, reason: reason)
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
  /// The keys that open the backup, each with the name in the likeliest file.
  ///
  /// - Parameters:
  ///   - scan: the key slots of all namespaces.
  ///   - offers: the questions for them.
  ///   - present: the key slots to name; nil for all that were not removed.
  package init(_ scan: NamespaceScan, _ offers: UnlockOffers, present: [KeySlot]? = nil) {
    self.init()
    for (slot, question) in offers.all {
      guard let id = question.credentialID, names[id] == nil else { continue }
      names[id] = slot.label
    }
    let shown = present ?? scan.keySlots.filter { !$0.isRemoved }
    named = Set(shown.compactMap { $0.credentialID.map { CredentialID($0) } })
    for slot in shown {
      guard let title = slot.otherTitle else { continue }
      if !otherKeySlots.contains(title) { otherKeySlots.append(title) }
      let option = Kit(slot) == nil ? slot.guardedOption : "--recovery-code"
      if let option, !otherOptions.contains(option) { otherOptions.append(option) }
    }
  }
}

extension KeySlot {
  /// The name for people of a way in that needs no security key.
  fileprivate var otherTitle: String? {
    switch kind {
    case .securityKey, .csppEnvelope: nil
    case .recoveryCode: title("recovery code")
    case .guardedPIN, .guardedLogin: title(kindText)
    case .unknown(let kind): title(kind.replacing("_", with: " "))
    }
  }

  /// The name for people: its kind and its label.
  fileprivate func title(_ kind: String) -> String {
    label.isEmpty ? kind : "\(kind) \"\(label)\""
  }
}

extension UnlockQuestion {
  /// Creates the question for a credential; nil for an ID that no key can have created, since that
  /// would make the whole query fail.
  package init?(rpID: String, credentialID: [UInt8], salt: [UInt8]) {
    guard !rpID.utf8.contains(0),
      (1...PRFRequest.maximumRelyingPartyIDBytes).contains(rpID.utf8.count),
      (1...CredentialID.maximumSize).contains(credentialID.count)
    else { return nil }
    let credential: CredentialID? = CredentialID(credentialID)
    self.init(rpID: rpID, credentialID: credential, salt: salt)
  }

  /// Creates the question for a key slot; nil for slots that are not a security key's.
  ///
  /// - Parameters:
  ///   - slot: a slot of the folder.
  ///   - rpID: the relying party of a slot that names none.
  package init?(_ slot: KeySlot, rpID: String) {
    switch slot.kind {
    case .securityKey:
      guard let own = slot.rpID, let credential = slot.credentialID else { return nil }
      self.init(rpID: own, credentialID: credential, salt: slot.prfSalt)
    case .csppEnvelope:
      self.init(rpID: rpID, credentialID: nil, salt: slot.prfSalt)
    case .recoveryCode, .guardedPIN, .guardedLogin, .unknown:
      return nil
    }
  }
}

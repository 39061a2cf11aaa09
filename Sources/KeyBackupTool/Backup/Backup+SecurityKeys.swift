internal import BackupFolder
internal import CSPP
internal import PRFDevice
internal import SecretMemory

/// Security keys as ways into a backup.
extension Backup {
  /// Unwraps the master key with a security key: one PIN, one touch.
  ///
  /// - Parameters:
  ///   - scan: the ways in.
  ///   - finder: where the keys are.
  ///   - rpID: for envelopes of other programs, which name no relying party.
  ///   - terms: what else is asked of the key.
  ///   - damaged: receives the files of the way in that do not open.
  /// - Returns: the master key.
  /// - Throws: `wrong-key`, `data-invalid` when the right key answers and no
  ///   file opens, and what the device throws.
  func masterKey(
    _ scan: NamespaceScan, from finder: KeyFinder, rpID: String?, _ terms: UnlockTerms,
    damaged: inout [FileFinding]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    let offers = Self.offers(scan.waysIn, rpID: rpID)
    guard !offers.isEmpty else { throw Self.noSecurityKey(scan, terms) }
    let anonymous = offers.contains { $0.0.kind == .csppEnvelope }
    do throws(UserMessage) {
      // Files that did not open although their own key answered.
      var failed: [WayIn] = []
      var wanted = WantedKey(scan)
      wanted.purpose = terms.purpose
      let unlocked = try await finder.ask(
        unique(offers.map(\.1)), for: wanted, terms
      ) { answer in
        open(answer, offers, &failed, &damaged)
      }
      return unlocked
    } catch  where error.code == .wrongKey && anonymous && rpID == nil {
      throw UserMessage(
        .wrongKey, error.message,
        hint: "the backup was made by another program: name its relying party, "
          + "such as --rp-id covebitcoinwallet.com")
    }
  }

  /// What to say where no security key can be asked.
  ///
  /// - Parameters:
  ///   - scan: the ways in that will do.
  ///   - terms: why others will not.
  /// - Returns: the error.
  private static func noSecurityKey(_ scan: NamespaceScan, _ terms: UnlockTerms) -> UserMessage {
    let hasKit = scan.waysIn.contains { Kit($0) != nil }
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
    _ answer: UnlockAnswer, _ offers: [(WayIn, UnlockQuestion)], _ failed: inout [WayIn],
    _ damaged: inout [FileFinding]
  ) -> UnlockedMasterKey? {
    for (way, question) in offers where question == answer.question {
      let secret = answer.secret()
      guard let key = try? way.unwrap(secret: secret) else {
        failed.append(way)
        continue
      }
      let others = failed.filter { $0.credentialID != nil && $0.credentialID == way.credentialID }
      for file in way.damagedFiles(secret: secret) + others.flatMap(\.files) {
        damaged.append(
          FileFinding(
            file: file, recordID: nil, state: .unreadable,
            reason: "does not open with its own security key"))
      }
      return UnlockedMasterKey(
        masterKey: key, keyID: way.keyID, way: way, secret: secret,
        extra: answer.isSecond ? nil : answer.evaluation.second(), key: answer.key)
    }
    return nil
  }

  /// What to ask security keys for these ways in: first what takes another's
  /// place, last what was removed.
  static func offers(_ ways: [WayIn], rpID: String?) -> [(WayIn, UnlockQuestion)] {
    let replaced = Set(ways.compactMap(\.replaces))
    let ranked = ways.map { way -> (rank: Int, way: WayIn) in
      let isReplaced = way.keyID.map { replaced.contains($0) } ?? false
      return (way.isRemoved ? 2 : isReplaced ? 1 : 0, way)
    }
    return (0...2).flatMap { rank in
      ranked.filter { $0.rank == rank }.compactMap { (rank, way) in
        UnlockQuestion(
          way, rpID: rpID ?? BackupRelyingPartyOption.standard, isReplaced: rank == 1
        ).map { (way, $0) }
      }
    }
  }

  private func unique(_ questions: [UnlockQuestion]) -> [UnlockQuestion] {
    var seen: Set<UnlockQuestion> = []
    return questions.filter { seen.insert($0).inserted }
  }
}

extension WantedKey {
  /// The keys that open the backup.
  init(_ scan: NamespaceScan) {
    for way in scan.waysIn {
      switch way.kind {
      case .securityKey:
        if let id = way.credentialID { names[CredentialID(id)] = way.label }
      case .csppEnvelope: break
      case .recoveryCode: otherWays.append(way.title("recovery code"))
      case .unknown(let kind): otherWays.append(way.title(kind.replacing("_", with: " ")))
      }
    }
  }
}

extension WayIn {
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

  /// What to ask a security key for this way in; nil for other kinds.
  ///
  /// - Parameters:
  ///   - way: from the folder.
  ///   - rpID: for a way that names no relying party.
  ///   - isReplaced: whether another one takes its place.
  init?(_ way: WayIn, rpID: String, isReplaced: Bool = false) {
    switch way.kind {
    case .securityKey:
      guard let own = way.rpID, let credential = way.credentialID else { return nil }
      self.init(rpID: own, credentialID: credential, salt: way.prfSalt)
      self.isReplaced = isReplaced
    case .csppEnvelope:
      self.init(rpID: rpID, credentialID: nil, salt: way.prfSalt)
    case .recoveryCode, .unknown:
      return nil
    }
  }
}

// This folder is for unwrapping the master key: the files of key slots, finding them in a
// namespace, and remembering them on this computer. It needs no other master key than the one a
// slot unwraps. No device is known here: a slot's secret comes from the caller.

public import CSPP
public import SecretMemory

/// One wrapped copy of a namespace's master key, as its plain fields describe it.
///
/// Several files may hold the same key slot (a key's file, the CSPP envelope,
/// conflict copies); they are one ``KeySlot``.
public struct KeySlot: Equatable, Sendable {
  /// The source of the slot's secret.
  public enum Kind: Equatable, Sendable {
    /// A FIDO2 credential's PRF output.
    case securityKey
    /// A CSPP envelope of another program, which names neither its credential nor its relying
    /// party.
    case csppEnvelope
    /// A recovery code, with a second secret or without one.
    case recoveryCode(KeyHeader.CodeDerivation)
    /// A PIN, with guards that let it be tried seldom.
    case guardedPIN(KeyHeader.GuardedPIN)
    /// A login, with guards that check it.
    case guardedLogin(KeyHeader.GuardedLogin)
    /// A kind that this version does not know.
    case unknown(String)
  }

  enum Source: Equatable, Sendable {
    case wrapper(KeyWrapper)
    case envelope(MasterKeyEnvelope)

    /// The digest that distinguishes its contents from any other file's.
    var contentDigest: Digest {
      switch self {
      case .wrapper(let wrapper): wrapper.contentDigest
      case .envelope(let envelope): envelope.contentDigest
      }
    }

    var isWrapper: Bool { if case .wrapper = self { true } else { false } }
  }

  /// The namespace that it opens.
  public let namespaceID: NamespaceID
  /// The slot's ID; `nil` for another program's envelope.
  public let keyID: KeyID?
  /// The source of its secret.
  public let kind: Kind
  /// The newest name that this computer knows for it; empty when none is known.
  public internal(set) var label: String
  /// The relying party ID to request.
  public let rpID: String?
  /// The credential ID to request.
  public let credentialID: [UInt8]?
  /// Whether the credential occupies a slot of the authenticator.
  public let discoverable: Bool?
  /// The authenticator's model, 16 bytes.
  public let aaguid: [UInt8]?
  /// The WebAuthn PRF input, 32 bytes; empty for other kinds than a security key.
  public let prfSalt: [UInt8]
  /// The time of creation, in Unix seconds.
  public let createdAt: UInt64?
  /// The key slot that it replaces once it has been proved.
  public let replaces: KeyID?
  /// The time when its own file last opened the backup on this computer, in Unix seconds.
  ///
  /// `nil` if that is not known to have happened.
  public internal(set) var provedAt: UInt64?
  /// Whether a run with the master key found one of its files in the log, or opened the backup by
  /// it.
  ///
  /// `false` where the whole log was read and does not have it; `nil` where this computer cannot
  /// tell. Anyone who can write to the folder can add a file that looks like a key slot, so only an
  /// enrolled slot counts as one.
  public internal(set) var isEnrolled: Bool?
  /// Whether it was removed, as far as this computer knows.
  ///
  /// It opens the backup until its files are deleted.
  public internal(set) var isRemoved = false
  /// Whether its only file is in an earlier namespace: since the master key was rotated, a box
  /// waits for it.
  public internal(set) var isPending = false
  /// The files it was read from, relative to the namespace folder.
  public internal(set) var files: [String]
  var sources: [Source]

  /// Unwraps the master key.
  ///
  /// - Parameter secret: the slot's secret; of a security key, its PRF output for
  ///   ``prfSalt``, 32 bytes.
  /// - Returns: a key whose namespace ID is this folder's.
  /// - Throws: ``BackupFolderError/wrongKey`` when no file of this slot opens
  ///   with it.
  public func unwrap(
    secret: borrowing SecretBytes
  ) throws(BackupFolderError) -> MasterKey {
    for source in sources {
      if let key = open(source, secret) { return key }
    }
    throw .wrongKey
  }

  /// Whether a secret is the one of a file of this slot, whether or not the file opens with it.
  ///
  /// If so, and ``unwrap(secret:)`` throws, the file was changed or damaged.
  public func hasRecipient(of secret: borrowing SecretBytes) -> Bool {
    for source in sources {
      if case .wrapper(let wrapper) = source, wrapper.hasRecipient(of: secret) { return true }
    }
    return false
  }

  /// Tries every file of this key slot with the secret that opened one of them.
  ///
  /// - Parameter secret: as for ``unwrap(secret:)``.
  /// - Returns: the files that do not open with it; they are damaged.
  public func damagedFiles(secret: borrowing SecretBytes) -> [String] {
    var damaged: [String] = []
    for (file, source) in zip(files, sources) where open(source, secret) == nil {
      damaged.append(file)
    }
    return damaged
  }

  /// The findings about the files that do not open with the secret that opened one of them.
  ///
  /// In a folder where another file of the slot opens, such a file changes nothing.
  ///
  /// - Parameters:
  ///   - secret: as for ``unwrap(secret:)``.
  ///   - reason: the reason in words.
  /// - Returns: the findings.
  public func findings(secret: borrowing SecretBytes, reason: String) -> [FileFinding] {
    let damaged = damagedFiles(secret: secret)
    let whole = Set(files).subtracting(damaged).map { $0.split(separator: "/").dropLast() }
    return damaged.map { file in
      let isBeside = whole.contains(file.split(separator: "/").dropLast())
      return FileFinding(
        file: file, recordID: nil, state: isBeside ? .foreign : .unreadable,
        reason: isBeside ? "\(reason); another file has this way in" : reason)
    }
  }

  /// The contents of its files that open with the secret.
  func openedContents(secret: borrowing SecretBytes) -> Set<Digest> {
    var opened: Set<Digest> = []
    for source in sources where open(source, secret) != nil { opened.insert(source.contentDigest) }
    return opened
  }

  /// Whether one of its files is among those that are known to be good.
  ///
  /// If so, the slot takes the header of that file instead of one from a changed copy.
  ///
  /// - Parameter contents: the contents of the good files.
  /// - Returns: whether there is one.
  mutating func isConfirmed(by contents: Set<Digest>) -> Bool {
    let good = sources.indices.filter { contents.contains(sources[$0].contentDigest) }
    guard let place = good.first(where: { sources[$0].isWrapper }) ?? good.first else {
      return false
    }
    if place == 0 { return true }
    var slot =
      switch sources[place] {
      case .wrapper(let wrapper): KeySlot(wrapper, file: files[place])
      case .envelope(let envelope): KeySlot(envelope, of: namespaceID, file: files[place])
      }
    (slot.provedAt, slot.isEnrolled) = (provedAt, isEnrolled)
    (slot.isRemoved, slot.isPending) = (isRemoved, isPending)
    (slot.files, slot.sources) = (files, sources)
    self = slot
    return true
  }

  private func open(_ source: Source, _ secret: borrowing SecretBytes) -> MasterKey? {
    let opened: MasterKey?
    switch source {
    case .wrapper(let wrapper): opened = try? wrapper.open(secret: secret)
    case .envelope(let envelope):
      opened = try? envelope.open(prfOutput: secret, namespaceID: namespaceID)
    }
    guard let key = opened, key.namespaceID == namespaceID else { return nil }
    return key
  }
}

extension KeySlot {
  /// The key slot of a file of `keys/`.
  init(_ wrapper: KeyWrapper, file: String) {
    let header = wrapper.header
    namespaceID = header.namespaceID
    keyID = header.keyID
    label = header.label
    createdAt = header.createdAt
    replaces = header.replaces
    switch header.kind {
    case .securityKey(let key):
      kind = .securityKey
      rpID = key.rpID
      credentialID = key.credentialID
      discoverable = key.discoverable
      aaguid = key.aaguid
      prfSalt = key.prfSalt
    case .recoveryCode(let derivation):
      kind = .recoveryCode(derivation)
      (rpID, credentialID, discoverable, aaguid, prfSalt) = (nil, nil, nil, nil, [])
    case .guardedPIN(let way):
      kind = .guardedPIN(way)
      (rpID, credentialID, discoverable, aaguid, prfSalt) = (nil, nil, nil, nil, [])
    case .guardedLogin(let way):
      kind = .guardedLogin(way)
      (rpID, credentialID, discoverable, aaguid, prfSalt) = (nil, nil, nil, nil, [])
    case .unknown(let name):
      kind = .unknown(name)
      (rpID, credentialID, discoverable, aaguid, prfSalt) = (nil, nil, nil, nil, [])
    }
    files = [file]
    sources = [.wrapper(wrapper)]
  }

  /// The key slot of a CSPP envelope in the folder of `namespaceID`.
  init(_ envelope: MasterKeyEnvelope, of namespaceID: NamespaceID, file: String) {
    self.namespaceID = namespaceID
    keyID = envelope.keyReference?.keyID
    kind = keyID == nil ? .csppEnvelope : .securityKey
    label = ""
    rpID = envelope.keyReference?.rpID
    credentialID = envelope.keyReference?.credentialID
    discoverable = nil
    aaguid = nil
    prfSalt = envelope.prfSalt
    createdAt = envelope.createdAt
    replaces = nil
    files = [file]
    sources = [.envelope(envelope)]
  }
}

extension KeySlot {
  /// Whether a file of `keys/` holds this key slot.
  var hasWrapper: Bool {
    sources.contains { if case .wrapper = $0 { true } else { false } }
  }

  /// Whether the CSPP envelope holds this key slot.
  var hasEnvelope: Bool {
    sources.contains { if case .envelope = $0 { true } else { false } }
  }
}

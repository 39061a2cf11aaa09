internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import PRFDevice
internal import SecretMemory
internal import SecurityKeys

/// The search for the namespace in charge, with all available secrets.
struct SuccessionSearch {
  let folder: BackupFolder
  /// The master key of the opened namespace.
  private(set) var start: SharedMasterKey
  /// The key slot that opened it.
  private(set) var keyID: KeyID?
  /// The secrets of key slots.
  var slots: [KeySlotSecret] = []
  /// Further master keys that these slots gave.
  var keys: [SharedMasterKey] = []
  /// The namespace whose ID the user has compared.
  var compared: NamespaceID?
  /// The key slot that ``ask(_:like:at:_:)`` opened.
  private(set) var opened: OpenedKeySlot?

  init(folder: BackupFolder, start: SharedMasterKey, keyID: KeyID?) {
    self.folder = folder
    self.start = start
    self.keyID = keyID
  }

  /// Follows the successors as far as possible.
  func run(_ purpose: OpenNamespace.Purpose) throws(UserMessage) -> ResolvedNamespace {
    do throws(BackupFolderError) {
      return try folder.namespace(start.namespaceID).follow(
        start.copy(), by: keyID, for: purpose, slots: slots, keys: keys, compared: compared)
    } catch {
      throw UserMessage(error)
    }
  }

  /// Opens the namespace that the user named, which may be read even if it has a successor.
  func stay(
    _ use: Backup.Use, _ purpose: OpenNamespace.Purpose
  ) throws(UserMessage) -> OpenNamespace {
    do throws(BackupFolderError) {
      let opened = try folder.namespace(start.namespaceID).open(
        start.copy(), by: keyID, for: use == .writing ? .reading : purpose)
      guard use == .writing, let next = opened.health.successor else { return opened }
      throw .cannotRotate(.moved(to: next))
    } catch {
      throw UserMessage(error)
    }
  }

  /// Starts from another namespace, which a key slot of the same security key opened.
  mutating func lead(to own: OpenedKeySlot) {
    // What it opened before may be the namespace of another rotation.
    keys.append(start)
    start = own.masterKey
    keyID = own.slot.keyID
    if let keyID { slots.append(KeySlotSecret(keyID, own.secret.copy())) }
  }

  /// Asks the security key for its secrets with other salts.
  ///
  /// The salts are those of its own file in a namespace, and of key slots for which a box waits.
  ///
  /// - Returns: whether it gave any.
  mutating func ask(
    _ key: OpenAuthenticator, like slot: KeySlot, at id: NamespaceID, _ boxes: [KeyID]
  ) async throws(UserMessage) -> Bool {
    guard let credentialID = slot.credentialID, let rpID = slot.rpID else { return false }
    var found: [KeySlot] = []
    for space in (try? folder.namespaces()) ?? [] {
      found += ((try? folder.namespace(space).scan())?.keySlots ?? []).filter { other in
        guard other.credentialID == credentialID, other.rpID == rpID, other.keyID != keyID else {
          return false
        }
        return space == id || other.keyID.map { boxes.contains($0) } ?? false
      }
    }
    var answered = false
    for other in Self.order(found, at: id, boxes) {
      let output = try await key.onlyOutput(
        PRFRequest(
          rpID: rpID, credentialIDs: [CredentialID(credentialID)], first: .webAuthn(other.prfSalt)),
        why: "for the backup that follows")
      if other.namespaceID == id, let opened = OpenedKeySlot(other, output) {
        self.opened = opened
        keys.append(opened.masterKey)
        return true
      }
      if let keyID = other.keyID { slots.append(KeySlotSecret(keyID, output)) }
      answered = true
    }
    return answered
  }

  /// The most touches for one namespace.
  private static let touches = 4

  /// The files for which the key is asked, each salt once.
  ///
  /// Anyone who can write to the folder can add files of the key's credential. They cannot add to
  /// the boxes, which a log names. So the boxes' files come second, after a file of the namespace
  /// itself, which opens it without a comparison.
  static func order(_ found: [KeySlot], at id: NamespaceID, _ boxes: [KeyID]) -> [KeySlot] {
    let own = found.filter { $0.namespaceID == id }
    let boxed = found.filter { slot in
      slot.namespaceID != id && slot.keyID.map { boxes.contains($0) } ?? false
    }
    var salts: Set<[UInt8]> = []
    let each = (own.prefix(1) + boxed + own.dropFirst()).filter {
      salts.insert($0.prfSalt).inserted
    }
    return Array(each.prefix(touches))
  }
}

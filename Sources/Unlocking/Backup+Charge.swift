internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import SecurityKeys

/// A key slot that was opened, with its secret.
final class OpenedKeySlot: Sendable {
  let slot: KeySlot
  let secret: SecretBytes
  let masterKey: SharedMasterKey

  /// Returns nil if the secret belongs to another slot.
  init?(_ slot: KeySlot, _ secret: borrowing SecretBytes) {
    guard let key = try? slot.unwrap(secret: secret) else { return nil }
    self.slot = slot
    self.secret = secret.copy()
    masterKey = SharedMasterKey(key)
  }
}

/// Determines which of several namespaces that one key or code opens is in charge.
///
/// Their logs tell, not the order in which they were tried.
extension Backup {
  /// Switches to the key slot of the namespace in charge, if the given secrets open that too.
  ///
  /// - Parameters:
  ///   - unlocked: the key slot that opened first.
  ///   - slots: the accepted key slots.
  /// - Returns: the result of the key slot in the namespace to which the logs lead.
  /// - Throws: the errors of the device and the folder.
  func inCharge(
    _ unlocked: consuming UnlockedMasterKey, _ slots: [KeySlot]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    guard !candidates.isEmpty, let slot = unlocked.slot, let secret = unlocked.secret?.copy() else {
      return unlocked
    }
    var opened = Self.opened(by: secret, unlocked.beside, slots, after: slot)
    if opened.count < 2, settled == slot.namespaceID { return unlocked }
    if opened.count < 2, let key = unlocked.key,
      let next = try await asked(key, slot, secret, unlocked.masterKey)
    {
      opened.append(next)
    }
    guard let best = try best(of: opened), best !== opened.first else { return unlocked }
    unlocked.lead(to: best)
    return unlocked
  }

  /// The slots that one answer opens: the first one, and one for each other namespace.
  private static func opened(
    by secret: borrowing SecretBytes, _ beside: borrowing SecretBytes?, _ slots: [KeySlot],
    after first: KeySlot
  ) -> [OpenedKeySlot] {
    guard let start = OpenedKeySlot(first, secret) else { return [] }
    var opened = [start]
    for slot in slots where !opened.contains(where: { $0.slot.namespaceID == slot.namespaceID }) {
      if let other = OpenedKeySlot(slot, secret) {
        opened.append(other)
      } else if let beside = beside?.copy(), let other = OpenedKeySlot(slot, beside) {
        opened.append(other)
      }
    }
    return opened
  }

  /// Asks the same security key for the successor: one more touch.
  private func asked(
    _ key: OpenAuthenticator, _ slot: KeySlot, _ secret: borrowing SecretBytes,
    _ masterKey: borrowing MasterKey
  ) async throws(UserMessage) -> OpenedKeySlot? {
    var search = SuccessionSearch(
      folder: folder, start: SharedMasterKey(masterKey.copy()), keyID: slot.keyID)
    if let keyID = slot.keyID { search.slots.append(KeySlotSecret(keyID, secret.copy())) }
    guard case .noKey(let id, let boxes) = try search.run(.reading).obstacle,
      try await search.ask(key, like: slot, at: id, boxes)
    else { return nil }
    return search.opened
  }

  /// The slot of the namespace in charge; nil for none.
  private func best(of opened: [OpenedKeySlot]) throws(UserMessage) -> OpenedKeySlot? {
    if opened.count < 2 { return opened.first }
    let ids = Set(opened.map(\.slot.namespaceID))
    var best: (slot: OpenedKeySlot, rank: Int)?
    for slot in opened {
      let search = SuccessionSearch(folder: folder, start: slot.masterKey, keyID: slot.slot.keyID)
      let followed = try search.run(.reading)
      // The namespace in charge knows all others, and has no successor.
      let known = followed.related.intersection(ids).count
      let rank = 4 * known - followed.obstacle.weight
      if rank <= best?.rank ?? .min { continue }
      let end = followed.obstacle == nil ? followed.namespace.id : slot.slot.namespaceID
      best = (opened.first { $0.slot.namespaceID == end } ?? slot, rank)
    }
    return best?.slot
  }
}

extension SuccessionObstacle? {
  /// The distance from the namespace in charge.
  fileprivate var weight: Int {
    switch self {
    case nil: 0
    case .notHere: 1
    case .uncompared: 2
    case .noKey: 3
    }
  }
}

extension UnlockedMasterKey {
  /// Replaces the slot by another one that the same answer opened.
  fileprivate mutating func lead(to other: OpenedKeySlot) {
    self = UnlockedMasterKey(
      masterKey: other.masterKey.copy(), keyID: other.slot.keyID, slot: other.slot,
      secret: other.secret.copy(), extra: extra.take(), key: key)
  }
}

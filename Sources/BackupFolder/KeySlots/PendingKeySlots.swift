public import CSPP

/// An enrolled key slot that was not plugged in when the master key was rotated.
public struct PendingKeySlot: Equatable, Sendable {
  /// The key slot.
  public let keyID: KeyID
  /// The name that the user gave it.
  public let label: String
  /// Whether its secret comes from guards: it must be renewed (see ``KeySlot/needsRenewal``).
  public let isGuarded: Bool
  /// Its recipient key: an X25519 public key, 32 bytes.
  let recipient: [UInt8]
}

/// Pending key slots: they were not plugged in when the master key was rotated, and a box waits for
/// each.
///
/// Until the box is used, the slot's only file is in an earlier namespace.
extension Namespace {
  /// The pending key slots that this computer knows from a run with the master key.
  ///
  /// A slot whose file is missing is omitted: nothing opens its box any more.
  ///
  /// - Returns: the slots as the earlier namespaces' files describe them.
  /// - Throws: if a listing fails.
  public func pendingKeySlots() throws(BackupFolderError) -> [KeySlot] {
    pendingKeySlots { (older) in (try? sibling(older)?.scan())?.keySlots ?? [] }
  }

  /// The same from the key slots of all namespaces, which were read before.
  public func pendingKeySlots(among slots: [KeySlot]) -> [KeySlot] {
    pendingKeySlots { (older) in slots.filter { $0.namespaceID == older } }
  }

  private func pendingKeySlots(_ slots: (NamespaceID) -> [KeySlot]) -> [KeySlot] {
    guard let state = try? state(make: false) else { return [] }
    let known = state.readableKeySlots(of: id)
    if known.waiting.isEmpty { return [] }
    var found: [KeySlot] = []
    for older in state.readableMemory(of: id).earlier.sorted() {
      for var slot in slots(older) where slot.hasWrapper && !slot.isRemoved {
        guard let key = slot.keyID, known.waiting.contains(key),
          !found.contains(where: { $0.keyID == key }), known.confirms(&slot)
        else { continue }
        slot.label = known.labels[key] ?? slot.label
        slot.provedAt = known.proved[key] ?? slot.provedAt
        slot.isEnrolled = true
        slot.isPending = true
        found.append(slot)
      }
    }
    return found
  }
}

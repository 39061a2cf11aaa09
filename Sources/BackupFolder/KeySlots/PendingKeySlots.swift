public import CSPP

/// A key slot that was enrolled and is not at hand when the master key is rotated.
public struct PendingKeySlot: Equatable, Sendable {
  /// The key slot.
  public let keyID: KeyID
  /// The name a person gave it.
  public let label: String
  /// X25519 public key, 32 bytes.
  let recipient: [UInt8]
}

/// Key slots that were not at hand when the master key was rotated: a box waits for
/// each, and until it is used its only file is an earlier namespace's.
extension Namespace {
  /// Those that this computer knows of, by what a run with the master key told.
  ///
  /// One whose file is gone is left out: nothing opens its box any more.
  ///
  /// - Returns: as the earlier namespaces' files describe them.
  /// - Throws: a listing that fails.
  public func pendingKeySlots() throws(BackupFolderError) -> [KeySlot] {
    guard let state = try? state(make: false) else { return [] }
    let known = state.readableKeySlots(of: id)
    if known.waiting.isEmpty { return [] }
    var found: [KeySlot] = []
    for older in state.readableMemory(of: id).earlier.sorted() {
      guard let scan = try? sibling(older)?.scan() else { continue }
      for var slot in scan.keySlots where slot.hasWrapper && !slot.isRemoved {
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

internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecurityKeys
internal import Unlocking

/// The earlier backups in the folder that a removed way in still opens.
extension Backup {
  /// The namespaces in which a security key or a code has a file of its own.
  ///
  /// A file is a claim: anyone who can write to the folder can add one.
  ///
  /// - Parameters:
  ///   - slots: the key slots of the security key or the code.
  ///   - ids: the namespaces to look at.
  /// - Returns: their IDs, in order.
  func namespaces(openedLike slots: [KeySlot], among ids: Set<NamespaceID>) -> [NamespaceID] {
    ids.sorted().filter { id in
      let files = (try? folder.namespace(id).scan())?.keySlots ?? []
      return files.contains { file in
        slots.contains { $0.keyID == file.keyID || $0.isSameKey(as: file) }
      }
    }
  }

  /// The namespaces in the folder that this computer knows to have moved to the one that is meant.
  var knownEarlier: Set<NamespaceID> {
    guard let meant else { return [] }
    let present = (try? folder.namespaces()) ?? []
    return Set(present.filter { $0 != meant && folder.knownSuccessor(of: $0) == meant })
  }

  /// The namespaces in the folder that the open one follows.
  func earlier(than opened: borrowing OpenNamespace) -> Set<NamespaceID> {
    opened.predecessors.intersection((try? folder.namespaces()) ?? [])
  }
}

extension [NamespaceID] {
  /// The earlier backups for a sentence, such as "the earlier backup 3b90b766"; nil for none.
  var earlierBackups: String? {
    if isEmpty { return nil }
    let shown = ShortID.shown(map(\.hex)).joined(separator: ", ")
    return count == 1 ? "the earlier backup \(shown)" : "the earlier backups \(shown)"
  }
}

extension [KeySlot] {
  /// The slots that are lost together with some of these, and these.
  ///
  /// - Parameter ids: the IDs of some of these.
  /// - Returns: the slots that one security key or code opens.
  func lost(with ids: Set<KeyID>) -> [KeySlot] {
    independent.filter { group in group.contains { $0.keyID.map(ids.contains) ?? false } }
      .flatMap { $0 }
  }

  /// The enrolled slots among these that are other ones' own or have their IDs.
  ///
  /// - Parameter others: key slots before a removal.
  /// - Returns: the slots that are left.
  func left(of others: [KeySlot]) -> [KeySlot] {
    let keys = Set(others.compactMap(\.keyID))
    return filter { slot in
      slot.isEnrolled == true && !slot.isRemoved && slot.keyID.map(keys.contains) ?? false
    }
  }
}

internal import BackupFolder
package import CSPP
package import CommandKit

extension Output {
  /// Tells that other key slots have the name of a new one, and what to do.
  ///
  /// - Parameters:
  ///   - others: their IDs.
  ///   - label: the name.
  ///   - new: the new key slot.
  package func warn(sharing others: [KeyID], of label: String, new: KeyID) {
    guard let other = others.first else { return }
    warn(
      "keybackup: another way in has this name: \"\(PrintableText.name(label, limit: 40))\"; its "
        + "ID is \(other.hex.prefix(8))")
    warn("hint: to give the new one another name: keybackup key label \(new.hex.prefix(8)) NAME")
  }
}

extension OpenNamespace {
  /// IDs of the key slots that have a name, as they are after the change that gave it.
  ///
  /// - Parameters:
  ///   - label: the name.
  ///   - own: those to which it was given.
  /// - Returns: the others; none where they cannot be read.
  func keySlots(sharing label: String, besides own: [KeyID]) -> [KeyID] {
    ((try? allKeySlots()) ?? []).filter { !$0.isRemoved && $0.label == label }
      .compactMap(\.keyID).filter { !own.contains($0) }
  }
}

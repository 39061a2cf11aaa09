package import BackupFolder
internal import CSPP

/// An earlier backup that may be deleted, for a report.
extension SpentNamespace {
  /// The advice: that it may be deleted, and that its history is lost then.
  package var advice: [String] {
    [
      "the earlier backup \(id.hex) may be deleted: the folder cspp-namespaces/\(id.hex), except in it "
        + "\(Self.keys) and " + operations.joined(separator: ", ")
        + ". Then run on each computer: keybackup status --accept --namespace \(id.hex)",
      "the earlier backup \(id.hex) alone has what was removed or replaced before the rotation. It is "
        + "lost with it. To see it: keybackup wallet history --namespace \(id.hex)",
      "to see its files: keybackup file list --namespace \(id.hex)",
    ]
  }

  /// The backup, and what has to stay of it.
  package var json: JSONOutput {
    [
      "namespace_id": .string(id.hex),
      "keep": .array(([Self.keys] + operations).map { .string($0) }),
    ]
  }
}

extension [SpentNamespace] {
  /// Those that may be deleted, with the advice about them; none where something is in the way.
  ///
  /// What is damaged, gone or on its way may be there, or may come there.
  ///
  /// - Parameters:
  ///   - codes: the codes of the report.
  ///   - advice: the advice of the report.
  /// - Returns: the earlier backups.
  package func judged(_ codes: [ExitReason], _ advice: inout [String]) -> [SpentNamespace] {
    if isEmpty { return [] }
    let inTheWay: [ExitReason] = [.dataInvalid, .rollback, .permissionDenied, .incomplete]
    if codes.contains(where: inTheWay.contains) {
      advice.append("no earlier backup may be deleted yet: first settle what is reported here.")
      return []
    }
    if count > 1 {
      advice.append(
        "delete the \(count) earlier backups named below together: one alone may bring back what "
          + "another one had put aside.")
    }
    advice += flatMap(\.advice)
    return self
  }
}

extension OpenNamespace {
  /// Advice on key slots that a computer added or removed in an earlier backup without knowing the
  /// rotation, a sentence or two each.
  package var adviceOnLateKeySlots: [String] {
    let gone = keySlotsRemovedEarlier
    let slots = gone.isEmpty ? [] : (try? allKeySlots(evenLost: true)) ?? []
    let removed = slots.compactMap { slot in
      slot.keyID.flatMap { gone.contains($0) ? $0 : nil }.map { key in
        "\"\(PrintableText.name(slot.label, limit: 40))\" was removed on a computer that did not know "
          + "this rotation. It still opens the backup. If you removed it: keybackup key remove "
          + key.hex
      }
    }
    let added = keySlotsAddedEarlier.map { label in
      "\"\(PrintableText.name(label, limit: 40))\" was added late, to the backup as it was before its "
        + "master key was rotated. It does not open this backup: add it again here."
    }
    return removed + added
  }

  /// Why no earlier backup may be deleted yet, a sentence or two each.
  ///
  /// Wallets and key slots that wait are told elsewhere.
  package var adviceOnEarlier: [String] {
    if earlierNamespaces.isEmpty {
      return hasRival
        ? [
          "the master key was rotated on two computers. To merge what both have, with their ways in: "
            + "keybackup key repair"
        ] : []
    }
    var advice: [String] = []
    let names = awaitedSilentWriters.prefix(5).map {
      "\"\(PrintableText.name($0.text, limit: 40))\""
    }
    if !names.isEmpty {
      advice.append(
        "no earlier backup may be deleted yet: \(names.joined(separator: ", ")) may still write there. "
          + "Authorise it again and let it write once, or retire it.")
    }
    if hasRival {
      advice.append(
        "no earlier backup may be deleted yet: the master key was rotated on two computers. To merge "
          + "what both have, with their ways in: keybackup key repair")
    }
    if let rival = health.unreadRotation {
      advice.append(
        "no earlier backup may be deleted yet: another rotation, \(rival.hex), was not read. Open it with "
          + "the key that rotated there.")
    }
    if wouldBringBackWallets {
      advice.append(
        "no earlier backup may be deleted: what has to stay of one would bring back a wallet that was "
          + "removed or changed since.")
    }
    let lacking = writersWithMissingChanges.prefix(5).map {
      "\"\(PrintableText.name($0.text, limit: 40))\""
    }
    if !lacking.isEmpty {
      advice.append(
        "no earlier backup may be deleted yet: changes of \(lacking.joined(separator: ", ")) are missing, "
          + "and may still come there. When nothing more will come: keybackup status --accept")
    }
    return advice
  }
}

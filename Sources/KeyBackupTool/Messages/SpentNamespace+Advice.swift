internal import BackupFolder
internal import CSPP

/// An earlier backup that may be deleted, for a report.
extension SpentNamespace {
  /// The advice: that it may be deleted, and that its history is lost then.
  var advice: [String] {
    [
      "the earlier backup \(id.hex) may be deleted, except \(Self.keys) and "
        + operations.joined(separator: ", ")
        + ". Then run: keybackup status --accept --namespace \(id.hex)",
      "the earlier backup \(id.hex) alone has what was removed or replaced before the rotation. It is "
        + "lost with it. To see it: keybackup wallet history --namespace \(id.hex)",
      "to see its files: keybackup file list --namespace \(id.hex)",
    ]
  }

  /// The backup, and what has to stay of it.
  var json: JSONOutput {
    [
      "namespace_id": .string(id.hex),
      "keep": .array(([Self.keys] + operations).map { .string($0) }),
    ]
  }
}

extension OpenNamespace {
  /// Why no earlier backup may be deleted yet, a sentence or two each.
  ///
  /// Wallets and key slots that wait are told elsewhere.
  var adviceOnEarlier: [String] {
    if earlierNamespaces.isEmpty { return [] }
    var advice: [String] = []
    let names = awaitedSilentWriters.prefix(5).map {
      "\"\(PrintableText.name($0.text, limit: 40))\""
    }
    if !names.isEmpty {
      advice.append(
        "no earlier backup may be deleted yet: \(names.joined(separator: ", ")) may still write there. "
          + "Authorise it again and let it write once, or retire it.")
    }
    if let rival = health.unreadRotation {
      advice.append(
        "no earlier backup may be deleted yet: another rotation, \(rival.hex), was not read. Open it with "
          + "the key that rotated there.")
    }
    let lacking = writersWithMissingChanges.prefix(5).map {
      "\"\(PrintableText.name($0.text, limit: 40))\""
    }
    if !lacking.isEmpty {
      advice.append(
        "no earlier backup may be deleted yet: changes of \(lacking.joined(separator: ", ")) are missing, "
          + "and may still come there. When nothing more will come: keybackup status --accept")
    }
    return advice + adviceOnEarlierFiles
  }

  private var adviceOnEarlierFiles: [String] {
    guard needsEarlierFiles else { return [] }
    var advice: [String] = []
    let ids = filesOnlyEarlier
    if !ids.isEmpty {
      let files = (try? files()) ?? []
      let words = files.filter { ids.contains($0.id) }.map {
        FileSelector.word(for: $0, named: FileRow($0).text, among: files)
      }
      let named = words.prefix(5).joined(separator: ", ")
      advice.append(
        "no earlier backup may be deleted yet: versions of \(counted(ids.count, "file")) are only there: "
          + (words.isEmpty ? "they cannot be listed now" : named)
          + (words.count > 5 ? " and \(words.count - 5) more" : "")
          + ". To see those of one: keybackup "
          + "file history \(words.first ?? "NAME")")
      advice.append(
        "to take a file's versions over, choose the one that counts: keybackup file keep "
          + "\(words.first ?? "NAME") VERSION")
    }
    if contentsNotHere > 0 {
      advice.append(
        "no earlier backup may be deleted yet: contents of \(counted(contentsNotHere, "version")) are "
          + "not whole in this one. To copy what is there: keybackup key repair")
    }
    return advice
  }
}

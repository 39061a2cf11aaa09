package import BackupFolder
internal import CSPP
internal import CommandKit

extension OpenNamespace {
  /// Advice on key slots and files that a computer changed in an earlier backup without knowing the
  /// rotation.
  package var adviceOnLateChanges: [String] { adviceOnLateKeySlots + adviceOnLateRemovals }

  private var adviceOnLateRemovals: [String] {
    let ids = filesRemovedEarlier
    if ids.isEmpty { return [] }
    let all = (try? files()) ?? []
    return all.filter { ids.contains($0.id) }.prefix(5).map { file in
      let word = FileSelector.word(for: file, named: FileRow(file).text, among: all)
      return "\(word) was removed late, in the backup as it was before its master key was rotated. "
        + "This backup still has it. If you removed it: keybackup file remove \(word)"
    }
  }

  /// Why no earlier backup may be deleted yet: versions of files, or contents, that would be lost.
  package var adviceOnEarlierFiles: [String] {
    guard needsEarlierFiles else { return [] }
    var advice: [String] = []
    let ids = filesOnlyEarlier
    if !ids.isEmpty {
      let all = (try? files()) ?? []
      let files = all.filter { ids.contains($0.id) }
      let word = { FileSelector.word(for: $0, named: FileRow($0).text, among: all) }
      let named = files.prefix(5).map(word).joined(separator: ", ")
      advice.append(
        "no earlier backup may be deleted yet: versions of \(counted(ids.count, "file")) depend on it"
          + (files.isEmpty ? "" : ": \(named)")
          + (files.count > 5 ? " and \(files.count - 5) more" : "")
          + ". To see those of one: keybackup file history NAME")
      if let kept = files.first(where: { !$0.isRemoved }) {
        advice.append(
          "to settle a file, choose the version that counts: keybackup file keep \(word(kept)) VERSION"
        )
      }
      if let removed = files.first(where: \.isRemoved) {
        advice.append(
          "to settle a removed file, remove it once more: keybackup file remove \(word(removed))")
      }
    }
    if contentsNotHere > 0 {
      advice.append(
        "no earlier backup may be deleted yet: contents of \(counted(contentsNotHere, "version")) are "
          + "not whole in this one. To copy what is there: keybackup key repair")
    }
    return advice
  }
}

import BackupFolder
import CSPP
import SecretMemory

/// The probe's verbs for files and silent writers.
enum FileVerbs {
  /// Runs a verb that needs no key; returns whether it is one.
  static func runSilently(
    _ folder: BackupFolder, _ verb: String, _ words: [String]
  ) throws(BackupFolderError) -> Bool {
    guard ["silent-add", "silent-remove", "silent-wallets"].contains(verb) else { return false }
    let writers = try folder.localSilentWriters().filter { $0.namespaceID != nil }
    guard let writer = writers.first else { throw .silentWriter(.noSuchWriter) }
    if verb == "silent-wallets" {
      do {
        _ = try folder.addSilently(FolderProbe.batch(words), as: writer)
      } catch .silentWriter(.walletAdded) {
        // An earlier run was killed after it had remembered them, and this one has published them.
      }
      return true
    }
    for word in words {
      let (name, text) = try split(word)
      if verb == "silent-add" {
        _ = try folder.addSilently(contents(text), name: name, as: writer)
      } else {
        try folder.removeSilently(name: name, as: writer)
      }
    }
    return true
  }

  /// Runs a verb with the key; returns whether it is one.
  static func run(
    _ open: inout OpenNamespace, _ folder: BackupFolder, _ verb: String, _ words: [String]
  ) throws(BackupFolderError) -> Bool {
    switch verb {
    case "silent": try becomeSilent(&open, folder)
    case "file-add":
      for word in words {
        let (name, text) = try split(word)
        let known = try open.files().first { $0.newest?.name == name }?.id
        _ = try open.addFile(contents(text), name: name, to: known)
      }
    case "file-remove":
      for word in words {
        let name = try split(word).name
        for file in try open.files() where file.newest?.name == name && !file.isRemoved {
          try open.removeFile(file.id)
        }
      }
    case "choose":
      let (name, text) = try split(words[0])
      for file in try open.files() where file.newest?.name == name {
        for version in file.versions where version.standing != .live {
          var bytes: [UInt8] = []
          try open.read(version) { piece in
            unsafe piece.withUnsafeBytes { bytes += unsafe Array($0) }
          }
          if bytes.elementsEqual(text.utf8) { try open.choose(version) }
        }
      }
    case "prune": _ = try open.pruneFiles(keeping: words.first.flatMap { Int($0) } ?? 10)
    case "writer-retire":
      for writer in open.silentWriters() where !writer.isRetired {
        try open.retire(writer.writer.signingKey)
      }
    default: return false
    }
    return true
  }

  private static func becomeSilent(
    _ open: inout OpenNamespace, _ folder: BackupFolder
  ) throws(BackupFolderError) {
    let writers = try folder.localSilentWriters()
    if writers.contains(where: { $0.namespaceID != nil }) { return }
    for writer in writers { try folder.forgetSilentWriter(writer.writerID) }
    let request = try folder.requestSilentWriting(label: split("probe").name)
    let answer = try open.authorise(request, may: [.filePut, .fileRemove, .put])
    _ = try folder.acceptSilentWriting(answer.answer)
  }

  private static func split(
    _ word: String
  ) throws(BackupFolderError) -> (name: PathComponent, text: String) {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard let name = PathComponent(parts[0]) else { throw .internalError("the name \(word)") }
    return (name, parts.count > 1 ? parts[1] : "")
  }

  private static func contents(_ text: String) -> FileContents {
    let times = text.hasPrefix("large") ? 100_000 / text.utf8.count : 1
    let bytes = Array(String(repeating: text, count: times).utf8)
    return FileContents(
      bytes: unsafe SecretBytes(copying: bytes.span.bytes), modified: 1, mode: 0o600)
  }
}

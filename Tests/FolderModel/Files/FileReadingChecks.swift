import BackupFolder
import CSPP

/// The files as one run saw them.
struct SeenFiles {
  var files: [BackedUpFile] = []

  var versions: [StoredVersion] { files.flatMap(\.versions) }
  /// Every version that was listed, whether it counts or not.
  var listed: Set<Digest> { Set(versions.map(\.made)) }
  /// The versions that count, here or late.
  var counting: Set<Digest> { Set(versions.filter(\.counts).map(\.made)) }

  /// The same for two computers that read the same.
  var description: [String] {
    files.map { file in
      let versions = file.versions.map {
        "\($0.made.stem.prefix(6)) \($0.standing) \($0.name) \($0.label?.text ?? "-") \($0.object)"
      }
      return "\(file.id.hex.prefix(4)) dropped \(file.dropped): \(versions.sorted())"
    }.sorted()
  }

  func file(_ id: FileID) -> BackedUpFile? { files.first { $0.id == id } }
}

extension StoredVersion {
  /// Whether it counts, here or in an earlier namespace.
  var counts: Bool { standing == .live || standing == .late }
}

extension FileWorld {
  /// Looks at what an open backup says of its files, and compares it with what can be known at any
  /// time.
  func look(_ open: borrowing OpenNamespace, at machine: Machine) throws(BackupFolderError)
    -> SeenFiles
  {
    let seen = SeenFiles(files: try open.files())
    count(seen, at: machine)
    if Crash.hasHappened { return seen }
    for version in seen.versions where oracle.forbidden.contains(version.content) {
      violate("\(machine.name): nobody authorised the version \(version.shortName)")
    }
    for version in seen.versions where oracle.texts[version.content] == nil {
      violate("\(machine.name): nobody wrote the version \(version.shortName)")
    }
    if !machine.isSetBack, destroyed.isEmpty, open.health.rolledBack > 0 {
      violate("\(machine.name): false alarm, \(open.health.rolledBack) rolled back")
    }
    if open.health.forked > 0 { violate("\(machine.name): false alarm, a fork") }
    return seen
  }

  /// Counts the runs in which a computer has seen versions replaced.
  private func count(_ seen: SeenFiles, at machine: Machine) {
    var runs: [Digest: Int] = [:]
    for version in seen.versions where !version.counts && version.standing != .heldBack {
      runs[version.made] = (machine.replacedRuns[version.made] ?? -1) + 1
    }
    machine.replacedRuns = runs
  }

  /// Reads a version: the right bytes or an error.
  ///
  /// - Returns: whether it could be read.
  func canRead(
    _ version: StoredVersion, _ open: borrowing OpenNamespace, at machine: Machine
  ) -> Bool {
    var bytes: [UInt8] = []
    do throws(BackupFolderError) {
      try open.read(version) { (piece) throws(BackupFolderError) in
        unsafe piece.withUnsafeBytes { bytes += unsafe Array($0) }
      }
    } catch {
      return false
    }
    if let text = oracle.texts[version.content], bytes != FileTexts.bytes(text) {
      violate("\(machine.name): other bytes than \(text) were restored")
    }
    return true
  }
}

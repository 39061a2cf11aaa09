internal import BackupFolder
internal import CommandKit
internal import CommandSupport
internal import SecretMemory
internal import SyncFolders

/// This computer's memory of a device's SealVault backups: the newest version that opened.
///
/// Nothing in such a backup says that it is the newest. Anyone who has the folder can offer an older
/// one.
struct SealVaultMemory {
  /// A backup that opened here, or that was written here.
  struct Seen: Equatable {
    let version: Int64
    /// SHA-256 of metadata and encrypted database, as hex digits.
    let digest: String
  }

  /// How a backup stands to what is remembered.
  enum Freshness: Equatable {
    /// The newest that this computer knows.
    case newest
    /// Older than this version, which opened here before.
    case older(than: Int64)
    /// Of the same version as another backup that opened here.
    case other

    /// The word in JSON.
    var word: String {
      switch self {
      case .newest: "newest-known"
      case .older: "older"
      case .other: "other-of-same-version"
      }
    }
  }

  private static let magic = "keybackup-sealvault 1"
  private let folder: String
  private let deviceID: String

  /// - Throws: `config` when there is no place for it.
  init(of deviceID: String, _ world: World) throws(UserMessage) {
    guard let state = world.stateFolder else {
      throw UserMessage(
        .config, "HOME is not set, so there is no place to remember versions",
        hint: "set HOME or XDG_STATE_HOME")
    }
    folder = state + "/sealvault"
    self.deviceID = deviceID
  }

  /// The newest that opened or was written here; nil: none.
  ///
  /// - Throws: `config` where the memory cannot be read: it might show an older one.
  func seen() throws(UserMessage) -> Seen? { try load().seen }

  /// The highest version that is known: seen, or once taken for a backup that was not finished.
  ///
  /// - Throws: as ``seen()``.
  func highest() throws(UserMessage) -> Int64 {
    let record = try load()
    return max(record.seen?.version ?? 0, record.taken)
  }

  /// Compares a backup that opened, and remembers it if it is newer.
  ///
  /// - Throws: `config`, `io`.
  func meet(_ backup: Seen) throws(UserMessage) -> Freshness {
    var freshness = Freshness.newest
    try change { record in
      guard let known = record.seen, backup.version <= known.version else {
        record.seen = backup
        return
      }
      if backup.version < known.version {
        freshness = .older(than: known.version)
      } else if backup != known {
        freshness = .other
      }
    }
    return freshness
  }

  /// Remembers that a version is about to be written, so that no other gets its number.
  ///
  /// - Throws: `config`, `io`; `busy` where another run has taken the number meanwhile.
  func take(_ version: Int64) throws(UserMessage) {
    var isTaken = false
    try change { record in
      isTaken = max(record.seen?.version ?? 0, record.taken) >= version
      record.taken = max(record.taken, version)
    }
    guard isTaken else { return }
    throw UserMessage(
      .incomplete, word: "busy", "another run writes a backup of the device \(deviceID)",
      hint: "wait until it has ended, then try again")
  }

  /// Remembers a backup as the newest.
  ///
  /// - Throws: `config`, `io`.
  func keep(_ backup: Seen) throws(UserMessage) {
    try change { record in
      if (record.seen?.version ?? 0) <= backup.version { record.seen = backup }
    }
  }

  // MARK: The file

  private static let fileLimit = 4096

  private struct Record {
    var seen: Seen?
    /// The highest version that `write` took; 0: none.
    var taken: Int64 = 0

    init() {}

    /// Reads a file; nil for one that is damaged.
    init?(_ text: String) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      guard lines.count == 5, lines[0] == SealVaultMemory.magic, let version = Int64(lines[1]),
        let taken = Int64(lines[3]), min(version, taken) >= 0, lines[4].isEmpty
      else { return nil }
      seen = lines[2].isEmpty ? nil : Seen(version: version, digest: lines[2])
      self.taken = taken
    }

    var text: String {
      "\(SealVaultMemory.magic)\n\(seen?.version ?? 0)\n\(seen?.digest ?? "")\n\(taken)\n"
    }
  }

  private func load() throws(UserMessage) -> Record {
    let path = "\(folder)/\(deviceID)"
    guard FileCheck.exists(path) else { return Record() }
    // Read also after a signal: what was written has to be remembered.
    guard let text = ForeignFile.text(path, limit: Self.fileLimit) else {
      throw UserMessage(
        .config,
        "what is remembered of the device \(deviceID) cannot be read: \(ShellWord.quoted(path))",
        hint: "make it a file that you may read, or move it away")
    }
    guard let record = Record(text) else {
      throw UserMessage(
        .config,
        "what is remembered of the device \(deviceID) is damaged: \(ShellWord.quoted(path))",
        hint: "move the file away; the next backup that opens is remembered")
    }
    return record
  }

  /// Changes the record, with no other run in between.
  private func change(_ change: (inout Record) -> Void) throws(UserMessage) {
    // A file that cannot be read is not written over.
    _ = try load()
    do throws(BackupFolderError) {
      try PrivateFolder.update(deviceID, in: folder, limit: Self.fileLimit) { known in
        guard var record = known.map({ Record(String(decoding: $0, as: UTF8.self)) }) ?? Record()
        else { return nil }
        change(&record)
        return Array(record.text.utf8)
      }
    } catch {
      throw UserMessage(error)
    }
  }
}

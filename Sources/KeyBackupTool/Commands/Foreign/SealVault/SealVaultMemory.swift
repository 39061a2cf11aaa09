internal import BackupFolder
internal import CommandSupport
internal import SecretMemory

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
    if let known = try seen() {
      if backup.version < known.version { return .older(than: known.version) }
      if backup.version == known.version { return backup == known ? .newest : .other }
    }
    try keep(backup)
    return .newest
  }

  /// Remembers that a version is about to be written, so that no other gets its number.
  ///
  /// - Throws: `config`, `io`.
  func take(_ version: Int64) throws(UserMessage) {
    var record = try load()
    record.taken = max(record.taken, version)
    try save(record)
  }

  /// Remembers a backup as the newest.
  ///
  /// - Throws: `config`, `io`.
  func keep(_ backup: Seen) throws(UserMessage) {
    var record = try load()
    record.seen = backup
    try save(record)
  }

  // MARK: The file

  private struct Record {
    var seen: Seen?
    /// The highest version that `write` took; 0: none.
    var taken: Int64 = 0
  }

  private func load() throws(UserMessage) -> Record {
    let path = "\(folder)/\(deviceID)"
    guard FileCheck.exists(path) else { return Record() }
    // Read also after a signal: what was written has to be remembered.
    guard let text = ForeignFile.text(path, limit: 4096) else {
      throw UserMessage(
        .config,
        "what is remembered of the device \(deviceID) cannot be read: \(ShellWord.quoted(path))",
        hint: "make it a file that you may read, or move it away")
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 5, lines[0] == Self.magic, let version = Int64(lines[1]),
      let taken = Int64(lines[3]), min(version, taken) >= 0, lines[4].isEmpty
    else {
      throw UserMessage(
        .config,
        "what is remembered of the device \(deviceID) is damaged: \(ShellWord.quoted(path))",
        hint: "move the file away; the next backup that opens is remembered")
    }
    let seen = lines[2].isEmpty ? nil : Seen(version: version, digest: lines[2])
    return Record(seen: seen, taken: taken)
  }

  private func save(_ record: Record) throws(UserMessage) {
    let text =
      "\(Self.magic)\n\(record.seen?.version ?? 0)\n\(record.seen?.digest ?? "")\n\(record.taken)\n"
    do throws(BackupFolderError) {
      try PrivateFolder.replace(Array(text.utf8), as: deviceID, in: folder)
    } catch {
      throw UserMessage(error)
    }
  }
}

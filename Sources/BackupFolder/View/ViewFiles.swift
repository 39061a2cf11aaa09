internal import CSPP

/// One file that may be a wallet's envelope.
struct ViewFile: Hashable {
  /// The name of a file; of a name according to CSPP, only the record.
  enum Name: Hashable {
    case record(RecordID)
    case other(String)
  }

  /// Whether it is directly in the namespace folder, where older programs wrote.
  let isOlderPlace: Bool
  private let text: Name
  /// Whether it stands for a file that is beside it.
  let isSuperfluous: Bool

  init(isOlderPlace: Bool, _ name: Name, isSuperfluous: Bool = false) {
    self.isOlderPlace = isOlderPlace
    self.isSuperfluous = isSuperfluous
    text = name
  }

  /// The file's name in its folder.
  var name: String {
    switch text {
    case .record(let record): FolderLayout.walletFile(record)
    case .other(let name): name
    }
  }

  /// The record whose own file this is, according to its name.
  var named: RecordID? {
    if case .record(let record) = text { record } else { nil }
  }

  /// The record that the name claims, also for a file that stands for the record's own.
  var claimed: RecordID? {
    switch text {
    case .record(let record): record
    case .other(let name):
      SyncPlaceholder.awaited(name).flatMap { FolderLayout.record(ofWalletFile: $0) }
    }
  }

  /// The record of whose file it is a copy by its name, as sync programs make them; also the record that
  /// it claims.
  var copied: RecordID? {
    switch text {
    case .record(let record): record
    case .other(let name):
      OwnName.find(in: name, suffix: ".json") { (text) -> RecordID? in
        guard text.starts(with: "wallet-".utf8) else { return nil }
        return OwnName.digits(64, of: text.dropFirst(7)).flatMap { RecordID(hex: $0) }
      }
    }
  }

  /// Whether the file's own bytes are still awaited.
  var isSyncPlaceholder: Bool {
    if case .other(let name) = text { SyncPlaceholder.awaited(name) != nil } else { false }
  }

  /// The path relative to the namespace folder.
  var path: String { isOlderPlace ? name : "\(FolderLayout.walletFolder)/\(name)" }

  /// Whether the name claims to be a wallet's, so that a failure to open it is reported.
  ///
  /// Files with any other name are tried and skipped silently.
  var claimsWallet: Bool {
    !isSuperfluous && copied != nil
  }
}

extension ViewFile.Name {
  init(_ name: Span<UInt8>) {
    if name.count == 76, name.starts(with: "wallet-"), name.ends(with: ".json"),
      let words = SIMD4(hexDigits: name.extracting(7..<71))
    {
      self = .record(RecordID(words: words))
    } else {
      self = .other(String(repairing: name))
    }
  }
}

/// Every file that may hold a wallet, the current place before the older one, because it takes
/// precedence.
///
/// The names are sorted, CSPP names before all others, in pieces larger than the folder of one
/// person. So a folder with a million files takes no more memory than its wallets.
struct ViewFiles: ~Copyable {
  /// The most CSPP names in a piece, 32 bytes each.
  private static let recordLimit = 1 << 19
  /// The most other names in a piece.
  private static let otherLimit = 1 << 14
  private static let folders: Set<String> = [
    FolderLayout.walletFolder, FolderLayout.masterKeyFolder, FolderLayout.ownFolder,
  ]

  private let namespace: Directory
  private var isOlderPlace: Bool
  /// The folder that is being listed.
  private var folder: Directory
  private var stream: NameStream
  private var hasEnded = false
  private var records: [RecordID] = []
  private var others: [String] = []
  private var next = 0

  init(_ namespace: Namespace) throws(BackupFolderError) {
    let current = try namespace.walletFolder()
    let first = try NameStream(current ?? namespace.directory)
    self.namespace = namespace.directory
    isOlderPlace = current == nil
    folder = current ?? namespace.directory
    stream = first
  }

  /// Lists only the files directly in the namespace's folder.
  init(olderPlaceOf namespace: Namespace) throws(BackupFolderError) {
    let first = try NameStream(namespace.directory)
    self.namespace = namespace.directory
    isOlderPlace = true
    folder = namespace.directory
    stream = first
  }

  /// The next file; nil after the last.
  ///
  /// - Throws: if a listing fails.
  mutating func nextFile() throws(BackupFolderError) -> ViewFile? {
    while true {
      if next < records.count {
        next += 1
        return ViewFile(isOlderPlace: isOlderPlace, .record(records[next - 1]))
      }
      if next - records.count < others.count {
        next += 1
        let name = others[next - 1 - records.count]
        let isSuperfluous = SyncPlaceholder.awaited(name).map { folder.holds($0) } ?? false
        return ViewFile(
          isOlderPlace: isOlderPlace, .other(name), isSuperfluous: isSuperfluous)
      }
      guard try advance() else { return nil }
    }
  }

  /// Reads the next piece; false after the last.
  private mutating func advance() throws(BackupFolderError) -> Bool {
    if hasEnded {
      if isOlderPlace { return false }
      let older = try NameStream(namespace)
      hasEnded = false
      isOlderPlace = true
      folder = namespace
      stream = older
    }
    try fill()
    return true
  }

  private mutating func fill() throws(BackupFolderError) {
    next = 0
    records.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
    while records.count < Self.recordLimit, others.count < Self.otherLimit {
      guard let name = try stream.next({ ViewFile.Name($0) }) else {
        hasEnded = true
        break
      }
      switch name {
      case .record(let record): records.append(record)
      case .other(let name):
        if !isOlderPlace || !Self.folders.contains(name) { others.append(name) }
      }
    }
    records.sort { $0.precedes($1) }
    others.sort()
  }
}

extension Namespace {
  /// Every file that may hold a wallet.
  func viewFiles() throws(BackupFolderError) -> ViewFiles { try ViewFiles(self) }
}

extension RecordID {
  /// Orders by bytes, without a call for each byte.
  fileprivate func precedes(_ other: RecordID) -> Bool {
    if words.x != other.words.x { return words.x < other.words.x }
    if words.y != other.words.y { return words.y < other.words.y }
    if words.z != other.words.z { return words.z < other.words.z }
    return words.w < other.words.w
  }
}

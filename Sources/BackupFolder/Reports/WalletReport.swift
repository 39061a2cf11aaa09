public import CSPP

/// The state of one wallet, from the best to the worst.
public enum WalletState: String, CaseIterable, Comparable, Sendable {
  /// Its CSPP file holds the newest version in the log.
  case current
  /// It was restored from the log: its CSPP file is missing or an older version.
  case missing
  /// Its CSPP file holds bytes that no log here has: another program wrote it.
  case foreign
  /// A computer wrote it to an earlier namespace after the master key was rotated, without knowing
  /// that.
  ///
  /// The present namespace does not hold it.
  case late
  /// It has several versions, none of which knew the other; all are restored.
  case conflict
  /// A retired computer wrote it without the key, and a person decides; it is restored aside.
  case heldBack = "held-back"
  /// Its file is empty or cut off, or belongs to an operation that is not here.
  case incomplete
  /// Its file belongs to an operation that was here once and is missing now.
  case rolledBack = "rolled-back"
  /// Its file does not parse or does not open.
  case unreadable

  /// Orders states from the best to the worst.
  public static func < (left: WalletState, right: WalletState) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One version of one wallet that was opened.
public struct WalletVersion: Equatable, Sendable {
  /// The origin of its bytes.
  public enum Source: Equatable, Sendable {
    /// A CSPP file, by its name.
    case view(file: String)
    /// The log.
    case log
    /// A silent writer's sealed operation.
    case silent
    /// A namespace before a rotation of the master key.
    case earlier(NamespaceID)
  }

  /// The wallet's record.
  public let recordID: RecordID
  /// The state of this version.
  public let state: WalletState
  /// The origin of its bytes.
  public let source: Source
  /// The parsed entry; its ranges refer to the bytes passed with it.
  public let entry: WalletEntry
  /// The ID of these bytes; versions with equal bytes are one.
  public let id: VersionID
  /// The version's number among those of its record in this run: 0, 1, 2, ...
  public let ordinal: Int
  /// Whether it came from the log because the wallet's own file is here and damaged.
  public var isFileDamaged = false
}

/// The ID of one version of a wallet: the SHA-256 of its bytes, of which the user types the first
/// digits.
public struct VersionID: Hashable, Sendable, CustomStringConvertible {
  let digest: Digest

  /// The first 8 hexadecimal digits.
  public var description: String { String(hex.prefix(8)) }
  /// All 64 hexadecimal digits.
  public var hex: String { digest.hex }

  /// Whether the text names this version, by at least 4 of its first digits.
  public func matches(_ text: String) -> Bool {
    text.utf8.count >= 4 && digest.hex.hasPrefix(text.lowercased())
  }
}

/// A file that gave no wallet, or does not match its name.
public struct FileFinding: Equatable, Sendable {
  /// The path of the file or folder, relative to the namespace folder.
  public let file: String
  /// The record that the file's name claims.
  public let recordID: RecordID?
  /// The state, such as ``WalletState/unreadable`` or ``WalletState/incomplete``.
  public let state: WalletState
  /// The number of further files in the same state that are not named, so that a crafted folder
  /// does not cause a million findings.
  public internal(set) var further = 0
  /// Whether only permissions prevent reading.
  public internal(set) var isForbidden = false
  let cause: String

  /// The reason in words.
  public var reason: String {
    switch further {
    case 0: cause
    case 1: "\(cause), and 1 more file is \(state.rawValue)"
    default: "\(cause), and \(further) more files are \(state.rawValue)"
    }
  }

  /// Creates a finding about a file.
  public init(file: String, recordID: RecordID?, state: WalletState, reason: String) {
    self.file = file
    self.recordID = recordID
    self.state = state
    cause = reason
  }
}

extension [FileFinding] {
  /// The number of findings that are kept; the rest is counted.
  static let limit = 100

  /// Adds a finding, or counts it.
  mutating func report(_ finding: FileFinding) {
    if count >= Self.limit, let like = lastIndex(where: { $0.state == finding.state }) {
      self[like].further += 1 + finding.further
    } else {
      append(finding)
    }
  }
}

/// The number of wallets in each state; a wallet counts once, by its worst state.
public struct WalletCounts: Equatable, Sendable {
  private var counts = [Int](repeating: 0, count: WalletState.allCases.count)

  /// Creates counts of zero.
  public init() {}

  /// The number of wallets in a state.
  public subscript(state: WalletState) -> Int {
    get { counts[WalletState.allCases.firstIndex(of: state) ?? 0] }
    set { counts[WalletState.allCases.firstIndex(of: state) ?? 0] = newValue }
  }

  /// The number of all wallets.
  public var total: Int { counts.reduce(0, +) }
}

/// The result of a run over all wallets.
public struct WalletReport: Equatable, Sendable {
  /// The counts of all wallets, and of files that look like one and name no record.
  public internal(set) var counts = WalletCounts()
  /// The number of wallets of which at least one version was opened.
  public internal(set) var restored = 0
  /// The number of versions that were opened, including conflicts and foreign versions.
  public internal(set) var versions = 0
  /// The states of wallets that are not ``WalletState/current``, at most ``mostNotCurrent`` of
  /// them.
  public internal(set) var notCurrent: [RecordID: WalletState] = [:]
  /// The most wallets in ``notCurrent``; a crafted folder may hold millions.
  public static let mostNotCurrent = 1000
  /// The number of CSPP files that hold an older version than the log; the next writing run
  /// replaces them.
  public internal(set) var stale = 0
  /// The files that gave nothing, in the order of reading.
  ///
  /// Those beyond a hundred are counted in ``FileFinding/further``.
  public internal(set) var findings: [FileFinding] = []
  /// The ``findings`` whose wallet was not restored from elsewhere.
  public internal(set) var failures: [FileFinding] = []
  /// The damaged files whose wallet was restored from elsewhere.
  public var replaced: [FileFinding] {
    findings.filter { $0.state == .unreadable && $0.recordID != nil && !failures.contains($0) }
  }
}

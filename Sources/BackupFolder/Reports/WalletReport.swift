public import CSPP

/// How one wallet stands, from the best to what needs a person.
public enum WalletState: String, CaseIterable, Comparable, Sendable {
  /// Its CSPP file holds what the log says is the newest.
  case current
  /// Restored from the log: its CSPP file is not there, or an older version.
  case missing
  /// Its CSPP file holds bytes that no log here has: another program's.
  case foreign
  /// Written to an earlier namespace after the master key was rotated, by a
  /// computer that did not know; the present namespace does not hold it.
  case late
  /// Several versions, none of which knew of the other; all are restored.
  case conflict
  /// Its file is empty or cut off, or was made by an operation that is not here.
  case incomplete
  /// Its file was made by an operation that was here once and is gone.
  case rolledBack = "rolled-back"
  /// Its file does not parse or does not open.
  case unreadable

  /// From the best to the worst.
  public static func < (left: WalletState, right: WalletState) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// One version of one wallet that was opened.
public struct WalletVersion: Equatable, Sendable {
  /// Where its bytes came from.
  public enum Source: Equatable, Sendable {
    /// A CSPP file, by its name.
    case view(file: String)
    /// The log.
    case log
    /// A namespace before the last rotation of the master key.
    case earlier(NamespaceID)
  }

  /// The wallet's record.
  public let recordID: RecordID
  /// How this version stands.
  public let state: WalletState
  /// Where its bytes came from.
  public let source: Source
  /// What the entry says; its places point into the bytes lent beside it.
  public let entry: WalletEntry
  /// Names these bytes: versions with equal bytes are one.
  public let id: VersionID
  /// 0 for the first version of the record in this run, then 1, 2, ...
  public let ordinal: Int
  /// Whether the log gave it because the wallet's own file is there and damaged.
  public var isFileDamaged = false
}

/// Names one version of a wallet by its bytes: their SHA-256, as far as a
/// person has to type it.
public struct VersionID: Hashable, Sendable, CustomStringConvertible {
  let digest: Digest

  /// The first 8 hexadecimal digits.
  public var description: String { String(digest.hex.prefix(8)) }

  /// Whether a person means this version: by at least 4 of its first digits.
  public func matches(_ text: String) -> Bool {
    text.utf8.count >= 4 && digest.hex.hasPrefix(text.lowercased())
  }
}

/// A file that gave no wallet, or is not what its name says.
public struct FileFinding: Equatable, Sendable {
  /// The file's path below the namespace folder, or a folder's.
  public let file: String
  /// The record its name speaks of.
  public let recordID: RecordID?
  /// ``WalletState/unreadable``, ``WalletState/incomplete``.
  public let state: WalletState
  /// Number of further files that are in the same state and not named: a
  /// crafted folder makes no million findings.
  public internal(set) var further = 0
  /// Whether only permissions are in the way.
  public internal(set) var isForbidden = false
  let cause: String

  /// Why, in words.
  public var reason: String {
    further == 0 ? cause : "\(cause), and \(further) more files are \(state.rawValue)"
  }

  /// A finding about a file.
  public init(file: String, recordID: RecordID?, state: WalletState, reason: String) {
    self.file = file
    self.recordID = recordID
    self.state = state
    cause = reason
  }
}

extension [FileFinding] {
  /// Findings that are kept; the rest is counted.
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

/// How many wallets stand how; a wallet counts once, by its worst state.
public struct WalletCounts: Equatable, Sendable {
  private var counts = [Int](repeating: 0, count: WalletState.allCases.count)

  /// No wallets.
  public init() {}

  /// The number of wallets in a state.
  public subscript(state: WalletState) -> Int {
    get { counts[WalletState.allCases.firstIndex(of: state) ?? 0] }
    set { counts[WalletState.allCases.firstIndex(of: state) ?? 0] = newValue }
  }

  /// All wallets.
  public var total: Int { counts.reduce(0, +) }
}

/// What a run over all wallets found.
public struct WalletReport: Equatable, Sendable {
  /// Every wallet, and every file that looks like one and tells no record.
  public internal(set) var counts = WalletCounts()
  /// Wallets of which at least one version was opened.
  public internal(set) var restored = 0
  /// Versions that were opened, conflicts and foreign versions included.
  public internal(set) var versions = 0
  /// How the wallets stand that are not ``WalletState/current``, at most
  /// ``mostNotCurrent`` of them.
  public internal(set) var notCurrent: [RecordID: WalletState] = [:]
  /// Wallets of ``notCurrent`` at most: a crafted folder may hold millions.
  public static let mostNotCurrent = 1000
  /// CSPP files that hold an older version than the log; the next writing run
  /// replaces them.
  public internal(set) var stale = 0
  /// Files that gave nothing, in the order they were met; those beyond a
  /// hundred are counted in ``FileFinding/further``.
  public internal(set) var findings: [FileFinding] = []
  /// Those of ``findings`` whose wallet was not restored from elsewhere.
  public internal(set) var failures: [FileFinding] = []
  /// Damaged files whose wallet was restored from elsewhere.
  public var replaced: [FileFinding] {
    findings.filter { $0.state == .unreadable && $0.recordID != nil && !failures.contains($0) }
  }
}

// Rule 3, for the versions of one item.

internal import CSPP

/// Who adds a version.
struct Sources: OptionSet, Hashable, Sendable {
  let rawValue: UInt8
  /// An ordinary operation that counts, or a view file of its namespace.
  static let ordinary = Sources(rawValue: 1)
  /// A silent writer's operation that counts.
  static let silent = Sources(rawValue: 2)
  /// Somebody who does not count.
  static let offer = Sources(rawValue: 4)
  /// Somebody who does not count, and is refused.
  static let refused = Sources(rawValue: 8)
}

/// The versions of a wallet or a file.
public struct ItemState: Hashable, Sendable {
  /// Versions that were added and not ended.
  public internal(set) var live: Set<ItemVersion> = []
  /// Versions that others added, and a person has to take or refuse.
  public internal(set) var offered: Set<ItemVersion> = []
  /// Versions that are here beside these, and were not dropped.
  public internal(set) var history: Set<ItemVersion> = []
  /// Of the history, copies whose writer went on from what they are a copy of (rule 4).
  public internal(set) var aside: Set<ItemVersion> = []
  /// Of the history, what a refused key or namespace alone added.
  public internal(set) var faded: Set<ItemVersion> = []
  /// Versions that ordinary operations and view files that count add, live or not.
  public internal(set) var ordinary: Set<ItemVersion> = []

  /// Whether live versions have different contents: all are restored, and a person chooses.
  public var isConflict: Bool {
    guard let one = live.first else { return false }
    return live.contains { $0.contents != one.contents }
  }

  /// Computes what is live, offered and history of one item.
  ///
  /// - Parameters:
  ///   - versions: its versions, with who adds each.
  ///   - ended: what was ended.
  init(_ versions: [ItemVersion: Sources], _ ended: EndedVersions) {
    for (version, sources) in versions {
      let name = version.name
      if sources.contains(.ordinary) { ordinary.insert(version) }
      if sources.isDisjoint(with: [.ordinary, .silent, .offer]) {
        guard !ended.dropped.contains(name) else { continue }
        faded.insert(version)
        history.insert(version)
      } else if ended.contains(name) {
        if !ended.dropped.contains(name) { history.insert(version) }
      } else if sources.isDisjoint(with: [.ordinary, .silent]) {
        offered.insert(version)
      } else {
        live.insert(version)
      }
    }
    setCopiesAside(ended.bySilentWriter)
    offerSilentWallets()
  }

  /// A wallet that only silent writers have added is offered beside a live one of an ordinary operation.
  private mutating func offerSilentWallets() {
    guard case .wallet = live.first?.item else { return }
    let settled = live.intersection(ordinary)
    guard !settled.isEmpty, settled.count < live.count else { return }
    offered.formUnion(live.subtracting(settled))
    live = settled
  }
}

/// The names of all that was ended, here or not.
///
/// It only grows.
struct EndedVersions: Sendable {
  /// The names that ordinary operations that count ended or dropped.
  private(set) var settled: Set<VersionName> = []
  /// Of these, what they dropped.
  private(set) var dropped: Set<VersionName> = []
  /// The names that each silent writer that counts ended.
  private(set) var bySilentWriter: [SigningKey: Set<VersionName>] = [:]

  mutating func end(_ name: VersionName) { settled.insert(name) }

  mutating func drop(_ name: VersionName) {
    settled.insert(name)
    dropped.insert(name)
  }

  mutating func end(_ name: VersionName, by key: SigningKey) {
    bySilentWriter[key, default: []].insert(name)
  }

  func contains(_ name: VersionName) -> Bool {
    settled.contains(name) || bySilentWriter.values.contains { $0.contains(name) }
  }

  /// All names.
  var all: Set<VersionName> { bySilentWriter.values.reduce(into: settled) { $0.formUnion($1) } }
}

// Rule 4: silent writers.

public import CSPP

/// A silent writer, as the operations that were asked have added it.
public struct AuthorisedWriter: Hashable, Sendable {
  /// The kinds that it may add: all that was allowed together.
  public internal(set) var rights: Rights = []
  /// The writer IDs under which it was added.
  public internal(set) var ids: Set<WriterID> = []
  /// Its label.
  public var label: String { latest?.text ?? "" }
  var latest: DatedLabel?
}

/// The worth of a signing key's word.
enum Voice {
  /// It counts, and adds what these rights allow.
  case counts(Rights)
  /// It offers what these rights allow.
  case offers(Rights)
  /// Nothing adds its key.
  case waits
}

/// The silent writers of a state, and who has added or retired them.
struct SilentWriters: Sendable {
  /// Those that operations which count have added, also retired ones.
  private(set) var added: [SigningKey: AuthorisedWriter] = [:]
  /// Those that operations which count have retired.
  ///
  /// A retired key never returns.
  private(set) var retired: Set<SigningKey> = []
  /// The rights that all operations together give to each key.
  private(set) var rights: [SigningKey: Rights] = [:]
  /// The keys that somebody has added who is not refused.
  private(set) var heard: Set<SigningKey> = []

  /// Takes what an ordinary operation says of silent writers.
  mutating func take(_ operation: OrdinaryOperation, counts: Bool, isRefused: Bool) {
    for change in operation.changes {
      switch change {
      case .addWriter(let key, let id, let may, let label):
        rights[key, default: []].formUnion(may)
        if !isRefused { heard.insert(key) }
        guard counts else { continue }
        var writer = added[key] ?? AuthorisedWriter()
        writer.rights.formUnion(may)
        writer.ids.insert(id)
        writer.latest = max(writer.latest, DatedLabel(label, operation.name))
        added[key] = writer
      case .retireWriter(let key) where counts: retired.insert(key)
      default: continue
      }
    }
  }

  func voice(of key: SigningKey) -> Voice {
    if let writer = added[key], !retired.contains(key) { return .counts(writer.rights) }
    return rights[key].map(Voice.offers) ?? .waits
  }

  /// Whether an operation that counts has added a key, and none has retired it.
  func counts(_ key: SigningKey) -> Bool { added[key] != nil && !retired.contains(key) }
}

extension SilentOperation {
  /// Versions of its own key, of the kinds that it may add.
  func added(with rights: Rights) -> [ItemVersion] {
    added.filter { version in
      guard version.author == key, version.copied == nil else { return false }
      return switch version.item {
      case .wallet: rights.contains(.wallets)
      case .file: rights.contains(.files)
      }
    }
  }
}

extension ItemState {
  /// Sets copies aside whose silent writer has ended what they are a copy of, and went on from it.
  ///
  /// - Parameter ended: what each silent writer that counts has ended.
  mutating func setCopiesAside(_ ended: [SigningKey: Set<VersionName>]) {
    let own = Set(live.compactMap { $0.copied == nil ? $0.author : nil })
    guard !own.isEmpty else { return }
    for version in live {
      guard let author = version.author, let copied = version.copied else { continue }
      if own.contains(author), ended[author]?.contains(copied) == true { aside.insert(version) }
    }
    live.subtract(aside)
    history.formUnion(aside)
  }
}

/// A label with the name of its operation, in the order in which the last one holds.
struct DatedLabel: Hashable, Sendable {
  let text: String
  let at: UInt64
  private let operation: Digest

  init(_ label: Label, _ operation: OperationID) {
    (text, at, self.operation) = (label.text, label.at, operation.digest)
  }
}

extension DatedLabel: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.at != right.at { return left.at < right.at }
    if left.operation != right.operation { return left.operation < right.operation }
    return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

/// The later of two labels.
func max(_ left: DatedLabel?, _ right: DatedLabel) -> DatedLabel {
  left.map { Swift.max($0, right) } ?? right
}

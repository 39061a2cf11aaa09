// Rule 3: live, offered, ended.

public import CSPP

/// The meaning of a backup: computed from all that is here, in whatever order it came.
///
/// No clock, no counter and no chain decides. Two computers that have the same files, and the same
/// current namespace, have the same state.
public struct LogState: Sendable {
  /// All that was read, also of other backups.
  public private(set) var contents: LogContents
  /// The namespace that the computer remembers as its backup.
  public let current: NamespaceID
  /// The namespaces whose operations count: the current one, and those that a rotation takes in.
  public let counting: Set<NamespaceID>
  /// The namespaces that these took over (rule 2).
  public let earlier: Set<NamespaceID>
  /// The versions of each wallet and file that somebody has added.
  public private(set) var items: [Item: ItemState] = [:]
  /// The sensitive texts.
  public private(set) var texts: Set<Digest> = []
  /// The master-key envelopes of namespaces that count.
  public private(set) var envelopes: [NamespaceID: Set<Digest>] = [:]
  /// Statements of earlier namespaces beside versions, which have no effect.
  public private(set) var told: Set<Told> = []
  /// Operations of keys that nobody has added: they have no effect.
  public private(set) var waiting: Set<OperationID> = []
  /// The refusals of operations that count.
  public let refusals: Set<Refusal>
  /// Of these, those that have an effect: of earlier namespaces, and of keys that do not count.
  public let effectiveRefusals: Set<Refusal>

  private let remembered: Set<NamespaceID>
  private let silent: SilentWriters
  private var slots = KeySlots()
  private var ended = EndedVersions()
  private var sources: [Item: [ItemVersion: Sources]] = [:]
  /// The items that the end of a name may change.
  private var affected: [VersionName: [Item]] = [:]
  /// The items that have changed since they were computed.
  private var changed: Set<Item> = []

  /// Reads all that is here.
  ///
  /// - Parameters:
  ///   - contents: all that is here.
  ///   - current: the namespace that this computer remembers as its backup.
  ///   - remembered: earlier ones that it has seen before.
  ///   - takenIn: other whole backups that a rotation takes in.
  public init(
    of contents: LogContents, current: NamespaceID, remembered: Set<NamespaceID> = [],
    takenIn: Set<NamespaceID> = []
  ) {
    self.contents = contents
    self.current = current
    self.remembered = remembered
    let counting = takenIn.union([current])
    self.counting = counting
    let earlier = counting.reduce(into: remembered) { $0.formUnion(contents.earlier(than: $1)) }
      .subtracting(counting)
    self.earlier = earlier
    refusals = contents.operations.reduce(into: []) { refusals, operation in
      guard counting.contains(operation.namespace) else { return }
      for case .refuse(let refusal) in operation.changes { refusals.insert(refusal) }
    }
    let refused = refusals.filter {
      if case .namespace(let namespace) = $0 { earlier.contains(namespace) } else { false }
    }
    var silent = SilentWriters()
    for operation in contents.operations {
      let namespace = operation.namespace
      let counts = counting.contains(namespace)
      guard counts || earlier.contains(namespace) else { continue }
      silent.take(operation, counts: counts, isRefused: refused.contains(.namespace(namespace)))
    }
    self.silent = silent
    effectiveRefusals = refused.union(
      refusals.filter { if case .key(let key) = $0 { !silent.counts(key) } else { false } })
    for operation in contents.operations where counting.contains(operation.namespace) {
      take(operation)
    }
    for operation in contents.sealed { take(operation) }
    for view in contents.views { take(view) }
    for operation in contents.operations where !counting.contains(operation.namespace) {
      take(operation)
    }
    computeItems()
  }

  /// The state after one more operation or view file: that of all from scratch.
  ///
  /// Only what the entry changes is computed again, unless it speaks of silent writers, refuses, or
  /// begins a namespace that counts.
  public func appending(_ entry: LogEntry) -> LogState {
    var next = self
    next.append(entry)
    return next
  }

  /// Reads one more operation or view file, as ``appending(_:)`` does.
  public mutating func append(_ entry: LogEntry) {
    guard contents.insert(entry) else { return }
    switch entry {
    case .operation(let operation):
      if reads(operation.namespace), operation.changes.contains(where: \.changesTheRules) {
        self = LogState(
          of: contents, current: current, remembered: remembered,
          takenIn: counting.subtracting([current]))
        return
      }
      take(operation)
    case .sealed(let operation): take(operation)
    case .view(let view): take(view)
    }
    computeItems()
  }

  /// Who adds what an ordinary operation or a view file of a namespace adds; nil if it is another backup's.
  private func source(_ namespace: NamespaceID) -> Sources? {
    if counting.contains(namespace) { return .ordinary }
    guard earlier.contains(namespace) else { return nil }
    return effectiveRefusals.contains(.namespace(namespace)) ? .refused : .offer
  }

  private mutating func take(_ operation: OrdinaryOperation) {
    guard let source = source(operation.namespace) else { return }
    for change in operation.changes {
      if case .add(let version) = change { add(version, source) }
      switch source {
      case .ordinary: count(change, of: operation)
      case .offer: tell(change)
      default: continue
      }
    }
  }

  private mutating func take(_ operation: SilentOperation) {
    guard reads(operation.namespace) else { return }
    let key = operation.key
    switch silent.voice(of: key) {
    case .counts(let rights):
      for version in operation.added(with: rights) { add(version, .silent) }
      for name in operation.ended {
        ended.end(name, by: key)
        changed.formUnion(affected[name, default: []])
        told.remove(.end(name))
      }
    case .offers(let rights):
      let isHeard = silent.heard.contains(key) && !effectiveRefusals.contains(.key(key))
      for version in operation.added(with: rights) { add(version, isHeard ? .offer : .refused) }
    case .waits: waiting.insert(operation.name)
    }
  }

  /// A view file adds its version; one that names a silent writer only shows what that one adds.
  private mutating func take(_ view: ViewVersion) {
    guard view.version.author == nil, let source = source(view.namespace) else { return }
    add(view.version, source)
  }

  private mutating func add(_ version: ItemVersion, _ source: Sources) {
    let item = version.item
    let known = sources[item]?[version]
    if known?.contains(source) == true { return }
    sources[item, default: [:]][version, default: []].insert(source)
    changed.insert(item)
    guard known == nil else { return }
    affected[version.name, default: []].append(item)
    if let copied = version.copied { affected[copied, default: []].append(item) }
  }

  /// Takes a change that counts.
  ///
  /// Nothing that it says is told any more.
  private mutating func count(_ change: Change, of operation: OrdinaryOperation) {
    slots.take(change, of: operation)
    switch change {
    case .end(let name):
      ended.end(name)
      changed.formUnion(affected[name, default: []])
      told.remove(.end(name))
    case .drop(let name):
      ended.drop(name)
      changed.formUnion(affected[name, default: []])
      told.remove(.end(name))
    case .addFile(_, let slot): told.remove(.slot(slot))
    case .removeSlot(let slot):
      told.remove(.slot(slot))
      told.remove(.removal(slot))
    case .text(let text):
      texts.insert(text)
      told.remove(.text(text))
    case .envelope(let digest): envelopes[operation.namespace, default: []].insert(digest)
    case .add, .addWriter, .retireWriter, .refuse, .begin, .takenOver, .labelSlot: return
    }
  }

  /// Tells what an earlier namespace says that is not refused, if nothing that counts says it.
  private mutating func tell(_ change: Change) {
    switch change {
    case .end(let name), .drop(let name):
      if !ended.contains(name) { told.insert(.end(name)) }
    case .addWriter(let key, _, _, _):
      if silent.added[key] == nil { told.insert(.writer(key)) }
    case .retireWriter(let key):
      if !silent.retired.contains(key) { told.insert(.retirement(key)) }
    case .addFile(_, let slot):
      if !slots.knows(slot) { told.insert(.slot(slot)) }
    case .removeSlot(let slot):
      if !slots.removed.contains(slot) { told.insert(.removal(slot)) }
    case .text(let text):
      if !texts.contains(text) { told.insert(.text(text)) }
    case .refuse(let refusal):
      if !refusals.contains(refusal), wouldHaveEffect(refusal) { told.insert(.refusal(refusal)) }
    case .add, .begin, .takenOver, .labelSlot, .envelope: return
    }
  }

  /// Whether a refusal of an earlier namespace would hide anything if it counted.
  private func wouldHaveEffect(_ refusal: Refusal) -> Bool {
    switch refusal {
    case .namespace(let namespace): earlier.contains(namespace)
    case .key(let key): silent.rights[key] != nil && silent.added[key] == nil
    }
  }

  private mutating func computeItems() {
    for item in changed { items[item] = sources[item].map { ItemState($0, ended) } }
    changed = []
  }
}

extension LogState {
  /// Something that an earlier namespace says, and nothing that counts.
  public enum Told: Hashable, Sendable {
    /// The end of a version that is not ended.
    case end(VersionName)
    /// A silent writer.
    case writer(SigningKey)
    /// The retirement of a silent writer.
    case retirement(SigningKey)
    /// A key slot.
    case slot(KeyID)
    /// The removal of a key slot.
    case removal(KeyID)
    /// A sensitive text.
    case text(Digest)
    /// A refusal that would have an effect.
    case refusal(Refusal)
  }

  /// All silent writers that operations which count have added, also retired ones.
  public var authorised: [SigningKey: AuthorisedWriter] { silent.added }
  /// The silent writers that operations which count have retired.
  public var retired: Set<SigningKey> { silent.retired }
  /// The silent writers that count, with what they may add.
  public var writers: [SigningKey: AuthorisedWriter] {
    silent.added.filter { !silent.retired.contains($0.key) }
  }
  /// The silent writers that only refused namespaces have added.
  ///
  /// A person can authorise them.
  public var unheardWriters: Set<SigningKey> { Set(silent.rights.keys).subtracting(silent.heard) }
  /// The key slots that have a file in a namespace that counts, and were not removed.
  public var keySlots: [KeyID: SlotState] { slots.present }
  /// The key slots that were removed.
  public var removedSlots: Set<KeyID> { slots.removed }
  /// The label of a key slot: the one with the latest time.
  public func label(of slot: KeyID) -> String? { slots.labels[slot]?.text }
  /// Whether a label is later than that which a key slot has.
  func says(_ label: Label, of slot: KeyID) -> Bool {
    guard let known = slots.labels[slot] else { return true }
    return (known.at, known.text) < (label.at, label.text)
  }
  /// The names of all that was ended, here or not.
  public var endedNames: Set<VersionName> { ended.all }
  /// Of these, what ordinary operations that count ended.
  public var settledNames: Set<VersionName> { ended.settled }
  /// Of these, what they dropped: the objects may go.
  public var droppedNames: Set<VersionName> { ended.dropped }
  /// Whether a version was ended, for good: anyone who writes its bytes again is told.
  public func isEnded(_ name: VersionName) -> Bool { ended.contains(name) }

  /// Collects the versions of all items that stand in one way.
  public func versions(_ standing: (ItemState) -> Set<ItemVersion>) -> Set<ItemVersion> {
    items.values.reduce(into: []) { $0.formUnion(standing($1)) }
  }

  /// The items whose live versions have different contents.
  public var conflicts: Set<Item> { Set(items.filter(\.value.isConflict).keys) }

  /// Looks for what is missing, doubled or gone.
  ///
  /// It is no part of the meaning.
  public func findings(_ memory: Remembered = Remembered()) -> Findings {
    Findings(in: contents, current: current, readable: counting.union(earlier), memory)
  }
}

extension LogState: Equatable {
  /// Whether two states mean the same.
  ///
  /// What lies in other backups is no part of it, nor are chains.
  public static func == (left: LogState, right: LogState) -> Bool {
    left.current == right.current && left.counting == right.counting
      && left.earlier == right.earlier && left.items == right.items
      && left.endedNames == right.endedNames && left.settledNames == right.settledNames
      && left.droppedNames == right.droppedNames && left.authorised == right.authorised
      && left.retired == right.retired && left.unheardWriters == right.unheardWriters
      && left.keySlots == right.keySlots && left.removedSlots == right.removedSlots
      && left.slots.labels == right.slots.labels && left.texts == right.texts
      && left.envelopes == right.envelopes && left.told == right.told
      && left.waiting == right.waiting && left.refusals == right.refusals
      && left.effectiveRefusals == right.effectiveRefusals
  }
}

extension Change {
  /// Whether it changes what others' words are worth.
  fileprivate var changesTheRules: Bool {
    switch self {
    case .addWriter, .retireWriter, .refuse, .begin: true
    default: false
    }
  }
}

// Rule 3: live, offered, ended.

public import CSPP

/// The meaning of a backup: computed from all that is here, in whatever order it came.
///
/// No clock, no counter and no chain decides. Only ``current`` differs between two computers that have the same files.
public struct LogState: Sendable {
  /// The namespaces whose operations count: the current one, and those that a rotation takes in.
  public let counting: Set<NamespaceID>
  /// The namespaces that these took over.
  public let earlier: Set<NamespaceID>
  /// Versions that were added and not ended.
  public internal(set) var live: Set<ItemVersion> = []
  /// Versions that somebody else added, and a person has to take or refuse.
  public internal(set) var offered: Set<ItemVersion> = []
  /// Versions that are here beside these, and was not dropped.
  public internal(set) var history: Set<ItemVersion> = []
  /// Of the history, copies whose writer went on from what they are a copy of.
  public internal(set) var aside: Set<ItemVersion> = []
  /// Of the history, what a refused key or namespace alone added.
  public internal(set) var faded: Set<ItemVersion> = []
  /// The names of all that was ended, here or not.
  public internal(set) var ended: Set<VersionName> = []
  /// Of these, what an operation that counts ended.
  public internal(set) var settled: Set<VersionName> = []
  /// The versions that operations and view files that count add.
  public internal(set) var ordinary: Set<ItemVersion> = []
  /// The silent writers that count, with what they may add.
  public internal(set) var writers: [SigningKey: Rights] = [:]
  /// The silent writers that do not count any more.
  public internal(set) var retired: Set<SigningKey> = []
  /// The key slots that have a file in a namespace that counts, and were not removed.
  public internal(set) var slots: [NamespaceID: Set<KeyID>] = [:]
  /// The key slots that were removed.
  public internal(set) var removedSlots: Set<KeyID> = []
  /// The sensitive texts.
  public internal(set) var texts: Set<Digest> = []
  /// The refusals.
  public internal(set) var refusals: Set<Refusal> = []
  /// Statements of earlier namespaces beside versions, which have no effect.
  public internal(set) var told: Set<Told> = []

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

  /// Reads all that is here.
  ///
  /// - Parameters:
  ///   - contents: all that is here.
  ///   - current: the namespace that this computer remembers as its backup.
  ///   - remembered: earlier ones that it has seen before.
  ///   - takenIn: other backups that a rotation takes in.
  public init(
    of contents: LogContents, current: NamespaceID, remembered: Set<NamespaceID> = [],
    takenIn: Set<NamespaceID> = []
  ) {
    let counting = takenIn.union([current])
    self.counting = counting
    earlier = counting.reduce(into: remembered) { $0.formUnion(contents.earlier(than: $1)) }
      .subtracting(counting)
    let word = Word(contents.operations.filter { counting.contains($0.namespace) })
    let before = contents.operations.filter { [earlier] in earlier.contains($0.namespace) }
    let silent = SilentWriters(
      contents.sealed.filter { [earlier] in
        counting.contains($0.namespace) || earlier.contains($0.namespace)
      }, word: word, before: before)
    let refused = Refused(word, earlier: earlier)
    let says = Word(before.filter { !refused.namespaces.contains($0.namespace) })

    ordinary = word.added
    var offers = says.added
    var old = before.reduce(into: Set<ItemVersion>()) { $0.formUnion($1.added) }
    for file in contents.views where file.version.author == nil {
      if counting.contains(file.namespace) {
        ordinary.insert(file.version)
      } else if earlier.contains(file.namespace) {
        old.insert(file.version)
        if !refused.namespaces.contains(file.namespace) { offers.insert(file.version) }
      }
    }
    let heard = Set(word.writers.keys).union(says.writers.keys).subtracting(refused.keys)
    for (key, version) in silent.offered {
      old.insert(version)
      if heard.contains(key) { offers.insert(version) }
    }
    let added = ordinary.union(silent.added)
    settled = word.ended.union(word.dropped)
    ended = settled.union(silent.ended)
    live = added.filter { [ended] in !ended.contains($0.name) }
    aside = silent.setAside(live)
    live.subtract(aside)
    let beside = silent.wallets(live, besides: ordinary)
    live.subtract(beside)
    offered = offers.subtracting(added).filter { [ended] in !ended.contains($0.name) }
      .union(beside)
    faded = old.subtracting(offers).subtracting(added)
      .filter { !word.dropped.contains($0.name) }
    history = added.union(offers)
      .filter { [ended] in ended.contains($0.name) && !word.dropped.contains($0.name) }
      .union(aside).union(faded)

    writers = word.writers.filter { !word.retired.contains($0.key) }
    retired = word.retired
    removedSlots = word.removedSlots
    for namespace in counting {
      slots[namespace] = word.slots[namespace, default: []].subtracting(removedSlots)
    }
    texts = word.texts
    refusals = word.refusals
    told = told(says, of: word, keys: silent.known)
  }

  /// Statements of earlier namespaces that nothing that counts makes.
  private func told(_ says: Word, of word: Word, keys: Set<SigningKey>) -> Set<Told> {
    let known = slots.values.reduce(into: removedSlots) { $0.formUnion($1) }
    var told: Set<Told> = []
    for name in says.ended.union(says.dropped).subtracting(ended) { told.insert(.end(name)) }
    for key in says.retired.subtracting(retired) { told.insert(.retirement(key)) }
    for key in says.writers.keys where word.writers[key] == nil { told.insert(.writer(key)) }
    for slots in says.slots.values {
      for slot in slots.subtracting(known) { told.insert(.slot(slot)) }
    }
    for slot in says.removedSlots.subtracting(removedSlots) { told.insert(.removal(slot)) }
    for text in says.texts.subtracting(texts) { told.insert(.text(text)) }
    for refusal in says.refusals.subtracting(refusals) {
      switch refusal {
      case .namespace(let namespace) where earlier.contains(namespace):
        told.insert(.refusal(refusal))
      case .key(let key) where keys.contains(key) && word.writers[key] == nil:
        told.insert(.refusal(refusal))
      default: continue
      }
    }
    return told
  }

  /// The items whose live versions have different contents.
  public var conflicts: Set<Item> {
    var contents: [Item: Digest] = [:]
    var found: Set<Item> = []
    for version in live {
      let other = contents.updateValue(version.contents, forKey: version.item)
      if let other, other != version.contents { found.insert(version.item) }
    }
    return found
  }
}

/// Everything that refusals have an effect on: earlier namespaces, and keys that do not count.
private struct Refused {
  var namespaces: Set<NamespaceID> = []
  var keys: Set<SigningKey> = []

  init(_ word: Word, earlier: Set<NamespaceID>) {
    for refusal in word.refusals {
      switch refusal {
      case .namespace(let namespace):
        if earlier.contains(namespace) { namespaces.insert(namespace) }
      case .key(let key):
        if word.writers[key] == nil || word.retired.contains(key) { keys.insert(key) }
      }
    }
  }
}

// Rule 4: silent writers.

internal import CSPP

/// The word of silent writers.
///
/// It counts while an operation that counts has added the key, and none has retired it. It offers
/// if its key was retired, or if only earlier namespaces have added it. Else it waits.
struct SilentWriters {
  /// All keys that somebody has added.
  let known: Set<SigningKey>
  /// The versions that those that count add.
  private(set) var added: Set<ItemVersion> = []
  /// The names that those that count end.
  private(set) var ended: Set<VersionName> = []
  /// The versions that the others add.
  private(set) var offered: [(key: SigningKey, version: ItemVersion)] = []
  private var endedByKey: [SigningKey: Set<VersionName>] = [:]

  init(_ operations: [SilentOperation], word: Word, before: [OrdinaryOperation]) {
    var rights = word.writers
    for (key, more) in Word(before).writers { rights[key, default: []].formUnion(more) }
    known = Set(rights.keys)
    for operation in operations where known.contains(operation.key) {
      let key = operation.key
      if let mine = word.writers[key], !word.retired.contains(key) {
        added.formUnion(operation.added(with: mine))
        ended.formUnion(operation.ended)
        endedByKey[key, default: []].formUnion(operation.ended)
      } else {
        offered += operation.added(with: rights[key, default: []]).map { (key, $0) }
      }
    }
  }

  /// Copies of what their writer has ended, while it has a live version of the file itself.
  func setAside(_ live: Set<ItemVersion>) -> Set<ItemVersion> {
    var own: [Item: Set<SigningKey>] = [:]
    for version in live where version.copied == nil {
      if let author = version.author { own[version.item, default: []].insert(author) }
    }
    return live.filter { version in
      guard let author = version.author, let copied = version.copied else { return false }
      return endedByKey[author]?.contains(copied) == true
        && own[version.item]?.contains(author) == true
    }
  }

  /// Wallets that only silent writers added, beside one that is live by an ordinary operation.
  func wallets(_ live: Set<ItemVersion>, besides ordinary: Set<ItemVersion>) -> Set<ItemVersion> {
    let items = Set(live.intersection(ordinary).map(\.item))
    return live.filter { version in
      guard case .wallet = version.item else { return false }
      return !ordinary.contains(version) && items.contains(version.item)
    }
  }
}

extension SilentOperation {
  /// Versions of its own key, of the kinds that it may add.
  fileprivate func added(with rights: Rights) -> [ItemVersion] {
    added.filter { version in
      guard version.author == key, version.copied == nil else { return false }
      return switch version.item {
      case .wallet: rights.contains(.wallets)
      case .file: rights.contains(.files)
      }
    }
  }
}

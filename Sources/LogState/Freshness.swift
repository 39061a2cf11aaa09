public import CSPP
internal import SecretMemory

/// A fingerprint of what was seen: the last operations of all chains.
///
/// It is small, has no secret, and decides nothing. Anyone who kept one can tell that a set of files is older.
public struct Freshness: Hashable, Sendable {
  /// The last operation of each chain: that with the highest counter, of several the one with the greatest digest.
  public private(set) var ends: [Chain: OperationID] = [:]

  /// The relation of a set of files to what was seen.
  public enum Comparison: Hashable, Sendable {
    /// The chains end with the same operations.
    case same
    /// All that was seen is here, and more.
    case newer
    /// The ends of these chains were seen and are not here.
    case lacking(Set<OperationID>)
  }

  /// Creates the fingerprint of nothing, or one that was stored.
  public init(_ ends: some Sequence<OperationID> = []) {
    for name in ends { insert(name) }
  }

  /// Computes the fingerprint of what lies in some namespaces.
  public init(of contents: LogContents, in namespaces: Set<NamespaceID>) {
    for name in contents.names where namespaces.contains(name.chain.namespace) { insert(name) }
  }

  /// This fingerprint, with other ends of some chains.
  func replacing(with names: [OperationID]) -> Freshness {
    var copy = self
    for name in names { copy.ends[name.chain] = name }
    return copy
  }

  private mutating func insert(_ name: OperationID) {
    if let known = ends[name.chain],
      (known.counter, known.digest) > (name.counter, name.digest)
    {
      return
    }
    ends[name.chain] = name
  }

  /// Compares what is here with what was seen.
  ///
  /// A namespace of which nothing is here was deleted, which is no loss, unless it counts.
  ///
  /// - Parameters:
  ///   - seen: what was seen.
  ///   - contents: what is here.
  ///   - current: the namespace that counts.
  /// - Returns: the relation.
  public static func compare(
    _ seen: Freshness, with contents: LogContents, current: NamespaceID
  ) -> Comparison {
    let here = Set(contents.names.map(\.chain.namespace)).union([current])
    let wanted = seen.ends.values.filter { here.contains($0.chain.namespace) }
    let lacking = wanted.filter { !contents.names.contains($0) }
    guard lacking.isEmpty else { return .lacking(Set(lacking)) }
    let now = Freshness(of: contents, in: Set(wanted.map(\.chain.namespace)).union([current]))
    return now.ends == Dictionary(uniqueKeysWithValues: wanted.map { ($0.chain, $0) })
      ? .same : .newer
  }

  /// The freshness word of a namespace, to be compared by people (docs/format.md).
  ///
  /// It leaves sealed operations out.
  ///
  /// - Parameter namespace: the namespace.
  /// - Returns: sixteen digits and letters, the first 80 bits of a SHA-256.
  public func word(of namespace: NamespaceID) -> String {
    var lines: [(writer: WriterID, name: OperationID)] = []
    for (chain, name) in ends {
      if case .ordinary(namespace, let writer) = chain { lines.append((writer, name)) }
    }
    lines.sort { $0.writer < $1.writer }
    let text = lines.map { line in
      let counter = String(line.name.counter)
      let zeros = String(repeating: "0", count: max(0, 8 - counter.utf8.count))
      return "\(line.writer)/\(zeros)\(counter)-\(line.name.digest.hex.prefix(32))\n"
    }
    let words = Digest(of: Array(text.joined().utf8).span).words
    var (bits, rest) = (words.x, words.y)
    var word: [UInt8] = []
    for _ in 0..<16 {
      word.append(CrockfordBase32.lowerCase[Int(bits >> 59)])
      bits = bits << 5 | rest >> 59
      rest <<= 5
    }
    return String(decoding: word, as: UTF8.self)
  }
}

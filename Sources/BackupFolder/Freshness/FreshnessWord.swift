internal import CSPP
internal import SecretMemory

/// A short word for the contents of a folder's logs, to be compared on another computer
/// (docs/format.md, *The freshness word*).
///
/// People write it down or read it out.
public struct FreshnessWord: Hashable, Sendable, CustomStringConvertible {
  /// Sixteen digits and letters, none of which looks like another: 80 bits.
  ///
  /// A word of version 0.1.0 has ten, which are the first 50 of these bits.
  public let description: String

  private static let length = 16
  private static let olderLength = 10

  /// The word in groups of four, for people.
  public var grouped: String {
    let digits = Array(description.utf8)
    return stride(from: 0, to: digits.count, by: 4).map {
      String(decoding: digits[$0..<min($0 + 4, digits.count)], as: UTF8.self)
    }.joined(separator: "-")
  }

  /// Whether a word that the user wrote down, perhaps with an older program, stands for this state.
  func matches(_ written: FreshnessWord) -> Bool {
    description.utf8.starts(with: written.description.utf8)
  }

  /// Parses a word as people write it.
  ///
  /// Case, hyphens and spaces are ignored; o is read as 0, i and l as 1.
  ///
  /// - Returns: `nil` unless it has ten or sixteen digits and letters of the alphabet.
  public init?(_ text: some StringProtocol) {
    var word: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      guard let value = CrockfordBase32.value(of: byte) else { return nil }
      word.append(CrockfordBase32.lowerCase[Int(value)])
    }
    guard [Self.length, Self.olderLength].contains(word.count) else { return nil }
    description = String(decoding: word, as: UTF8.self)
  }

  /// The word for a state of the logs.
  ///
  /// It is the first 80 bits of the SHA-256 over the names of every writer's last operation,
  /// sorted, each with a line end.
  init(last names: [OperationName]) {
    self.init(sorted: names.sorted().map { Array("\($0)\n".utf8) })
  }

  /// The word for names that are already text and sorted.
  fileprivate init(sorted lines: [[UInt8]]) {
    var text: [UInt8] = []
    for line in lines { text += line }
    let words = Digest(of: text.span).words
    var (bits, rest) = (words.x, words.y)
    var word: [UInt8] = []
    for _ in 0..<Self.length {
      word.append(CrockfordBase32.lowerCase[Int(bits >> 59)])
      bits = bits << 5 | rest >> 59
      rest <<= 5
    }
    description = String(decoding: word, as: UTF8.self)
  }
}

/// The relation between a folder and the freshness word of another computer.
public enum FreshnessComparison: Equatable, Sendable {
  /// Both have the same last operations; the other computer knew nothing newer.
  case same
  /// The word is that of an earlier state of these logs; so many operations were added since.
  case newer(operations: Int)
  /// The word matches no earlier state of these logs: the other computer had something that is
  /// missing here.
  ///
  /// Unless all states were tried, the word may also be very old.
  case lacking(triedAll: Bool)
  /// The logs are not complete yet, so they cannot be compared.
  case unknown
}

extension Namespace {
  /// Compares the logs with a word from another computer.
  ///
  /// Needs no key: a file whose bytes have the hash in the word has the contents that it had there.
  /// While an operation is awaited the answer is ``FreshnessComparison/unknown``.
  ///
  /// - Parameters:
  ///   - word: the word that the user wrote down.
  ///   - limit: the most earlier states to try, the nearest first.
  /// - Returns: the relation of the folder to the word.
  /// - Throws: if a listing fails.
  public func compare(
    with word: FreshnessWord, limit: Int = 200_000
  ) throws(BackupFolderError) -> FreshnessComparison {
    let localState = rememberedOrNothing()
    let log = try LogHeaders.read(self, localState: localState)
    let health = health(
      of: log.index, localState: localState, unsynchronised: log.problems.awaited(localState),
      damaged: log.damaged)
    if health.incomplete > 0 || log.findings.contains(where: { $0.state == .incomplete }) {
      return .unknown
    }
    return EarlierStates(of: log.names).find(word, limit: limit)
  }
}

/// The earlier states of the logs, as far as every writer's counters show them.
///
/// In each, a writer may have reached any of its operations, or not begun.
struct EarlierStates {
  /// For every writer, in order, the names of its operations as lines, oldest first.
  private let writers: [[[UInt8]]]
  /// The number of operations of each writer and all writers after it.
  private let operationsFrom: [Int]

  init(of names: some Sequence<OperationName>) {
    let byWriter = Dictionary(grouping: names, by: \.writer)
    writers = byWriter.sorted { $0.key < $1.key }.map { (_, names) in
      names.sorted().map { Array("\($0)\n".utf8) }
    }
    var counts = [0]
    for names in writers.reversed() { counts.append(counts[counts.count - 1] + names.count) }
    operationsFrom = counts.reversed()
  }

  /// Looks for the state that a word stands for, the nearest first.
  ///
  /// - Parameters:
  ///   - word: the word of another computer.
  ///   - limit: the most states to try; fewer where there are very many writers, so that a crafted
  ///     folder costs no more.
  /// - Returns: the relation of these logs to the word.
  func find(_ word: FreshnessWord, limit: Int) -> FreshnessComparison {
    var left = limit
    var state = [Int](repeating: 0, count: writers.count)
    // Tries the states in which the writers together lack so many operations.
    for lacking in 0...operationsFrom[0] {
      switch search(word, &state, from: 0, lacking: lacking, &left) {
      case true: return lacking == 0 ? .same : .newer(operations: lacking)
      case false: continue
      case nil: return .lacking(triedAll: false)
      }
    }
    return .lacking(triedAll: true)
  }

  /// Tries every way to leave out `lacking` operations of the writers from `first` on.
  ///
  /// - Returns: whether one of them gives the word; `nil` when the limit is reached.
  private func search(
    _ word: FreshnessWord, _ state: inout [Int], from first: Int, lacking: Int,
    _ left: inout Int
  ) -> Bool? {
    if lacking == 0 { return test(word, state, &left) }
    for writer in first..<writers.count {
      // The missing operations must be those of later writers.
      guard operationsFrom[writer] >= lacking else { break }
      let most = min(lacking, writers[writer].count)
      let fewest = max(1, lacking - operationsFrom[writer + 1])
      defer { state[writer] = 0 }
      for count in stride(from: fewest, through: most, by: 1) {
        state[writer] = count
        let found = search(word, &state, from: writer + 1, lacking: lacking - count, &left)
        if found != false { return found }
      }
    }
    return false
  }

  private func test(_ word: FreshnessWord, _ state: [Int], _ left: inout Int) -> Bool? {
    guard left > 0 else { return nil }
    left -= max(1, writers.count / 16)
    var lines: [[UInt8]] = []
    for (names, lacking) in zip(writers, state) where names.count > lacking {
      lines.append(names[names.count - lacking - 1])
    }
    return FreshnessWord(sorted: lines).matches(word)
  }
}

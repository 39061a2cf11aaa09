internal import CSPP
internal import SecretMemory

/// A short word for what the logs of a folder hold, to be written down or read
/// out and compared on another computer (docs/format.md, *The freshness word*).
public struct FreshnessWord: Hashable, Sendable, CustomStringConvertible {
  /// Sixteen digits and letters, none of which looks like another: 80 bits.
  ///
  /// Ten, the first 50 of them, in a word of version 0.1.0.
  public let description: String

  private static let length = 16
  private static let olderLength = 10

  /// In groups of four, for people.
  public var grouped: String {
    let digits = Array(description.utf8)
    return stride(from: 0, to: digits.count, by: 4).map {
      String(decoding: digits[$0..<min($0 + 4, digits.count)], as: UTF8.self)
    }.joined(separator: "-")
  }

  /// Whether a word that a person wrote down, perhaps an older program's, stands for this state.
  func matches(_ written: FreshnessWord) -> Bool {
    description.utf8.starts(with: written.description.utf8)
  }

  /// Reads a word as a person writes it.
  ///
  /// Case, hyphens and spaces do not count; o is read as 0, i and l as 1.
  ///
  /// - Returns: `nil` unless it has sixteen digits and letters of the alphabet, or ten.
  public init?(_ text: some StringProtocol) {
    var word: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
      guard let value = CrockfordBase32.value(of: byte) else { return nil }
      word.append(CrockfordBase32.lowerCase[Int(value)])
    }
    guard [Self.length, Self.olderLength].contains(word.count) else { return nil }
    description = String(decoding: word, as: UTF8.self)
  }

  /// The word for a state of the logs: the first 80 bits of the SHA-256 over
  /// the names of every writer's last operation, sorted, each with a line end.
  init(last names: [OperationName]) {
    self.init(sorted: names.sorted().map { Array("\($0)\n".utf8) })
  }

  /// The same for names that are text and sorted already.
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

/// How a folder stands to a freshness word of another computer.
public enum FreshnessComparison: Equatable, Sendable {
  /// The same last operations: nothing newer was known there.
  case same
  /// The word is that of an earlier state of these logs; so many operations
  /// came since.
  case newer(operations: Int)
  /// The word is none of these logs' earlier states: something that was there is
  /// not here. Unless all states were tried, it may also be very old.
  case lacking(triedAll: Bool)
  /// Not everything is here yet: nothing can be told.
  case unknown
}

extension Namespace {
  /// Compares the logs with a word from another computer.
  ///
  /// Needs no key: a file whose bytes have the hash that the word stands for holds what was there.
  /// While something of the logs is awaited the answer is ``FreshnessComparison/unknown``.
  ///
  /// - Parameters:
  ///   - word: what a person wrote down.
  ///   - limit: most earlier states to try, the nearest first.
  /// - Returns: how the folder stands to it.
  /// - Throws: a listing that fails.
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

/// The states that the logs had before, as far as every writer's counters tell:
/// each writer may have got as far as any of its operations, or not begun.
struct EarlierStates {
  /// For every writer, in order, its operations' names as lines, oldest first.
  private let writers: [[[UInt8]]]
  /// The operations of each writer and all that follow it.
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

  /// Looks for the state that a word was made of, the nearest first.
  ///
  /// - Parameters:
  ///   - word: of another computer.
  ///   - limit: most states to try; fewer where there are very many writers,
  ///     so that a crafted folder costs no more.
  /// - Returns: how these logs stand to it.
  func find(_ word: FreshnessWord, limit: Int) -> FreshnessComparison {
    var left = limit
    var state = [Int](repeating: 0, count: writers.count)
    // The states in which the writers lack so many operations together.
    for lacking in 0...operationsFrom[0] {
      switch search(word, &state, from: 0, lacking: lacking, &left) {
      case true: return lacking == 0 ? .same : .newer(operations: lacking)
      case false: continue
      case nil: return .lacking(triedAll: false)
      }
    }
    return .lacking(triedAll: true)
  }

  /// Tries every way to leave out `lacking` operations of the writers from
  /// `first` on.
  ///
  /// - Returns: whether one gives the word; `nil` when the limit is reached.
  private func search(
    _ word: FreshnessWord, _ state: inout [Int], from first: Int, lacking: Int,
    _ left: inout Int
  ) -> Bool? {
    if lacking == 0 { return test(word, state, &left) }
    for writer in first..<writers.count {
      // What is lacking must be some later writer's.
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

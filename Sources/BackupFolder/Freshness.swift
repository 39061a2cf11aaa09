internal import CSPP

/// A short word for what the logs of a folder hold, to be written down or read
/// out and compared on another computer (docs/format.md, *The freshness word*).
public struct FreshnessWord: Hashable, Sendable, CustomStringConvertible {
  /// Ten digits and letters, none of which looks like another: 50 bits.
  public let description: String

  /// Without i, l, o, u (Crockford's base 32).
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let length = 10

  /// Reads a word as a person writes it.
  ///
  /// Case, hyphens and spaces do not count; o is read as 0, i and l as 1.
  ///
  /// - Returns: `nil` unless it has ten digits and letters of the alphabet.
  public init?(_ text: some StringProtocol) {
    var word: [UInt8] = []
    for byte in text.lowercased().utf8 {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case UInt8(ascii: "o"): word.append(UInt8(ascii: "0"))
      case UInt8(ascii: "i"), UInt8(ascii: "l"): word.append(UInt8(ascii: "1"))
      default: word.append(byte)
      }
    }
    guard word.count == Self.length, word.allSatisfy(Self.alphabet.contains) else { return nil }
    description = String(decoding: word, as: UTF8.self)
  }

  /// The word for a state of the logs: the first 50 bits of the SHA-256 over
  /// the names of every writer's last operation, sorted, each with a line end.
  init(last names: [OperationName]) {
    self.init(sorted: names.sorted().map { Array("\($0)\n".utf8) })
  }

  /// The same for names that are text and sorted already.
  fileprivate init(sorted lines: [[UInt8]]) {
    let text = Array(lines.joined())
    var bits = Digest(of: text.span).words.x
    var word: [UInt8] = []
    for _ in 0..<Self.length {
      word.append(Self.alphabet[Int(bits >> 59)])
      bits <<= 5
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
}

extension Namespace {
  /// Compares the logs with a word from another computer.
  ///
  /// Needs no key. Operations whose file is there and not synchronised yet count as here:
  /// that they are awaited is said anyway.
  ///
  /// - Parameters:
  ///   - word: what a person wrote down.
  ///   - limit: most earlier states to try, the nearest first.
  /// - Returns: how the folder stands to it.
  /// - Throws: a listing that fails.
  public func compare(
    with word: FreshnessWord, limit: Int = 200_000
  ) throws(BackupFolderError) -> FreshnessComparison {
    let log = try LogHeaders.read(self, memory: rememberedOrNothing())
    return EarlierStates(of: log.names.union(log.unsynchronised)).find(word, limit: limit)
  }
}

/// The states that the logs had before, as far as every writer's counters tell:
/// each writer may have got as far as any of its operations, or not begun.
struct EarlierStates {
  /// For every writer, in order, its operations' names as lines, oldest first.
  private let writers: [[[UInt8]]]

  init(of names: some Sequence<OperationName>) {
    let byWriter = Dictionary(grouping: names, by: \.writer)
    writers = byWriter.sorted { $0.key < $1.key }.map { (_, names) in
      names.sorted().map { Array("\($0)\n".utf8) }
    }
  }

  /// Looks for the state that a word was made of, the nearest first.
  func find(_ word: FreshnessWord, limit: Int) -> FreshnessComparison {
    var left = limit
    let all = writers.reduce(0) { $0 + $1.count }
    // The states in which the writers lack so many operations together.
    for lacking in 0...all {
      var state = [Int](repeating: 0, count: writers.count)
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
    guard first < writers.count else {
      guard left > 0 else { return nil }
      left -= 1
      var lines: [[UInt8]] = []
      for (names, lacking) in zip(writers, state) where names.count > lacking {
        lines.append(names[names.count - lacking - 1])
      }
      return FreshnessWord(sorted: lines) == word
    }
    let rest = writers[(first + 1)...].reduce(0) { $0 + $1.count }
    let fewest = max(0, lacking - rest)
    let most = min(lacking, writers[first].count)
    guard fewest <= most else { return false }
    for count in fewest...most {
      state[first] = count
      switch search(word, &state, from: first + 1, lacking: lacking - count, &left) {
      case true: return true
      case false: continue
      case nil: return nil
      }
    }
    return false
  }
}

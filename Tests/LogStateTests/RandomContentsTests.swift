import CSPP
import LogState
import TestSupport
import Testing

/// Sets of files that no honest computer writes, too: what fold.py does not know is in them.
struct RandomContents {
  private var random: SeededGenerator
  private var versions: [ItemVersion] = []
  private var names: [OperationID] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
    .random(in: range, using: &random)
  }

  private mutating func version(by author: UInt64? = nil) -> ItemVersion {
    if !versions.isEmpty, number(1...3) == 1, let known = versions.randomElement(using: &random) {
      return known
    }
    let bytes = number(1...20)
    let silent = number(1...3) == 1 ? number(1...3) : nil
    let copied = number(1...3) == 1 ? versions.randomElement(using: &random)?.name : nil
    let version =
      number(1...2) == 1
      ? wallet(number(1...2), bytes, contents: bytes % 3, by: author ?? silent)
      : file(number(1...2), bytes, contents: bytes % 3, by: author ?? silent, of: copied)
    versions.append(version)
    return version
  }

  private mutating func change() -> Change {
    let (key, slot, at) = (SigningKey(number(1...3)), KeyID(number(1...3)), number(1...3))
    let label = Label(["a", "b", "c"][Int(number(0...2))], at: at)
    switch number(1...22) {
    case 1...6: return .add(version())
    case 7...9: return .end(version().name)
    case 10: return .drop(version().name)
    case 11...12:
      return .addWriter(
        key, id: WriterID(number(1...2)), rights: Rights(rawValue: UInt8(number(0...3))),
        label: label)
    case 13: return .retireWriter(key)
    case 14: return .refuse(.key(key))
    case 15: return .refuse(.namespace(NamespaceID(number(1...4))))
    case 16:
      return .begin(
        takesOver: Set((0..<number(0...2)).map { _ in NamespaceID(number(1...4)) }),
        operations: Set(names.shuffled(using: &random).prefix(Int(number(0...2)))))
    case 17: return .takenOver(by: NamespaceID(number(1...4)))
    case 18...19:
      let kind: SlotFile.Kind = number(1...2) == 1 ? .own : .box
      return .addFile(SlotFile(KeyID(number(1...9)), kind, Digest(number(1...9))), slot: slot)
    case 20: return .removeSlot(slot)
    case 21: return .labelSlot(slot, label)
    default:
      return number(1...2) == 1 ? .text(Digest(number(1...3))) : .envelope(Digest(number(1...3)))
    }
  }

  /// One more file.
  mutating func entry() -> LogEntry {
    let namespace = NamespaceID(number(1...10) < 6 ? 1 : number(1...4))
    let (counter, digest) = (number(1...6), Digest(number(0...(.max))))
    let previous = counter == 1 ? nil : names.randomElement(using: &random)?.digest
    switch number(1...10) {
    case 1: return .view(ViewVersion(in: namespace, version()))
    case 2...4:
      let key = number(1...3)
      let added = (0..<number(0...2)).map { _ in version(by: number(1...4) == 1 ? nil : key) }
      let operation = SilentOperation(
        to: namespace, signedBy: SigningKey(key), counter, digest, after: previous, added: added,
        ended: ended())
      names.append(operation.name)
      return .sealed(operation)
    default:
      let operation = OrdinaryOperation(
        in: namespace, by: WriterID(number(1...2)), counter, digest, after: previous,
        seen: Array(names.shuffled(using: &random).prefix(Int(number(0...2)))), at: number(1...3),
        (0..<number(1...3)).map { _ in change() })
      names.append(operation.name)
      return .operation(operation)
    }
  }

  /// Bytes are small numbers here, so that many are found.
  private mutating func ended() -> [(file: FileID, bytes: Digest)] {
    (0..<number(0...2)).map { _ in (FileID(number(1...2)), Digest(number(1...20))) }
  }
}

@Suite("Any set of files")
struct RandomContentsTests {
  static let current = NamespaceID(1 as UInt64)

  static func state(_ entries: some Sequence<LogEntry>) -> LogState {
    LogState(of: LogContents(entries), current: current, remembered: [NamespaceID(4 as UInt64)])
  }

  @Test func `The order of files says nothing, and what is here twice counts once`() {
    for seed in 0..<1500 as Range<UInt64> {
      var random = SeededGenerator(seed: TestSeed.value &+ seed)
      var contents = RandomContents(seed: TestSeed.value &+ seed)
      let entries = (0..<14).map { _ in contents.entry() }
      let state = Self.state(entries)
      let again = (entries + entries.prefix(4)).shuffled(using: &random)
      #expect(Self.state(again) == state, "seed \(TestSeed.value &+ seed)")
      #expect(Self.state(again).findings() == state.findings(), "seed \(TestSeed.value &+ seed)")
    }
  }

  @Test func `A state with one file more is that of all from scratch`() {
    for seed in 0..<1500 as Range<UInt64> {
      var contents = RandomContents(seed: TestSeed.value &+ seed)
      var entries: [LogEntry] = []
      var state = Self.state([])
      for _ in 0..<14 {
        let before = state
        entries.append(contents.entry())
        state = state.appending(entries[entries.count - 1])
        #expect(state == Self.state(entries), "seed \(TestSeed.value &+ seed), \(entries.count)")
        // What was ended, retired or removed stays so.
        #expect(before.settledNames.isSubset(of: state.settledNames))
        #expect(before.droppedNames.isSubset(of: state.droppedNames))
        #expect(before.retired.isSubset(of: state.retired))
        #expect(before.removedSlots.isSubset(of: state.removedSlots))
      }
    }
  }

  @Test func `Another backup is not mixed in, and chains change nothing`() {
    for seed in 0..<1500 as Range<UInt64> {
      var contents = RandomContents(seed: TestSeed.value &+ seed)
      let entries = (0..<14).map { _ in contents.entry() }
      let state = Self.state(entries)
      let read = state.counting.union(state.earlier)
      let own = entries.filter { read.contains($0.namespace) }.map(\.withoutChain)
      #expect(Self.state(own) == state, "seed \(TestSeed.value &+ seed)")
      for (_, item) in state.items {
        #expect(item.live.isDisjoint(with: item.offered))
        #expect(item.live.isDisjoint(with: item.history))
        #expect(item.offered.isDisjoint(with: item.history))
        #expect(item.live.allSatisfy { !state.isEnded($0.name) })
      }
    }
  }
}

extension LogEntry {
  fileprivate var namespace: NamespaceID {
    switch self {
    case .operation(let operation): operation.namespace
    case .sealed(let operation): operation.namespace
    case .view(let file): file.namespace
    }
  }

  fileprivate var withoutChain: LogEntry {
    guard case .operation(let operation) = self,
      case .ordinary(_, let writer) = operation.name.chain
    else { return self }
    return .operation(
      OrdinaryOperation(
        in: operation.namespace, by: writer, operation.name.counter, operation.name.digest,
        at: operation.at, operation.changes))
  }
}

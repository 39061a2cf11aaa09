import CSPP
import LogState

/// What is asked of a set of files: its meaning for a computer with some memory.
struct Question {
  let entries: [LogEntry]
  private let contents: LogContents
  private let state: LogState
  private let current: NamespaceID
  private let remembered, takenIn, opened, own: Set<NamespaceID>
  private let memory: Remembered

  init(_ line: [Substring], _ files: Files) {
    let namespaces = line[1...7].map { Set(list($0).map(NamespaceID.init(_:))) }
    current = NamespaceID(number(line[1]))
    (remembered, takenIn, opened, own) = (
      namespaces[1], namespaces[2], namespaces[3], namespaces[4]
    )
    entries = files.entries(list(line[9]))
    contents = LogContents(entries)
    state = LogState(
      of: contents, current: current, remembered: remembered, takenIn: takenIn)
    // The computer has read another set of files before, and remembers the names of all ordinary operations as its own.
    let before = list(line[8]).compactMap { files.operations[$0]?.name }
    let ordinary = before.filter { if case .ordinary = $0.chain { true } else { false } }
    var answers: [Claim: Answer] = [:]
    for namespace in namespaces[5] {
      answers[.namespace(namespace)] = .mine
      answers[.hint(in: current, by: namespace)] = .mine
    }
    for namespace in namespaces[6] { answers[.namespace(namespace)] = .notMine }
    memory = Remembered(
      current: current, earlier: remembered, answers: answers, own: Set(ordinary),
      seen: Freshness(before))
  }

  /// What LogState and the rules of namespaces say.
  func answers(_ files: Files) -> [String] {
    meaning(files) + namespaces() + chains(files)
  }

  private func meaning(_ files: Files) -> [String] {
    func names(_ versions: Set<ItemVersion>) -> String {
      joined(versions.map { files.numbers[$0.name] ?? 0 })
    }
    func names(_ names: Set<VersionName>) -> String { joined(names.map { files.numbers[$0] ?? 0 }) }
    return [
      names(state.versions(\.live)), names(state.versions(\.offered)),
      names(state.versions(\.history)), names(state.versions(\.aside)),
      names(state.versions(\.faded)), names(state.versions(\.ordinary)), names(state.endedNames),
      names(state.settledNames),
      joined(state.writers.map { "\($0.key.number):\($0.value.rights.rawValue)" }),
      ids(state.retired),
      joined(
        state.keySlots.flatMap { slot in
          slot.value.files.map { "\($0.key.number):\(slot.key.number)" }
        }), ids(state.removedSlots), ids(state.texts),
      joined(state.told.map { told($0, files) }), joined(state.effectiveRefusals.map(refusal)),
      joined(state.waiting.map { files.byName[$0] ?? 0 }), ids(state.counting), ids(state.earlier),
    ]
  }

  private func namespaces() -> [String] {
    let choice = NamespaceChoice(contents, opened: opened, own: own, memory)
    let step =
      switch choice.step {
      case .stay: "-"
      case .move(let namespace): "\(namespace.number)"
      case .ask(let namespaces): "?" + ids(namespaces)
      }
    return [
      contents.newComputer(own: own, opened: opened).map { "\($0.number)" } ?? "",
      ids(contents.successors(of: current, opened: opened)),
      ids(contents.rivals(of: current, opened: opened)), choice.mustWait ? "1" : "0",
      contents.isWhole(current) ? "1" : "0",
      joined(
        choice.unanswered.map { claim in
          switch claim {
          case .namespace(let namespace): "n\(namespace.number)"
          case .hint(_, let by): "h\(by.number)"
          }
        }), step, ids(choice.others), ids(choice.unbegun),
    ]
  }

  private func chains(_ files: Files) -> [String] {
    let findings = state.findings(memory)
    func place(_ chain: Chain, _ counter: UInt64) -> String {
      switch chain {
      case .ordinary(let namespace, let writer): "o\(namespace.number).\(writer.number).\(counter)"
      case .silent(let namespace, let key): "s\(namespace.number).\(key.number).\(counter)"
      }
    }
    let lacking =
      switch Freshness.compare(memory.seen, with: contents, current: current) {
      case .same: "same"
      case .newer: "newer"
      case .lacking(let names): joined(names.map { files.byName[$0] ?? 0 })
      }
    return [
      joined(findings.missing.flatMap { $0.value.map { place($0.chain, $0.counter) } }),
      joined(
        findings.forks.flatMap { chain, places in places.map { place(chain, $0.key) } }),
      joined(findings.rolledBack.map { files.byName[$0] ?? 0 }), lacking,
    ]
  }

  /// Reads the files one after the other; the number of the first after which the whole differs.
  func wrongAppend() -> Int? {
    var grown = LogState(
      of: LogContents(), current: current, remembered: remembered, takenIn: takenIn)
    for entry in entries { grown.append(entry) }
    if grown == state { return nil }
    return (1...entries.count).first { count in
      let part = entries.prefix(count)
      let scratch = LogState(
        of: LogContents(part), current: current, remembered: remembered, takenIn: takenIn)
      let before = LogState(
        of: LogContents(part.dropLast()), current: current, remembered: remembered, takenIn: takenIn
      )
      return before.appending(part[part.endIndex - 1]) != scratch
    } ?? 0
  }

  private func told(_ told: LogState.Told, _ files: Files) -> String {
    switch told {
    case .end(let name): "e\(files.numbers[name] ?? 0)"
    case .writer(let key): "W\(key.number)"
    case .retirement(let key): "R\(key.number)"
    case .slot(let slot): "s\(slot.number)"
    case .removal(let slot): "x\(slot.number)"
    case .text(let text): "t\(text.number)"
    case .refusal(let refused): refusal(refused)
    }
  }

  private func refusal(_ refusal: Refusal) -> String {
    switch refusal {
    case .key(let key): "k\(key.number)"
    case .namespace(let namespace): "n\(namespace.number)"
    }
  }
}

func joined(_ texts: some Sequence<String>) -> String { texts.sorted().joined(separator: ",") }

func joined(_ numbers: some Sequence<Int>) -> String {
  numbers.sorted().map(String.init).joined(separator: ",")
}

func ids(_ ids: some Sequence<some HexIdentifier>) -> String {
  joined(ids.map { String($0.number) })
}

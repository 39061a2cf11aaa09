import CSPP
import LogState

/// What is asked of a writer: the changes that a duty gives, for the files that it has seen.
///
/// A line is `D current remembered taken-in files duty argument...`, and behind a | the changes of
/// each operation, parted by ;.
struct DutyQuestion {
  private let state: LogState
  private let duty: Substring
  private let arguments: [Substring]

  init(_ line: [Substring], _ files: Files) {
    let namespaces = line[1...3].map { Set(list($0).map(NamespaceID.init(_:))) }
    state = LogState(
      of: LogContents(files.entries(list(line[4]))), current: NamespaceID(number(line[1])),
      remembered: namespaces[1], takenIn: namespaces[2])
    duty = line[5]
    arguments = Array(line.dropFirst(6))
  }

  func answer(_ files: Files) -> String {
    operations(files).map { plan in
      Set(plan.map { text($0, files) }).sorted().joined(separator: ",")
    }.joined(separator: ";")
  }

  private func operations(_ files: Files) -> [[PlannedChange]] {
    func version() -> ItemVersion { files.versions[number(arguments[0]) - 1] }
    func item() -> Item {
      let id = number(arguments[0].dropFirst())
      return arguments[0].first == "w" ? .wallet(RecordID(id)) : .file(FileID(id))
    }
    switch duty {
    case "replace": return [state.replacing(item())]
    case "choose": return [state.choosing(version())]
    case "refuse": return [state.refusing(item())]
    case "remove": return [state.removing(item())]
    case "drop": return [state.dropping([version().name])]
    case "forget":
      let id = number(arguments[0].dropFirst())
      let refusal: Refusal =
        arguments[0].first == "k" ? .key(SigningKey(id)) : .namespace(NamespaceID(id))
      return [
        state.refusing(refusal, knowing: Set(list(arguments[1]).map(SigningKey.init(_:))))
      ]
    case "retire": return state.retiring(SigningKey(number(arguments[0])))
    case "repeat":
      let late = state.lateActs(
        of: Set(list(arguments[0]).compactMap { files.operations[$0]?.name }))
      return late
    case "delete":
      let plan = state.deleting(
        NamespaceID(number(arguments[0])), opened: [], Remembered())
      return [plan.copies]
    default: return rotation()
    }
  }

  /// The slot in use has a file of its own, which is no part of the plan.
  private func rotation() -> [[PlannedChange]] {
    let plan = state.rotation()
    let slots = plan.slots.keys.filter { $0 != KeyID(number(arguments[0])) }
    return [
      plan.drafts, slots.map { .box($0) },
      plan.takesOver.map { .other(.refuse(.namespace($0))) },
      plan.hints.map { .other(.takenOver(by: $0)) },
    ]
  }

  private func text(_ change: PlannedChange, _ files: Files) -> String {
    switch change {
    case .again(let version): "a\(files.numbers[version.name] ?? 0)"
    case .copy(let version, let author, let copied):
      "c\(version.contents.number).\(author.map { "\($0.number)" } ?? "-")"
        + ".\(copied.map { "\(files.numbers[$0] ?? 0)" } ?? "-")"
    case .box(let slot): "b\(slot.number)"
    case .other(let change): text(change, files)
    }
  }

  private func text(_ change: Change, _ files: Files) -> String {
    switch change {
    case .end(let name): "e\(files.numbers[name] ?? 0)"
    case .drop(let name): "d\(files.numbers[name] ?? 0)"
    case .addWriter(let key, _, let rights, _): "W\(key.number).\(rights.rawValue)"
    case .retireWriter(let key): "R\(key.number)"
    case .refuse(.key(let key)): "k\(key.number)"
    case .refuse(.namespace(let namespace)): "n\(namespace.number)"
    case .takenOver(let namespace): "h\(namespace.number)"
    case .removeSlot(let slot): "x\(slot.number)"
    case .text(let text): "t\(text.number)"
    case .add, .begin, .addFile, .labelSlot, .envelope: "?"
    }
  }
}

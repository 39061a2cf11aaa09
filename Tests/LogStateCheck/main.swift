// Reads sets of files and their meaning by Tests/fold/fold.py, line by line, and compares it with LogState.
// Tests/fold/compare.py writes the lines and describes them.

import CSPP
import Foundation
import LogState

/// The files that were defined so far, by their numbers.
struct Files {
  var versions: [ItemVersion] = []
  var numbers: [VersionName: Int] = [:]
  var operations: [Int: OrdinaryOperation] = [:]
  var silent: [Int: SilentOperation] = [:]
  var views: [Int: ViewVersion] = [:]

  func contents(_ ids: [Int]) -> LogContents {
    LogContents(
      operations: ids.compactMap { operations[$0] }, sealed: ids.compactMap { silent[$0] },
      views: ids.compactMap { views[$0] })
  }

  mutating func define(_ line: [Substring]) {
    switch line[0] {
    case "V":
      let id = number(line[2].dropFirst())
      let item: Item =
        line[2].first == "w" ? .wallet(RecordID(id)) : .file(FileID(id))
      let version = ItemVersion(
        of: item, bytes: Digest(number(line[3])), contents: Digest(number(line[4])),
        by: Int(line[5]).map(SigningKey.init(_:)),
        copied: Int(line[6]).map { versions[$0 - 1].name })
      versions.append(version)
      numbers[version.name] = versions.count
    case "I":
      views[number(line[1])] = ViewVersion(
        in: NamespaceID(number(line[2])), versions[number(line[3]) - 1])
    case "S":
      let parts = line[4...].map { $0.split(separator: ":") }
      silent[number(line[1])] = SilentOperation(
        to: NamespaceID(number(line[2])), signedBy: SigningKey(number(line[3])),
        added: parts.filter { $0[0] == "a" }.map { versions[number($0[1]) - 1] },
        ended: parts.filter { $0[0] == "e" }.map {
          (FileID(number($0[1])), Digest(number($0[2])))
        })
    default:
      operations[number(line[1])] = OrdinaryOperation(
        in: NamespaceID(number(line[2])),
        OperationID(WriterID(number(line[3])), UInt64(number(line[4]))), line[5...].map(change))
    }
  }

  private func change(_ text: Substring) -> Change {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let id = number(parts[1])
    switch parts[0] {
    case "a": return .add(versions[id - 1])
    case "e": return .end(versions[id - 1].name)
    case "d": return .drop(versions[id - 1].name)
    case "W": return .addWriter(SigningKey(id), Rights(rawValue: UInt8(number(parts[2]))))
    case "R": return .retireWriter(SigningKey(id))
    case "k": return .refuse(.key(SigningKey(id)))
    case "n": return .refuse(.namespace(NamespaceID(id)))
    case "s": return .addSlot(KeyID(id), parts[2] == "o" ? .own : .box)
    case "x": return .removeSlot(KeyID(id))
    case "t": return .text(Digest(id))
    case "h": return .takenOver(by: NamespaceID(id))
    default:
      let ids = parts[2].split(separator: ",").map { part in
        let place = part.split(separator: ".")
        return OperationID(WriterID(number(place[0])), UInt64(number(place[1])))
      }
      return .begin(
        takesOver: Set(list(parts[1]).map(NamespaceID.init(_:))), operations: Set(ids))
    }
  }
}

extension HexIdentifier {
  init(_ number: Int) {
    var words = Words()
    words[0] = UInt64(number)
    self.init(words: words)
  }

  var number: Int { Int(words[0]) }
}

/// A number of a line; any other text is 0, which nothing has, so that the comparison differs.
func number(_ text: Substring) -> Int { Int(text) ?? 0 }

func list(_ text: Substring) -> [Int] {
  text == "-" ? [] : text.split(separator: ",").map(number)
}

func joined(_ texts: some Sequence<String>) -> String { texts.sorted().joined(separator: ",") }

func joined(_ numbers: some Sequence<Int>) -> String {
  numbers.sorted().map(String.init).joined(separator: ",")
}

extension Files {
  func told(_ told: LogState.Told) -> String {
    switch told {
    case .end(let name): "e\(numbers[name] ?? 0)"
    case .writer(let key): "W\(key.number)"
    case .retirement(let key): "R\(key.number)"
    case .slot(let slot): "s\(slot.number)"
    case .removal(let slot): "x\(slot.number)"
    case .text(let text): "t\(text.number)"
    case .refusal(.key(let key)): "k\(key.number)"
    case .refusal(.namespace(let namespace)): "n\(namespace.number)"
    }
  }

  /// What LogState and the rules of namespaces say of a set of files.
  func answers(_ question: [Substring]) -> [String] {
    let namespaces = question[1...5].map { Set(list($0).map(NamespaceID.init(_:))) }
    let current = NamespaceID(number(question[1]))
    let contents = contents(list(question[6]))
    let state = LogState(
      of: contents, current: current, remembered: namespaces[1], takenIn: namespaces[2])
    func names(_ versions: Set<ItemVersion>) -> String {
      joined(versions.map { numbers[$0.name] ?? 0 })
    }
    func ids(_ ids: some Sequence<some HexIdentifier>) -> String {
      joined(ids.map { String($0.number) })
    }
    let opened = namespaces[3]
    return [
      names(state.live), names(state.offered), names(state.history), names(state.aside),
      names(state.faded), names(state.ordinary), joined(state.ended.map { numbers[$0] ?? 0 }),
      joined(state.settled.map { numbers[$0] ?? 0 }),
      joined(state.writers.map { "\($0.key.number):\($0.value.rawValue)" }), ids(state.retired),
      joined(
        state.slots.flatMap { slots in slots.value.map { "\(slots.key.number):\($0.number)" } }),
      ids(state.removedSlots), ids(state.texts), joined(state.told.map(told)),
      ids(state.counting), ids(state.earlier),
      contents.newComputer(own: namespaces[4], opened: opened).map { "\($0.number)" } ?? "",
      ids(contents.successors(of: current, opened: opened)),
      ids(contents.rivals(of: current, opened: opened)),
      contents.mustWait(in: current, opened: opened) ? "1" : "0",
      contents.isWhole(current) ? "1" : "0",
    ]
  }
}

let names = [
  "live", "offered", "history", "aside", "faded", "ordinary", "ended", "settled", "writers",
  "retired", "slots", "removed slots", "texts", "told", "counting", "earlier", "new computer",
  "successors", "rivals", "waits", "whole",
]
var files = Files()
var compared = 0
var different = 0
while let line = readLine() {
  guard line.first == "Q" else {
    files.define(line.split(separator: " "))
    continue
  }
  let parts = line.split(separator: "|", omittingEmptySubsequences: false)
  let expected = parts.dropFirst().map(String.init)
  let found = files.answers(parts[0].split(separator: " "))
  compared += 1
  if expected != found {
    different += 1
    guard different <= 5 else { continue }
    print("different: \(parts[0])")
    for (name, (expected, found)) in zip(names, zip(expected, found)) where expected != found {
      print("  \(name): fold.py \(expected), LogState \(found)")
    }
  }
}
print("\(compared) sets of files compared, \(different) different")
exit(different == 0 && compared > 0 ? 0 : 1)

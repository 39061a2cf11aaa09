import CSPP
import LogState

/// The place of an operation: its namespace, who wrote it, and its counter.
struct Place: Hashable {
  let namespace, writer, counter: Int
  let isSilent: Bool

  /// The chain that it is in.
  var chain: Chain {
    isSilent
      ? .silent(NamespaceID(namespace), SigningKey(writer))
      : .ordinary(NamespaceID(namespace), WriterID(writer))
  }

  /// The name of one of the operations that claim this place.
  func name(_ branch: Int = 0) -> OperationID {
    let parts = [namespace, writer, counter].map(UInt64.init(_:))
    // Only the first word is hashed. The later of two branches has the greater digest.
    let mixed = parts.reduce(isSilent ? 1 : 0) { ($0 ^ $1) &* 0x9E37_79B9_7F4A_7C15 }
    let words = SIMD4<UInt64>(
      mixed, isSilent ? 1 : 0, parts[0] << 32 | parts[1], parts[2] << 32 | UInt64(branch))
    return OperationID(chain, UInt64(counter), Digest(words: words))
  }
}

/// An operation of the model, which names others by their places.
struct PlacedOperation {
  let place: Place
  let branch: Int
  var changes: [Change] = []
  var takesOver: Set<NamespaceID>?
  var begins: [Place] = []
  var seen: [Place] = []
  var added: [ItemVersion] = []
  var ended: [(file: FileID, bytes: Digest)] = []

  var name: OperationID { place.name(branch) }
}

/// The files that were defined so far, by their numbers.
struct Files {
  private(set) var versions: [ItemVersion] = []
  private(set) var numbers: [VersionName: Int] = [:]
  private(set) var operations: [Int: PlacedOperation] = [:]
  private(set) var byName: [OperationID: Int] = [:]
  private var views: [Int: ViewVersion] = [:]
  private var branches: [Place: Int] = [:]

  /// The files with these numbers, with the names that fit to this set.
  ///
  /// In the model an operation is named by its place. Whichever is here of those that claim it is meant.
  func entries(_ ids: [Int]) -> [LogEntry] {
    let here = ids.compactMap { operations[$0] }
    var names: [Place: OperationID] = [:]
    var first: [Chain: Int] = [:]
    for operation in here {
      let place = operation.place
      names[place] = names[place] ?? operation.name
      first[place.chain] = min(first[place.chain] ?? .max, place.counter)
    }
    func name(_ place: Place) -> OperationID { names[place] ?? place.name() }
    return ids.map { id in
      if let view = views[id] { return .view(view) }
      guard let operation = operations[id] else { preconditionFailure("file \(id) is not defined") }
      let place = operation.place
      // In the model a chain goes on in the next namespace: it may begin with any counter.
      let isFirst = place.isSilent ? place.counter == 1 : first[place.chain] == place.counter
      let before = Place(
        namespace: place.namespace, writer: place.writer, counter: place.counter - 1,
        isSilent: place.isSilent)
      let previous = isFirst ? nil : name(before).digest
      if place.isSilent {
        return .sealed(
          SilentOperation(
            to: NamespaceID(place.namespace), signedBy: SigningKey(place.writer),
            UInt64(place.counter), operation.name.digest, after: previous, added: operation.added,
            ended: operation.ended))
      }
      var changes = operation.changes
      if let taken = operation.takesOver {
        changes.append(.begin(takesOver: taken, operations: Set(operation.begins.map(name))))
      }
      return .operation(
        OrdinaryOperation(
          in: NamespaceID(place.namespace), by: WriterID(place.writer), UInt64(place.counter),
          operation.name.digest, after: previous, seen: operation.seen.map(name), changes))
    }
  }

  mutating func define(_ line: [Substring]) {
    switch line[0] {
    case "V":
      let id = number(line[2].dropFirst())
      let (bytes, contents) = (Digest(number(line[3])), Digest(number(line[4])))
      let author = Int(line[5]).map(SigningKey.init(_:))
      let version =
        line[2].first == "w"
        ? ItemVersion(wallet: RecordID(id), entry: bytes, contents: contents, by: author)
        : ItemVersion(
          file: FileID(id), bytes: bytes, contents: contents, by: author,
          copied: Int(line[6]).map { versions[$0 - 1].name })
      versions.append(version)
      numbers[version.name] = versions.count
    case "I":
      views[number(line[1])] = ViewVersion(
        in: NamespaceID(number(line[2])), versions[number(line[3]) - 1])
    default:
      let place = Place(
        namespace: number(line[2]), writer: number(line[3]), counter: number(line[4]),
        isSilent: line[0] == "S")
      let branch = branches[place, default: 0]
      branches[place] = branch + 1
      var operation = PlacedOperation(place: place, branch: branch)
      for part in line[5...] {
        add(part.split(separator: ":", omittingEmptySubsequences: false), to: &operation)
      }
      operations[number(line[1])] = operation
      byName[operation.name] = number(line[1])
    }
  }

  private func add(_ parts: [Substring], to operation: inout PlacedOperation) {
    let id = Int(parts[1]) ?? 0
    if operation.place.isSilent {
      switch parts[0] {
      case "a": operation.added.append(versions[id - 1])
      default: operation.ended.append((FileID(id), Digest(number(parts[2]))))
      }
      return
    }
    switch parts[0] {
    case "a": operation.changes.append(.add(versions[id - 1]))
    case "e": operation.changes.append(.end(versions[id - 1].name))
    case "d": operation.changes.append(.drop(versions[id - 1].name))
    case "W":
      operation.changes.append(
        .addWriter(
          SigningKey(id), id: WriterID(id), rights: Rights(rawValue: UInt8(number(parts[2]))),
          label: Label("", at: 0)))
    case "R": operation.changes.append(.retireWriter(SigningKey(id)))
    case "k": operation.changes.append(.refuse(.key(SigningKey(id))))
    case "n": operation.changes.append(.refuse(.namespace(NamespaceID(id))))
    case "s":
      operation.changes.append(
        .addFile(SlotFile(KeyID(id), parts[2] == "o" ? .own : .box, Digest(id)), slot: KeyID(id)))
    case "x": operation.changes.append(.removeSlot(KeyID(id)))
    case "t": operation.changes.append(.text(Digest(id)))
    case "h": operation.changes.append(.takenOver(by: NamespaceID(id)))
    case "g": operation.seen.append(place(parts[1], isSilent: true))
    default:
      operation.takesOver = Set(list(parts[1]).map(NamespaceID.init(_:)))
      operation.begins = parts[2].split(separator: ",").map { place($0, isSilent: false) }
    }
  }

  private func place(_ text: Substring, isSilent: Bool) -> Place {
    let numbers = text.split(separator: ".").map(number)
    return Place(
      namespace: numbers[0], writer: numbers[1], counter: numbers[2], isSilent: isSilent)
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

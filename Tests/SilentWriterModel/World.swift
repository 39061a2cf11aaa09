import TestSupport

/// Computers, the folder between them, attackers, and everything that happened.
final class World {
  static let records = 2
  /// Versions that are kept in any case, and days for which a version must have been replaced.
  static let (kept, days, day) = (2, 3, 24)
  static let counterLimit = 1000

  let rules: Rules
  var random = SeededGenerator(seed: 0)
  private(set) var operations: [Operation] = []
  /// Whether the operation was ever in the folder.
  private(set) var isPublished: [Bool] = []
  var replicas: [Replica] = []
  var persons: [Person] = []
  var silents: [Silent] = []
  /// The secrets of silent computers that a thief has.
  var thefts: [SilentState] = []
  var truth = Truth()
  /// The objects in the folder, and those that were removed from it.
  var objects: Set<ObjectPlace> = []
  var removedObjects: Set<ObjectPlace> = []
  /// What an attacker keeps from a replica.
  var withheld: [Set<Name>] = []
  /// Whether a rotation has recorded what it carried; from then on the old key is a stranger's.
  var isRotated = false
  var rotator: Int?
  /// Whether somebody put another namespace beside the one in use.
  var isRivalled = false
  /// Hours.
  var now = 0
  private(set) var trace: [String] = []
  private(set) var violations: [String] = []
  private var lastNumber = 100

  init(rules: Rules, persons: Int, silents: Int, seed: UInt64) {
    self.rules = rules
    random = SeededGenerator(seed: seed)
    for index in 0..<persons { self.persons.append(Person(index: index, replica: addReplica())) }
    for index in 0..<silents {
      let replica = addReplica()
      self.silents.append(Silent(index: index, replica: replica))
      authorise(index, by: 0)
    }
    if chance(0.7) { for replica in replicas.indices { deliver(to: replica, part: 1) } }
  }

  func addReplica(_ replica: Replica = Replica()) -> Int {
    replicas.append(replica)
    withheld.append([])
    return replicas.count - 1
  }

  func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }

  func log(_ line: @autoclosure () -> String) { trace.append(line()) }

  func violate(_ what: String) {
    violations.append(what)
    trace.append("VIOLATION: \(what)")
  }

  /// Makes an operation that is not in the folder yet.
  func make(_ operation: Operation) -> Name {
    operations.append(operation)
    isPublished.append(false)
    return operations.count - 1
  }

  func publish(_ name: Name, at replica: Int) {
    isPublished[name] = true
    truth.destroyed.remove(name)
    replicas[replica].add(name)
  }

  /// An operation that was never meant to stay is gone.
  func withdraw(_ name: Name) { isPublished[name] = false }

  func write(_ object: Int, in namespace: Int, at replica: Int) {
    let place = ObjectPlace(namespace: namespace, object: object)
    objects.insert(place)
    removedObjects.remove(place)
    replicas[replica].add(place)
  }

  func erase(_ object: Int, in namespace: Int, at replica: Int) {
    let place = ObjectPlace(namespace: namespace, object: object)
    replicas[replica].remove(place)
    objects.remove(place)
    removedObjects.insert(place)
  }

  /// Brings a part of what is under way.
  func deliver(to replica: Int, part: Double) {
    for name in operations.indices.shuffled(using: &random)
    where isPublished[name] && !truth.destroyed.contains(name)
      && !withheld[replica].contains(name) && !replicas[replica].has(name)
    {
      if part >= 1 || chance(part) { replicas[replica].add(name) }
    }
    let missing = objects.filter { !replicas[replica].has($0) }
    for place in missing.sorted() where part >= 1 || chance(part) { replicas[replica].add(place) }
    let gone = removedObjects.filter { replicas[replica].has($0) }
    for place in gone.sorted() where part >= 1 || chance(part) { replicas[replica].remove(place) }
  }

  func reading(of replica: Int, namespace: Int) -> Reading {
    Reading(
      Folder(operations: operations, replica: replicas[replica], rules: rules),
      namespace: namespace)
  }

  /// The silent writer authorises itself at a person's computer.
  func authorise(_ index: Int, by person: Int) {
    let helper = persons[person]
    let reading = reading(of: helper.replica, namespace: helper.namespace)
    if rules.hold(.finishedFirst) { recover(index) }
    var state = silents[index].state
    let all = reading.log.ordinary + (reading.earlier?.ordinary ?? [])
    let isRetired = all.contains { name in
      operations[name].changes.contains {
        if case .writerRetire(let key, _) = $0 { key == state?.key } else { false }
      }
    }
    if state == nil {
      state = SilentState(key: number(), files: [number() * 2, number() * 2 + 1])
    } else if isRetired, rules.hold(.neverReturns) {
      state?.key = number()
    }
    guard var state else { return }
    if rules.lack(.acrossNamespaces), state.namespace != helper.namespace {
      state.lastVersions = [:]
    }
    state.namespace = helper.namespace
    state.writer = number()
    state.last = nil
    state.pendingObject = nil
    let mayWallets = index == 0
    let add = Change.writerAdd(writer: state.writer, key: state.key, wallets: mayWallets)
    state.authorisation = write([add], by: person, reading)
    state.mayWallets = mayWallets
    silents[index].state = state
    log("person \(person) authorises silent \(index): writer \(state.writer), key \(state.key)")
  }

  /// Publishes an ordinary operation.
  @discardableResult
  func write(
    _ changes: [Change], by person: Int, _ reading: Reading, isFinding: Bool = false,
    seenSealed: [Piece]? = nil
  ) -> Name {
    let helper = persons[person]
    let namespace = reading.namespace
    let last = helper.last[namespace]
    let name = make(
      Operation(
        namespace: namespace, writer: person,
        counter: (last.map { operations[$0].counter } ?? 0) + 1, previous: last,
        seen: isFinding ? [] : reading.log.ends(reading.folder),
        seenSealed: isFinding
          ? []
          : seenSealed ?? reading.log.pieces(reading.folder)
            + (reading.earlier?.pieces(reading.folder) ?? []),
        isFinding: isFinding, changes: changes, author: .person(person)))
    persons[person].last[namespace] = name
    publish(name, at: helper.replica)
    return name
  }
}

extension ObjectPlace: Comparable {
  static func < (one: ObjectPlace, other: ObjectPlace) -> Bool {
    (one.namespace, one.object) < (other.namespace, other.object)
  }
}

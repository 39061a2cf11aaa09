public import TestSupport

/// A random sequence of what computers, people and attackers do.
public struct History: RandomHistory {
  /// What may happen besides writing, reading and late delivery.
  public enum Kind: String, CaseIterable, Sendable {
    /// Crashes.
    case plain
    /// Also disks that are copied, put back or lost.
    case disks
    /// Also somebody who can write to the folder.
    case folder
    /// Also a thief of a silent computer, and retirement.
    case thief
    /// Also a rotation of the master key, and somebody who has the old one.
    case rotation
    /// Wrong clocks and retention, with a thief.
    case retention
    /// Everything.
    case all
  }

  /// The kind of events.
  public let kind: Kind
  /// The seed, which determines everything.
  public let seed: UInt64
  /// The numbers of the steps that are taken.
  public var steps: [Int]

  /// Creates the history of a kind from a seed.
  public init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    let most = kind == .retention || kind == .all ? 70 : 40
    steps = Array(0..<Int.random(in: 6...most, using: &generator))
  }

  /// The result of a history.
  public struct Outcome: Sendable {
    /// The violations; empty if all is well.
    public var violations: [String]
    /// The events, line by line.
    public var trace: [String]
    /// The number of operations that were made.
    public var operations: Int
  }

  /// Plays the history to its end.
  public func play(_ rules: Rules = Rules()) -> Outcome {
    var generator = SeededGenerator(seed: seed)
    let world = World(
      rules: rules, persons: Int.random(in: 1...3, using: &generator),
      silents: Int.random(in: 1...2, using: &generator), seed: seed ^ 0xABCD)
    for step in steps {
      world.random = SeededGenerator(seed: seed &* 0x1_0001 &+ UInt64(step) &* 0x9E37_79B9)
      world.step(kind)
      if !world.violations.isEmpty { break }
    }
    world.random = SeededGenerator(seed: seed ^ 0x5EED)
    if world.violations.isEmpty { world.finish() }
    return Outcome(
      violations: world.violations, trace: world.trace, operations: world.operations.count)
  }

  /// A shorter history with violations too.
  public func shrunk(_ rules: Rules = Rules()) -> History {
    shrunk { !$0.play(rules).violations.isEmpty }
  }
}

extension World {
  func step(_ kind: History.Kind) {
    now += Int.random(in: 0...30, using: &random)
    let person = Int.random(in: 0..<persons.count, using: &random)
    let silent = Int.random(in: 0..<silents.count, using: &random)
    let isKeeping = kind == .retention || kind == .all
    switch Int.random(in: 0..<100, using: &random) {
    case ..<25:
      deliver(
        to: Int.random(in: 0..<replicas.count, using: &random), part: chance(0.5) ? 1 : 0.5)
    case ..<50: write(silent, kind)
    case ..<66: personActs(person)
    case ..<72 where isKeeping:
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        now += Int.random(in: 8...30, using: &random)
        prune(person)
      }
    case ..<75 where isKeeping:
      persons[person].skew = Int.random(in: -400...400, using: &random)
      prune(person)
    case ..<80 where kind == .disks || kind == .all: disturb(silent)
    case ..<85 where kind == .folder || kind == .all: outsiderActs()
    case ..<91 where kind == .thief || kind == .retention || kind == .all || kind == .rotation:
      if thefts.isEmpty || chance(0.1) {
        if let state = silents[silent].state {
          thefts.append(state)
          truth.stolen.insert(state.key)
          log("silent \(silent) is stolen")
        }
      } else {
        thiefActs()
      }
    case ..<93 where kind == .thief || kind == .retention || kind == .all || kind == .rotation:
      retire(person, silent)
    case ..<96 where kind == .rotation || kind == .all:
      if let rotator { finishRotation(rotator) } else { beginRotation(person) }
      formerKeyActs()
    default:
      if kind == .rotation || kind == .all { formerKeyActs() } else { personActs(person) }
    }
  }

  private func write(_ silent: Int, _ kind: History.Kind) {
    let crash = chance(0.15) ? Int.random(in: 0..<World.silentSteps, using: &random) : nil
    let canCopy = kind == .disks || kind == .all
    let snapshot =
      canCopy && chance(0.2) ? Int.random(in: 0..<World.silentSteps, using: &random) : nil
    let isWallet = silents[silent].state?.mayWallets == true && chance(0.25)
    silentWrites(
      silent, file: isWallet ? nil : Int.random(in: 0...1, using: &random), crashAt: crash,
      snapshotAt: snapshot)
  }

  private func personActs(_ person: Int) {
    let files = Set(truth.versions.values.map(\.file)).sorted()
    let file = files.randomElement(using: &random)
    let record = Int.random(in: 0..<World.records, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case ..<3: if let file { edit(person, file: file) }
    case ..<8: for file in files { settle(person, file: file) }
    case ..<10: accept(person)
    case 10: if let file { remove(person, file: file) }
    case ..<14: changeWallet(person, record, isRemoval: chance(0.2))
    case ..<17: authorise(Int.random(in: 0..<silents.count, using: &random), by: person)
    default: _ = adopt(person, file: nil, open(person))
    }
  }

  /// A silent computer's disk is copied, put back, or lost.
  private func disturb(_ index: Int) {
    guard let state = silents[index].state else {
      return authorise(index, by: Int.random(in: 0..<persons.count, using: &random))
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      silents[index].state = nil
      silents[index].isDisturbed = true
      log("silent \(index) loses its state")
    case 1 where silents.count < 4:
      let replica = addReplica(replicas[silents[index].replica])
      var copy = Silent(index: silents.count, replica: replica)
      copy.state = silents[index].snapshots.randomElement(using: &random) ?? state
      copy.isDisturbed = true
      silents[index].isDisturbed = true
      silents.append(copy)
      log("silent \(index) is copied as \(copy.index)")
    case 2, 3:
      guard let old = silents[index].snapshots.randomElement(using: &random) else { return }
      silents[index].state = old
      silents[index].isDisturbed = true
      log("silent \(index) gets its old state back: \(old)")
    default: silents[index].snapshots.append(state)
    }
  }
}

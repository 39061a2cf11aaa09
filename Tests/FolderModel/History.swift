import BackupFolder
public import TestSupport

/// A random sequence of actions by users, crashes, synchronisation, other programs and attackers.
public struct History: RandomHistory {
  /// The possible events besides users and bad synchronisation.
  public enum Kind: String, CaseIterable, Sendable {
    /// Nothing else.
    case plain
    /// Runs are also killed.
    case crash
    /// One computer is cloned; runs are killed.
    case clone
    /// Files that were seen are restored to older versions or removed; runs are killed.
    case attack
    /// Somebody without a key adds files: operations in another spelling, key slots, whole
    /// namespaces.
    ///
    /// Runs are killed too.
    case plant
    /// Three computers, 300 steps, and each delivery is a random part of the pending files.
    case partial
    /// Files and silent writers: crashes, cloned disks, restored disks and folders, wrong clocks.
    case files
    /// Files, and somebody who has a silent computer's disk or adds files without any key.
    case thief
    /// Files, rotations of the master key, and somebody who has one that was given up.
    case rotation
    /// Files whose objects and operations are removed, cut off, swapped or changed.
    case damage

    /// Whether it is played with files and silent writers.
    var hasFiles: Bool { [.files, .thief, .rotation, .damage].contains(self) }
  }

  /// The kind of events.
  public let kind: Kind
  /// The seed, which determines everything but the program's own random numbers.
  public let seed: UInt64
  /// The numbers of the steps that are taken.
  public var steps: [Int]

  /// Creates the history of a kind from a seed.
  public init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    self.seed = seed
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 6...24, using: &generator)
    steps = Array(0..<(kind == .partial ? 300 : kind.hasFiles ? count + 10 : count))
  }

  /// The result of a history.
  public struct Outcome: Sendable {
    /// The violations; empty if all is well.
    public var violations: [String] = []
    /// The events, line by line.
    public var trace: [String] = []
    /// The number of runs of the program.
    public var runs = 0
  }

  /// Plays the history to its end.
  public func play() -> Outcome {
    if kind.hasFiles { return playFiles() }
    let world: World
    do {
      world = try World(seed: seed, others: kind == .partial ? 2 : nil)
    } catch {
      return Outcome(violations: ["no world: \(error)"])
    }
    var stage = Stage(kind: kind, world: world)
    for step in steps {
      var generator = SeededGenerator(seed: seed &* 0x1_0001 &+ UInt64(step) &* 0x9E37_79B9)
      world.generator = generator
      stage.step(using: &generator)
      if !world.violations.isEmpty { break }
    }
    if world.violations.isEmpty {
      // A permanent loss cannot be undone.
      if world.isAttacked { world.lookAround() } else { world.finish() }
    }
    return Outcome(violations: world.violations, trace: world.trace, runs: world.runs)
  }

  /// Plays a history with files.
  private func playFiles() -> Outcome {
    let world: FileWorld
    do {
      world = try FileWorld(kind, seed: seed)
    } catch {
      return Outcome(violations: ["no world: \(error)"])
    }
    let stage = FileStage(world: world)
    for step in steps {
      var generator = SeededGenerator(seed: seed &* 0x1_0001 &+ UInt64(step) &* 0x9E37_79B9)
      stage.step(using: &generator)
      if !world.violations.isEmpty { break }
    }
    if world.violations.isEmpty { world.finish() }
    return Outcome(violations: world.violations, trace: world.trace, runs: world.runs)
  }

  /// A shorter history with violations too.
  public func shrunk() -> History {
    shrunk { !$0.play().violations.isEmpty }
  }
}

/// A history that is being played.
private struct Stage {
  let kind: History.Kind
  let world: World
  var snapshots: [(computer: Int, state: [String: Replica.Version])] = []

  mutating func step(using generator: inout SeededGenerator) {
    let place = Int.random(in: 0..<world.computers.count, using: &generator)
    let computer = world.computers[place]
    let wallet = World.wallets.randomElement(using: &generator) ?? ""
    let crash =
      kind != .plain && kind != .partial && Int.random(in: 0..<5, using: &generator) == 0
      ? Int.random(in: 0..<30, using: &generator) : nil
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<32:
      if !computer.replica.isCutOff {
        if kind == .partial {
          world.engine.deliverPart(to: computer.replica, using: &generator)
        } else {
          world.engine.deliverSome(to: computer.replica, using: &generator)
        }
        world.log("some arrives at \(computer.name)")
      }
    case ..<58: world.run(computer, .put(wallet), crashAt: crash)
    case ..<65: world.run(computer, .remove(wallet), crashAt: crash)
    case ..<72: world.run(computer, .keep(wallet), crashAt: crash)
    case ..<76: world.run(computer, .look)
    case ..<79: world.run(computer, .repair, crashAt: crash)
    case ..<83: computer.replica.isCutOff.toggle()
    case ..<90: world.foreignEdit(at: computer, using: &generator)
    case ..<94 where kind == .clone && !world.isCloned: world.clone(computer)
    default:
      if kind == .plant { plant(at: computer, using: &generator) }
      guard kind == .attack else { break }
      snapshots.append((place, computer.replica.versions))
      if Int.random(in: 0..<3, using: &generator) > 0 { attack(using: &generator) }
    }
  }

  private func plant(at computer: Computer, using generator: inout SeededGenerator) {
    guard let planting = Planting.allCases.randomElement(using: &generator) else { return }
    world.isPlanted = true
    planting.play(on: computer.replica, in: world, using: &generator)
    world.engine.collect(computer.replica)
    world.log("PLANTED at \(computer.name): \(planting)")
    world.run(computer, .look)
  }

  private mutating func attack(using generator: inout SeededGenerator) {
    guard let snapshot = snapshots.randomElement(using: &generator),
      let attack = Attack.allCases.randomElement(using: &generator)
    else { return }
    world.isAttacked = true
    let victim = world.computers[snapshot.computer]
    attack.play(
      on: victim.replica, old: snapshot.state, archive: world.archive, time: world.engine.tick(),
      using: &generator)
    world.log("ATTACK at \(victim.name): \(attack)")
    // The loss is permanent, so the next run must report it.
    world.run(victim, .look)
  }
}

import TestSupport

/// A history with files that is being played.
struct FileStage {
  let world: FileWorld

  /// Plays one step.
  func step(using generator: inout SeededGenerator) {
    world.generator = generator
    let machine = world.machines.filter { $0.role == .keyed || $0.role == .silent }
      .randomElement(using: &world.generator)
    guard let machine else { return }
    let crash =
      chance(6)
      ? Int.random(in: 0..<(world.kind == .rotation ? 90 : 40), using: &world.generator) : nil
    if special(machine, crash) { return }
    switch Int.random(in: 0..<100, using: &world.generator) {
    case ..<30:
      if machine.replica.isCutOff { return }
      world.engine.deliverSome(to: machine.replica, using: &world.generator)
      world.log("some arrives at \(machine.name)")
    case ..<34: machine.replica.isCutOff.toggle()
    case ..<37:
      machine.clock = Int.random(in: -1...1, using: &world.generator) * 31_000_000
      world.log("the clock of \(machine.name) jumps")
    case ..<40 where machine.role == .silent: world.cloneDisk(machine)
    case ..<45: world.restoreDisk(machine, isWhole: machine.role == .silent && chance(2))
    default:
      if machine.role == .keyed { keyed(machine, crash) } else { silent(machine, crash) }
    }
  }

  private func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &world.generator) == 0
  }

  /// What only this kind of history has; returns whether it happened.
  private func special(_ machine: Machine, _ crash: Int?) -> Bool {
    guard chance(6) else { return false }
    switch world.kind {
    case .thief:
      let silent = world.machines.filter { $0.role == .silent }
      guard let victim = silent.randomElement(using: &world.generator) else { return false }
      if chance(3), let planting = FilePlanting.allCases.randomElement(using: &world.generator) {
        world.plant(planting, at: machine)
      } else if let theft = Theft.allCases.randomElement(using: &world.generator) {
        world.steal(from: victim, using: theft)
      }
    case .rotation:
      if chance(4) {
        world.writeWithOldKey(at: machine)
      } else {
        guard let keyed = world.keyed.randomElement(using: &world.generator) else { return false }
        world.run(keyed, .rotate, crashAt: crash)
      }
    case .damage:
      guard let damage = FileDamage.allCases.randomElement(using: &world.generator) else {
        return false
      }
      world.damage(damage, at: machine)
    default: return false
    }
    return true
  }

  private func keyed(_ machine: Machine, _ crash: Int?) {
    switch Int.random(in: 0..<100, using: &world.generator) {
    case ..<30: world.run(machine, .add, crashAt: crash)
    case ..<40: world.run(machine, .remove, crashAt: crash)
    case ..<55: world.run(machine, .choose, crashAt: crash)
    case ..<59: world.run(machine, .retire, crashAt: crash)
    case ..<66: prune(machine, crash)
    case ..<72: world.run(machine, .look)
    case ..<76: world.run(machine, .repair, crashAt: crash)
    case ..<84: world.run(machine, .wallet, crashAt: crash)
    case ..<87: world.run(machine, .removeWallet, crashAt: crash)
    case ..<92: world.run(machine, .keepWallet, crashAt: crash)
    default:
      let silent = world.machines.filter { $0.role == .silent }
      guard let other = silent.randomElement(using: &world.generator) else { return }
      world.authorise(other, by: machine, crashAt: crash)
    }
  }

  /// Lets a week go by, a run a day, and gives up old versions.
  private func prune(_ machine: Machine, _ crash: Int?) {
    for _ in 0..<Int.random(in: 0...9, using: &world.generator) {
      machine.clock += [90_000, 90_000, 3000].randomElement(using: &world.generator) ?? 0
      world.run(machine, .look)
    }
    world.run(machine, .prune, crashAt: crash)
  }

  private func silent(_ machine: Machine, _ crash: Int?) {
    switch Int.random(in: 0..<100, using: &world.generator) {
    case ..<75: world.write(machine, crashAt: crash)
    case ..<87: world.removeSilently(machine, crashAt: crash)
    default: world.addWallet(machine, crashAt: crash)
    }
  }
}

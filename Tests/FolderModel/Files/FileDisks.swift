import TestSupport

extension FileWorld {
  /// Clones a computer's disk: both go on.
  func cloneDisk(_ machine: Machine) {
    guard machines.count < 8 else { return }
    let name = "\(machine.name)\(machines.count)"
    include(machine.clone(name: name, machine.role, base: base))
    log("\(machine.name) is cloned: \(name)")
  }

  /// Keeps a computer's disk, or restores it: the sync program brings what is missing again.
  ///
  /// - Parameters:
  ///   - machine: the computer.
  ///   - isWhole: whether the program's state is restored too, and not only the folder.
  func restoreDisk(_ machine: Machine, isWhole: Bool) {
    guard let backup = machine.backup, Int.random(in: 0..<2, using: &generator) == 0 else {
      machine.keepDisk()
      return log("\(machine.name): its disk is kept")
    }
    if isWhole { machine.restoreState() }
    setBack(machine.replica, to: backup.replica)
    machine.isSetBack = true
    log("\(machine.name): its \(isWhole ? "disk" : "folder") is set back")
  }

  private func setBack(_ replica: Replica, to old: [String: Replica.Version]) {
    replica.pending += replica.versions.map { Replica.Delivery(path: $0.key, version: $0.value) }
      .sorted { $0.path < $1.path }
    replica.replace(with: old)
  }
}

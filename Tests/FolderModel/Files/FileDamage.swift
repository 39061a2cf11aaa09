import CSPP
import TestSupport

/// Damage to objects and sealed operations.
enum FileDamage: String, CaseIterable {
  case removed, cut, swapped, emptied, changed
}

extension FileWorld {
  func damage(_ damage: FileDamage, at machine: Machine) {
    let files = machine.replica.files
    let isObject = Int.random(in: 0..<3, using: &generator) > 0
    let paths = files.keys.filter(isObject ? FilePath.isObject : FilePath.isSealed).sorted()
    guard let path = paths.randomElement(using: &generator), let bytes = files[path]?.bytes,
      !bytes.isEmpty
    else { return }
    isAttacked = true
    let place = "\(machine.replica.folder)/\(path)"
    destroy(path)
    switch damage {
    case .removed: Disk.remove(place)
    case .cut: Disk.write(Array(bytes.prefix(bytes.count / 2)), to: place)
    case .emptied: Disk.write([], to: place)
    case .changed:
      var changed = bytes
      changed[changed.count / 2] ^= 1
      Disk.write(changed, to: place)
    case .swapped:
      guard let other = paths.randomElement(using: &generator), let others = files[other]?.bytes
      else { return }
      destroy(other)
      Disk.write(others, to: place)
      Disk.write(bytes, to: "\(machine.replica.folder)/\(other)")
    }
    engine.collect(machine.replica)
    log("DAMAGE at \(machine.name): \(damage) \(path.suffix(50))")
  }

  private func destroy(_ path: String) {
    if let operation = FilePath.operation(path) {
      destroyed.insert(operation)
    } else {
      destroyed.insert(path.suffix(68))
    }
  }
}

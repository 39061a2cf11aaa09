/// One computer's copy of the folder.
struct Replica {
  private var operations: [Bool] = []
  private(set) var objects: Set<ObjectPlace> = []
  /// Names in the order of their arrival.
  private(set) var arrived: [Name] = []

  func has(_ name: Name) -> Bool {
    name >= 0 && name < operations.count && operations[name]
  }

  mutating func add(_ name: Name) {
    while operations.count <= name { operations.append(false) }
    if operations[name] { return }
    operations[name] = true
    arrived.append(name)
  }

  mutating func remove(_ name: Name) {
    guard has(name) else { return }
    operations[name] = false
    arrived.removeAll { $0 == name }
  }

  mutating func add(_ object: ObjectPlace) { objects.insert(object) }
  mutating func remove(_ object: ObjectPlace) { objects.remove(object) }
  func has(_ object: ObjectPlace) -> Bool { objects.contains(object) }

  /// Brings the arrivals into another order.
  mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    arrived.shuffle(using: &generator)
  }
}

/// An object in the folder of one namespace.
struct ObjectPlace: Hashable {
  let namespace: Int
  let object: Int
}

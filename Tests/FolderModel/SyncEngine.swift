import TestSupport

/// A synchronisation program between replicas, as bad as possible without losing anything: late, in
/// any order, twice, in pieces.
///
/// Of two versions of a file, neither made from the other, the later one wins. The other one
/// becomes a conflict copy, if `names` gives it a name; otherwise it is dropped.
final class SyncEngine {
  private(set) var replicas: [Replica] = []
  /// The content with these bytes; equal bytes are one object.
  private let content: ([UInt8]) -> Content
  private let names: ConflictNames?
  private var time = 0
  /// The versions from which each version was made.
  private var ancestors: [Int: Set<Int>] = [:]

  /// The names of conflict copies.
  private var copies: Set<String> = []

  init(names: ConflictNames?, _ content: @escaping ([UInt8]) -> Content) {
    self.content = content
    self.names = names
  }

  func tick() -> Int {
    time += 1
    return time
  }

  func add(_ replica: Replica) { replicas.append(replica) }

  /// Finds the changes in a replica and sends them to all others.
  func collect(_ replica: Replica) {
    let disk = Disk.files(replica.folder)
    for (path, bytes) in disk.sorted(by: { $0.key < $1.key }) {
      let known = replica.partial[path] ?? replica.versions[path]?.content
      if known?.bytes != bytes { send(path, content(bytes), from: replica) }
    }
    for path in replica.files.keys.sorted() where disk[path] == nil {
      send(path, nil, from: replica)
    }
  }

  private func send(_ path: String, _ content: Content?, from replica: Replica) {
    let base = replica.versions[path]?.time ?? 0
    let version = Replica.Version(content: content, time: tick())
    ancestors[version.time] = ancestors[base, default: []].union([base])
    replica.versions[path] = version
    replica.partial[path] = nil
    for other in replicas where other !== replica {
      other.pending.append(Replica.Delivery(path: path, version: version))
    }
  }

  /// Delivers some of the pending versions to a replica.
  func deliverSome(to replica: Replica, using generator: inout some RandomNumberGenerator) {
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      guard !replica.pending.isEmpty else { return }
      let place = Int.random(in: 0..<replica.pending.count, using: &generator)
      let delivery = replica.pending[place]
      if let content = delivery.version.content, Int.random(in: 0..<8, using: &generator) == 0 {
        // It arrives in pieces, of which this is the first.
        let size = Bool.random(using: &generator) ? 0 : content.bytes.count / 2
        begin(delivery, Array(content.bytes.prefix(size)), in: replica)
        continue
      }
      apply(delivery, to: replica)
      if Int.random(in: 0..<10, using: &generator) > 0 {
        replica.pending.remove(at: place)
      }  // otherwise it is delivered again
    }
  }

  /// Delivers a random part of a replica's pending files, each whole and in its newest version.
  func deliverPart(to replica: Replica, using generator: inout some RandomNumberGenerator) {
    let paths = Set(replica.pending.map(\.path)).sorted()
    let chosen = Set(paths.filter { _ in Bool.random(using: &generator) })
    let deliveries = replica.pending.filter { chosen.contains($0.path) }
    replica.pending.removeAll { chosen.contains($0.path) }
    for delivery in deliveries { apply(delivery, to: replica) }
  }

  /// Delivers everything to everyone.
  func deliverAll() {
    while replicas.contains(where: { !$0.pending.isEmpty }) {
      for replica in replicas {
        let all = replica.pending
        replica.pending = []
        for delivery in all { apply(delivery, to: replica) }
      }
    }
  }

  private func begin(_ delivery: Replica.Delivery, _ bytes: [UInt8], in replica: Replica) {
    let current = replica.versions[delivery.path]
    guard current == nil || ancestors[delivery.version.time]?.contains(current?.time ?? 0) == true,
      replica.partial[delivery.path] == nil
    else { return }
    replica.partial[delivery.path] = content(bytes)
    replica.show(delivery.path)
  }

  private func apply(_ delivery: Replica.Delivery, to replica: Replica) {
    let (path, new) = (delivery.path, delivery.version)
    let wasPartial = replica.partial.removeValue(forKey: path) != nil
    defer { if wasPartial { replica.show(path) } }
    guard let current = replica.versions[path] else { return put(path, new, in: replica) }
    // It was delivered before, or is outdated.
    if current.time == new.time || ancestors[current.time]?.contains(new.time) == true { return }
    if ancestors[new.time]?.contains(current.time) == true {
      return put(path, new, in: replica)
    }
    if current.content === new.content {
      let (later, earlier) = (max(current.time, new.time), min(current.time, new.time))
      replica.versions[path] = Replica.Version(content: current.content, time: later)
      ancestors[later, default: []].formUnion(ancestors[earlier, default: []].union([earlier]))
      return
    }
    let (winner, loser) = new.time > current.time ? (new, current) : (current, new)
    if winner.time == new.time { put(path, new, in: replica) }
    if let names, let lost = loser.content {
      keep(lost, number: loser.time, of: path, names, in: replica)
    }
  }

  private func put(_ path: String, _ version: Replica.Version, in replica: Replica) {
    replica.versions[path] = version
    replica.show(path)
  }

  /// Writes a conflict copy, which is then an ordinary file.
  private func keep(
    _ content: Content, number: Int, of path: String, _ names: ConflictNames, in replica: Replica
  ) {
    if copies.contains(path) { return }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let copy = path[..<slash] + names.copy(of: String(path[slash...]), number: number)
    // One version has one name wherever it loses; a copy that loses gets none.
    if !copies.insert(String(copy)).inserted, replica.versions[String(copy)] != nil { return }
    send(String(copy), content, from: replica)
    replica.show(String(copy))
  }
}

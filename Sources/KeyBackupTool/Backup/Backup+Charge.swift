internal import BackupFolder
internal import CSPP
internal import SecretMemory

/// A way in that opened, with its secret.
final class OpenedWay: Sendable {
  let way: WayIn
  let secret: SecretBytes
  let masterKey: SharedMasterKey

  /// Nil where the secret is another way's.
  init?(_ way: WayIn, _ secret: borrowing SecretBytes) {
    guard let key = try? way.unwrap(secret: secret) else { return nil }
    self.way = way
    self.secret = secret.copy()
    masterKey = SharedMasterKey(key)
  }
}

/// Which of several namespaces that one key or code opens is in charge: their logs tell, not
/// the order in which they were tried.
extension Backup {
  /// Goes over to the way into the namespace in charge, where what was given opens that too.
  ///
  /// - Parameters:
  ///   - unlocked: what opened first.
  ///   - ways: those that will do.
  /// - Returns: what opened, by the way into the namespace that the logs lead to.
  /// - Throws: what device and folder throw.
  func inCharge(
    _ unlocked: consuming UnlockedMasterKey, _ ways: [WayIn]
  ) async throws(UserMessage) -> UnlockedMasterKey {
    guard !candidates.isEmpty, let way = unlocked.way, let secret = unlocked.secret?.copy() else {
      return unlocked
    }
    var opened = Self.opened(by: secret, unlocked.beside, ways, after: way)
    if opened.count < 2, settled == way.namespaceID { return unlocked }
    if opened.count < 2, let key = unlocked.key,
      let next = try await asked(key, way, secret, unlocked.masterKey)
    {
      opened.append(next)
    }
    guard let best = try best(of: opened), best !== opened.first else { return unlocked }
    unlocked.lead(to: best)
    return unlocked
  }

  /// What one answer opens: the way that opened first, and one for each other namespace.
  private static func opened(
    by secret: borrowing SecretBytes, _ beside: borrowing SecretBytes?, _ ways: [WayIn],
    after first: WayIn
  ) -> [OpenedWay] {
    guard let start = OpenedWay(first, secret) else { return [] }
    var opened = [start]
    for way in ways where !opened.contains(where: { $0.way.namespaceID == way.namespaceID }) {
      if let other = OpenedWay(way, secret) {
        opened.append(other)
      } else if let beside = beside?.copy(), let other = OpenedWay(way, beside) {
        opened.append(other)
      }
    }
    return opened
  }

  /// Asks the same security key for the namespace that follows: one more touch.
  private func asked(
    _ key: OpenKey, _ way: WayIn, _ secret: borrowing SecretBytes,
    _ masterKey: borrowing MasterKey
  ) async throws(UserMessage) -> OpenedWay? {
    var search = SuccessionSearch(
      folder: folder, start: SharedMasterKey(masterKey.copy()), keyID: way.keyID)
    if let keyID = way.keyID { search.ways.append(WaySecret(keyID, secret.copy())) }
    guard case .noKey(let id, let boxes) = try search.run(.reading).obstacle,
      try await search.ask(key, like: way, at: id, boxes)
    else { return nil }
    return search.opened
  }

  /// The one in charge; nil for none.
  private func best(of opened: [OpenedWay]) throws(UserMessage) -> OpenedWay? {
    if opened.count < 2 { return opened.first }
    let ids = Set(opened.map(\.way.namespaceID))
    var best: (way: OpenedWay, rank: Int)?
    for way in opened {
      let search = SuccessionSearch(folder: folder, start: way.masterKey, keyID: way.way.keyID)
      let followed = try search.run(.reading)
      // From the one in charge all are known, and nothing leads on.
      let known = followed.related.intersection(ids).count
      let rank = 4 * known - followed.obstacle.weight
      if rank <= best?.rank ?? .min { continue }
      let end = followed.obstacle == nil ? followed.namespace.id : way.way.namespaceID
      best = (opened.first { $0.way.namespaceID == end } ?? way, rank)
    }
    return best?.way
  }
}

extension SuccessionObstacle? {
  /// How far it is from the end of the way.
  fileprivate var weight: Int {
    switch self {
    case nil: 0
    case .notHere: 1
    case .uncompared: 2
    case .noKey: 3
    }
  }
}

extension UnlockedMasterKey {
  /// Takes another way that the same answer opened.
  fileprivate mutating func lead(to other: OpenedWay) {
    self = UnlockedMasterKey(
      masterKey: other.masterKey.copy(), keyID: other.way.keyID, way: other.way,
      secret: other.secret.copy(), extra: extra.take(), key: key)
  }
}

public import CSPP

/// A guard's account of the kind `login`, without its share and its subject.
///
/// The caller checks the ID token before it begins a release.
public struct LoginAccount: Equatable, Sendable {
  /// The most releases that are pending at a time.
  public static let maximumPending = 16
  /// The most vetoes before an account begins no more releases.
  ///
  /// So nobody can fill the disk with them, and every release that begins can be vetoed.
  public static let maximumVetoed = 1024

  /// Enrolment, end, counter.
  public private(set) var life: AccountLife
  /// The delay of its releases.
  public let delay: ReleaseDelay
  /// The releases that were begun and have not ended.
  public private(set) var pending: [ShareRelease]
  /// The releases that were vetoed: their session keys stay refused.
  public private(set) var vetoed: Set<ReleaseID>

  /// Begins an enrolment.
  ///
  /// - Parameters:
  ///   - delay: the delay of its releases.
  ///   - now: the time in Unix seconds.
  public init(_ delay: ReleaseDelay, createdAt now: UInt64) {
    self.init(life: AccountLife(createdAt: now), delay: delay)
  }

  /// Takes up a stored state.
  public init(
    life: AccountLife, delay: ReleaseDelay, pending: [ShareRelease] = [],
    vetoed: Set<ReleaseID> = []
  ) {
    self.life = life
    self.delay = delay
    self.pending = pending
    self.vetoed = vetoed
  }

  /// Begins a release for someone who has just logged in; again is the same release.
  ///
  /// - Parameters:
  ///   - sessionKey: the key to which the share will be sealed.
  ///   - now: the time in Unix seconds.
  /// - Returns: the release.
  /// - Throws: ``GuardRefusal/disabled``, also for a session key that was vetoed;
  ///   ``GuardRefusal/unconfirmed``; ``GuardRefusal/tooMany``, also with ``maximumVetoed`` vetoes;
  ///   ``GuardRefusal/malformed`` for a session key to which nothing can be sealed.
  public mutating func begin(
    _ sessionKey: X25519Key, at now: UInt64
  ) throws(GuardRefusal) -> ShareRelease {
    try requireReleasing(at: now)
    guard sessionKey.isValid else { throw .malformed }
    guard !vetoed.contains(ReleaseID(of: sessionKey)) else { throw .disabled }
    pending.removeAll { now >= $0.end }
    if let known = pending.first(where: { $0.sessionKey == sessionKey }) { return known }
    guard pending.count < Self.maximumPending, vetoed.count < Self.maximumVetoed else {
      throw .tooMany
    }
    let release = ShareRelease(sessionKey: sessionKey, start: now, delay: delay)
    pending.append(release)
    return release
  }

  /// Gives the sealed share of a release whose delay is over.
  ///
  /// - Parameters:
  ///   - sessionKey: the key of the release.
  ///   - now: the time in Unix seconds.
  ///   - seal: seals the share to that key; called for the first collection only.
  /// - Returns: the same bytes each time.
  /// - Throws: ``GuardRefusal/tooEarly(notBefore:)``; ``GuardRefusal/disabled`` after a veto;
  ///   ``GuardRefusal/unknown`` without a release, and after its end; ``GuardRefusal/unconfirmed``.
  public mutating func collect(
    _ sessionKey: X25519Key, at now: UInt64, sealing seal: () -> [UInt8]
  ) throws(GuardRefusal) -> [UInt8] {
    try requireReleasing(at: now)
    guard !vetoed.contains(ReleaseID(of: sessionKey)) else { throw .disabled }
    guard let place = pending.firstIndex(where: { $0.sessionKey == sessionKey && now < $0.end })
    else { throw .unknown }
    guard now >= pending[place].notBefore else {
      throw .tooEarly(notBefore: pending[place].notBefore)
    }
    let sealed = pending[place].sealed ?? seal()
    pending[place].sealed = sealed
    return sealed
  }

  /// Ends a release, also one that is not known here; again is the same.
  ///
  /// - Throws: ``GuardRefusal/disabled`` for an account that ended.
  public mutating func veto(_ release: ReleaseID, at now: UInt64) throws(GuardRefusal) {
    try life.requireLive(at: now)
    let isPending = pending.contains { $0.id == release }
    pending.removeAll { $0.id == release }
    // Once as many are kept, no release begins: another one needs no place among them.
    if isPending || vetoed.count < Self.maximumVetoed { vetoed.insert(release) }
  }

  /// Confirms the enrolment.
  ///
  /// - Throws: ``GuardRefusal/disabled``, ``GuardRefusal/counter(_:)``.
  public mutating func confirm(counter: UInt64, at now: UInt64) throws(GuardRefusal) {
    try life.confirm(counter: counter, at: now)
  }

  /// Ends the account; again is the same.
  public mutating func retire() {
    life.retire()
    pending = []
  }

  /// Takes a clock that a person has accepted after a jump: no delay was kept for sure.
  public mutating func acceptClock(_ now: UInt64) {
    life.acceptClock(now)
    pending = []
  }

  /// Takes the account in on another computer: no delay was kept for sure.
  public mutating func imported(at now: UInt64) {
    life.imported(at: now)
    pending = []
  }

  private func requireReleasing(at now: UInt64) throws(GuardRefusal) {
    try life.requireLive(at: now)
    guard life.isConfirmed else { throw .unconfirmed }
  }
}

internal import CSPP
internal import GuardProtocol
internal import SecretMemory

/// The part of an operator: invites, clock, moving, state.
extension GuardAccountService {
  /// Makes an invite: 26 characters, for one account.
  ///
  /// Only its hash is stored.
  ///
  /// - Throws: ``GuardStoreError``.
  public func createInvite() async throws(GuardStoreError) -> String {
    let invite = String(
      decoding: Randomness.bytes(count: 26).map { CrockfordBase32.lowerCase[Int($0 & 31)] },
      as: UTF8.self)
    let (_, reading) = try await look()
    try await store.addInvite(Self.hash(invite), at: reading.time)
    return invite
  }

  /// Takes invites back that nobody has read; one that was spent all the same stays so.
  ///
  /// - Parameter invites: their codes.
  /// - Throws: ``GuardStoreError``.
  public func takeBack(_ invites: [String]) async throws(GuardStoreError) {
    try await store.removeInvites(invites.map(Self.hash))
  }

  /// The hash of an invite, if the guard wants one.
  func inviteHash(_ invite: String?) throws(CallFailure) -> [UInt8]? {
    guard options.wantsInvites else { return nil }
    guard let invite else { throw .refused(.unauthorised) }
    return Self.hash(invite)
  }

  private static func hash(_ invite: String) -> [UInt8] {
    SHA256.hash(Array("keybackup:v1:guard-invite:".utf8) + Array(invite.utf8))
  }

  /// Accepts the clock, for all processes of the guard.
  ///
  /// - Returns: the accepted time in Unix seconds.
  /// - Throws: ``GuardStoreError``.
  public func acceptClock() async throws(GuardStoreError) -> UInt64 {
    let watch = watch
    return try await store.accept { watch.time($0) }
  }

  /// The state, for health checks and metrics.
  public func state() async -> GuardState {
    do throws(GuardStoreError) {
      let (row, reading) = try await look()
      var isGood = false
      if case .good(let now) = reading {
        isGood = true
        // After a change that could not be stored, this one finds out whether the next can be.
        if store.database.hasFailed { try await remember(now) }
      }
      return GuardState(
        isClockHalted: !isGood, isRestored: try await store.hasImported(),
        isStopped: row.isStopped,
        isDatabaseUp: store.database.isInPlace && !store.database.hasFailed)
    } catch {
      return GuardState(
        isClockHalted: false, isRestored: false, isStopped: false, isDatabaseUp: false)
    }
  }

  /// Takes an exported file into this guard's database, which must be empty.
  ///
  /// - Parameter path: the file.
  /// - Returns: the number of accounts.
  /// - Throws: ``GuardStoreError``.
  public func importAccounts(from path: String) async throws(GuardStoreError) -> Int {
    let watch = watch
    return try await store.importAccounts(
      from: path, identity: key.identity.publicKey.bytes
    ) { watch.time($0) }
  }
}

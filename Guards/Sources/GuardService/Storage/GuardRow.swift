/// The state of the whole guard: its only row.
struct GuardRow: Equatable, Sendable {
  /// The columns.
  static let columns = "version, identity, epoch, accepted, halted, stopped, clock"

  /// The guard's public key; nil before its first start.
  let identity: [UInt8]?
  /// The number of changes of this row that requests must not miss: halts, acceptances, the stop.
  let epoch: UInt64
  /// The number of times that a person accepted the clock.
  let accepted: UInt64
  /// Whether the clock waits for a person.
  let isHalted: Bool
  /// Whether it was exported.
  let isStopped: Bool
  /// The last time that was stored.
  let clock: UInt64

  init(_ row: inout SQLRow) throws(GuardStoreError) {
    guard try row.number() == GuardSchema.version else { throw .otherVersion }
    identity = try row.optionalBytes()
    epoch = try row.number()
    accepted = try row.number()
    isHalted = try row.number() != 0
    isStopped = try row.number() != 0
    clock = try row.number()
  }
}

import Foundation
import Testing

@testable import ForeignBackups

/// The limiter, to the second.
struct SequentialDelayTests {
  let vectors: CeloVectors

  init() throws { vectors = try CeloVectors() }

  private func limit(_ name: String) throws -> SequentialDelayDomain {
    try domain([
      "name": SequentialDelayDomain.name, "version": "1",
      "stages": vectors.object(name)["stages"] ?? [],
      "address": ["defined": false, "value": ""], "salt": ["defined": false, "value": ""],
    ])
  }

  private func times(_ name: String) -> [UInt64] {
    (vectors.object(name)["greedy_schedule"] as? [[String: UInt64]] ?? []).map {
      $0["t_seconds"] ?? .max
    }
  }

  @Test func `A PIN has 20 tries in 262,450 seconds, each at its second`() throws {
    let pin = try limit("pin_rate_limit")
    for start in [0, 1_700_000_000] as [UInt64] {
      #expect(pin.schedule(from: start, limit: 100) == times("pin_rate_limit"))
      let quota = pin.quota(from: start)
      #expect(quota == SequentialDelayQuota(queries: 21, seconds: 262_450))
      #expect(quota.tries == 20)
    }
    let first = times("pin_rate_limit")
    #expect(first.prefix(8) == [0, 0, 0, 0, 10, 10, 40, 100] && first.count == 21)
  }

  @Test func `A password has 105 tries in 903,350 seconds, each at its second`() throws {
    let password = try limit("password_rate_limit")
    #expect(password.schedule(from: 0, limit: 1000) == times("password_rate_limit"))
    let quota = password.quota(from: 1_700_000_000)
    #expect(quota == SequentialDelayQuota(queries: 106, seconds: 903_350))
    #expect(quota.tries == 105)
  }

  @Test func `A person who tries once an hour is answered and refused as in the vectors`() throws {
    let pin = try limit("pin_rate_limit")
    let hours = vectors.object("pin_rate_limit")["hourly_user"] as? [[Any]] ?? []
    #expect(hours.count == 91)
    var state = SequentialDelayState()
    for hour in hours {
      let time = try #require(hour[0] as? UInt64)
      let verdict = pin.verdict(at: time, state)
      if case .accepted(let next) = verdict {
        #expect(hour[1] as? Bool == true)
        state = next
      } else if let notBefore = hour[2] as? UInt64 {
        #expect(verdict == .notBefore(notBefore))
      } else {
        #expect(verdict == .never)
      }
    }
    #expect(pin.verdict(at: 1 << 60, SequentialDelayState(isDisabled: true)) == .never)
  }

  @Test func `Who is late is given credit only where the timer is not reset`() throws {
    let lenient = SequentialDelayDomain.Stage(
      delay: 60, resetTimer: EIP712Optional(false), batchSize: EIP712Optional(1),
      repetitions: EIP712Optional(3))
    let domain = SequentialDelayDomain(
      stages: [lenient], address: EIP712Optional(isDefined: false, value: ""),
      salt: EIP712Optional(isDefined: false, value: ""))
    #expect(domain.quota(from: 0) == SequentialDelayQuota(queries: 3, seconds: 180))
    // Late since 1970.
    #expect(domain.quota(from: 1_700_000_000) == SequentialDelayQuota(queries: 3, seconds: 0))
    #expect(domain.schedule(from: 1_700_000_000, limit: 9) == [0, 0, 0])
  }

  @Test func `The sums are those of going through every query`() {
    for _ in 0..<2000 {
      let stages = (0..<Int.random(in: 0...5)).map { _ in
        SequentialDelayDomain.Stage(
          delay: UInt64.random(in: 0...20), resetTimer: Self.any(Bool.random()),
          batchSize: Self.any(UInt64.random(in: 0...4)),
          repetitions: Self.any(UInt64.random(in: 0...4)))
      }
      let domain = SequentialDelayDomain(
        stages: stages, address: EIP712Optional(isDefined: false, value: ""),
        salt: EIP712Optional(isDefined: false, value: ""))
      let start = UInt64.random(in: 0...30)
      let times = domain.schedule(from: start, limit: 1000)
      let quota = domain.quota(from: start)
      #expect(quota.queries == UInt64(times.count), "\(stages) \(start)")
      #expect(quota.seconds == times.last ?? quota.seconds, "\(stages) \(start)")
    }
  }

  @Test func `Rules that no computer can count through take no time`() {
    let stage = SequentialDelayDomain.Stage(
      delay: 1 << 52, resetTimer: EIP712Optional(true), batchSize: EIP712Optional(1 << 52),
      repetitions: EIP712Optional(1 << 52))
    let domain = SequentialDelayDomain(
      stages: [SequentialDelayDomain.Stage](repeating: stage, count: 1024),
      address: EIP712Optional(isDefined: false, value: ""),
      salt: EIP712Optional(isDefined: false, value: ""))
    let quota = domain.quota(from: 0)
    #expect(quota.queries == .max && quota.seconds == .max)
    #expect(domain.schedule(from: 0, limit: 5) == [UInt64](repeating: 1 << 52, count: 5))
  }

  private static func any<Value>(_ value: Value) -> EIP712Optional<Value> {
    EIP712Optional(isDefined: Bool.random(), value: value)
  }
}

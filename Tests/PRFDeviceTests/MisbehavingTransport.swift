import DeviceSuite
import PRFDevice
import Synchronization
import TestSupport
import VirtualKey

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
}

/// A good key whose answers are damaged on the way, as the seed determines.
final class MisbehavingTransport: HIDTransport {
  fileprivate struct State {
    var generator: SeededGenerator
    /// The number of whole answers that still pass, so that later ones are reached.
    var goodAnswers: Int
    var partial: [[UInt8]] = []
    var queue: [[UInt8]] = []
  }

  private let key: SimulatedKey
  private let state: Mutex<State>

  init(_ key: InProcessKey, seed: UInt64) {
    self.key = SimulatedKey(key)
    var generator = SeededGenerator(seed: seed)
    let goodAnswers = generator.below(9)
    state = Mutex(State(generator: generator, goodAnswers: goodAnswers))
  }

  /// Always false, so that no failure is waited for.
  var isConnected: Bool { false }
  func open() -> Bool { key.open() }
  func close() { key.close() }
  func write(_ report: RawSpan) -> Bool { key.write(report) }

  /// Nothing is waited for: a report that does not come soon does not come at all.
  func read(into report: inout MutableRawSpan, milliseconds: Int32) -> Bool {
    while true {
      if let next = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
        for offset in 0..<64 {
          report.storeBytes(of: next[offset], toByteOffset: offset, as: UInt8.self)
        }
        return true
      }
      var received = [UInt8](repeating: 0, count: 64)
      let came = unsafe received.withUnsafeMutableBytes { buffer in
        unsafe key.key.read(into: buffer, timeoutMilliseconds: Int(min(milliseconds, 150))) == 64
      }
      guard came else { return false }
      state.withLock { $0.take(received) }
    }
  }
}

extension MisbehavingTransport.State {
  /// Collects a message and queues it, whole or damaged.
  mutating func take(_ report: [UInt8]) {
    partial.append(report)
    let length = Int(partial[0][5]) << 8 | Int(partial[0][6])
    guard 57 + 59 * (partial.count - 1) >= length else { return }
    let message = partial
    partial = []
    guard goodAnswers == 0 else {
      goodAnswers -= 1
      queue += message
      return
    }
    // Half of them, so that damage also meets damage later.
    queue += generator.below(2) == 0 ? message : damaged(message, length)
  }

  private mutating func damaged(_ message: [[UInt8]], _ length: Int) -> [[UInt8]] {
    var message = message
    switch generator.below(12) {
    case 0: return []
    case 1: return message.dropLast()
    case 2: return message + message
    case 3: return Array(repeating: keepalive(like: message[0]), count: 200) + message
    case 4:
      // Another channel, command, or length.
      message[0][generator.below(7)] ^= 1 << UInt8(generator.below(8))
      return message
    case 5:
      let index = generator.below(message.count)
      message[index] = generator.bytes(64)
      return message
    case 6 where message.count > 1:
      message.swapAt(1, message.count - 1)
      message[1][4] ^= UInt8(generator.below(2))
      return message
    default:
      let payload = message[0][7...] + message.dropFirst().flatMap { $0[5...] }
      return reports(like: message[0], damagedCBOR(Array(payload.prefix(length))))
    }
  }

  private func keepalive(like first: [UInt8]) -> [UInt8] {
    first[0..<4] + [0xBB, 0, 1, 2] + [UInt8](repeating: 0, count: 56)
  }

  /// Heads of items that announce too much, or that CTAP forbids, and odd values.
  private static let heads: [[UInt8]] = [
    [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x3B, 0x7F, 0xFF, 0, 0, 0, 0, 0, 0],
    [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x5A, 0xFF, 0xFF, 0xFF, 0xFF],
    [0x7B, 0, 0, 0, 1, 0, 0, 0, 0], [0x9B, 0, 0, 0, 1, 0, 0, 0, 0], [0xBB, 0, 0, 0, 1, 0, 0, 0, 0],
    [0x5F], [0x7F], [0x9F], [0xBF], [0xFF], [0xC0], [0xD8, 0x18], [0xF4], [0xF5], [0xF6], [0xF7],
    [0xF9, 0x7E, 0], [0xFB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x00], [0x20], [0x40], [0x60], [0x80],
    [0xA0], [0x58, 0], [0x78, 1, 0], [0x61, 0], [0x62, 0xC3, 0x28],
  ]

  private mutating func damagedCBOR(_ message: [UInt8]) -> [UInt8] {
    var bytes = message
    for _ in 0...generator.below(3) {
      let place = generator.below(bytes.count)
      let end = min(bytes.count, place + 1 + generator.below(40))
      switch generator.below(9) {
      case 0: bytes = Array(bytes.prefix(place))
      case 1: bytes += generator.bytes(1 + generator.below(100))
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 4: bytes = generator.bytes(generator.below(200))
      case 5 where !bytes.isEmpty: bytes[0] = UInt8(truncatingIfNeeded: generator.next())
      case 6, 7:
        let head = Self.heads[generator.below(Self.heads.count)]
        bytes.replaceSubrange(place..<min(bytes.count, place + generator.below(2)), with: head)
      default:
        if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(generator.below(8)) }
      }
    }
    return bytes
  }

  private func reports(like first: [UInt8], _ payload: [UInt8]) -> [[UInt8]] {
    let channel = first[0..<4]
    var report = channel + [first[4], UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    var rest = payload[...]
    var reports: [[UInt8]] = []
    repeat {
      let piece = rest.prefix(64 - report.count)
      rest = rest.dropFirst(piece.count)
      report += piece
      reports.append(report + [UInt8](repeating: 0, count: 64 - report.count))
      report = channel + [UInt8(reports.count - 1)]
    } while !rest.isEmpty
    return reports
  }
}

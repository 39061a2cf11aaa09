import Foundation
import TestSupport
import Testing

@testable import SecretMemory

@Suite struct LongSHA256Tests {
  /// Sizes around those where the thread begins, and where a half of its buffer is full.
  static let sizes: [Int] = {
    var sizes = [0, 1, 65_536]
    for size in [1_048_576, 1_179_648, 1_310_720, 5_242_880] {
      sizes += [size - 1, size, size + 1]
    }
    return sizes
  }()

  @Test(arguments: sizes, [1009, 65_536, 300_001])
  func `It is the digest of the whole message, whatever its pieces`(_ size: Int, _ piece: Int) {
    let message = (0..<size).map {
      UInt8(truncatingIfNeeded: $0 &* 31) ^ UInt8(truncatingIfNeeded: $0 >> 8)
    }
    var hash = LongSHA256()
    for start in stride(from: 0, to: size, by: piece) {
      let bytes = Array(message[start..<min(start + piece, size)])
      unsafe hash.update(bytes.span.bytes)
    }
    #expect(hash.finalize() == SHA256.hash(message))
  }

  @Test func `A digest that nobody takes leaves no thread`() throws {
    let bytes = [UInt8](repeating: 1, count: 2 << 20)
    let before = try Self.threads()
    for _ in 0..<200 {
      var hash = LongSHA256()
      unsafe hash.update(bytes.span.bytes)
    }
    // Threads that were told to end need a moment; other tests have some of their own.
    let most = before + 100
    try blockUntil("the threads are gone") {
      let now = try Self.threads()
      return now <= most ? nil : "\(now) threads, \(before) before"
    }
  }

  private static func threads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
  }
}

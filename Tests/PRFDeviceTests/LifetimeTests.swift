import Foundation
import PRFDevice
import TestSupport
import Testing
import VirtualKey

/// Tests that an authenticator leaves nothing behind.
@Suite struct LifetimeTests {
  private static func count(_ folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder).count
  }

  @Test func `Threads and files go with the authenticator`() async throws {
    let uses = 1000
    let threads = try Self.count("task")
    let files = try Self.count("fd")
    for _ in 0..<uses {
      let bench = try Bench(pin: nil)
      let authenticator = try await bench.open()
      _ = try await authenticator.info()
    }
    // Other tests run meanwhile, and threads take a moment to end. A leak would be one thread, or
    // one file, for each use.
    try await waitUntil("the threads are gone") {
      let now = try Self.count("task")
      return now < threads + uses / 2 ? nil : "\(now) threads, \(threads) before"
    }
    #expect(try Self.count("fd") < files + uses / 2)
  }

  @Test func `A use keeps nothing alive`() async throws {
    weak var weakly: Authenticator?
    do {
      let authenticator = try await Bench().open()
      weakly = authenticator
      _ = try await authenticator.pinRetries()
      #expect(weakly != nil)
    }
    try await waitUntil("it is gone") { weakly == nil ? nil : "something keeps it" }
  }
}

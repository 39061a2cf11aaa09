import Foundation
import TestSupport
import Testing

@testable import BackupFolder

/// Each call that changes a file fails in turn, once or from then on.
struct FailedCallTests {
  struct Failure: Sendable {
    let error: String
    /// The calls that fail, as `crash-at` names them.
    let calls: String
    /// 0: also all later ones.
    let times: Int
    /// The error that the caller gets; empty if trying again helps.
    let told: String
  }

  private static let writing = "create,mkdir,write,fsync,syncfs,unlink,rename"
  static let failures = [
    Failure(error: "ENOSPC", calls: writing, times: 1, told: "diskFull"),
    Failure(error: "EDQUOT", calls: "mkdir,write", times: 1, told: "diskFull"),
    Failure(error: "EIO", calls: writing, times: 1, told: "io"),
    Failure(error: "EBUSY", calls: "create,mkdir,unlink", times: 1, told: "busy"),
    // A client that holds a name lets go of it, so the call is repeated.
    Failure(error: "EBUSY", calls: "rename", times: 2, told: ""),
    Failure(error: "EACCES", calls: "rename", times: 2, told: ""),
    Failure(error: "EINTR", calls: "create,write,fsync", times: 1, told: ""),
  ]
  static let endless = [
    Failure(error: "ENOSPC", calls: writing, times: 0, told: "diskFull"),
    Failure(error: "EIO", calls: writing, times: 0, told: "io"),
  ]

  @Test(arguments: CrashPointTests.changes)
  func `A call that fails loses nothing and leaves nothing half done`(
    _ change: CrashPointTests.Change
  ) throws {
    let scene = try InterruptedScene(change)
    var tried = 0
    for failure in Self.failures { tried += try fail(scene, failure) }
    // From then on: for a long batch, single failures are enough.
    for failure in Self.endless where !change.onDisk { tried += try fail(scene, failure) }
    print("\(change.name): a call failed in \(tried) runs")
    #expect(tried >= 20)
  }

  private func fail(_ scene: InterruptedScene, _ failure: Failure) throws -> Int {
    let calls = try scene.calls(["--only", failure.calls])
    for (place, call) in calls.enumerated() {
      try scene.reset()
      let run = try scene.run([
        "--only", failure.calls, "--at", "\(place + 1)", "--errno", failure.error, "--times",
        "\(failure.times)",
      ])
      let name = "\(failure.error) (\(failure.times)) at \(call)"
      #expect(run.code <= 1, "\(name): \(run.output)")
      if failure.told.isEmpty {
        #expect(run.output.hasPrefix("done"), "\(name): \(run.output)")
      } else if run.code == 1 {
        #expect(run.output.hasPrefix("error: \(failure.told)"), "\(name): \(run.output)")
      }
      try scene.check(name, done: run.code == 0)
    }
    return calls.count
  }

  /// The kernel reports a failed write once, and then forgets it.
  @Test
  func `A file whose sync failed is not believed`() throws {
    let change = CrashPointTests.changes[1]
    let scene = try InterruptedScene(change)
    let calls = try scene.calls(["--only", "fsync"])
    var refused = 0
    for (place, call) in calls.enumerated() where call.contains("/log/") {
      try scene.reset()
      let run = try scene.run([
        "--only", "fsync", "--at", "\(place + 1)", "--errno", "EIO", "--times", "1",
      ])
      #expect(run.code == 1, "\(call): \(run.output)")
      refused += 1
    }
    #expect(refused >= 2)
  }
}

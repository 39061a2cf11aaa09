import Foundation
import Glibc
import TestSupport
import Testing

@testable import BackupFolder

/// Programs on one computer, which write to one folder one at a time.
struct LockTests {
  @Test
  func `Eight programs add at once, and all succeed`() async throws {
    let scene = try Scene()
    _ = try scene.create()
    let (folder, state) = (scene.folder, scene.settings().stateFolder)
    let probe = BuiltProduct.path("folder-probe")
    let runs = try await withThrowingTaskGroup(of: FinishedProgram.self) { group in
      for number in 1...8 {
        group.addTask { try FinishedProgram([probe, folder, state, "add", "w\(number)"]) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for run in runs { #expect(run.output == "done\n") }
    var open = try scene.unlock()
    #expect(try open.restored().words.count == 8)
    #expect(open.health.forked == 0)
    // One after the other, and so only one writer.
    #expect(open.health.writers == 1)
    #expect(try open.restored().report.counts[.current] == 8)
  }

  @Test
  func `A program that is killed gives the lock back, and none lies in the folder`() throws {
    let scene = try InterruptedScene(CrashPointTests.changes[1])
    // Right after it has taken the lock.
    let calls = try scene.calls()
    let taken = try #require(calls.firstIndex { $0.contains(" flock ") })
    #expect(!calls[taken].contains("/cloud/"))
    #expect(calls.count { $0.contains(" flock ") && $0.contains("/cloud/") } == 0)
    try scene.reset()
    #expect(try scene.run(["--at", "\(taken + 2)"]).code == 137)
    // A lock that is kept would make it fail.
    #expect(try scene.run([]).code == 0)
  }

  @Test
  func `A program that keeps the lock is waited for, then named`() throws {
    let scene = try Scene()
    var open = try scene.create()
    let state = try open.namespace.state(make: false)
    let lock = try state.lock()
    #expect {
      _ = try state.lock(patience: .milliseconds(200))
    } throws: {
      if case BackupFolderError.busy = $0 { true } else { false }
    }
    // Reading goes on, but remembers nothing.
    #expect(try scene.unlock().health.rolledBack == 0)
    _ = consume lock
    try open.add(.of("w0"))
  }
}

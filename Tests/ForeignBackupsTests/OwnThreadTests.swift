import Glibc
import Testing

@testable import ForeignBackups

struct OwnThreadTests {
  private let late = ForeignBackupError.unusable(
    part: "the database", reason: "it takes too long to read")

  @Test func `A result and an error come back`() throws {
    let waiting = OwnThread.Waiting()
    #expect(try OwnThread.result(within: 60, waiting) { 7 } == 7)
    #expect(throws: ForeignBackupError.unhardened) {
      try OwnThread.result(within: 60, waiting) { () throws(ForeignBackupError) -> Int in
        throw .unhardened
      }
    }
    #expect(waiting.goesOn)
  }

  /// The work itself looks whether anybody waits only so that this test ends.
  @Test func `Work that takes too much of the processor is left alone`() throws {
    let waiting = OwnThread.Waiting()
    #expect(throws: late) {
      try OwnThread.result(within: 1, waiting) { while waiting.goesOn {} }
    }
    #expect(!waiting.goesOn)
  }

  @Test func `A task that was cancelled waits for nothing`() async {
    let waiting = OwnThread.Waiting()
    let task = Task { [late] in
      #expect(throws: late) {
        // It takes nothing of the processor, so only the signal ends it.
        try OwnThread.result(within: 60, waiting) { while waiting.goesOn { usleep(10_000) } }
      }
    }
    task.cancel()
    _ = await task.value
    #expect(!waiting.goesOn)
  }
}

import CFileChanges
import CSPP
import Foundation
import Testing

@testable import BackupFolder

/// Lets every file call of `rotate --master-key` fail in turn, once or from then on.
///
/// The error must be the disk's, the old backup must stay as it was, and a repeated run must
/// finish.
struct RotationFailureTests {
  struct Failure: Sendable, CustomTestStringConvertible {
    let name: String
    /// As in Tests/CFileChanges.
    let kinds: Int
    let error: Int32
    /// 0: also all later ones.
    let times: Int
    /// The distance of the calls that fail: every call, every third, and so on.
    ///
    /// One kind of failure is tried at every call. Calls that read are many and alike.
    let step: Int

    var testDescription: String { name }

    /// Whether the message tells the user what happened.
    func isTold(by problem: any Error) -> Bool {
      switch problem as? BackupFolderError {
      case .diskFull: error == ENOSPC
      case .io(let errno, _): error == EIO && errno == EIO
      // A backup that cannot be read is not rotated.
      case .unreachable(let errno, _): kinds & FILE_READS != 0 && errno == EIO
      case .incomplete, .cannotRotate(.notWhole), .cannotRotate(.filesMissing),
        .cannotRotate(.notVerified):
        kinds & FILE_READS != 0
      default: false
      }
    }
  }

  private static let everyCall =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_EVERY_CALL"] != nil
  private static let writing = FILE_CHANGES | FILE_SYNCS
  static let failures = [
    Failure(name: "full once", kinds: writing, error: ENOSPC, times: 1, step: 1),
    Failure(name: "full", kinds: writing, error: ENOSPC, times: 0, step: 3),
    Failure(name: "not written once", kinds: writing, error: EIO, times: 1, step: 3),
    Failure(name: "not read once", kinds: FILE_READS, error: EIO, times: 1, step: 13),
    Failure(name: "not read", kinds: FILE_READS, error: EIO, times: 0, step: 13),
  ]

  @Test(arguments: failures)
  func `A call that fails loses nothing, and the next run finishes`(_ failure: Failure) throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.add(.of("w2", words: "zoo zoo"))
    try open.addSensitive(Array("an identity".utf8), topic: "nostr")
    let old = open.id
    let before = try Scene.contents(keys.scene.folder)
    try keys.scene.keep()
    let step = Self.everyCall ? 1 : failure.step
    var (place, points, told) = (0, 0, 0)
    while true {
      try keys.scene.reset()
      open = try keys.unlock(.blue)
      let outcome = FileChanges.failing(at: place, failure.kinds, failure.error, failure.times) {
        try keys.rotate(open: &open, .blue, as: .newBlue)
      }
      guard let outcome else { break }
      let name = "\(failure.name), call \(place)"
      switch outcome {
      case .success: break
      case .failure(let problem):
        told += 1
        #expect(failure.isTold(by: problem), "\(name): \(problem)")
      }
      // Every earlier file is there, byte for byte.
      let after = try Scene.contents(keys.scene.folder)
      let changed = before.filter { after[$0.key] != $0.value }.keys
      #expect(changed.isEmpty, "\(name): \(changed)")
      if case .success = outcome { #expect(try !keys.isInCharge(old), "\(name)") }
      // The full check, with both keys on several computers, takes most of the time.
      if points % 4 == 0 || Self.everyCall {
        try RotationCrashTests.check(keys, old, name)
      } else {
        if case .failure = outcome, try keys.isInCharge(old) {
          try keys.rotate(.blue, as: .newBlue)
        }
        let ids = try keys.folder("a").namespaces().filter { $0 != old }
        #expect(ids.count == 1, "\(name): \(ids)")
        var new = try keys.unlock(.newBlue, at: ids.first)
        #expect(try new.restored().words == RotationCrashTests.words, "\(name)")
        try new.repair()
      }
      let left = try FileManager.default.subpathsOfDirectory(atPath: keys.scene.folder)
        .filter { $0.contains(".keybackup-tmp-") }
      #expect(left == [], "\(name)")
      points += 1
      place += step
    }
    print("rotate --master-key: \(failure.name) at \(points) calls, told \(told) times")
    #expect(points > 15 && told > points / 3, "\(points) \(told)")
  }
}

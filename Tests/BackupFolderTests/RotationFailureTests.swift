import CFileChanges
import CSPP
import Foundation
import Testing

@testable import BackupFolder

/// Every call to a file of `rotate --master-key` fails in turn, once or from then on: the error is
/// the disk's, the old backup stays as it was, and a repeated run finishes.
struct RotationFailureTests {
  struct Failure: Sendable, CustomTestStringConvertible {
    let name: String
    /// As in Tests/CFileChanges.
    let kinds: Int
    let error: Int32
    /// 0: also all later ones.
    let times: Int

    var testDescription: String { name }

    /// Whether the person is told what happened.
    func isTold(by problem: any Error) -> Bool {
      switch problem as? BackupFolderError {
      case .diskFull: error == ENOSPC
      case .io(let errno, _): error == EIO && errno == EIO
      // What cannot be read is not rotated.
      case .unreachable(let errno, _): kinds & FILE_READS != 0 && errno == EIO
      case .incomplete, .cannotRotate(.notWhole), .cannotRotate(.notVerified):
        kinds & FILE_READS != 0
      default: false
      }
    }
  }

  private static let writing = FILE_CHANGES | FILE_SYNCS
  static let failures = [
    Failure(name: "full once", kinds: writing, error: ENOSPC, times: 1),
    Failure(name: "full", kinds: writing, error: ENOSPC, times: 0),
    Failure(name: "not written once", kinds: writing, error: EIO, times: 1),
    Failure(name: "not read once", kinds: FILE_READS, error: EIO, times: 1),
    Failure(name: "not read", kinds: FILE_READS, error: EIO, times: 0),
  ]

  @Test("A call that fails loses nothing, and the next run finishes", arguments: failures)
  func fails(_ failure: Failure) throws {
    let keys = try Keyring()
    var open = try keys.unlock(.blue)
    try open.add(.of("w1"))
    try open.add(.of("w2", words: "zoo zoo"))
    try open.addSensitive(Array("an identity".utf8), topic: "nostr")
    let old = open.id
    let before = try Scene.contents(keys.scene.folder)
    try keys.scene.keep()
    // Calls that read are many and alike.
    let step = failure.kinds & FILE_READS != 0 ? 7 : 1
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
      // What was there is there, byte for byte.
      let after = try Scene.contents(keys.scene.folder)
      let changed = before.filter { after[$0.key] != $0.value }.keys
      #expect(changed.isEmpty, "\(name): \(changed)")
      if case .success = outcome { #expect(try !keys.isInCharge(old), "\(name)") }
      try RotationCrashTests.check(keys, old, name)
      let left = try FileManager.default.subpathsOfDirectory(atPath: keys.scene.folder)
        .filter { $0.contains(".keybackup-tmp-") }
      #expect(left == [], "\(name)")
      points += 1
      place += step
    }
    print("rotate --master-key: \(failure.name) at \(points) calls, told \(told) times")
    #expect(points > 20 && told > points / 3, "\(points) \(told)")
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// Kills a rotation of the master key with files at every change of a file.
@Suite("Files in an interrupted rotation")
struct RotationFileCrashTests {
  @Test
  func `Killed at every change, every file opens, and the next run finishes`() throws {
    let files = try RotatedFiles()
    let scene = files.scene
    let node = try SilentComputer(scene)
    try node.write("one")
    try node.write("two")
    try node.add(.large("1111 "), "large")
    let retired = try SilentComputer(scene, "stolen")
    try retired.write("good", "stolen")
    var open = try scene.unlock("a")
    try open.write("words", "seed")
    try open.retire(retired.writer.signingKey)
    let before = try open.counting()
    #expect(before.count == 4)
    try scene.keep()
    var points = 0
    var begunAgain = 0
    while true {
      try scene.reset()
      guard FileChanges.dying(at: points, { try files.rotate() }) else { break }
      let point: Comment = "killed at change \(points)"
      // The old folder has everything, whatever happened.
      #expect(try files.open(files.old).counting() == before, point)
      var expected = before
      if try files.open(files.old, "x").log.links.successors.isEmpty {
        if points % 3 == 0 {
          // What is removed until then does not come back.
          var here = try files.open(files.old, "a")
          try here.removeFile(here.file("seed").id)
          expected["a/seed"] = nil
          let isBegun = try here.namespace.unfinishedRotation() != nil
          begunAgain += isBegun ? 1 : 0
        }
        try files.rotate()
      }
      let ids = try scene.open("a").namespaces()
      #expect(ids.count == 2, point)
      let new = try #require(ids.first { $0 != files.old })
      // Killed after the last step but one, the computer learns of it when it follows.
      var followed = try scene.open("a").namespace(files.old).follow(
        files.key(of: files.old), keys: [SharedMasterKey(files.key(of: new))])
      followed.remember()
      #expect(followed.namespace.id == new && followed.obstacle == nil, point)
      #expect(try scene.open("a").namespace().id == new, point)
      let there = try files.open(new)
      #expect(try there.counting() == expected, point)
      #expect(there.health.incomplete + there.health.rolledBack == 0, point)
      #expect(there.silentWriters().contains { $0.isRetired }, point)
      // What was staged goes with the computer's next change.
      var own = try files.open(new, "a")
      try own.repair()
      let left = try FileManager.default.subpathsOfDirectory(atPath: files.path(new))
        .filter { $0.contains(AtomicFile.temporaryPrefix) }
      #expect(left.isEmpty, point)
      try files.delete(files.old)
      #expect(try files.open(new, "c").counting() == expected, point)
      points += 1
    }
    print("rotate --master-key with files: killed at \(points) changes")
    #expect(points > 60 && begunAgain > 10, "\(points) points, \(begunAgain) begun again")
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// Log files in a spelling that no writer uses (docs/format.md).
@Suite struct RespelledTests {
  @Test
  func `A name that a copy gave is the operation's, whoever uses it and whatever is left`() throws {
    let scene = try Scene()
    var a = try scene.create("a")
    try a.add(.of("w1"))
    let path = try #require(scene.logFiles().first { $0.contains("/00000002-") })
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)) + [10]
    let spelled = Digest(of: [UInt8](bytes).span)
    let file = try OperationFile(parsing: [UInt8](bytes).span, at: a.id)
    #expect(file.digest != file.spelling && file.spelling == spelled)
    let copy = path.dropLast(37) + spelled.hex.prefix(32) + ".json"
    try bytes.write(to: URL(fileURLWithPath: String(copy)))

    // An older program takes the copy for a branch, and reports that it has seen it.
    try publish(seeing: spelled, of: file.header, in: scene)
    for isLeft in [true, false] {
      if !isLeft { try FileManager.default.removeItem(atPath: path) }
      var b = try scene.unlock("b")
      #expect(b.health.forked == 0 && b.health.incomplete == 0 && b.health.rolledBack == 0)
      #expect(try b.restored().lines == [])
      let without = try scene.open("b").namespace().checkStructure()
      #expect(without.health.forked == 0 && without.health.rolledBack == 0)
      #expect(without.health.freshness == b.health.freshness)
    }
  }

  /// Removes the wallet like a program that refers to the operation by the copy's name.
  private func publish(
    seeing copy: Digest, of header: OperationHeader, in scene: Scene
  ) throws {
    var c = try scene.unlock("c")
    let run = try WritingRun.begin(c.namespace.state(make: true))
    let seen = [
      CSPP.Operation.Seen(writerID: header.writerID, counter: header.counter, digest: copy)
    ]
    var operation = OperationBuilder(at: 1, writerLabel: "c", seen: seen)
    operation.remove(RecordID(walletID: "w1"))
    let next = try c.nextHeader()
    try c.publish(
      c.stage(
        operation, next, seen: seen, versions: [(RecordID(walletID: "w1"), nil)], run: run),
      run: run)
  }
}

import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// What a person decided about late versions of a computer that was retired before, once the earlier
/// backup is deleted.
@Suite("Late versions of a retired computer, without the earlier backup")
struct RetiredLateFilesTests {
  private let files: RotatedFiles
  private let node: SilentComputer
  private let new: NamespaceID

  /// One version was carried over, two came late, and then the computer was retired.
  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
    try node.write("one")
    new = try files.rotate().namespace.id
    try node.write("two")
    try node.write("three")
    var open = try files.open(new, "a")
    try open.retire(node.writer.signingKey)
  }

  private func choose(_ text: String) throws {
    var open = try files.open(new, "a")
    let version = try #require(try open.file().versions.first { try open.text($0) == text })
    try open.choose(version)
  }

  @Test(arguments: ["two", "three"])
  func `A chosen version counts afterwards`(text: String) throws {
    try choose(text)
    let before = try files.open(new, "b")
    #expect(try before.live() == [text])
    #expect(before.mayLoseEarlier == true)
    try files.delete(files.old)
    for computer in ["a", "c"] {
      let open = try files.open(new, computer)
      #expect(try open.live() == [text])
      try files.expectSameElsewhere(open)
      #expect(try open.file().heldBack.isEmpty)
    }
    // Nothing is written when it is chosen again.
    var open = try files.open(new, "a")
    let current = try #require(try open.file().live.first)
    #expect(try !open.choose(current))
  }

  @Test
  func `A removed file stays removed`() throws {
    var open = try files.open(new, "a")
    try open.removeFile(try open.file().id)
    #expect(try open.file().isRemoved)
    #expect(open.mayLoseEarlier == true)
    try files.delete(files.old)
    open = try files.open(new, "c")
    #expect(try open.file().isRemoved)
  }

  @Test
  func `A new version with the key is the only one`() throws {
    var open = try files.open(new, "a")
    try open.write("four", "channel.backup", to: try open.file().id)
    #expect(try open.live() == ["four"])
    try files.delete(files.old)
    open = try files.open(new, "c")
    #expect(try open.live() == ["four"])
  }

  /// As earlier programs took late versions over: a finding, and no choice.
  @Test
  func `What counts only with the earlier backup keeps it`() throws {
    var open = try files.open(new, "a")
    let file = try open.file().id
    do {
      let run = try WritingRun.begin(open.namespace.state(make: true))
      _ = try open.adoptLate(of: file, run: run)
    }
    #expect(try open.live() == ["three"])
    #expect(open.filesOnlyEarlier == [file])
    #expect(open.mayLoseEarlier == false)
    try choose("three")
    open = try files.open(new, "b")
    #expect(open.filesOnlyEarlier.isEmpty && open.mayLoseEarlier == true)
  }

  @Test
  func `Of two earlier backups the older one is deleted alone`() throws {
    let last = try files.rotate("a", at: new, as: 7).namespace.id
    let before = try files.open(last, "b")
    #expect(before.mayLoseEarlier == true)
    try files.delete(files.old)
    var open = try files.open(last, "a")
    #expect(try open.live() == ["three"])
    try files.expectSameElsewhere(open)
    let current = try #require(try open.file().live.first)
    try open.choose(current)
    #expect(open.filesOnlyEarlier.isEmpty && open.mayLoseEarlier == true)
    try files.delete(new)
    open = try files.open(last, "c")
    #expect(try open.live() == ["three"])
    #expect(try open.file().heldBack.isEmpty)
  }
}

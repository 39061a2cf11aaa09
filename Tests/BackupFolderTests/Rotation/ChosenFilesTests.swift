import Foundation
import Testing

@testable import BackupFolder
@testable import CSPP

/// A person has brought an old version back, and a computer goes on from the one that was put aside.
@Suite("A version of a file that was chosen again before a rotation")
struct ChosenFilesTests {
  private let files: RotatedFiles
  private var scene: Scene { files.scene }
  private let node: SilentComputer

  init() throws {
    files = try RotatedFiles()
    node = try SilentComputer(files.scene)
  }

  /// When the version arrives that knows nothing of the choice.
  enum Arrival: CaseIterable {
    case before, after
  }

  /// Chooses the version with a text, with the key.
  private func choose(_ text: String, _ name: String = "channel.backup") throws {
    var open = try scene.unlock("a")
    try open.choose(#require(open.file(name).versions.first { try open.text($0) == text }))
  }

  @Test(arguments: Arrival.allCases)
  func `It stays beside what follows the version that it was chosen instead of`(
    _ arrival: Arrival
  ) throws {
    try node.write("one")
    try node.write("two")
    try choose("one")
    if arrival == .before { try node.write("three") }
    let second = try files.rotate().namespace.id
    if arrival == .after { try node.write("three") }
    let both = ["node/channel.backup": ["one", "three"]]
    #expect(try files.open(second).counting() == both)
    try files.expectSameElsewhere(files.open(second))
    // The rotation of a rotation says the same, and so does the newest namespace alone.
    let third = try files.rotate(at: second, as: 7).namespace.id
    #expect(try files.open(third).counting() == both)
    try files.expectSameElsewhere(files.open(third))
    // What follows that one replaces it, and still not the chosen one.
    try node.write("four")
    let next = ["node/channel.backup": ["four", "one"]]
    #expect(try files.open(third).counting() == next)
    try files.expectSameElsewhere(files.open(third))
    try files.delete(second)
    try files.delete(files.old)
    #expect(try files.open(third, "c").counting() == both)
  }

  @Test
  func `It stays beside it two namespaces later`() throws {
    try node.write("one")
    try node.write("two")
    try choose("one")
    let second = try files.rotate().namespace.id
    let third = try files.rotate(at: second, as: 7).namespace.id
    try node.write("three")
    var open = try files.open(third, "a")
    #expect(try open.counting() == ["node/channel.backup": ["one", "three"]])
    try files.expectSameElsewhere(open)
    // Chosen, that one ends the conflict, and what follows it is no new one.
    try open.choose(#require(open.file().versions.first { $0.standing == .late }))
    #expect(try open.live() == ["three"])
    try node.write("four")
    open = try files.open(third)
    #expect(try open.counting() == ["node/channel.backup": ["four"]])
    try files.expectSameElsewhere(open)
  }

  @Test(arguments: Arrival.allCases)
  func `What follows it itself replaces it`(_ arrival: Arrival) throws {
    try node.write("one")
    // The disk was set back.
    try node.withClonedState { try node.write("two") }
    try choose("one")
    if arrival == .before { try node.write("other") }
    let second = try files.rotate().namespace.id
    if arrival == .after { try node.write("other") }
    let open = try files.open(second)
    #expect(try open.counting() == ["node/channel.backup": ["other"]])
    try files.expectSameElsewhere(open)
  }

  @Test
  func `With the key, it stays beside the version of a computer that did not know`() throws {
    var open = try scene.unlock("a")
    let file = try open.write("one", "f")
    try open.write("two", "f", to: file)
    try scene.apart {
      var other = try scene.unlock("b")
      try other.write("three", "f", to: file)
    } and: {
      try choose("one", "f")
    }
    #expect(try scene.unlock("c").live("f") == ["one", "three"])
    let second = try files.rotate().namespace.id
    #expect(try files.open(second).live("f") == ["one", "three"])
    try files.expectSameElsewhere(files.open(second))
    try files.delete(files.old)
    #expect(try files.open(second, "c").live("f") == ["one", "three"])
  }

  /// The way in which the version that follows the chosen one ended, before the choice.
  enum Ending: CaseIterable {
    case removedSilently, removed, replaced
  }

  @Test(arguments: Ending.allCases)
  func `After a rotation it stays beside what follows a version that ended in the earlier backup`(
    _ ending: Ending
  ) throws {
    try node.write("one")
    try node.write("two")
    var open = try scene.unlock("a")
    let file = try open.file().id
    switch ending {
    case .removedSilently:
      try scene.open("node").removeSilently(name: .of("channel.backup"), as: node.writer)
    case .removed: try open.removeFile(file)
    case .replaced: try open.write("mine", "channel.backup", to: file)
    }
    let second = try files.rotate().namespace.id
    open = try files.open(second, "a")
    let all = try open.files().flatMap(\.versions)
    try open.choose(#require(all.first { try open.text($0) == "one" }))
    #expect(try open.counting() == ["node/channel.backup": ["one"]])
    try node.write("three")
    open = try files.open(second)
    #expect(try open.counting() == ["node/channel.backup": ["one", "three"]])
    try files.expectSameElsewhere(open)
    // With the earlier backup goes what is late there, and nothing is missed.
    try files.delete(files.old)
    open = try files.open(second, "c")
    #expect(try open.live() == ["one"])
    try open.removeFile(file)
    #expect(try open.live().isEmpty)
  }
}

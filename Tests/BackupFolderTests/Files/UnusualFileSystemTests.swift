import Foundation
import TestSupport
import Testing

@testable import BackupFolder
@testable import CSPP

/// File systems that lack some functions, or refuse them for a while.
struct UnusualFileSystemTests {
  private let scene: Scene
  private let system: FailingFileSystem

  init() throws {
    scene = try Scene(inMemory: true)
    let backing = scene.base + "/backing"
    try FileManager.default.createDirectory(atPath: backing, withIntermediateDirectories: false)
    system = try FailingFileSystem(backing: backing, path: scene.folder)
  }

  private static let noFlags = [
    "rule op=rename flags=exchange errno=EINVAL", "rule op=rename flags=noreplace errno=EINVAL",
  ]

  @Test(
    arguments: [
      noFlags, noFlags + ["rule op=link errno=EPERM"], noFlags + ["rule op=link errno=EOPNOTSUPP"],
      ["rule op=fsyncdir errno=EINVAL"], ["rule op=rename flags=exchange errno=EINVAL"],
    ])
  func `Without RENAME_* flags, hard links or syncs of folders everything is done all the same`(
    _ rules: [String]
  ) throws {
    defer { system.unmount() }
    for rule in rules { try system.tell(rule) }
    var first = try scene.create()
    try first.add(.of("w0", "w1"))
    try first.add(.of("w0", words: "zoo zoo"))
    try first.remove([RecordID(walletID: "w1")])
    #expect(first.viewProblem == nil)
    var second = try scene.unlock("b")
    let restored = try second.restored()
    #expect(restored.lines == ["w0 zoo zoo current"])
    #expect(restored.report.stale == 0)
    #expect(second.health.forked + second.health.incomplete + second.health.rolledBack == 0)
    let left = try FileManager.default.subpathsOfDirectory(atPath: scene.folder)
    #expect(left.filter { $0.contains(".keybackup-tmp-") } == [])
  }

  @Test
  func `A rename that a sync client refuses is tried again, three seconds long`() throws {
    defer { system.unmount() }
    var first = try scene.create()
    try system.tell("rule op=rename name=*/log/* errno=EBUSY times=4")
    try first.add(.of("w0"))
    try system.tell("clear", "rule op=rename name=*/log/* errno=EACCES")
    let start = ContinuousClock.now
    #expect {
      try first.add(.of("w1"))
    } throws: {
      if case BackupFolderError.busy = $0 { true } else { false }
    }
    #expect(ContinuousClock.now - start >= .seconds(3))
    try system.tell("clear")
    var second = try scene.unlock("b")
    #expect(try second.restored().lines == ["w0 abandon about current"])
    try first.add(.of("w1"))
    #expect(try scene.unlock("b").verified().counts[.current] == 2)
  }

  @Test
  func `Every file is synced before it gets its name, and its folder after`() throws {
    defer { system.unmount() }
    var first = try scene.create()
    try first.add(.of("w0"))
    try system.tell("trace on")
    try first.add(.of("w0", "w1", words: "zoo zoo"))
    let trace = system.trace
    var renames = 0
    for (place, call) in trace.enumerated() where call.hasPrefix("rename ") {
      let words = call.split(separator: " ")
      let (from, folder) = (
        words[1], words[1].prefix(upTo: words[1].lastIndex(of: "/") ?? words[1].startIndex)
      )
      #expect(trace[..<place].contains("fsync \(from) = 0"), "\(call)")
      let read = trace[..<place].lastIndex { $0.hasPrefix("read \(from) ") } ?? -1
      let synced = trace[..<place].lastIndex { $0 == "fsync \(from) = 0" } ?? 0
      #expect(read > synced, "not read back: \(call)")
      #expect(trace[place...].contains("fsyncdir \(folder) = 0"), "\(call)")
      renames += 1
    }
    #expect(renames == 3)
    // The view follows when the log is durable.
    let logged = try #require(trace.firstIndex { $0.hasPrefix("fsyncdir") && $0.contains("/log/") })
    let viewed = try #require(
      trace.firstIndex { $0.hasPrefix("rename") && $0.contains("/wallets/") })
    #expect(logged < viewed)
    // One sync for the batch's folder.
    #expect(trace.count { $0.hasPrefix("fsyncdir") && $0.hasSuffix("/wallets = 0") } == 1)
    // No lock is taken where other programs synchronise, and no file is written in place.
    for call in trace where call.hasPrefix("create ") || call.hasPrefix("write ") {
      #expect(call.contains("/.keybackup-tmp-"), "\(call)")
    }
  }
}

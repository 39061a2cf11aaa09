import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that the file system that other tests let fail keeps its promises.
final class FailingFileSystemTests {
  private let base: String
  private let system: FailingFileSystem

  init() throws {
    base = NSTemporaryDirectory() + "failing-fs-" + UUID().uuidString
    for name in ["backing", "mount", "snapshots"] {
      try FileManager.default.createDirectory(
        atPath: "\(base)/\(name)", withIntermediateDirectories: true)
    }
    system = try FailingFileSystem(backing: base + "/backing", path: base + "/mount")
  }

  deinit {
    system.unmount()
    try? FileManager.default.removeItem(atPath: base)
  }

  private func path(_ name: String) -> String { "\(base)/mount/\(name)" }

  private func write(_ text: String, _ name: String, sync: Bool = false) throws {
    let file = unsafe open(path(name), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    #expect(unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    if sync { #expect(fsync(file) == 0) }
  }

  private func syncFolder(_ name: String) throws {
    let folder = unsafe open(path(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(folder >= 0)
    defer { close(folder) }
    #expect(fsync(folder) == 0)
  }

  private func names(_ folder: String = ".") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
  }

  private func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test
  func `Calls fail as the rules say, and only those`() async throws {
    try write("abcdef", "one.json")
    try write("other", "two.txt")
    try system.tell("rule op=read name=*.json errno=ESTALE times=1")
    let file = unsafe open(path("one.json"), O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var byte: UInt8 = 0
    #expect(unsafe read(file, &byte, 1) == -1 && errno == ESTALE)
    #expect(unsafe read(file, &byte, 1) == 1)
    try system.tell("clear", "rule op=read name=one* truncate=2")
    #expect(text("one.json") == "ab")
    #expect(text("two.txt") == "other")
    try system.tell("clear", "rule op=rename flags=plain errno=EBUSY nth=2")
    #expect(unsafe rename(path("one.json"), path("three.json")) == 0)
    #expect(unsafe rename(path("three.json"), path("one.json")) == -1 && errno == EBUSY)
    try system.tell("clear", "rule op=open delay=300")
    let start = ContinuousClock.now
    #expect(text("three.json") == "abcdef")
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    try system.tell("clear", "rule op=any hang")
    let three = path("three.json")
    let hung = Task.detached { FileManager.default.contents(atPath: three) }
    try system.letGo()
    #expect(await hung.value == Data("abcdef".utf8))
    #expect(throws: FailingFileSystem.Failure.self) { try system.tell("rule op=bogus") }
  }

  @Test
  func `Listings are stale, end early or name a file twice`() throws {
    try write("1", "a")
    try system.tell("rule op=readdir stale")
    try write("2", "b")
    #expect(try names() == ["a"])
    try system.tell("clear")
    #expect(try names() == ["a", "b"])
    try system.tell("rule op=readdir twice")
    #expect(try names() == ["a", "a", "b", "b"])
    try system.tell("clear", "rule op=readdir partial=1")
    #expect(try names().count == 1)
    try system.tell("clear", "rule op=readdir partial=1 errno=EIO")
    let stream = try unsafe #require(unsafe opendir(path(".")))
    defer { unsafe closedir(stream) }
    errno = 0
    while unsafe readdir(stream) != nil {}
    #expect(errno == EIO)
  }

  @Test
  func `A power loss takes what was not synced`() throws {
    try write("kept", "old")
    try system.tell("volatile", "trace on")
    try write("bytes", "synced", sync: true)
    try write("bytes", "unsynced")
    #expect(unsafe mkdir(path("folder"), 0o700) == 0)
    try syncFolder(".")
    try write("later", "folder/lost", sync: true)
    for (kind, left) in [
      ("all", ["folder", "old", "synced", "unsynced"]), ("entries", ["folder/lost"]),
    ] {
      let target = "\(base)/snapshots/\(kind)"
      try system.tell("remains \(target) \(kind)")
      let found = try FileManager.default.subpathsOfDirectory(atPath: target).sorted()
      #expect(found == (kind == "all" ? left : ["folder", "old", "synced", "unsynced"]))
      let bytes = FileManager.default.contents(atPath: "\(target)/unsynced")
      #expect(bytes?.count == (kind == "all" ? 0 : 5))
    }
    #expect(system.trace.contains("fsync /synced = 0"))
    try system.tell("power-loss data")
    #expect(text("synced") == "bytes")
    #expect(text("unsynced") == "")
    #expect(text("folder/lost") == "later")
    #expect(text("old") == "kept")
  }

  @Test
  func `A rename is there or not, and snapshots show every state between`() throws {
    try system.tell("snapshots \(base)/snapshots all,data,random")
    try write("bytes", "temporary", sync: true)
    #expect(unsafe rename(path("temporary"), path("final")) == 0)
    try syncFolder(".")
    #expect(system.changes == 5)
    var seen: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: base + "/snapshots") {
      let folder = "\(base)/snapshots/\(name)"
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(left.count <= 1)
      let size = left.first.flatMap {
        FileManager.default.contents(atPath: "\(folder)/\($0)")?.count
      }
      seen.insert("\(left.first ?? "nothing") \(size ?? -1)")
      if left == ["final"] { #expect(size == 5) }
    }
    #expect(seen.isSuperset(of: ["nothing -1", "temporary 0", "temporary 5", "final 5"]))
  }
}

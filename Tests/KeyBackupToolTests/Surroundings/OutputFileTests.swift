import Foundation
import TestSupport
import Testing

@testable import CommandKit
@testable import SecretMemory

/// Files that a command creates for the user.
struct OutputFileTests {
  private let base: String
  private let system: FailingFileSystem

  init() throws {
    base = NSTemporaryDirectory() + "output-" + UUID().uuidString
    for name in ["backing", "mount", "snapshots"] {
      try FileManager.default.createDirectory(
        atPath: "\(base)/\(name)", withIntermediateDirectories: true)
    }
    system = try FailingFileSystem(backing: base + "/backing", path: base + "/mount")
  }

  private func bytes(_ text: String) -> SecretBytes {
    unsafe SecretBytes(copying: Array(text.utf8).span.bytes)
  }

  private func refusal(_ body: () throws -> Void) -> UserMessage? {
    do {
      try body()
      return nil
    } catch {
      return error as? UserMessage
    }
  }

  private func end() {
    system.unmount()
    try? FileManager.default.removeItem(atPath: base)
  }

  @Test func `Whenever the power goes, a file is whole or not there, and stays once it is written`()
    throws
  {
    defer { end() }
    let text = String(repeating: "a recovery kit\n", count: 1000)
    try system.tell("snapshots \(base)/snapshots all,data,zeros,entries,random")
    try OutputFile.write(bytes(text), to: base + "/mount/kit.html", Run())
    for kind in ["all", "entries"] {
      try system.tell("remains \(base)/snapshots/done-\(kind) \(kind)")
    }
    #expect(system.changes >= 3)
    var whole = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: base + "/snapshots") {
      let kit = FileManager.default.contents(atPath: "\(base)/snapshots/\(name)/kit.html")
      if let kit {
        #expect(kit == Data(text.utf8), "\(name)")
        whole += 1
      } else {
        #expect(!name.hasPrefix("done"), "\(name)")
      }
    }
    #expect(whole >= 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: base + "/mount") == ["kit.html"])
  }

  @Test func `Nothing is overwritten, neither a file nor a link nor a device`() throws {
    defer { end() }
    let (file, link) = (base + "/file", base + "/link")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: base + "/nowhere")
    for path in [file, link, "/dev/full", base] {
      let written = refusal { try OutputFile.write(bytes("x"), to: path, Run()) }
      let tried = refusal { try OutputFile.requireCreatable(path) }
      let looked = refusal { try OutputFile.requireFree(path) }
      for error in [written, tried, looked] { #expect(error?.code == .cannotCreate, "\(path)") }
    }
    #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
    #expect(!FileManager.default.fileExists(atPath: base + "/nowhere"))
    for path in [base + "/none/kit", file + "/kit", base + "/", ""] {
      let error = refusal { try OutputFile.write(bytes("x"), to: path, Run()) }
      #expect(error?.code == .cannotCreate, "\(path)")
    }
  }

  @Test func `A full disk leaves nothing, and a place that can be used stays empty`() throws {
    defer { end() }
    let path = base + "/mount/kit.html"
    try OutputFile.requireCreatable(path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: base + "/mount") == [])
    try system.tell("rule op=write errno=ENOSPC")
    let error = refusal { try OutputFile.write(bytes("x"), to: path, Run()) }
    #expect(error?.code == .io)
    #expect(error?.message.contains("No space left") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: base + "/mount") == [])
  }
}

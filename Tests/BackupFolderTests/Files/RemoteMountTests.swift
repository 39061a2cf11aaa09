import Foundation
import TestSupport
import Testing

@testable import BackupFolder

/// Which paths may lead to a file system that does not answer, and asking whether it does.
struct RemoteMountTests {
  private let scene: Scene

  init() throws {
    scene = try Scene(inMemory: true)
  }

  private func make(folders: [String], links: [String: String] = [:]) throws {
    for folder in folders {
      try FileManager.default.createDirectory(
        atPath: scene.base + "/" + folder, withIntermediateDirectories: true)
    }
    for (name, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: scene.base + "/" + name, withDestinationPath: target)
    }
  }

  @Test
  func `The first mount on the way that another computer answers for is found`() throws {
    let base = scene.base
    try make(
      folders: ["local/deep", "nas/inner", "memory"],
      links: [
        "far": base + "/nas/folder", "local/up": "../far/file", "home": "local", "loop": "loop",
        "local/back": "../home/deep/../../memory", "dangling": "nowhere/../nas", "dots": "local/.",
        "\u{301}accent": "nas",
      ])
    let table = MountTable(
      """
      22 1 8:1 / / rw - ext4 /dev/sda1 rw
      23 22 0:40 / \(base)/nas rw - nfs4 nas:/x rw
      24 23 0:41 / \(base)/nas/inner rw - tmpfs tmpfs rw
      25 22 0:42 / \(base)/memory rw - tmpfs tmpfs rw
      26 22 0:43 / /proc rw - proc proc rw
      """)
    for path in [
      "nas", "nas/", "nas/x", "nas/inner/x", "local/../nas/x", "far", "far/x", "home/up",
      "local/up", "home//./deep/../up/x", "missing/../nas/x", "dangling", "dots/up",
      "\u{301}accent/x",
    ] {
      #expect(table.remoteMount(onWayTo: base + "/" + path)?.type == "nfs4", "\(path)")
    }
    for path in [
      "", "local/deep/x", "local/back/x", "memory/x", "home", "missing/nas", "loop", "loop/x",
      "nass", "../..", "dots/x",
    ] {
      #expect(table.remoteMount(onWayTo: base + "/" + path) == nil, "\(path)")
    }
    #expect(table.remoteMount(onWayTo: "/") == nil)
    // It may lead to the files of another process.
    #expect(table.remoteMount(onWayTo: "/proc/self/root/x")?.type == "proc")
    let far = MountTable("22 1 0:40 / / rw - nfs4 nas:/ rw")
    for path in ["/", "/x", "x", ""] {
      #expect(far.remoteMount(onWayTo: path)?.type == "nfs4", "\(path)")
    }
    #expect(MountTable("").remoteMount(onWayTo: base + "/nas") == nil)
  }

  @Test
  func `A silent file system is asked once until it answers, and this computer's own never`()
    throws
  {
    try make(folders: ["backing", "mount", "local"], links: ["link": "mount/file"])
    try Data("far".utf8).write(to: URL(fileURLWithPath: scene.base + "/backing/file"))
    let system = try FailingFileSystem(
      backing: scene.base + "/backing", path: scene.base + "/mount")
    defer { system.unmount() }
    try system.tell("rule op=any hang")
    var answers = FolderAnswers()
    var asked = 0
    func come(_ path: String) -> Bool {
      answers.come(from: scene.base + "/" + path) {
        asked += 1
        return false
      }
    }
    #expect(!come("mount/file") && asked == 1)
    // No further question: a busy computer's answer would be late.
    #expect(!come("mount/other") && !come("link") && !come("mount") && asked == 1)
    #expect(come("local/file") && come("missing/file") && come("") && asked == 1)
    try system.letGo()
    try blockUntil("it answers") {
      answers.come(from: scene.base + "/link") { true } ? nil : "it is silent"
    }
  }
}

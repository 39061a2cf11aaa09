import Foundation
import TestSupport
import Testing

/// A watcher whose files do not change is asleep.
@Suite struct IdleWatcherTests {
  /// How often the threads of a process were woken so far.
  private func wakeUps(of process: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").reduce(0) {
      sum, thread in
      let lines = try Files.text("/proc/\(process)/task/\(thread)/status").split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }, "\(thread)")
      return sum + (Int(line.split(separator: "\t").last ?? "") ?? 0)
    }
  }

  @Test func `Nothing wakes a watcher while nothing changes`() async throws {
    let box = try Sandbox()
    let numbered = ["sh", "-c", #"echo $$ >"$0"; exec "$@""#, box.root + "/number"]
    let program = try BackgroundProgram(
      numbered + [Build.keybackup, "file", "watch", "--no-input", box.root + "/missing"],
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": box.home, "LANG": "C.UTF-8",
        "KEYBACKUP_FOLDER": box.root + "/not-there",
      ], log: box.root + "/log")
    try await waitUntil("it watches") {
      program.output.contains("Watching 1 file.") ? nil : program.output
    }
    let process = try #require(Int32(Files.text(box.root + "/number").dropLast()))
    // What another test mounts wakes it, and rightly. A clock would wake it in each of these times.
    var counts: [Int] = []
    while counts.count < 200, counts.last != 0 {
      let before = try wakeUps(of: process)
      try await Task.sleep(for: .seconds(3))
      counts.append(try wakeUps(of: process) - before)
    }
    #expect(counts.last == 0, "woken \(counts) times, in three seconds each")
  }
}

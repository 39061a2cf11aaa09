import Foundation
import TestSupport
import Testing

/// Kills the command itself, with a security key, at each call that changes a file.
///
/// This covers the folder and the local state. `BackupFolderTests` does the same to the library, at
/// many more points.
@Suite struct CrashedCommandTests {
  /// Whether to kill at every such call, not only at every fourth.
  private static let everyCall =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_EVERY_CALL"] != nil
  private static let step = everyCall ? 1 : 4

  private func crashAt(_ box: Sandbox, _ options: [String]) -> [String] {
    let places = [box.folder, box.home].flatMap { ["--under", $0] }
    return [BuiltProduct.path("crash-at")] + places + options + ["--"]
  }

  /// The number of calls that count in a run without interruption.
  private func count(_ box: Sandbox, _ command: [String]) async throws -> Int {
    let report = box.root + "/calls"
    try await box.keybackup(command, wrapper: crashAt(box, ["--report", report]))
    let last = try Files.text(report).split(separator: "\n").last ?? ""
    return Int(last.split(separator: " ").last ?? "") ?? 0
  }

  private func put(_ from: String, _ to: String) throws {
    if Files.exists(to) { try Files.remove(to) }
    try Files.copy(from, to: to)
  }

  @Test func `Killed at any call of init, init can be run again`() async throws {
    let trial = try Sandbox()
    let calls = try await count(trial, ["init"])
    #expect(calls >= 50)
    var points = 0
    for place in stride(from: 1, through: calls, by: Self.step) {
      let box = try Sandbox()
      let killed = try await box.keybackup(
        ["init"], wrapper: crashAt(box, ["--at", "\(place)"]), expecting: nil)
      #expect(killed.code == 137, "\(place): \(killed.text)")
      let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: nil)
      #expect(![65, 89, 87, 94].contains(status.code), "\(place): \(status.text)")
      let again = try await box.keybackup(["init"], expecting: nil)
      // The first run may have been complete, and killed before it could report it.
      #expect([0, 73].contains(again.code), "\(place): \(again.text)")
      let entry = Array(Samples.entry(id: "a", name: "A").utf8)
      try await box.keybackup(["wallet", "import", "-"], input: entry)
      let deep = try await box.keybackup(["verify", "--deep"], expecting: nil)
      #expect(deep.code == 0, "\(place): \(deep.text)")
      // In the program's own folders the next run that writes there removes them.
      let left = Files.tree(box.root).filter {
        $0.contains(".keybackup-tmp-") && !$0.contains(".keybackup-tmp-memory-")
      }
      #expect(left.isEmpty, "\(place): \(left)")
      points += 1
    }
    print("init: the command killed at \(points) of \(calls) calls")
  }

  @Test(arguments: [
    ["wallet", "import", "new.json"], ["wallet", "remove", "--yes", "first-wallet"],
  ])
  func `Killed at any call of a change, nothing is lost`(_ command: [String]) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.write(Samples.entry(id: "new", name: "New"), to: box.root + "/new.json", mode: 0o600)
    let words = command.map { $0 == "new.json" ? box.root + "/new.json" : $0 }
    try await box.keybackup(["wallet", "list"])
    for name in ["cloud", "home", "key.json"] {
      try put(box.root + "/" + name, box.root + "/kept-" + name)
    }
    let calls = try await count(box, words)
    #expect(calls >= 15)
    var points = 0
    for place in stride(from: 1, through: calls, by: Self.step) {
      for name in ["cloud", "home", "key.json"] {
        try put(box.root + "/kept-" + name, box.root + "/" + name)
      }
      let killed = try await box.keybackup(
        words, wrapper: crashAt(box, ["--at", "\(place)"]), expecting: nil)
      #expect(killed.code == 137, "\(place): \(killed.text)")
      let status = try await box.keybackup(["status"], key: nil, pin: .none, expecting: nil)
      #expect([0, 88].contains(status.code), "\(place): \(status.text)")
      let out = box.root + "/out-\(place)"
      try await box.keybackup(["restore", "--out", out])
      // Everything earlier is there; a change is made whole or not at all.
      let restored = Files.tree(out).count
      let allowed = command[1] == "import" ? 3...4 : 2...3
      #expect(allowed.contains(restored), "\(place): \(restored)")
      let again = try await box.keybackup(words, expecting: nil)
      #expect(again.code == 0 || (again.code == 66 && command[1] == "remove"), "\(again.text)")
      let deep = try await box.keybackup(["verify", "--deep", "--json"]).json()
      let expected = command[1] == "import" ? 4 : 2
      #expect(deep["wallets"]["current"].number == expected, "\(place)")
      // A command that finds nothing to remove writes nothing, and heals nothing.
      if again.code == 0 {
        let left = Files.tree(box.root).filter {
          $0.contains("/.keybackup-tmp-") && !$0.hasPrefix("kept")
        }
        #expect(left.isEmpty, "\(place): \(left)")
      }
      points += 1
    }
    print("\(command[1]): the command killed at \(points) of \(calls) calls")
  }
}

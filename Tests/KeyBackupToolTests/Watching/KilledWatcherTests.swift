import Foundation
import TestSupport
import Testing

/// Kills the commands that save a file without a touch at each call that changes a file, below the
/// folder and the computer's home.
@Suite struct KilledWatcherTests {
  /// Whether to kill at every such call, not only at every fourth or eighth.
  private static let everyCall =
    ProcessInfo.processInfo.environment["KEYBACKUP_TEST_EVERY_CALL"] != nil
  private static let step = everyCall ? 1 : 4

  private let computers: FileComputers
  private let path: String
  private var box: Sandbox { computers.box }

  init() async throws {
    computers = try await FileComputers()
    path = computers.serverHome + "/channel.backup"
    try await computers.authoriseServer()
    try await computers.serverAdds(Self.contents(1))
    for name in Self.places { try Files.copy(box.root + "/" + name, to: kept(name)) }
  }

  private static let places = ["cloud", "server", "home", "key.json"]

  private func kept(_ name: String) -> String { box.root + "/kept-" + name }

  /// Contents that no operation holds; they tell their number.
  private static func contents(_ number: Int) -> String {
    String(repeating: "contents \(number)\n", count: 1000)
  }

  private func reset() throws {
    for name in Self.places {
      try Files.remove(box.root + "/" + name)
      try Files.copy(kept(name), to: box.root + "/" + name)
    }
    try Files.write(Self.contents(2), to: path)
    // So long ago that the watcher need not wait.
    try Files.setModified(path, 1_700_000_000)
  }

  private func crashAt(_ options: [String]) -> [String] {
    let places = [box.folder, computers.serverHome].flatMap { ["--under", $0] }
    return [BuiltProduct.path("crash-at")] + places + options + ["--"]
  }

  /// The number of calls that count, from a report.
  private func count(_ report: String) throws -> Int {
    let last = try Files.text(report).split(separator: "\n").last ?? ""
    return Int(last.split(separator: " ").last ?? "") ?? 0
  }

  /// Checks what a killed run left, lets the next run end it, and checks the result.
  private func expectWhole(_ place: Comment, newest: Int) async throws {
    let status = try await computers.server(["status"], expecting: nil)
    // Before the operation has its name, the last change is remembered and not there.
    #expect([0, 75, 88].contains(status.code), "\(place): \(status.text)")
    let before = try await versions(place)
    // What was there stays, and the newest is whole or not there.
    #expect(before.first.map { (1...newest).contains($0) } == true, "\(place): \(before)")
    #expect(before.last == 1 && Set(before).count == before.count, "\(place): \(before)")
    let again = try await computers.server(["file", "watch", "--once", path, "--json"]).json()
    let outcome = again["files"][0]["outcome"].text ?? ""
    #expect(["saved", "unchanged"].contains(outcome), place)
    #expect(before.first != newest || outcome == "unchanged", place)
    let after = try await versions(place)
    // One that was remembered, and not published yet, is there now.
    #expect(after.first == newest && after == after.sorted(by: >), "\(place): \(after)")
    #expect(Set(after).count == after.count && Set(after).isSuperset(of: before), place)
    let deep = try await computers.laptop(["verify", "--deep"], expecting: nil)
    #expect(deep.code == 0, "\(place): \(deep.text)")
    let left = [box.folder, computers.serverHome].flatMap { Files.tree($0) }
      .filter { $0.contains(".keybackup-tmp-") }
    #expect(left.isEmpty, "\(place): \(left)")
  }

  /// The numbers of the contents of all versions, newest first, by a computer with the key.
  private func versions(_ place: Comment) async throws -> [Int] {
    let out = computers.target("out-\(UInt32.random(in: 0...UInt32.max))")
    let history = try await computers.laptop(["file", "history", "channel.backup", "--json"]).json()
    let rows = history["versions"].items
    #expect(rows.dropFirst().allSatisfy { $0["state"].text == "replaced" }, place)
    #expect(rows.first?["state"].text == "current", place)
    var found: [Int] = []
    for row in rows {
      let name = try #require(row["version"].text)
      let target = out + "-" + name.prefix(8)
      try await computers.laptop(
        ["file", "restore", "channel.backup", "--version", name, "--out", target])
      let text = try Files.text(target + "/node/channel.backup")
      found.append((1...3).first { text == Self.contents($0) } ?? 0)
      try Files.remove(target)
    }
    return found
  }

  @Test(arguments: [["add"], ["watch", "--once"]])
  func `Killed at any call, the next run saves the file once`(_ command: [String]) async throws {
    let words = ["file"] + command + [path]
    func run(_ options: [String], _ code: Int32) async throws {
      try reset()
      try await box.keybackup(
        words, key: nil, pin: .none, home: computers.serverHome, wrapper: crashAt(options),
        expecting: code)
    }
    let report = box.root + "/calls"
    try await run(["--report", report], 0)
    let calls = try count(report)
    #expect(calls >= 15)
    var points = 0
    for place in stride(from: 1, through: calls, by: Self.step) {
      try await run(["--at", "\(place)"], 137)
      try await expectWhole("\(command) killed at \(place)", newest: 2)
      points += 1
    }
    print("file \(command.joined(separator: " ")): killed at \(points) of \(calls) calls")
  }

  /// Two versions: one of what changed before it began, one of a change while it watches.
  private static let script = #"""
    set -u
    log=$1 file=$2 next=$3; shift 3
    # That of the last run says that something was saved.
    : >"$log"
    "$@" >"$log" 2>&1 & tracer=$!
    saved() {
      while kill -0 $tracer 2>/dev/null; do
        [ "$(grep -c ^Saved "$log")" -lt "$1" ] || return 0; sleep 0.05
      done
      return 1
    }
    if saved 1; then
      mv "$next" "$file"
      if saved 2; then kill $(cat /proc/$tracer/task/$tracer/children); fi
    else
      mv "$next" "$file"
    fi
    wait $tracer
    """#

  private func watch(_ options: [String]) async throws -> Int32 {
    try reset()
    try Files.write(Self.contents(3), to: box.root + "/next")
    let run = try await box.run(
      ["bash", "-c", Self.script, "bash", box.root + "/log", path, box.root + "/next"]
        + crashAt(options) + [
          Build.keybackup, "file", "watch", "--no-input", path, "--heartbeat",
          computers.serverHome + "/heartbeat",
        ], key: nil, home: computers.serverHome)
    return run.code
  }

  @Test func `The running watcher, killed at any call, loses no version`() async throws {
    let report = box.root + "/calls"
    let code = try await watch(["--report", report])
    let log = try Files.text(box.root + "/log")
    #expect(code == 130, "\(log)")
    let calls = try count(report)
    #expect(calls >= 30)
    var points = 0
    for place in stride(from: 1, through: calls, by: Self.everyCall ? 1 : 8) {
      let code = try await watch(["--at", "\(place)"])
      // A run may make a call less than another.
      #expect(code == 137 || (code == 130 && place > calls * 9 / 10), "\(place): \(code)")
      try await expectWhole("killed at \(place)", newest: 3)
      points += 1
    }
    print("file watch: killed at \(points) of \(calls) calls")
  }
}

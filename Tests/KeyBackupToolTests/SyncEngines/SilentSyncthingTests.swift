import TestSupport
import Testing

/// Three computers that share a folder with the real Syncthing: one with the key, a node that writes
/// without a touch, and one with the key that is off for long.
@Suite struct SilentSyncthingTests {
  private let group: SyncthingPair
  private var laptop: SyncedComputer { group.computers[0] }
  private var node: SyncedComputer { group.computers[1] }
  private var desktop: SyncedComputer { group.computers[2] }
  private var file: String { node.home + "/channel.backup" }

  init() async throws {
    group = try await SyncthingPair(["laptop", "node", "desktop"])
    try await laptop.keybackup(["init", laptop.folder])
    try laptop.lendKey(to: desktop)
    // The node gets a line and sends one back; it never sees a key.
    try await group.converge()
    let request = try await silent(["writers", "request", "--label", "node", "--json"]).json()
    let answer = try await laptop.keybackup(
      ["writers", "authorise", #require(request["line"].text), "--yes", "--json"]
    ).json()
    try await silent(["writers", "accept", #require(answer["line"].text), "--yes"])
  }

  @discardableResult
  private func silent(
    _ arguments: [String], at location: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    try await node.keybackup(arguments, withKey: false, at: location)
  }

  /// A running watcher of the node's file.
  private func watch() throws -> BackgroundProgram {
    try BackgroundProgram(
      [Build.keybackup, "file", "watch", "--no-input", file],
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": node.home, "LANG": "C.UTF-8",
        "KEYBACKUP_FOLDER": node.folder,
      ], log: node.home + "/log")
  }

  /// Changes the watched file, as LND does it, and waits until that is in the folder.
  private func change(_ texts: [String], _ watcher: BackgroundProgram) async throws {
    for text in texts {
      let saved = watcher.output.ranges(of: "Saved ").count
      try Files.replace(file, by: text)
      try await waitUntil("\(text) is saved") {
        watcher.output.ranges(of: "Saved ").count > saved ? nil : watcher.output
      }
    }
  }

  /// Contents that no operation holds.
  private func large(_ number: Int) -> String {
    String(repeating: "large \(number)\n", count: 9000)
  }

  private func addLarge(_ numbers: ClosedRange<Int>) async throws {
    for number in numbers {
      try Files.write(large(number), to: node.home + "/wallet.dat")
      try await silent(["file", "add", node.home + "/wallet.dat"])
    }
  }

  /// The contents of every version of a file, newest first, each restored by itself.
  private func versions(_ name: String, on computer: SyncedComputer) async throws -> [String] {
    let history = try await computer.keybackup(["file", "history", name, "--json"]).json()
    let rows = history["versions"].items
    let states = rows.map { $0["state"].text ?? "" }
    #expect(states == ["current"] + Array(repeating: "replaced", count: max(0, rows.count - 1)))
    let place = computer.home + "/versions"
    return try await rows.asyncMap { row in
      try? Files.remove(place)
      try await computer.keybackup(
        ["file", "restore", name, "--version", #require(row["version"].text), "--out", place])
      let restored = Files.tree(place)
      try #require(restored.count == 1)
      return try Files.text(place + "/" + restored[0])
    }
  }

  /// Both computers with the key have every version, and nothing is wrong with any of it.
  private func expectAll(
    small: [String], large: ClosedRange<Int>, wallets: Int, deep: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    for computer in [laptop, desktop] {
      let name: Comment = "\(computer.name)"
      #expect(
        try await versions("node/channel.backup", on: computer) == small.reversed(), name,
        sourceLocation: location)
      #expect(
        try await versions("node/wallet.dat", on: computer) == large.reversed().map(self.large),
        name, sourceLocation: location)
      #expect(
        try await computer.deep(expecting: deep, at: location) == ["current": wallets], name,
        sourceLocation: location)
    }
  }

  @Test func `What a node wrote while a computer was off is all there`() async throws {
    let seen = StatusWatch([laptop, node])
    var watcher: BackgroundProgram? = try watch()
    let running = try #require(watcher)
    try await change(["one", "two"], running)
    try await addLarge(1...2)
    try await laptop.write("first", "First")
    try await group.converge()
    try await expectAll(small: ["one", "two"], large: 1...2, wallets: 1)

    // The desktop is off for long. It adds something of its own that nobody else sees yet.
    group.stop(2)
    try await desktop.write("second", "Second")
    try await change((3...8).map { "number \($0)" }, running)
    try await addLarge(3...9)
    try Files.write("a letter", to: laptop.home + "/letter")
    try await laptop.keybackup(["file", "add", laptop.home + "/letter"])
    try await group.converge()
    // The laptop is off, too: the node goes on alone.
    group.stop(0)
    try await change(["night"], running)
    watcher = nil
    try await addLarge(10...11)
    let alone = try await silent(["file", "watch", "--once", file, "--json"]).json()
    #expect(alone["files"][0]["outcome"].text == "unchanged", "\(alone)")

    try group.start(0)
    try group.start(2)
    try await group.converge()
    try await seen.end(expecting: [88, 66, 75, 94])
    #expect(group.conflictCopies.isEmpty, "\(group.conflictCopies)")
    let small = ["one", "two"] + (3...8).map { "number \($0)" } + ["night"]
    try await expectAll(small: small, large: 1...11, wallets: 2)
    let letter = laptop.home + "/letter-restored"
    try await desktop.keybackup(["file", "restore", "letter", "--out", letter])
    #expect(try Files.tree(letter).map { try Files.text(letter + "/" + $0) } == ["a letter"])

    // A bad program writes on the desktop, while it is off, into what the node has published. The
    // node's copies are touched meanwhile: Syncthing keeps both, one as a conflict copy.
    group.stop(2)
    let all = Files.tree(node.folder)
    let published = [
      try #require(all.first { $0.contains("/sealed/") && $0.contains("/00000003-") }),
      try #require(all.first { $0.contains("/objects/") }),
    ]
    for name in published {
      let other = try #require(
        Files.tree(desktop.folder).last {
          $0 != name && $0.contains(name.hasSuffix(".bin") ? "/objects/" : "/sealed/")
        })
      let bytes = try Files.read(desktop.folder + "/" + other)
      try Files.write(bytes, to: desktop.folder + "/" + name)
      try await waitUntil("a later second") {
        try Files.write(Files.read(node.folder + "/" + name), to: node.folder + "/" + name)
        return Files.modified(node.folder + "/" + name)
          > Files.modified(desktop.folder + "/" + name) ? nil : "the same second"
      }
    }
    try group.start(2)
    try await waitUntil("conflict copies") {
      group.conflictCopies.count == published.count ? nil : "\(group.conflictCopies)"
    }
    try await group.converge()
    // Neither another operation nor another object under such a name changes anything.
    try await expectAll(small: small, large: 1...11, wallets: 2)
  }
}

extension Array {
  /// The results of a function, one after the other.
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var results: [T] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}

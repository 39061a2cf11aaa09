import ArgumentParser
import Glibc
import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// `keybackup file watch` as a program: its arguments, signals, and those who listen to it.
@Suite struct WatchCommandTests {
  private func watch(
    _ box: Sandbox, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> BackgroundProgram {
    var variables = [
      "PATH": "/usr/bin:/bin", "HOME": box.home, "LANG": "C.UTF-8",
      "KEYBACKUP_FOLDER": box.root + "/away",
    ]
    variables.merge(environment) { $1 }
    return try BackgroundProgram(
      [Build.keybackup, "file", "watch", "--no-input"] + arguments, environment: variables,
      log: box.root + "/log")
  }

  private func until(_ isTrue: () -> Bool) async throws {
    try await waitUntil("it is so") { isTrue() ? nil : "not yet" }
  }

  @Test(arguments: ["TERM", "INT"])
  func `A signal ends it cleanly, while the folder and the file are away`(signal: String)
    async throws
  {
    let box = try Sandbox()
    let script = #"""
      set -m
      "$1" file watch --no-input --folder "$2/away" "$2/missing" >"$2/log" 2>&1 &
      until grep -q Watching "$2/log"; do sleep 0.05; done
      kill -"$3" $!; code=0; wait $! || code=$?; cat "$2/log" >&2; echo "$code"
      """#
    // With job control no job of this shell ignores Ctrl-C.
    let run = try await box.run(
      ["bash", "-c", script, "bash", Build.keybackup, box.root, signal], key: nil)
    #expect(run.out == "130\n", "\(run.text)")
    #expect(run.err.contains("missing is not there. It is backed up when it is."), "\(run.err)")
    #expect(run.err.contains("/away is not there; waiting for it"), "\(run.err)")
  }

  @Test func `The service manager hears that it is ready and alive`() async throws {
    let box = try Sandbox()
    let socket = try DatagramSocket(box.root + "/notify")
    let program = try watch(
      box, [box.root + "/missing"],
      environment: ["NOTIFY_SOCKET": box.root + "/notify", "WATCHDOG_USEC": "400000"])
    var heard: [String] = []
    while heard.filter({ $0 == "WATCHDOG=1" }).count < 2, heard.last != "" {
      heard.append(socket.received())
    }
    #expect(heard.contains("READY=1"), "\(heard) \(program.output)")
    #expect(heard.contains("STATUS=1 file watched"), "\(heard)")
  }

  @Test func `A failure runs a command once, and is not the end`() async throws {
    let box = try Sandbox()
    try Files.write("one", to: box.root + "/file")
    let program = try watch(
      box,
      [
        box.root + "/file", "--verbose", "--on-failure",
        #"echo "$KEYBACKUP_ERROR $KEYBACKUP_FILE" >>"$HOME/failures""#,
      ])
    // Each try says why it failed; only the first one runs the command.
    try await until { program.output.split(separator: "there is no folder at").count > 3 }
    try await until { Files.exists(box.home + "/failures") }
    #expect(try Files.text(box.home + "/failures") == "no-input \(box.root)/file\n")
    #expect(program.output.contains("is tried again"), "\(program.output)")
  }

  @Test func `A failure's command leaves standard output to the result`() async throws {
    let box = try Sandbox()
    try Files.write("one", to: box.root + "/file")
    let run = try await box.keybackup(
      [
        "file", "watch", "--once", "--json", "--on-failure", "echo from the command",
        box.root + "/file",
      ], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": box.root + "/away"], expecting: 66)
    #expect(try run.json()["files"][0]["outcome"].text == "failed", "\(run.text)")
    #expect(!run.out.contains("from the command") && run.err.contains("from the command"))
  }

  @Test func `Once ends with the code of the failure`() async throws {
    let box = try Sandbox()
    try Files.write("one", to: box.root + "/file")
    let run = try await box.keybackup(
      ["file", "watch", "--once", "--json", box.root + "/file", box.root + "/missing"], key: nil,
      pin: .none, environment: ["KEYBACKUP_FOLDER": box.root + "/away"], expecting: 66)
    let files = try run.json()["files"].items
    #expect(files.map { $0["outcome"].text } == ["failed", "missing"], "\(run.text)")
    #expect(files[0]["code"].text == "no-input")
  }

  @Test func `What must not be copied is refused at once`() async throws {
    let box = try Sandbox()
    let run = try await box.keybackup(
      ["file", "watch", box.home + "/.lnd/data/graph/mainnet/channel.db"], key: nil, pin: .none,
      expecting: 65)
    #expect(run.err.contains("channel.backup"), "\(run.err)")
  }

  @Test func `Two files of one name are refused`() async throws {
    let box = try Sandbox()
    let run = try await box.keybackup(
      ["file", "watch", box.root + "/a/wallet", box.root + "/b/wallet"], key: nil, pin: .none,
      expecting: 64)
    #expect(run.err.contains("one name"), "\(run.err)")
  }

  @Test func `Without a path it watches what it watched before`() async throws {
    let box = try Sandbox()
    let first = try await box.keybackup(
      ["file", "watch"], key: nil, pin: .none, expecting: 64)
    #expect(first.err.contains("no file is watched yet"), "\(first.err)")
    let file = box.root + "/missing"
    var program: BackgroundProgram? = try watch(box, [file])
    try await until { program?.output.contains("Watching 1 file.") == true }
    program = try watch(box, [])
    try await until { program?.output.contains("Watching 1 file.") == true }
    program = nil
    try await box.keybackup(["file", "watch", "--forget", file], key: nil, pin: .none)
    let again = try await box.keybackup(
      ["file", "watch", "--forget", file], key: nil, pin: .none, expecting: 66)
    #expect(again.err.contains("that file was not watched"), "\(again.err)")
    try await box.keybackup(["file", "watch"], key: nil, pin: .none, expecting: 64)
  }

  // MARK: What is remembered for `status`

  @Test func `What was saved is remembered, not what the file is now`() throws {
    let box = try Sandbox()
    let own = try OwnWorld(box)
    let path = box.root + "/file"
    try Files.write("one", to: path)
    let saved = try #require(WatchedState(path))
    try Files.write("longer", to: path)
    let report = WatchReport(
      [WatchedName(path: path, name: nil)], folder: box.folder, onFailure: nil, heartbeat: nil,
      isOnce: true,
      try CommonOptions.parse([]), own.world)
    report.tell(.saved(0, isNew: true, saved))
    let record = try #require(WatchedFile.all(own.world).first)
    #expect(record.saved?.size == 3)
    #expect(record.standing(now: own.world.now()) != .saved)
    // A second look of the same run, after an attribute changed, takes nothing back.
    report.tell(.saved(0, isNew: false, try #require(WatchedState(path))))
    #expect(report.outcomes == [.saved])
    #expect(WatchedFile.all(own.world).map { $0.standing(now: 0) } == [.saved])
  }

  @Test func `The heartbeat is written when all is well, and only then`() throws {
    let box = try Sandbox()
    let own = try OwnWorld(box)
    let path = box.root + "/file"
    let heartbeat = box.root + "/heartbeat"
    try Files.write("one", to: path)
    let report = WatchReport(
      [WatchedName(path: path, name: nil)], folder: box.folder, onFailure: nil,
      heartbeat: heartbeat, isOnce: false,
      try CommonOptions.parse([]), own.world)
    report.tell(.saved(0, isNew: true, try #require(WatchedState(path))))
    report.tell(.alive(isComplete: false))
    #expect(!Files.exists(heartbeat))
    report.tell(.complete)
    #expect(Files.exists(heartbeat))
  }

  @Test func `A watched file is late ten minutes after its change`() async throws {
    let box = try Sandbox()
    let own = try OwnWorld(box)
    let path = box.root + "/file"
    try Files.write("one", to: path)
    let now = Int64(time(nil))
    var file = WatchedFile.record(
      WatchedName(path: path, name: nil), folder: box.folder, own.world)
    #expect(file.standing(now: now) == .changed)
    #expect(file.standing(now: now + 700) == .late)
    let state = try #require(WatchedState(path))
    file.saved = WatchedFile.Saved(at: now, size: state.size, modified: state.modified)
    file.keep(own.world)
    #expect(WatchedFile.all(own.world) == [file])
    #expect(file.standing(now: now + 700) == .saved)
    // Before it was watched nobody could know of its change.
    file.since = now + 650
    file.saved = nil
    #expect(file.standing(now: now + 700) == .changed)
    // One that changes all the time is late ten minutes after a report has seen it.
    var watched = own.world
    func look(after seconds: Int64) throws -> WatchedFile.Standing {
      try Files.write("one \(seconds)", to: path)
      watched.now = { now + seconds }
      return file.standing(
        now: now + seconds, unsavedSince: { [watched] in file.unsavedSince(watched) })
    }
    file.since = now - 100
    #expect(try [0, 500, 601].map { try look(after: $0) } == [.changed, .changed, .late])
    file.saved = WatchedFile.Saved(at: now + 602, size: 0, modified: [0, 0])
    file.since = now + 602
    #expect(try [603, 1100].map { try look(after: $0) } == [.changed, .changed])
    // A report that sees it saved begins again.
    let later = try #require(WatchedState(path))
    file.since = now + 2000
    file.saved = WatchedFile.Saved(at: now + 602, size: later.size, modified: later.modified)
    file.keep(own.world)
    watched.now = { now + 1300 }
    #expect(WatchedReport(box.folder, watched).codes.isEmpty)
    #expect(try look(after: 2000) == .changed)
    try Files.remove(path)
    #expect(file.standing(now: now + 9999) == .missing)
    #expect(file.forget(own.world) && WatchedFile.all(own.world).isEmpty)
  }
}

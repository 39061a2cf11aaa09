import TestSupport
import Testing

@testable import CommandKit
@testable import FileCommands

/// A watched file in a real backup: written without a key, read with one.
@Suite struct WatchedBackupTests {
  private let box: Sandbox
  private var file: String { box.root + "/node/channel.backup" }

  init() async throws {
    box = try Sandbox()
    try Files.makeFolder(box.root + "/node")
    try Files.write("one", to: file)
    try await box.keybackup(["init"])
    try await box.keybackup(["writers", "authorise", "--yes"])
  }

  /// Runs a shell script that has `$watch`, `$file`, `$cloud` and `saved N`, which waits for N versions.
  private func script(_ lines: String) async throws -> Outcome {
    let prelude = #"""
      set -eum
      watch="$1 file watch --no-input $2/node/channel.backup" file=$2/node/channel.backup
      log=$2/log cloud=$2/cloud
      # It is there before a program in the background has it.
      : >"$log"
      saved() {
        until [ "$(grep -c ^Saved "$log" || :)" -ge "$1" ]; do sleep 0.05; done
      }
      """#
    let run = try await box.run(
      ["bash", "-c", prelude + "\n" + lines, "bash", Build.keybackup, box.root], key: nil)
    #expect(run.code == 0, "\(run.text)")
    return run
  }

  private func once() async throws -> String? {
    let run = try await box.keybackup(
      ["file", "watch", "--once", "--json", file], key: nil, pin: .none)
    return try run.json()["files"].items.first?["outcome"].text
  }

  /// The contents of the newest version, and the number of versions.
  private func backedUp() async throws -> (text: String, versions: Int) {
    let out = box.root + "/restored-\(UInt32.random(in: 0...UInt32.max))"
    try await box.keybackup(["file", "restore", "channel.backup", "--out", out])
    let path = try #require(Files.tree(out).first { $0.hasSuffix("/channel.backup") })
    let history = try await box.keybackup(["file", "history", "channel.backup", "--json"])
    return (try Files.text(out + "/" + path), try history.json()["versions"].items.count)
  }

  @Test func `Each change is a version, and the newest is restored`() async throws {
    _ = try await script(
      #"""
      $watch >"$log" 2>&1 & saved 1
      echo two >"$file.new"; mv "$file.new" "$file"; saved 2
      echo three >"$file.new"; mv "$file.new" "$file"; saved 3
      code=0; kill $!; wait $! || code=$?; [ $code = 130 ]
      """#)
    let found = try await backedUp()
    #expect(found.text == "three\n" && found.versions == 3)
    #expect(try await once() == "unchanged")
    // What `status` goes by.
    let own = try OwnWorld(box)
    #expect(
      WatchedFile.all(own.world).map { $0.standing(now: own.world.now()) } == [.saved])
  }

  @Test func `Killed between a change and its version, it loses nothing`() async throws {
    _ = try await script(
      #"""
      $watch >"$log" 2>&1 & saved 1
      kill -STOP $!; echo two >"$file"; kill -KILL $!
      """#)
    #expect(try await once() == "saved")
    #expect(try await once() == "unchanged")
    let found = try await backedUp()
    #expect(found.text == "two\n" && found.versions == 2)
  }

  @Test func `Stopped and continued, it saves what changed meanwhile`() async throws {
    _ = try await script(
      #"""
      $watch >"$log" 2>&1 & saved 1
      kill -STOP $!; echo two >"$file"; echo three >"$file"; sleep 3; kill -CONT $!
      saved 2; kill -KILL $!
      """#)
    let found = try await backedUp()
    #expect(found.text == "three\n" && found.versions == 2)
  }

  @Test func `While the folder is away it waits, and goes on with the newest content`() async throws
  {
    let run = try await script(
      #"""
      $watch >"$log" 2>&1 & saved 1
      mv "$cloud" "$cloud.away"
      echo two >"$file"; until grep -q "is tried again" "$log"; do sleep 0.05; done
      echo three >"$file"
      mv "$cloud.away" "$cloud"; saved 2
      kill $!; wait $! || :; cat "$log" >&2
      """#)
    let found = try await backedUp()
    #expect(found.text == "three\n", "\(run.err)")
    // Nothing was written where the folder was.
    #expect(try await once() == "unchanged")
  }

  /// A user namespace of its own has limits of its own.
  @Test func `Where the kernel has no room for watches, files are looked at`() async throws {
    let run = try await script(
      #"""
      unshare --user --map-root-user sh -c '
        echo 0 >/proc/sys/user/max_inotify_watches; exec "$@"' sh $watch >"$log" 2>&1 & saved 1
      echo two >"$file.new"; mv "$file.new" "$file"; saved 2
      kill $!; wait $! || :; cat "$log" >&2
      """#)
    #expect(run.err.contains("no room to tell of all changes"), "\(run.err)")
    #expect(run.err.contains("looked at every 5 seconds"), "\(run.err)")
    #expect(run.err.split(separator: "fs.inotify.max_user_watches").count == 2, "\(run.err)")
    #expect(try await backedUp().text == "two\n")
  }

  /// In a user namespace without root nobody may list the folder, as with mode 0711 of another user.
  @Test func `Where a folder may not be watched, files are looked at`() async throws {
    _ = try await script(
      #"""
      chmod 311 "${file%/*}"; trap 'chmod 755 "${file%/*}"' EXIT
      rm "$file"; unshare --user $watch >"$log" 2>&1 &
      until grep -q ^Watching "$log"; do sleep 0.05; done
      echo two >"$file.new"; mv "$file.new" "$file"; saved 1
      kill $!; wait $! || :
      """#)
    #expect(try await backedUp().text == "two\n")
  }

  /// The backup is slow, and the file changes after it was read.
  @Test func `What changes during its backup is not taken for saved`() async throws {
    let backing = box.root + "/backing"
    try Files.move(box.folder, to: backing)
    try Files.makeFolder(box.folder)
    let system = try FailingFileSystem(backing: backing, path: box.folder)
    let (old, new) = (
      String(repeating: "old ", count: 2000), String(repeating: "new!", count: 2000)
    )
    try Files.write(old, to: file)
    try system.tell("rule op=fsync name=*objects* hang times=1")
    async let first = once()
    try await waitUntil("it has read the file and writes") {
      let written = Files.tree(backing).first { $0.contains("objects/.keybackup") }
      let bytes = try written.map { try Files.read(backing + "/" + $0).count } ?? 0
      return bytes >= old.utf8.count ? nil : "\(bytes) bytes of the object yet"
    }
    try Files.write(new, to: file + ".new")
    try Files.move(file + ".new", to: file)
    try system.tell("clear")
    #expect(try await first == "saved")
    let own = try OwnWorld(box)
    let standing = WatchedFile.all(own.world).map { $0.standing(now: own.world.now()) }
    // However late this test wrote: it is in the backup, or it is not said to be.
    let text = try await backedUp().text
    #expect(text == new ? standing == [.saved] : standing != [.saved] && text == old)
    system.unmount()
  }

  @Test func `A file system that does not answer keeps status from nothing`() async throws {
    let (behind, mount) = (box.root + "/behind", box.root + "/mount")
    for path in [behind, mount] { try Files.makeFolder(path) }
    try Files.write("far", to: behind + "/file")
    let fuse = try FailingFileSystem(backing: behind, path: mount)
    let own = try OwnWorld(box)
    let folder = try #require(FileCheck.future(box.folder))
    for path in [mount + "/file", mount + "/other", file] {
      WatchedFile.record(WatchedName(path: path, name: nil), folder: folder, own.world)
        .keep(own.world)
    }
    try fuse.tell("rule op=any hang")
    let status = try await box.keybackup(["status", "--json"], key: nil, pin: .none, expecting: 88)
    let states = try status.json()["watched"].items.map { $0["state"].text }
    #expect(states == ["unknown", "unknown", "changed"], "\(status.out)")
    let words = try await box.keybackup(["status"], key: nil, pin: .none, expecting: 88)
    #expect(words.out.contains("and 1 more watched files cannot be looked at"), "\(words.out)")
    fuse.unmount()
  }

  @Test func `Without permission it ends at once, and says how to get it`() async throws {
    let other = try Sandbox()
    try await other.keybackup(["init"])
    let run = try await other.keybackup(
      ["file", "watch", other.root + "/file"], key: nil, pin: .none, expecting: 78)
    #expect(run.err.contains("keybackup writers request"), "\(run.err)")
    #expect(run.err.contains("keybackup writers authorise --label NAME"), "\(run.err)")
  }

  /// A crash of its file system leaves zero bytes.
  @Test(arguments: ["", "\0\0\0\0\0\0"])
  func `A file that becomes blank has its last version that was not`(_ blank: String) async throws {
    #expect(try await once() == "saved")
    let full = try #require(
      try await box.keybackup(["file", "history", "channel.backup", "--json"]).json()["versions"][
        0][
          "version"
        ].text)
    try Files.write(blank, to: file)
    let watched = try await box.keybackup(
      ["file", "watch", "--once", file], key: nil, pin: .none)
    #expect(
      watched.err.contains(blank.isEmpty ? "is empty now" : "only zero bytes"), "\(watched.err)")
    #expect(try await backedUp().versions == 2)
    let status = try await box.keybackup(
      ["status", "--json"], key: nil, pin: .none, expecting: nil
    ).json()
    #expect(status["watched"][0]["last_not_empty"].text == full, "\(status)")
    #expect(
      status["advice"].items.contains { $0.text?.contains(full.prefix(8)) ?? false }, "\(status)")
    let out = box.root + "/again"
    let restore = ["file", "restore", "channel.backup", "--out"]
    let told = try await box.keybackup(restore + [out])
    #expect(told.err.contains("--version \(full.prefix(8))"), "\(told.err)")
    let json = try await box.keybackup(restore + [out, "--json"]).json()
    #expect(json["files"][0]["last_not_empty"].text == full, "\(json)")
    try await box.keybackup(restore + [box.root + "/full", "--version", full])
    let path = try #require(Files.tree(box.root + "/full").first)
    #expect(try Files.text(box.root + "/full/" + path) == "one")
    // It is not empty any more.
    try Files.write("two", to: file)
    #expect(try await once() == "saved")
    let after = try await box.keybackup(["status", "--json"], key: nil, expecting: nil).json()
    #expect(after["watched"][0]["last_not_empty"] == .null, "\(after)")
  }
}

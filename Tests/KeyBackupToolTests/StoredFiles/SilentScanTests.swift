import Testing

/// A computer that writes without a touch holds no key that opens anything.
@Suite struct SilentScanTests {
  /// Only root may read another program's memory: an ordinary user is given the rights for it in a
  /// user namespace of its own.
  private var rights: [String] {
    isRoot ? [] : ["unshare", "--user", "--map-current-user", "--keep-caps"]
  }

  @Test func `Neither its disk nor the running watcher's memory has a key`() async throws {
    let computers = try await FileComputers()
    let answer = try await computers.authoriseServer()
    let prfOutput = try await computers.backup.prfOutput()
    let file = computers.serverHome + "/channel.backup"
    let scan = try await computers.box.run(
      rights + Python.script("interop/silent_scan.py") + [
        computers.box.folder, "--prf-output", prfOutput,
        "--signing-key", #require(answer["signing_key"].text),
        "--home", computers.serverHome, "--file", file, "--",
        Build.keybackup, "file", "watch", "--no-input", file,
      ], key: nil, home: computers.serverHome)
    #expect(scan.code == 0, "\(scan.text)")
    let found = try JSON(scan.output)
    #expect(found["in_memory"].items.isEmpty, "\(scan.out)")
    #expect(found["on_disk"].names.isEmpty, "\(scan.out)")
    // Three scans, each of which could see what lies in the memory.
    #expect(found["bytes"].items.count == 3 && found["without_control"].number == 0)
    #expect(found["bytes"].items.allSatisfy { ($0.number ?? 0) > 1 << 20 }, "\(scan.out)")
    // A key that is put there is found: master key, inbox, wallets, operations, objects.
    #expect(found["not_found"].items.isEmpty, "\(scan.out)")
    let planted = Set(found["planted"].items.compactMap(\.text))
    #expect(
      planted.isSuperset(of: [
        "PRF output", "wrapping key", "master key", "key of wallets", "inbox",
        "shared secret of sealed operation 3", "sealed operation 3", "object of sealed operation 2",
        "object of sealed operation 3",
      ]), "\(planted)")
    // What it holds instead, in one file that nobody else may read.
    #expect(
      found["state"].items.compactMap(\.text) == [
        "after", "file", "inbox", "keybackup-silent-writer", "label", "last", "may", "namespace",
        "operation", "order", "secret", "seed", "writer",
      ], "\(scan.out)")
    #expect(found["state_mode"].text == "600")
    for own in ["seed_is_its_own", "secret_is_its_own", "inbox_is_public"] {
      #expect(found[own].flag == true, "\(own)")
    }
    #expect(found["elsewhere"].names.isEmpty, "\(scan.out)")
  }

  @Test func `It asks no keyring`() async throws {
    let computers = try await FileComputers()
    try await computers.authoriseServer()
    let file = computers.serverHome + "/channel.backup"
    try Files.write("contents", to: file)
    let log = computers.box.root + "/calls"
    for command in [["add"], ["watch", "--once"]] {
      try await computers.box.keybackup(
        ["file"] + command + [file], key: nil, pin: .none, home: computers.serverHome,
        wrapper: Tracing.wrapper(log: log, ["-e", "trace=add_key,request_key,keyctl,connect"]))
      #expect(try Files.text(log) == "", "\(command)")
    }
  }
}

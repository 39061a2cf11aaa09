import Testing

/// Files that a sync program has not brought yet.
///
/// They are reported as such with exit code 75, never as damage, and everything that is here comes
/// back.
@Suite struct NotHereYetTests {
  /// The placeholder in a folder that stands for a file until it comes.
  enum SyncPlaceholder: String, CaseIterable, Sendable {
    case iCloud
    case nextcloud
    case ownCloud
    case nextcloudDownload
    case syncthing
    case syncthingOnWindows
    case resilio
    case rclone
    case rsync
    case browser
    case part
    case temporary
    case editor

    func name(of file: String) -> String {
      switch self {
      case .iCloud: ".\(file).icloud"
      case .nextcloud: "\(file).nextcloud"
      case .ownCloud: "\(file).owncloud"
      case .nextcloudDownload: ".\(file).~5f3a91c"
      case .syncthing: ".syncthing.\(file).tmp"
      case .syncthingOnWindows: "~syncthing~\(file).tmp"
      case .resilio: "\(file).!sync"
      case .rclone: "\(file).4be1a7c2.partial"
      case .rsync: ".\(file).Wq3xZ9"
      case .browser: "\(file).crdownload"
      case .part: "\(file).part"
      case .temporary: "\(file).tmp"
      case .editor: "\(file)~"
      }
    }

    /// The content of such a placeholder.
    func bytes(of whole: [UInt8]) -> [UInt8] {
      switch self {
      case .iCloud: Array("bplist00\u{1}\u{2}NSURLNameKey".utf8)
      case .nextcloud, .ownCloud: [32]
      case .resilio: [UInt8](repeating: 0, count: whole.count)
      case .syncthing, .part: Array(whole.prefix(40)) + [UInt8](repeating: 0, count: 4096)
      case .rclone: []
      default: Array(whole.prefix(whole.count / 3))
      }
    }

    /// Puts it beside the file, or in the file's place.
    func stand(for path: String, keeping: Bool = false) throws {
      let whole = try Files.read(path)
      let (folder, file) = split(path)
      if !keeping { try Files.remove(path) }
      try Files.write(bytes(of: whole), to: folder + "/" + name(of: file))
    }
  }

  static func split(_ path: String) -> (String, String) {
    let parts = path.split(separator: "/")
    return ("/" + parts.dropLast().joined(separator: "/"), String(parts[parts.count - 1]))
  }

  @Test(arguments: SyncPlaceholder.allCases)
  func `A sync placeholder is awaited`(_ syncPlaceholder: SyncPlaceholder) async throws {
    let backup = try await PreparedBackup()
    let wallet = backup.wallets[0]
    let record = String(Self.split(wallet).1.dropFirst(7).dropLast(5))
    try syncPlaceholder.stand(for: wallet)
    try syncPlaceholder.stand(for: backup.operations[1])
    try syncPlaceholder.stand(for: backup.wrapper)
    let before = try Files.contents(backup.box.folder)
    // The first wallet's file and operation are both awaited.
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: 87)
    let json = try restored.json()
    #expect(json["restored"].number == 2)
    #expect(json["failed"].items.allSatisfy { $0["state"].text == "incomplete" }, "\(restored.out)")
    #expect(json["failed"].items.contains { $0["record_id"].text == record }, "\(restored.out)")
    for command in [["status"], ["verify"], ["verify", "--deep"]] {
      let outcome = try await backup.box.keybackup(
        command, pin: command.count == 2 ? .file : .none, expecting: 75)
      #expect(
        !outcome.text.contains("damaged") && !outcome.text.contains("unreadable"), "\(outcome)")
      #expect(
        outcome.text.contains(syncPlaceholder.name(of: Self.split(backup.wrapper).1)), "\(outcome)")
    }
    #expect(try Files.contents(backup.box.folder) == before, "a reading command wrote")
  }

  @Test(arguments: SyncPlaceholder.allCases)
  func `A sync placeholder beside its file says nothing`(_ syncPlaceholder: SyncPlaceholder)
    async throws
  {
    let backup = try await PreparedBackup()
    for path in [backup.wallets[1], backup.operations[0], backup.wrapper, backup.envelope] {
      try syncPlaceholder.stand(for: path, keeping: true)
    }
    let restored = try await backup.box.keybackup(["restore", "--json"])
    #expect(try restored.json()["restored"].number == 3)
    #expect(try restored.json()["failed"].items.isEmpty)
    try await backup.box.keybackup(["verify", "--deep"])
    let status = try await backup.box.keybackup(["status", "--json"], pin: .none, expecting: 88)
    #expect(try status.json()["wallets"]["incomplete"].number == 0)
  }

  @Test(arguments: SyncPlaceholder.allCases)
  func `Without a whole key slot the folder is awaited`(_ syncPlaceholder: SyncPlaceholder)
    async throws
  {
    let backup = try await PreparedBackup()
    for path in [backup.wrapper, backup.envelope] { try syncPlaceholder.stand(for: path) }
    let outcome = try await backup.box.keybackup(["restore"], expecting: nil)
    expectFailure(outcome, 75, says: "not completely here")
  }

  /// A partial download that is written in place: parts of the file have come, the rest is
  /// reserved.
  enum HalfWritten: String, CaseIterable, Sendable {
    case allZero
    case zeroTail
    case zeroMiddle
    case zeroHead

    func bytes(_ whole: [UInt8]) -> [UInt8] {
      let third = whole.count / 3
      var bytes = whole
      switch self {
      case .allZero: bytes = bytes.map { _ in 0 }
      case .zeroTail: for index in third..<bytes.count { bytes[index] = 0 }
      case .zeroMiddle: for index in third..<(third + 300) { bytes[index] = 0 }
      case .zeroHead: for index in 0..<300 { bytes[index] = 0 }
      }
      return bytes
    }
  }

  @Test(arguments: HalfWritten.allCases)
  func `A file with a hole is not here yet`(_ half: HalfWritten) async throws {
    let backup = try await PreparedBackup()
    for path in [backup.wallets[0], backup.operations[1], backup.wrapper] {
      try Files.write(half.bytes(try Files.read(path)), to: path)
    }
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: 87)
    #expect(try restored.json()["restored"].number == 2)
    let failed = try restored.json()["failed"].items
    #expect(failed.allSatisfy { $0["state"].text == "incomplete" }, "\(restored.out)")
    for command in [["status"], ["verify"]] {
      try await backup.box.keybackup(command, pin: .none, expecting: 75)
    }
  }

  /// Adding a wallet while a file is awaited neither takes its place nor fails.
  @Test func `Adding beside a placeholder leaves it alone`() async throws {
    let backup = try await PreparedBackup()
    let (folder, file) = Self.split(backup.wallets[0])
    try SyncPlaceholder.iCloud.stand(for: backup.wallets[0])
    let stub = folder + "/" + SyncPlaceholder.iCloud.name(of: file)
    let before = try Files.read(stub)
    try await backup.box.keybackup(
      ["wallet", "import", "-"], input: Array(Samples.entry(id: "new", name: "new").utf8))
    #expect(try Files.read(stub) == before)
    #expect(!Files.exists(backup.wallets[0]) || backup.wallets.count > 3)
    let restored = try await backup.box.keybackup(["restore", "--json"], expecting: 75)
    #expect(try restored.json()["restored"].number == 4)
  }
}

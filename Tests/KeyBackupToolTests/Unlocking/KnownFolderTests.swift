import TestSupport
import Testing

/// The sync folders of a computer.
///
/// They are offered to a user who names none, and searched by a computer that knows no backup yet.
@Suite struct KnownFolderTests {
  /// The ways to recognise an engine.
  enum Setup: String, CaseIterable {
    case syncthing, dropbox, nextcloud, nextcloudVirtual, ownCloud, oneDrive, oneDriveElsewhere
    case gvfs, insync, iCloud, cloudStorage

    /// Sets the engine up.
    ///
    /// - Returns: its folder, and its name.
    func make(in box: Sandbox) throws -> (folder: String, name: String) {
      switch self {
      case .syncthing:
        try box.setUpSyncthing("~/My Sync")
        return (try box.makeFolder("My Sync"), #"Syncthing "Tom & Ann""#)
      case .dropbox:
        let folder = try box.makeFolder("Dropbox (Private)")
        try box.setUpDropbox(folder)
        return (folder, #"Dropbox "personal""#)
      case .nextcloud, .nextcloudVirtual:
        let folder = try box.makeFolder("K\u{e4}se \u{4e91}")
        let group = self == .nextcloud ? "Folders" : "FoldersWithPlaceholders"
        // As Qt writes it.
        try box.place(
          "[General]\nlocalPath=/etc\n[Accounts]\n0\\\(group)\\1\\localPath="
            + "\(box.home)/K\\xe4se \\x4e91/\n0\\url=https://cloud.example\n",
          at: ".config/Nextcloud/nextcloud.cfg")
        return (folder, "Nextcloud")
      case .ownCloud:
        let folder = try box.makeFolder("ownCloud")
        try box.place(
          "[Accounts]\n0\\Folders\\1\\localPath=\"\(folder)/\"\n",
          at: ".config/ownCloud/owncloud.cfg")
        return (folder, "ownCloud")
      case .oneDrive:
        try box.place("", at: ".config/onedrive/refresh_token")
        return (try box.makeFolder("OneDrive"), "OneDrive")
      case .oneDriveElsewhere:
        try box.place(
          "# sync_dir = \"~/No\"\nsync_dir = \"~/Files/One\"\n", at: ".config/onedrive/config")
        return (try box.makeFolder("Files/One"), "OneDrive")
      case .gvfs:
        let name = "google-drive:host=gmail.com,user=ann"
        try Files.makeFolder(box.root + "/run/gvfs/" + name)
        return (box.root + "/run/gvfs/" + name, #"Google Drive "host=gmail.com,user=ann""#)
      case .insync:
        try box.place("", at: ".config/Insync/x")
        return (try box.makeFolder("Insync/ann@example.org"), #"Insync "ann@example.org""#)
      case .iCloud:
        return (
          try box.makeFolder("Library/Mobile Documents/com~apple~CloudDocs"), "iCloud Drive"
        )
      case .cloudStorage:
        return (
          try box.makeFolder("Library/CloudStorage/Box-Ann"), #"cloud storage "Box-Ann""#
        )
      }
    }
  }

  @Test(arguments: Setup.allCases)
  func `Is found and named`(_ setup: Setup) async throws {
    let box = try Sandbox()
    let (folder, name) = try setup.make(in: box)
    let asked = try await box.keybackup(
      ["init", "--json"], environment: box.unnamed, expecting: 78)
    try expectFailure(asked, 78, word: "config")
    let hint = try asked.json()["error"]["hint"].text ?? ""
    let proposed = folder + "/keybackup"
    #expect(
      hint.contains("\(folder.contains(" ") ? "'\(proposed)'" : proposed) (\(name))"), "\(hint)")
    // A named folder is recognised, also through a link.
    try Files.link(box.root + "/link", to: folder)
    let made = try await box.keybackup(
      ["init", "--json", box.root + "/link"], environment: box.unnamed)
    #expect(try made.json()["warnings"].items.isEmpty, "\(made.text)")
    #expect(try made.json()["engine"].text?.isEmpty == false)
    // A computer that knows nothing finds it.
    try Files.remove(box.home + "/.config/keybackup")
    try Files.remove(box.home + "/.local/state/keybackup")
    let status = try await box.keybackup(
      ["status", "--json"], pin: .none, environment: box.unnamed, expecting: 88)
    let place = folder.contains(" ") ? "'\(folder)'" : folder
    #expect(status.err.contains("Using the backup in \(place) (\(name))."), "\(status.err)")
    #expect(try status.json()["known"].flag == false)
  }

  @Test func `A person chooses between several folders`() async throws {
    let box = try Sandbox()
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    try box.setUpSyncthing(try box.makeFolder("Sync"))
    let made = try await box.keybackup(
      ["init"], environment: box.unnamed,
      terminal: [
        .expect("1  \(box.home)/Sync/keybackup  (Syncthing \"Tom & Ann\")"),
        .expect("2  \(cloud)/keybackup  (Dropbox \"personal\")"), .expect("3  another folder"),
        .expect("(1 to 3): "), .type("nonsense\n"), .expect("(1 to 3): "), .type("0\n"),
        .expect("(1 to 3): "), .type(" 2 \n"),
      ])
    #expect(made.out.contains("is ready in \(cloud)/keybackup\n"), "\(made.text)")
    #expect(made.screen.contains("Dropbox \"personal\" still has to upload it"), "\(made.text)")
    // It is the configured one from now on.
    try await box.keybackup(["status"], pin: .none, environment: box.unnamed, expecting: 88)
    // Another backup is not started beside it by accident.
    try await box.keybackup(["init"], environment: box.unnamed, expecting: 73)
  }

  @Test func `A person names another folder`() async throws {
    let box = try Sandbox()
    let made = try await box.keybackup(
      ["init"], environment: box.unnamed,
      terminal: [
        .expect("No folder that a sync program carries was found"),
        .expect("Path of the synced folder: "), .type("~/My Wallets\n"),
      ])
    #expect(made.out.contains("is ready in '\(box.home)/My Wallets'\n"), "\(made.text)")
    #expect(made.screen.contains("until one does, it is the only copy"), "\(made.text)")
    #expect(made.screen.contains("nowhere else yet"), "\(made.text)")
  }

  @Test(arguments: ["\u{4}", "\n", "  \n"])
  func `A person names nothing`(_ typed: String) async throws {
    let box = try Sandbox()
    let ended = try await box.keybackup(
      ["init"], environment: box.unnamed, terminal: [.expect("folder: "), .type(typed)],
      expecting: 78)
    #expect(ended.screen.contains("no folder for the backup was named"), "\(ended.text)")
    #expect(box.trace.isEmpty, "the key was asked for nothing")
  }

  @Test func `Doctor tells which folder is known`() async throws {
    let box = try Sandbox()
    let (before, warned) = try await (
      box.keybackup(["doctor"], pin: .none, environment: box.unnamed),
      box.keybackup(["doctor"], pin: .none)
    )
    #expect(before.out.contains("folder: none is known yet"))
    #expect(warned.out.contains("warning  folder: \(box.folder) can be written; no sync program"))
    try box.setUpDropbox(box.folder)
    let offered = try await box.keybackup(["doctor"], pin: .none, environment: box.unnamed)
    #expect(offered.out.contains("sync folders here: \(box.folder) (Dropbox \"personal\")"))
    let carried = try await box.keybackup(["doctor"], pin: .none)
    #expect(carried.out.contains("can be written; Dropbox \"personal\" uploads it"))
  }

  @Test func `No input means no question`() async throws {
    let box = try Sandbox()
    try box.setUpDropbox(try box.makeFolder("Dropbox"))
    let ended = try await box.keybackup(
      ["init", "--no-input"], environment: box.unnamed, terminal: [], expecting: 78)
    #expect(ended.text.contains("sync folders on this computer"), "\(ended.text)")
    #expect(!ended.screen.contains("Number"))
  }

  @Test func `A new computer with several backups`() async throws {
    let box = try Sandbox()
    let (first, second) = (try box.makeFolder("Dropbox/keybackup"), try box.makeFolder("Sync"))
    try box.setUpDropbox(box.home + "/Dropbox")
    try box.setUpSyncthing(second)
    try await box.keybackup(["init", first], home: box.root)
    try await box.keybackup(["init", second], home: box.root)
    for arguments in [["status"], ["restore"], ["verify"], ["wallet", "list"], ["key", "list"]] {
      let ended = try await box.keybackup(
        arguments, pin: .none, environment: box.unnamed, expecting: 90)
      expectFailure(ended, 90, says: "--folder \(first) (Dropbox", "--folder \(second) (Syncthing")
    }
    try await box.keybackup(
      ["status", "--folder", second], pin: .none, environment: box.unnamed, expecting: 88)
  }

  @Test func `A new computer restores by itself`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let folder = try box.makeFolder("Sync")
    try Files.copy(box.folder, to: folder + "/keybackup")
    try box.setUpSyncthing(folder, type: "receiveonly")
    let restored = try await box.keybackup(
      ["restore", "--out", box.root + "/out"], environment: box.unnamed)
    #expect(restored.err.contains("Using the backup in \(folder)/keybackup (Syncthing"))
    #expect(Files.tree(box.root + "/out").count == 3)
  }

  /// README proposes a subfolder of one's own.
  @Test func `A backup one level down is found, and of several one has to be named`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    for name in ["photos", "a b", ".trash", "x/deeper"] { try Files.makeFolder(cloud + "/" + name) }
    try Files.write("text", to: cloud + "/notes.txt")
    // Neither what is hidden, nor what is deeper. A link to a folder without a backup is nothing.
    try Files.copy(box.folder, to: cloud + "/.trash/old")
    try Files.copy(box.folder, to: cloud + "/.wallets")
    try Files.copy(box.folder, to: cloud + "/x/deeper/wallets")
    try Files.link(cloud + "/link", to: cloud + "/photos")
    let none = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 78)
    expectFailure(none, 78, says: "no backup is in \(cloud)")
    try Files.copy(box.folder, to: cloud + "/wallets")
    // The same place by another sync folder is no second backup.
    try box.setUpSyncthing(cloud + "/wallets")
    let restored = try await box.keybackup(
      ["restore", "--json"], environment: box.unnamed)
    #expect(try restored.json()["restored"].number == 3)
    #expect(
      restored.err.contains("Using the backup in \(cloud)/wallets (Syncthing"), "\(restored.err)")
    try Files.copy(box.folder, to: cloud + "/more")
    let several = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 90)
    expectFailure(
      several, 90, says: "--folder \(cloud)/wallets (Syncthing", "--folder \(cloud)/more (Dropbox")
    // init tells of it, and starts another one all the same.
    let made = try await box.keybackup(
      ["init", "--label", "other", cloud + "/new"], environment: box.unnamed)
    #expect(made.err.contains("a backup is in \(cloud)/wallets (Syncthing"), "\(made.err)")
  }

  @Test func `Files do not hide a backup, nor is a planted copy chosen`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    for number in 1...1001 { try Files.write("", to: cloud + "/a\(number).jpg") }
    try Files.copy(box.folder, to: cloud + "/wallets")
    let found = try await box.keybackup(["restore", "--json"], environment: box.unnamed)
    #expect(found.err.contains("Using the backup in \(cloud)/wallets (Dropbox"), "\(found.err)")
    try Files.copy(box.folder, to: cloud + "/!old")
    let several = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 90)
    expectFailure(several, 90, says: "/!old", "--folder \(cloud)/wallets (Dropbox")
  }

  @Test func `Of too many folders none is chosen`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    for number in 1...1001 { try Files.makeFolder(cloud + "/b\(number)") }
    try Files.copy(box.folder, to: cloud + "/a")
    try Files.copy(box.folder, to: cloud + "/wallets")
    let unsure = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 90)
    expectFailure(
      unsure, 90, says: "not searched to the end: \(cloud)", "--folder \(cloud)/a (Dropbox")
    try await box.keybackup(
      ["status", "--folder", cloud + "/wallets"], pin: .none, environment: box.unnamed,
      expecting: 88)
  }

  /// Either may be the backup that is meant.
  @Test(arguments: ["link", "name"])
  func `A backup behind a link or an unusual name lets nothing be chosen`(
    _ obstacle: String
  ) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    try Files.copy(box.folder, to: cloud + "/old")
    if obstacle == "link" {
      try Files.link(cloud + "/mine", to: box.folder)
    } else {
      let copy = "cp -r '\(box.folder)' '\(cloud)'/\"$(printf 'm\\351')\""
      try await box.run(["sh", "-c", copy], key: nil).expectSuccess()
    }
    let text = obstacle == "link" ? "leads to a backup" : "is not UTF-8"
    let unsure = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 90)
    expectFailure(unsure, 90, says: text, "--folder \(cloud)/old (Dropbox")
    // init does not start another one by accident.
    let other = try box.makeFolder("other")
    let before = box.trace.count
    let asked = try await box.keybackup(
      ["init", "--json", other], environment: box.unnamed, expecting: 73)
    try expectFailure(asked, 73, word: "namespace-exists")
    #expect(asked.text.contains("--another") && asked.text.contains(text), "\(asked.text)")
    #expect(box.trace.count == before)
    try await box.keybackup(
      ["init", "--label", "other", "--another", other], environment: box.unnamed)
  }

  @Test func `A folder that does not answer lets nothing be chosen`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    try Files.copy(box.folder, to: cloud + "/old")
    let (stuck, backing) = (cloud + "/stuck", box.root + "/backing")
    for path in [stuck, backing] { try Files.makeFolder(path) }
    let system = try FailingFileSystem(backing: backing, path: stuck)
    defer { system.unmount() }
    try system.tell("rule op=any hang")
    let unsure = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 90)
    expectFailure(
      unsure, 90, says: "not looked into: \(stuck), which does not answer",
      "--folder \(cloud)/old (Dropbox")
  }

  @Test(arguments: ["file", "mkfifo", "mkdir"])
  func `A planted name without contents is no backup`(_ kind: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    try Files.copy(box.folder, to: cloud + "/wallets")
    try Files.makeFolder(cloud + "/af/cspp-namespaces")
    let planted = cloud + "/af/cspp-namespaces/" + String(repeating: "a", count: 32)
    if kind == "file" {
      try Files.write("", to: planted)
    } else {
      try await box.run([kind, planted], key: nil).expectSuccess()
    }
    let found = try await box.keybackup(["restore", "--json"], environment: box.unnamed)
    #expect(found.err.contains("Using the backup in \(cloud)/wallets (Dropbox"), "\(found.err)")
  }

  @Test func `Without a backup anywhere, the message says so`() async throws {
    let box = try Sandbox()
    let cloud = try box.makeFolder("Dropbox")
    try box.setUpDropbox(cloud)
    let ended = try await box.keybackup(
      ["restore"], pin: .none, environment: box.unnamed, expecting: 78)
    expectFailure(
      ended, 78, says: "no backup folder is known", "keybackup init FOLDER",
      "no backup is in \(cloud) (Dropbox \"personal\")")
  }

  @Test(arguments: ["receiveonly", "sendonly", "receiveencrypted", "some-later-type"])
  func `What goes one way is not offered`(_ type: String) async throws {
    let box = try Sandbox()
    let folder = try box.makeFolder("Sync")
    try box.setUpSyncthing(folder, type: type)
    let ended = try await box.keybackup(
      ["init"], environment: box.unnamed, terminal: [.expect("synced folder: "), .type("\u{4}")],
      expecting: 78)
    #expect(ended.screen.contains("Not offered: \(folder) (Syncthing \"Tom & Ann\"): "))
    let made = try await box.keybackup(["init", "--json", folder], environment: box.unnamed)
    #expect(try made.json()["warnings"].items.count == 1, "\(made.text)")
  }

  /// These files belong to others and may hold anything.
  @Test(arguments: [
    "", "{", "<configuration", "<configuration><folder id=\"a\" path=\"/\u{0}\"",
    String(repeating: "<a>", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    String(repeating: "[", count: 500_000), "[Accounts]\n0\\Folders\\1\\localPath=\"\\",
    "[Accounts]\n0\\Folders\\1\\localPath=\\xffffffffff\\x", "sync_dir", "sync_dir=~otto/x",
    "<a b='&#xffffffff;&#0;&nope;&'/>", "</a></a>", "\u{FEFF}<?xml?><!-- ", "<a b=c/>",
    #"{"personal":{"path":7},"business":null}"#, #"{"personal":"x"}"#,
    String(repeating: "x", count: 3 << 20),
  ])
  func `Whatever their files hold`(_ text: String) async throws {
    let box = try Sandbox()
    for name in [
      ".config/syncthing/config.xml", ".dropbox/info.json", ".config/Nextcloud/nextcloud.cfg",
      ".config/ownCloud/owncloud.cfg", ".config/onedrive/config",
    ] {
      try box.place(text, at: name)
    }
    try await box.keybackup(["init"], environment: box.unnamed, expecting: 78)
  }

  /// A FIFO would block; a folder cannot be read.
  @Test(arguments: ["mkfifo", "mkdir"])
  func `Their files are no files`(_ command: String) async throws {
    let box = try Sandbox()
    for name in [".config/syncthing/config.xml", ".dropbox/info.json"] {
      try box.place("", at: name)
      try Files.remove(box.home + "/" + name)
      try await box.run([command, box.home + "/" + name], key: nil).expectSuccess()
    }
    try await box.keybackup(["init"], environment: box.unnamed, expecting: 78)
  }
}

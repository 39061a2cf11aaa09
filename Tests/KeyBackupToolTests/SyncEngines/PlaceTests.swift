import BackupFolder
import Glibc
import Testing

@testable import SyncFolders

/// The messages of `init` about the place that a user chose.
@Suite struct PlaceTests {
  /// Runs `init` in a file system that `mount` puts at "$box/disk", in its own mount namespace.
  private func initOn(_ box: Sandbox, _ mount: String) async throws -> Outcome {
    try Files.makeFolder(box.root + "/disk")
    let setUp = """
      mount --make-rprivate / 2>/dev/null
      \(mount) || exit 99
      setpriv --reuid \(getuid()) --regid \(getgid()) --clear-groups \
        "$virtual" --state "$box/key.json" --pin \(Sandbox.pin) --trace "$box/trace" -- \
        "$keybackup" init "$box/disk" --json --pin-file "$box/pin"; code=$?
      umount --lazy "$box/disk"; exit $code
      """
    let privileged = isRoot ? [] : ["sudo", "-n", "--preserve-env"]
    return try await box.run(
      privileged + ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", setUp],
      key: nil,
      environment: ["box": box.root, "virtual": Build.virtualKey, "keybackup": Build.keybackup])
  }

  @Test func `A folder in memory is warned of`() async throws {
    let box = try Sandbox()
    let made = try await initOn(
      box, #"mount -t tmpfs -o mode=0700,uid=\#(getuid()),gid=\#(getgid()) tmpfs "$box/disk""#)
    let warnings = try made.json()["warnings"].items.compactMap(\.text)
    #expect(made.code == 0 && warnings.count == 2, "\(made.text)")
    #expect(warnings.first?.contains("is only in memory (tmpfs)") == true, "\(warnings)")
    #expect(warnings.last?.contains("it is the only copy") == true, "\(warnings)")
  }

  @Test func `On a read only file system`() async throws {
    let box = try Sandbox()
    let refused = try await initOn(
      box, #"mount -t tmpfs -o ro,mode=0777 tmpfs "$box/disk""#)
    try expectFailure(refused, 73, word: "cannot-create")
    // The key got no request.
    #expect(!box.trace.contains { $0.contains("makeCredential") || $0.contains("TOUCH") })
  }

  @Test func `Nothing warns where an engine is known`() async throws {
    let box = try Sandbox()
    try box.setUpDropbox(try box.makeFolder("Dropbox"))
    let made = try await box.keybackup(["init", box.home + "/Dropbox"])
    #expect(!made.err.contains("warning:"), "\(made.err)")
    #expect(made.err.contains("Dropbox \"personal\" still has to upload it"), "\(made.err)")
  }

  @Test func `A folder that Syncthing ignores is warned of`() async throws {
    let box = try Sandbox()
    let folder = try box.makeFolder("Sync")
    try box.setUpSyncthing(folder)
    try Files.write("// ours\n(?d).DS_Store\n/keybackup/**/log\n", to: folder + "/.stignore")
    let made = try await box.keybackup(["init", "--json", folder + "/keybackup"])
    let warning = try made.json()["warnings"][0].text ?? ""
    #expect(warning.contains(#""/keybackup/**/log" in \#(folder)/.stignore"#), "\(made.text)")
  }

  /// Whoever may write to the folder writes its patterns as well.
  @Test func `A pattern is not taken for a command`() async throws {
    let box = try Sandbox()
    let folder = try box.makeFolder("Sync")
    try box.setUpSyncthing(folder)
    try Files.write("lo[g: sudo evil x]\n", to: folder + "/.stignore")
    let made = try await box.keybackup(
      ["init", folder + "/keybackup"], environment: ["COLUMNS": "60"])
    #expect(made.text.contains("lo[g:\u{A0}sudo\u{A0}evil x]"), "\(made.text)")
    #expect(!made.text.contains("\n  sudo"), "\(made.text)")
  }

  // MARK: Parts

  @Test(arguments: [
    ("*.json", true), ("(?i)*.JSON", true), ("*.JSON", false), ("/cspp-namespaces", false),
    ("/sub/cspp-namespaces", true), ("cspp-namespaces", true), ("sub/", true), ("*", true),
    ("!*.json\n*", false), ("wallet-*\n!wallet-*", true), ("log", true), ("/log", false),
    ("*.mnemonic\nThumbs.db\n*.tmp", false), ("// *.json", false), ("sub/*/keybackup", false),
    ("sub/**/keybackup", true), ("#include more", true), ("#include ../more", false),
    ("(?d)(?i)SUB", true), ("", false), ("[", false), (".keybackup-tmp-*", false),
  ])
  func `Ignore patterns cover what Syncthing ignores`(_ text: String, _ covers: Bool) throws {
    let box = try Sandbox()
    try Files.write(text, to: box.folder + "/.stignore")
    try Files.write("*.json", to: box.folder + "/more")
    try Files.write("*.json", to: box.root + "/more")
    let patterns = try #require(
      IgnorePatterns(of: SyncFolder(engine: .syncthing, path: box.folder)))
    #expect((patterns.covering(box.folder + "/sub") != nil) == covers)
  }

  @Test(arguments: [
    ("8:17", true), ("8:1", false), ("179:2", true), ("253:0", true), ("253:1", false),
    ("9:9", false),
  ])
  func `Removable disks are told from those inside`(_ device: String, _ isRemovable: Bool) throws {
    let box = try Sandbox()
    // Laid out as by the kernel: a USB stick, an internal disk, a card, and an encrypted volume on
    // each of the first two.
    let disks = [
      "8:17": "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/block/sdb/sdb1",
      "8:1": "pci0000:00/0000:00:17.0/ata1/host0/block/sda/sda1",
      "179:2": "platform/reader/block/mmcblk1/mmcblk1p2",
      "253:0": "virtual/block/dm-0", "253:1": "virtual/block/dm-1",
    ]
    try Files.makeFolder(box.root + "/sys/dev/block")
    for (number, path) in disks {
      try Files.makeFolder(box.root + "/sys/devices/" + path)
      try Files.link(box.root + "/sys/dev/block/" + number, to: "../../devices/" + path)
    }
    try Files.write("1\n", to: box.root + "/sys/devices/platform/reader/block/mmcblk1/removable")
    for (volume, disk) in [("dm-0", "8:17"), ("dm-1", "8:1")] {
      let slaves = box.root + "/sys/devices/virtual/block/\(volume)/slaves"
      try Files.makeFolder(slaves)
      try Files.link(slaves + "/disk", to: "../../../../../devices/" + disks[disk, default: ""])
    }
    let mount = MountTable.Mount(
      device: device, point: "/media/x", isReadOnly: false, type: "ext4", source: "/dev/x")
    #expect((BlockDevice(of: mount, root: box.root)?.isRemovable ?? false) == isRemovable)
  }

  @Test func `Mount tables are read as the kernel writes them`() throws {
    let table = MountTable(
      #"""
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      30 22 0:40 / /home/ann/cloud\040drive rw,nosuid shared:9 master:3 - fuse.rclone drive:x rw,user_id=0
      31 30 0:41 / /home/ann/cloud\040drive/in ro - tmpfs tmpfs rw
      32 22 0:42 / /home/ann/p rw - fuse pCloud.fs rw
      33 22 0:43 / /mnt/nas rw - nfs4 nas:/x rw
      34 22 0:44 / /mnt/nas rw - cifs //nas/x ro
      short line
      35 22 0:45 / /x rw shared:1 shared:2
      """#)
    #expect(table.all.count == 6)
    #expect(table.holding("/home/ann/cloud drive/keybackup")?.engine == .rclone)
    #expect(table.holding("/home/ann/cloud drives")?.type == "ext4")
    #expect(table.holding("/home/ann/cloud drive/in/x")?.isReadOnly == true)
    #expect(table.holding("/home/ann/p")?.engine == .pCloud)
    #expect(
      table.holding("/mnt/nas/y")?.type == "cifs" && table.holding("/mnt/nas/y")?.isReadOnly == true
    )
    #expect(MountTable("").holding("/") == nil)
  }

  /// A part of a sync folder that is mounted again elsewhere still belongs to that folder.
  @Test func `Of two mounts at one place the later counts`() {
    let table = MountTable(
      #"""
      22 1 8:1 / / rw - ext4 /dev/sda1 rw
      23 22 8:2 / /home rw - ext4 /dev/sda2 rw
      24 22 8:2 /ann/Sync/deep /mnt/work rw - ext4 /dev/sda2 rw
      25 22 8:2 /ann /mnt/ann rw - ext4 /dev/sda2 rw
      """#)
    let folder = "/home/ann/Sync"
    for path in [
      "/home/ann/Sync", "/home/ann/Sync/x", "/mnt/work", "/mnt/work/x", "/mnt/ann/Sync/x",
    ] {
      #expect(table.contains(folder, path), "\(path)")
    }
    for path in ["/home/ann", "/home/ann/Syncs", "/mnt/ann", "/mnt/ann/x", "/ann/Sync", "/"] {
      #expect(!table.contains(folder, path), "\(path)")
    }
  }

  /// A file system that is mounted in a sync folder is synchronised with it, however its path is
  /// written.
  @Test func `Mounts in the folder`() {
    let table = MountTable(
      #"""
      22 1 8:1 / / rw - ext4 /dev/sda1 rw
      23 22 8:2 / /home rw - ext4 /dev/sda2 rw
      24 23 8:2 /ann/Private /home/ann/Sync/Private rw - ext4 /dev/sda2 rw
      25 22 0:50 / /mnt/memory rw - tmpfs tmpfs rw
      26 23 0:50 /part /home/ann/Sync/deep/memory rw - tmpfs tmpfs rw
      27 23 8:2 /ann/Other /home/ann/Syncs/Other rw - ext4 /dev/sda2 rw
      28 22 8:2 /ann/Private /mnt/private rw - ext4 /dev/sda2 rw
      """#)
    let folder = "/home/ann/Sync"
    for path in [
      "/home/ann/Private", "/home/ann/Private/x3", "/home/ann/Sync/Private/x3", "/mnt/private/x",
      "/mnt/memory/part", "/mnt/memory/part/x", "/home/ann/Sync/\u{301}x",
    ] {
      #expect(table.contains(folder, path), "\(path)")
    }
    for path in [
      "/home/ann/Privates", "/home/ann/Other/x", "/home/ann/Syncs/Other/x", "/home/ann",
      "/mnt/memory", "/mnt/memory/parts", "/ann/Private",
    ] {
      #expect(!table.contains(folder, path), "\(path)")
    }
  }
}

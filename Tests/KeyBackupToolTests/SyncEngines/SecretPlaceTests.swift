import Testing

/// Secrets never lie where a sync program carries them away, unless the user allows it.
@Suite struct SecretPlaceTests {
  /// A backup outside of Dropbox, and a folder in it.
  private static func prepared() async throws -> (backup: PreparedBackup, inside: String) {
    let backup = try await PreparedBackup()
    let cloud = try backup.box.makeFolder("Dropbox/deep")
    try backup.box.setUpDropbox(backup.box.home + "/Dropbox")
    return (backup, cloud)
  }

  /// Every command that writes a secret, as `[..., option, <place>]`.
  private static func writers(_ box: Sandbox) -> [[String]] {
    let id = PreparedBackup.ids[0]
    return [
      ["restore", "--out"], ["wallet", "show", id, "--out"],
      ["wallet", "export", id, "--format", "mnemonic", "--out"],
      ["wallet", "export", id, "--format", "seedqr", "--out"],
      ["wallet", "export", "--password-file", box.root + "/password", "--covb"],
      ["wallet", "export", "--covb", box.root + "/x.covb", "--new-password-file"],
      ["recovery-kit", "create", "--out"],
      ["recovery-kit", "create", "--out", box.root + "/kit.html", "--offline"],
      ["recovery-kit", "create", "--out", box.root + "/kit.html", "--secret-file"],
      ["derive", "--salt", "x", "--out"], ["nostr", "export", "--out"],
      ["nostr", "encode", "--secret", box.root + "/nsec", "--out"],
      ["nostr", "decode", "--secret", box.root + "/nsec", "--out"],
    ]
  }

  @Test func `No command writes one there`() async throws {
    let (backup, inside) = try await Self.prepared()
    let box = backup.box
    try Files.write(String(repeating: "11", count: 32), to: box.root + "/nsec")
    try Files.write(WalletExchangeTests.password + "\n", to: box.root + "/password", mode: 0o600)
    try Files.link(box.root + "/link", to: inside)
    let asked = try await box.traced {
      for (number, writer) in Self.writers(box).enumerated() {
        let place = number.isMultiple(of: 2) ? inside + "/new" : box.root + "/link/new"
        let pin: Sandbox.PINGiven = ["encode", "decode"].contains(writer[1]) ? .none : .file
        let refused = try await box.keybackup(writer + [place], pin: pin, expecting: nil)
        expectFailure(
          refused, 73, says: "synced folder", "Dropbox \"personal\" carries",
          "--allow-synced-folder")
      }
    }
    #expect(asked.isEmpty, "a key was asked for nothing")
    #expect(Files.tree(box.home + "/Dropbox").isEmpty)
    #expect(!Files.exists(box.root + "/kit.html") && !Files.exists(box.root + "/x.covb"))
  }

  /// A shell's redirection puts printed output there too.
  @Test func `Nor is one printed into a file there`() async throws {
    let (backup, inside) = try await Self.prepared()
    let box = backup.box
    try Files.write(String(repeating: "11", count: 32), to: box.root + "/nsec")
    func into(_ file: String) -> [String] {
      ["sh", "-c", #"file=$1; shift; exec "$@" >"$file""#, "sh", file]
    }
    let id = PreparedBackup.ids[0]
    let asked = try await box.traced {
      for printer in [
        ["derive", "--salt", "x"], ["derive", "--salt", "x", "--out", "-", "--json"],
        ["wallet", "show", id, "--out", "-"], ["wallet", "show", id, "--reveal"],
        ["wallet", "export", id, "--format", "mnemonic", "--reveal"],
        ["recovery-kit", "create", "--reveal"], ["nostr", "export", "--reveal"],
        ["nostr", "encode", "--secret", box.root + "/nsec", "--reveal"],
      ] {
        let hasJSON = printer.contains("--json")
        let refused = try await box.keybackup(
          printer, pin: printer[1] == "encode" ? .none : .file, wrapper: into(inside + "/new"),
          expecting: 73)
        #expect(
          hasJSON || refused.err.contains("\(inside)/new is in a synced folder"), "\(refused)")
        #expect(try Files.read(inside + "/new").isEmpty != hasJSON, "\(printer)")
      }
    }
    #expect(asked.isEmpty, "a key was asked for nothing")
    let inBackup = try await box.keybackup(
      ["derive", "--salt", "x"], wrapper: into(box.folder + "/new"), expecting: 73)
    #expect(inBackup.err.contains("holds the backup"), "\(inBackup)")
    try Files.remove(box.folder + "/new")

    let show = ["wallet", "show", id, "--out", "-"]
    try await box.keybackup(show, wrapper: into(box.root + "/new"))
    try await box.keybackup(show + ["--allow-synced-folder"], wrapper: into(inside + "/new"))
    #expect(try Files.read(box.root + "/new") == Files.read(inside + "/new"))
    #expect(try Files.read(box.root + "/new").count > 100)
    // Output without secrets may go anywhere.
    try await box.keybackup(["wallet", "list"], wrapper: into(inside + "/new"))
  }

  /// The backup is in a subfolder, as `init` proposes it: its neighbours are synchronised too.
  @Test func `Beside the backup neither`() async throws {
    let (backup, _) = try await Self.prepared()
    let box = backup.box
    let own = box.home + "/Dropbox/keybackup"
    try Files.copy(box.folder, to: own)
    let refused = try await box.keybackup(
      ["restore", "--out", box.home + "/Dropbox/restored"],
      environment: ["KEYBACKUP_FOLDER": own], expecting: nil)
    expectFailure(refused, 73, says: "Dropbox")
    #expect(!Files.exists(box.home + "/Dropbox/restored"))
  }

  /// The backup's folder counts as a synced folder for commands that do not open it.
  @Test func `Nor in the backups folder`() async throws {
    let box = try Sandbox()
    for arguments in [["derive", "--salt", "x", "--out"], ["nostr", "export", "--out"]] {
      let refused = try await box.keybackup(arguments + [box.folder + "/x"], expecting: nil)
      expectFailure(refused, 73, says: "synced folder", "holds the backup")
    }
    #expect(Files.tree(box.folder).isEmpty)
  }

  /// Files where a sync folder is configured are synchronised as soon as the program starts.
  ///
  /// So nothing makes that folder.
  @Test(arguments: ["Later", "Later/x", "link", "none/../Later", "dangling"])
  func `Nor in a sync folder that is not there yet`(_ configured: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    try Files.link(box.home + "/link", to: box.home + "/Later")
    try Files.link(box.home + "/dangling", to: "./none/../link")
    try box.setUpSyncthing(box.home + "/" + configured)
    let place = box.home + (configured.hasSuffix("x") ? "/Later/x" : "/Later")
    let around = box.home + "/./none/.." + String(place.dropFirst(box.home.count))
    for out in [place, place + "/x", around] {
      let refused = try await box.keybackup(["restore", "--out", out], expecting: nil)
      expectFailure(refused, 73, says: "synced folder", "Syncthing \"Tom & Ann\" carries")
    }
    #expect(!Files.exists(box.home + "/Later"))
    try await box.keybackup(["restore", "--out", box.home + "/Laterer"])
    #expect(Files.tree(box.home + "/Laterer").count == 3)
  }

  /// Nor is it offered for a backup.
  @Test func `A sync folder that is not there yet is not offered`() async throws {
    let box = try Sandbox()
    try box.setUpSyncthing(box.home + "/Later")
    let refused = try await box.keybackup(["init"], environment: box.unnamed, expecting: nil)
    expectFailure(refused, 78, says: "no sync program's folder was found here")
    #expect(!refused.text.contains("Later"), "\(refused.text)")
  }

  @Test func `Who says so may`() async throws {
    let (backup, inside) = try await Self.prepared()
    try await backup.box.keybackup(["restore", "--allow-synced-folder", "--out", inside + "/new"])
    #expect(Files.tree(inside + "/new").count == 3)
  }

  /// Nothing is refused elsewhere, and standard output is no such place.
  @Test func `Elsewhere it is as before`() async throws {
    let (backup, _) = try await Self.prepared()
    let entry = try await backup.box.keybackup(
      ["wallet", "show", PreparedBackup.ids[0], "--out", "-"], secrets: true)
    #expect(entry.out.contains(Samples.otherMnemonic))
  }

  // MARK: Secrets that come in

  /// Others may know by now what lies there.
  @Test func `No secret is taken from there`() async throws {
    let (backup, inside) = try await Self.prepared()
    let box = backup.box
    try Files.write(Samples.mnemonic + "\n", to: inside + "/words.txt")
    try Files.write(Samples.xpub + "\n", to: inside + "/xpub.txt")
    try Files.write(Samples.entry(id: "in", name: "In"), to: inside + "/entry.json")
    let add = ["wallet", "add", "--name", "N", "--network", "bitcoin"]
    let mnemonic = ["--format", "mnemonic", "--name", "N", "--network", "bitcoin"]
    let asked = try await box.traced {
      for arguments in [
        add + ["--mnemonic", inside + "/words.txt"],
        ["wallet", "import", inside + "/words.txt"] + mnemonic,
        ["wallet", "import", inside + "/entry.json"],
      ] {
        let refused = try await box.keybackup(arguments, expecting: nil)
        expectFailure(refused, 78, says: "synced folder", "move the coins")
      }
      try Files.copy(inside + "/words.txt", to: box.folder + "/words.txt")
      let refused = try await box.keybackup(
        add + ["--mnemonic", box.folder + "/words.txt"], expecting: nil)
      expectFailure(refused, 78, says: "holds the backup")
      try Files.remove(box.folder + "/words.txt")
    }
    #expect(asked.isEmpty)
    try await box.keybackup(add + ["--xpub", inside + "/xpub.txt"])
    try await box.keybackup(
      add + ["--allow-synced-folder", "--mnemonic", inside + "/words.txt"])
  }
}

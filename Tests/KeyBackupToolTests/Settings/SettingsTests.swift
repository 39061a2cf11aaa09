import CLinux
import Glibc
import Testing

/// keybackup.conf, variables and options: what is in force, and what is refused.
@Suite struct SettingsTests {
  // MARK: In force

  @Test func `An option comes before a variable and that before the file`() async throws {
    let box = try Sandbox()
    try box.remember("/remembered")
    // The space that a person sees around a sign is no part of the value; what follows is.
    try box.configure(
      """
      # A comment

        folder=/from # file
      pin-file\t=  ~/pin of mine
      askpass = /usr/bin/true
      wait = 7
      timeout = 9\r

      """)
    try Files.write(Sandbox.pin, to: box.home + "/pin of mine", mode: 0o600)
    let file = box.configurationFile
    var shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(
      shown["folder"] == Shown("/from # file", "file", file: file, line: 3, "does not exist"))
    #expect(
      shown["pin-file"]
        == Shown(box.home + "/pin of mine", "file", file: file, line: 4))
    #expect(shown["askpass"] == Shown("/usr/bin/true", "file", file: file, line: 5))
    #expect(shown["wait"] == Shown("7", "file", file: file, line: 6))
    #expect(shown["timeout"] == Shown("9", "file", file: file, line: 7))

    let variables = [
      "KEYBACKUP_FOLDER": box.folder, "KEYBACKUP_PIN_FILE": box.pinFile,
      "KEYBACKUP_ASKPASS": "no-such-program",
    ]
    shown = try await box.settings(variables)
    #expect(shown["folder"] == Shown(box.folder, "variable", named: "KEYBACKUP_FOLDER"))
    #expect(shown["pin-file"] == Shown(box.pinFile, "variable", named: "KEYBACKUP_PIN_FILE"))
    #expect(
      shown["askpass"]
        == Shown("no-such-program", "variable", named: "KEYBACKUP_ASKPASS", "does not exist"))

    shown = try await box.settings(
      variables,
      ["--folder", box.home, "--pin-file", file, "--wait", "1", "--timeout", "2"])
    #expect(shown["folder"] == Shown(box.home, "option", named: "--folder"))
    #expect(shown["pin-file"] == Shown(file, "option", named: "--pin-file", "others can read it"))
    #expect(shown["wait"] == Shown("1", "option", named: "--wait"))
    #expect(shown["timeout"] == Shown("2", "option", named: "--timeout"))
  }

  @Test func `A file without folder hides not what init remembered`() async throws {
    let box = try Sandbox()
    var shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["folder"] == Shown(nil, "default") && shown["pin-file"] == Shown(nil, "default"))
    #expect(shown["timeout"] == Shown("60", "default"))
    try box.remember(box.folder)
    try box.configure("wait = 3\n")
    shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["folder"] == Shown(box.folder, "remembered"))
    let text = try await box.keybackup(
      ["config", "show"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(text.out.contains(/folder +keybackup init +\S+\/cloud\n/), "\(text.out)")
    #expect(text.out.contains(/wait +keybackup.conf, line 1 +3\n/), "\(text.out)")
    #expect(text.out.contains("File: \(box.configurationFile)\n"), "\(text.out)")
  }

  /// People put the PIN where its file or a program belongs.
  @Test func `What may be a PIN is not repeated`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    for (name, value) in [
      ("KEYBACKUP_ASKPASS", "739104"), ("KEYBACKUP_ASKPASS", "/739104"),
      ("KEYBACKUP_ASKPASS", "qu7391ka"), ("KEYBACKUP_PIN_FILE", "/739104"),
      ("KEYBACKUP_PIN_FILE", "/home/739104"), ("KEYBACKUP_PIN_FILE", "739104"),
      ("KEYBACKUP_PIN_FILE", "/qu7391ka"), ("KEYBACKUP_PIN_FILE", "/qu@ka/w7391"),
    ] {
      for arguments in [["config", "show"], ["config", "show", "--json"], Sandbox.derive] {
        let told = try await box.keybackup(
          arguments, pin: .none, environment: [name: value], expecting: nil)
        #expect(!told.text.contains("7391"), "\(told.text)")
        #expect(arguments.last == "--json" || told.text.contains(name), "\(told.text)")
      }
    }
    for value in ["/739104", "/739104x", "~/739104", "/qu ka/739104"] {
      try box.configure("pin-file = \(value)\n")
      for arguments in [["config", "show"], Sandbox.derive] {
        let told = try await box.keybackup(arguments, pin: .none, expecting: nil)
        #expect(!told.text.contains("739104") && told.text.contains("line 1"), "\(told.text)")
      }
    }
    try Files.remove(box.configurationFile)
    for value in [" 7391", "~/7391", "7391 04", "quokka7391", "qu@ka/w7391"] {
      for arguments in [["config", "show"], ["config", "show", "--json"], Sandbox.derive] {
        let told = try await box.keybackup(
          arguments + ["--pin-file=" + value], pin: .none, expecting: nil)
        #expect(!told.text.contains("7391") && told.text.contains("--pin-file"), "\(told.text)")
      }
    }
    // A file is shown, whatever its name.
    try Files.write(Sandbox.pin, to: box.root + "/739104", mode: 0o600)
    try box.configure("pin-file = \(box.root)/739104\n")
    let shown = try await box.settings(["KEYBACKUP_FOLDER": ""])
    #expect(shown["pin-file"]?.value == box.root + "/739104")
  }

  @Test func `A byte order mark before the first line is no part of it`() async throws {
    let box = try Sandbox()
    try box.configure("\u{FEFF}wait = 7\n")
    #expect(try await box.settings(["KEYBACKUP_FOLDER": ""])["wait"]?.value == "7")
    try box.configure("wait = 7\n\u{FEFF}timeout = 5\n")
    let later = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
    expectFailure(later, 78, says: "line 2")
  }

  /// The service manager's credential is the service's own: it comes before a file that is
  /// there for every command.
  @Test func `The credential comes between the variable and the file`() async throws {
    let box = try Sandbox()
    try Files.makeFolder(box.root + "/credentials")
    try Files.write(Sandbox.pin, to: box.root + "/credentials/keybackup.pin", mode: 0o400)
    try box.configure("pin-file = /no/such/file\n")
    let credential = ["CREDENTIALS_DIRECTORY": box.root + "/credentials"]
    let shown = try await box.settings(credential)
    #expect(
      shown["pin-file"] == Shown(box.root + "/credentials/keybackup.pin", "credential"))
    _ = try await box.keybackup(
      ["credential", "create"], pin: .none, environment: credential)
    let variable = try await box.keybackup(
      Sandbox.derive, pin: .none,
      environment: credential.merging(["KEYBACKUP_PIN_FILE": "/no/such/one"]) { $1 },
      expecting: nil)
    expectFailure(variable, 66, says: "is not there", "check KEYBACKUP_PIN_FILE")
    #expect(!variable.err.contains("--pin-file"))
  }

  @Test func `What is in force is used`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let askpass = try box.program("askpass", Helper.askpass)
    try box.configure("folder = \(box.folder)\naskpass = \(askpass)\n")
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    let restored = try await box.keybackup(
      ["restore", "--json"], pin: .none, environment: unnamed)
    #expect(try restored.json()["restored"].number == 3)
    #expect(box.programsRun == ["askpass"])
    try box.configure("folder = \(box.folder)\npin-file = \(box.pinFile)\ntimeout = 1\nwait = 2\n")
    let again = try await box.keybackup(
      ["restore", "--json"], pin: .none, environment: unnamed)
    #expect(try again.json()["restored"].number == 3 && box.programsRun == ["askpass"])
    // A touch that never comes is waited for that long.
    let (late, touch) = try await box.listening(
      to: ["restore"], key: ["--touch", "never"], pin: .none, environment: unnamed)
    #expect(late.code == 84, "\(late.text)")
    #expect(
      touch.contains { $0["event"].text == "touch" && $0["seconds_left"].number == 1 }, "\(touch)")
    let (none, insert) = try await box.listening(
      to: ["restore"], key: ["--no-key"], pin: .none, environment: unnamed)
    #expect(none.code == 69, "\(none.text)")
    #expect(
      insert.contains { $0["event"].text == "insert" && $0["seconds_left"].number == 2 },
      "\(insert)")
  }

  // MARK: Refused

  /// What a file has, where that is told, and what is said of it.
  static let wrong: [(content: String, line: Int?, says: String)] = [
    ("foldr = /x", 1, "there is no setting \"foldr\""),
    ("\n# x\nFolder = /x", 3, "names no setting"),
    ("wait = 1\nwait = 2", 2, "a second time, after line 1"),
    ("folder = cloud", 1, "no path"), ("folder = ~other/cloud", 1, "no path"),
    ("folder =", 1, "no value"), ("folder = /a\u{1b}b", 1, "control character"),
    ("folder /x", 1, "not name = value"), ("folder name = /x", 1, "not name = value"),
    ("wait = soon", 1, "0 to 86400"), ("wait = 86401", 1, "0 to 86400"),
    ("wait = 5 ", 1, "0 to 86400"), ("wait = +5", 1, "0 to 86400"),
    ("timeout = 0", 1, "1 to 600"), ("timeout = 601", 1, "1 to 600"),
    ("askpass = ssh-askpass", 1, "no path"),
    ("wait = 1\u{0}", nil, "NUL"),
    ("#" + String(repeating: "x", count: 64 << 10), nil, "64 KiB"),
  ]

  @Test(arguments: wrong.indices)
  func `What is wrong is told with its line`(_ index: Int) async throws {
    let (content, line, says) = Self.wrong[index]
    let box = try Sandbox()
    try box.configure(content)
    let place = box.configurationFile + (line.map { ", line \($0): " } ?? ": ")
    let outcome = try await box.keybackup(
      ["devices"], key: nil, pin: .none, expecting: nil)
    expectFailure(outcome, 78, says: place, says)
    #expect(!outcome.err.contains("--"), "an option is no help: \(outcome.err)")
    let json = try await box.keybackup(
      ["devices", "--json"], key: nil, pin: .none, expecting: nil)
    try expectFailure(json, 78, word: "config")
    let shown = try await box.keybackup(
      ["config", "show"], key: nil, pin: .none, expecting: 78)
    #expect(shown.err.contains(place) && shown.err.contains(says), "\(shown.err)")
    for name in ["folder", "pin-file", "askpass", "wait", "timeout"] {
      #expect(shown.out.contains("\n\(name) "), "\(shown.out)")
    }
  }

  @Test func `Bytes that are no text are told with their line`() async throws {
    let box = try Sandbox()
    try box.configure("wait = 1\n")
    try Files.write(Array("wait = 1\nfolder = /".utf8) + [0xFF, 10], to: box.configurationFile)
    let outcome = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
    expectFailure(outcome, 78, says: ", line 2: it is not UTF-8")
  }

  /// Somebody put the PIN itself there.
  ///
  /// Nobody is to read it on a screen or in a log.
  @Test(arguments: [
    "pin = 7391-quokka", "pin-file = 7391-quokka", "pin-file = ~7391-quokka", "7391-quokka",
    "7391-quokka = x", "pin=7391-quokka\npin=7391-quokka", "wait = 7391-quokka",
    "folder = 7391-quokka", "pin-file = 7391-quokka\u{7}",
  ])
  func `What may be APIN is never repeated`(_ content: String) async throws {
    let box = try Sandbox()
    try box.configure(content)
    for arguments in [["devices"], ["config", "show"], ["config", "show", "--json"], ["status"]] {
      let outcome = try await box.keybackup(
        arguments, key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: 78)
      #expect(!outcome.text.contains("7391") && !outcome.text.contains("quokka"))
    }
    try Files.remove(box.configurationFile)
    for value in ["7391-quokka", "7391-quokka\u{1b}[31m", "~/7391-quokka"] {
      for arguments in [
        ["derive", "--salt", "x"], ["config", "show"], ["config", "show", "--json"],
      ] {
        let outcome = try await box.keybackup(
          arguments, key: nil, pin: .none, environment: ["KEYBACKUP_PIN_FILE": value],
          expecting: 78)
        #expect(outcome.text.contains("KEYBACKUP_PIN_FILE is no path"), "\(outcome.text)")
        #expect(!outcome.text.contains("7391") && !outcome.text.contains("--pin-file"))
      }
    }
  }

  @Test func `Odd bytes do not reach the terminal`() async throws {
    let box = try Sandbox()
    try box.configure("folder = /a\u{202E}b\n\u{1b}[31mfolder = /x\nfolder\u{202E} = /x\n")
    for options in [[], ["--json"]] {
      let outcome = try await box.keybackup(
        ["config", "show"] + options, key: nil, pin: .none,
        environment: ["KEYBACKUP_FOLDER": ""], expecting: 78)
      for odd in ["\u{1b}", "\u{202E}"] { #expect(!outcome.text.contains(odd)) }
    }
  }

  @Test func `A file that others could have written is refused`() async throws {
    let box = try Sandbox()
    for mode in [0o664, 0o646, 0o666] as [mode_t] {
      try box.configure("wait = 1\n")
      try Files.setMode(box.configurationFile, mode)
      let outcome = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
      expectFailure(outcome, 78, says: "can be changed by others", "chmod go-w")
    }
    for mode in [0o644, 0o600, 0o400] as [mode_t] {
      try Files.setMode(box.configurationFile, mode)
      try await box.keybackup(["config", "show"], key: nil, pin: .none)
    }
    guard isRoot else { return }
    guard unsafe chown(box.configurationFile, 54321, 54321) == 0 else {
      throw SystemFailure("chown")
    }
    let outcome = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
    expectFailure(outcome, 78, says: "belongs to somebody else")
  }

  /// Who can write to its folder can put another file there.
  @Test func `A file in a folder that others can change is refused`() async throws {
    let box = try Sandbox()
    let folder = box.home + "/.config/keybackup"
    func refused(_ says: String) async throws {
      let outcome = try await box.keybackup(["devices"], key: nil, pin: .none, expecting: nil)
      expectFailure(outcome, 78, says: "is in a folder that others can change", says)
    }
    try box.configure("wait = 1\n")
    for mode in [0o775, 0o757, 0o777] as [mode_t] {
      try Files.setMode(folder, mode)
      try await refused("run: chmod go-w \(folder)")
    }
    // Nobody replaces another user's file there; nor is a missing file in the way.
    try Files.setMode(folder, 0o1777)
    try await box.keybackup(["config", "show"], key: nil, pin: .none)
    // The folder of a link's target counts as well.
    try Files.setMode(folder, 0o755)
    try Files.makeFolder(box.root + "/shared")
    try Files.setMode(box.root + "/shared", 0o777)
    try Files.write("wait = 1\n", to: box.root + "/shared/conf")
    try Files.remove(box.configurationFile)
    try Files.link(box.configurationFile, to: box.root + "/shared/conf")
    try await refused("run: chmod go-w \(box.root)/shared")
    try Files.remove(box.configurationFile)
    try Files.setMode(folder, 0o777)
    try await box.keybackup(["config", "show"], key: nil, pin: .none)
    try box.configure("wait = 1\n")
    try Files.setMode(folder, 0o755)
    try await box.giveAway(folder)
    try await refused("a folder of your own")
    try await box.giveAway(folder, to: "\(geteuid())")
  }

  @Test func `A PIN file of another user is refused`() async throws {
    let box = try Sandbox()
    // Readable, so that it is the owner that counts.
    try Files.setMode(box.pinFile, 0o644)
    try await box.giveAway(box.pinFile)
    let trace = try await box.traced {
      let outcome = try await box.keybackup(["credential", "create"], expecting: nil)
      expectFailure(outcome, 78, says: "the PIN file \(box.pinFile) belongs to somebody else")
    }
    #expect(PINTests.tries(trace) == 0, "\(trace)")
    let shown = try await box.settings([:], ["--pin-file", box.pinFile])
    #expect(shown["pin-file"]?.problem == "belongs to somebody else")
  }

  /// What cannot be read is never taken for a file that is not there.
  @Test(arguments: ["link", "folder link", "folder", "fifo", "mode"])
  func `What is there and cannot be read is an error`(_ what: String) async throws {
    let box = try Sandbox()
    try box.configure("wait = 1\n")
    let path = box.configurationFile
    let folder = box.home + "/.config/keybackup"
    var wrapper: [String] = []
    switch what {
    case "link":
      try Files.remove(path)
      try Files.link(path, to: box.root + "/nowhere")
    case "folder link":
      try Files.remove(folder)
      try Files.link(folder, to: box.root + "/nowhere")
    case "folder":
      try Files.remove(path)
      try Files.makeFolder(path)
    case "fifo":
      try Files.remove(path)
      guard unsafe mkfifo(path, 0o600) == 0 else { throw SystemFailure(path) }
    default:
      try Files.setMode(path, 0)
      // Root reads everything, so another user has to try.
      if isRoot {
        wrapper = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
        try Files.setMode(box.root, 0o755)
      }
    }
    let outcome = try await box.keybackup(
      ["config", "show"], key: nil, pin: .none, wrapper: wrapper, limit: 20, expecting: nil)
    #expect(outcome.code == 78 && outcome.err.contains(path), "\(outcome.text)")
  }

  /// What needs no setting reads none.
  @Test func `Help and version read nothing`() async throws {
    let box = try Sandbox()
    try box.configure("nonsense\n")
    for arguments in [
      ["--version"], ["--help"], ["wallet", "add", "--help"], ["config", "--help"],
    ] {
      let outcome = try await box.keybackup(arguments, key: nil, pin: .none)
      #expect(!outcome.text.contains("nonsense") && outcome.err.isEmpty, "\(outcome.text)")
      let calls = try await box.run(
        ["strace", "-f", "-e", "trace=%file", Build.keybackup] + arguments, key: nil)
      #expect(calls.err.contains("execve"), "\(calls.text)")
      #expect(!calls.err.contains("/.config/keybackup"), "\(calls.err)")
    }
  }

  // MARK: init

  @Test func `Init leaves the file as it is`() async throws {
    let box = try Sandbox()
    try Files.write("wait = 1\n", to: box.root + "/mine.conf")
    try Files.makeFolder(box.home + "/.config/keybackup")
    try Files.link(box.configurationFile, to: box.root + "/mine.conf")
    let unnamed = ["KEYBACKUP_FOLDER": ""]
    try await box.keybackup(["init", box.folder], environment: unnamed)
    #expect(try Files.text(box.root + "/mine.conf") == "wait = 1\n")
    #expect(Files.mode(box.configurationFile) & 0o777 == 0o777, "still a link")
    #expect(try await box.settings(unnamed)["folder"] == Shown(box.folder, "remembered"))
    // Another folder is in force here: which line says so is told.
    try Files.makeFolder(box.root + "/other")
    try Files.makeFolder(box.root + "/third")
    try Files.write("wait = 1\nfolder = \(box.root)/other\n", to: box.root + "/mine.conf")
    let third = try await box.keybackup(["init", box.root + "/third"], environment: unnamed)
    #expect(third.err.contains("still uses \(box.root)/other"), "\(third.err)")
    #expect(third.err.contains("\(box.configurationFile), line 2"), "\(third.err)")
    #expect(
      try await box.settings(unnamed)["folder"]
        == Shown(box.root + "/other", "file", file: box.configurationFile, line: 2))
  }

  @Test func `A folder that is not there is told with what names it`() async throws {
    let box = try Sandbox()
    try box.configure("folder = /no/such/folder\n")
    let file = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: nil)
    expectFailure(
      file, 66, says: "/no/such/folder", "folder in \(box.configurationFile), line 1")
    let variable = try await box.keybackup(
      ["status"], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": "/no/such/one"],
      expecting: nil)
    expectFailure(variable, 66, says: "/no/such/one", "check KEYBACKUP_FOLDER")
  }

  @Test func `Doctor tells what is wrong in the file`() async throws {
    let box = try Sandbox()
    try box.configure("wait = 1\nfolder = cloud\n")
    let failed = try await box.keybackup(["doctor"], pin: .none, expecting: 78)
    #expect(
      failed.out.contains("FAILED   settings: \(box.configurationFile), line 2: "),
      "\(failed.text)")
    try box.configure("folder = /no/such/folder\n")
    let gone = try await box.keybackup(
      ["doctor"], pin: .none, environment: ["KEYBACKUP_FOLDER": ""], expecting: 66)
    #expect(gone.out.contains("check folder in \(box.configurationFile), line 1"), "\(gone.text)")
  }

  /// `keybackup` alone says so, too.
  @Test func `The front page tells that the file is wrong`() async throws {
    let box = try Sandbox()
    try box.configure("nonsense\n")
    let front = try await box.keybackup(
      [], key: nil, pin: .none, environment: ["KEYBACKUP_FOLDER": ""])
    #expect(front.out.hasPrefix("Attention: \(box.configurationFile), line 1"), "\(front.out)")
  }
}

/// A setting as `config show --json` has it.
struct Shown: Equatable {
  var value: String?
  var source: String?
  var named: String?
  var file: String?
  var line: Int?
  var problem: String?

  init(
    _ value: String?, _ source: String, named: String? = nil, file: String? = nil,
    line: Int? = nil, _ problem: String? = nil
  ) {
    (self.value, self.source, self.named) = (value, source, named)
    (self.file, self.line, self.problem) = (file, line, problem)
  }

  init(_ json: JSON) {
    (value, source, named) = (json["value"].text, json["source"].text, json["named_by"].text)
    (file, line, problem) = (json["file"].text, json["line"].number, json["problem"].text)
  }
}

extension Sandbox {
  var configurationFile: String { home + "/.config/keybackup/keybackup.conf" }

  /// Makes a file another user's.
  func giveAway(_ path: String, to user: String = "54321") async throws {
    let chown = (isRoot ? [] : ["sudo", "-n"]) + ["chown", user, path]
    try await run(chown, key: nil).expectSuccess()
  }

  /// Writes keybackup.conf.
  func configure(_ text: String) throws {
    try place(text, at: ".config/keybackup/keybackup.conf")
  }

  /// Writes what `init` remembers.
  func remember(_ folder: String) throws {
    try place(#"{"folder":"\#(folder)"}"#, at: ".config/keybackup/config.json")
  }

  /// What `config show` says of each setting.
  func settings(
    _ environment: [String: String] = [:], _ options: [String] = []
  ) async throws -> [String: Shown] {
    let json = try await keybackup(
      ["config", "show", "--json"] + options, key: nil, pin: .none, environment: environment
    ).json()
    return Dictionary(
      uniqueKeysWithValues: json["settings"].items.map { ($0["name"].text ?? "", Shown($0)) })
  }
}

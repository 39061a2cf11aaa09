import CLinux
import Glibc
import Testing

/// A keybackup.conf with a mistake, or one that others could have written.
@Suite struct RefusedSettingsTests {
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
    try Files.setMode(box.configurationFile, 0o644)
    try await box.giveAway(box.configurationFile)
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
      ["config", "show"], key: nil, pin: .none, wrapper: wrapper, expecting: nil)
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
}

import Glibc
import TestSupport
import Testing

/// Tests that the source folder installs on a computer only when told to, and says what.
@Suite struct SetupTests {
  /// A computer where some packages are missing, as far as scripts/setup can tell.
  ///
  /// Programs stand in for the system's, and note how they were called.
  private struct Computer {
    let box: Sandbox
    private var calls: String { box.root + "/calls" }
    private var lists: String { box.root + "/apt/var/lib/apt/lists" }

    init(missing: String) throws {
      box = try Sandbox()
      try Files.write("", to: box.root + "/calls")
      for name in [
        "written", "apt/var/lib/apt/lists/partial", "apt/var/cache/apt/archives/partial",
      ] {
        try Files.makeFolder(box.root + "/" + name)
      }
      try Files.write(#"Dir "\#(box.root)/apt"; APT::Sandbox::User "root";"#, to: aptConfig)
      try program("id", "echo 1000")
      try program(
        "dpkg-query", "for last; do :; done; case $last in \(missing)) exit 1; esac; echo installed"
      )
      try program("sudo", #"exec "$@""#)
      try program("swift", "")
      // Beside swift, as in a toolchain: scripts/release-build asks it where libstdc++ is.
      try Files.write("#!/bin/sh\necho /dev/null\n", to: box.root + "/written/clang", mode: 0o755)
      // apt itself asks for the lock of the lists; nothing is ever installed.
      try program(
        "apt-get",
        """
        case "$*" in
          *update*) exec /usr/bin/apt-get "$@" ;;
          *) [ "$(grep -c "^apt-get.* install" "$CALLS")" -gt 1 ] || {
            echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (dpkg)" >&2
            exit 100
          } ;;
        esac
        """)
      // Copied by another process. A file that this one wrote may be open in a child of another
      // test, and then nobody may run it.
      let copy = try FinishedProgram(["/bin/cp", "-r", box.root + "/written", box.root + "/bin"])
      try #require(copy.code == 0, "\(copy.output)")
    }

    private var aptConfig: String { box.root + "/apt.conf" }

    private func program(_ name: String, _ body: String) throws {
      try Files.write(
        "#!/bin/sh\necho \"\(name) $*\" >>\"$CALLS\"\n\(body)\n", to: box.root + "/written/" + name,
        mode: 0o755)
    }

    func run(_ command: [String], waiting seconds: Int = Backstop.seconds) async throws -> Outcome {
      try await box.run(
        command, key: nil,
        environment: [
          "PATH": "\(box.root)/bin:/usr/bin:/bin", "CALLS": calls, "APT_CONFIG": aptConfig,
          "KEYBACKUP_SETUP_WAIT": "\(seconds)",
        ])
    }

    /// The calls that were made, except questions.
    func called() throws -> [String] {
      try Files.text(calls).split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix("dpkg-query") && !$0.hasPrefix("id ") }
    }

    /// Holds the lock of apt's lists until apt-get was called this many times.
    func holdLists(untilCalls count: Int) throws -> BackgroundProgram {
      let holder = """
        import fcntl, time
        lock = open("\(lists)/lock", "w")
        fcntl.lockf(lock, fcntl.LOCK_EX)
        open("\(box.root)/held", "w")
        while open("\(calls)").read().count("\\napt-get") < \(count): time.sleep(0.1)
        """
      let program = try BackgroundProgram(
        ["/usr/bin/python3", "-c", holder], environment: [:], log: box.root + "/holder")
      try blockUntil("the lock is held") {
        Files.exists(box.root + "/held") ? nil : program.output
      }
      return program
    }
  }

  @Test
  func `Setup says what it installs and why, and waits for each of apt's locks`() async throws {
    let computer = try Computer(missing: "libfido2-dev|umockdev")
    let holder = try computer.holdLists(untilCalls: 2)
    let setup = try await computer.run([Build.root + "/scripts/setup", "demo"])
    setup.expectSuccess()
    let said = setup.err.split(separator: "\n")
    #expect(!setup.err.contains("E: "), "apt's own complaints: \(setup.err)")
    #expect(
      said.prefix(3) == [
        "Debian packages to install, with apt-get as root:",
        "  to build and run keybackup: libfido2-dev", "  the simulated security key: umockdev",
      ])
    for lock in ["\(computer.box.root)/apt/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend"] {
      #expect(
        said.count { $0.contains("waiting") && $0.contains("Could not get lock \(lock)") } == 1,
        "\(setup.err)")
    }
    let calls = try computer.called().filter { $0.hasPrefix("apt-get") }
    #expect(calls.count { $0 == "apt-get -qq update" } >= 2)
    let install = "apt-get -qq install -y --no-install-recommends libfido2-dev umockdev"
    #expect(calls.suffix(2) == [install, install])
    withExtendedLifetime(holder) {}
  }

  @Test
  func `A lock that is never released ends setup with a word, and nothing is installed`()
    async throws
  {
    let computer = try Computer(missing: "umockdev")
    let holder = try computer.holdLists(untilCalls: .max)
    let setup = try await computer.run([Build.root + "/scripts/setup", "demo"], waiting: 1)
    #expect(setup.code == 1)
    #expect(setup.err.contains("another program still uses apt"), "\(setup.err)")
    #expect(try !computer.called().contains { $0.contains("install") })
    withExtendedLifetime(holder) {}
  }

  @Test(
    arguments: [
      "build", "examples", "docs", "hardware-test", "fuzz", "fuzz-formats", "model", "crash-test",
      "bench", "deb", "dist", "reproducible", "try-clone", "try-packages", "try-newcomer",
      "try-dist",
    ])
  func `Nothing but setup, demo and test installs anything; what is missing is named`(
    _ target: String
  ) async throws {
    let computer = try Computer(missing: "libfido2-dev")
    let made = try await computer.run(["make", "-s", "-C", Build.root, target])
    #expect(made.code == 2)
    #expect(made.err.contains("  to build and run keybackup: libfido2-dev"), "\(made.err)")
    #expect(made.err.contains("sudo apt-get install libfido2-dev"), "\(made.err)")
    #expect(try computer.called() == [])
  }

  @Test
  func `make install copies what make build built, and builds nothing`() async throws {
    let computer = try Computer(missing: "none")
    let root = computer.box.root
    try Files.makeFolder(root + "/source/.build/release")
    for name in ["scripts", "debian", "docs", "systemd", "CHANGELOG.md"] {
      try Files.link(root + "/source/" + name, to: Build.root + "/" + name)
    }
    func make(_ arguments: [String]) async throws -> Outcome {
      try await computer.run(
        ["make", "-C", root + "/source", "-f", Build.root + "/Makefile"] + arguments)
    }
    let early = try await make(["install", "DESTDIR=\(root)/system"])
    #expect(early.code == 2)
    #expect(early.err.contains("keybackup is not built yet. Run: make build"), "\(early.err)")
    #expect(try computer.called() == [])
    #expect(!Files.exists(root + "/system"))

    try Files.link(root + "/source/.build/release/keybackup", to: Build.keybackup)
    for name in [
      "keybackup-foreign", "keybackup-nostr", "keybackup-guard-commands", "all-commands",
    ] {
      try Files.link(root + "/source/.build/release/" + name, to: BuiltProduct.path(name))
    }
    // The length of this path gets into the guard's program (docs/decisions/0036).
    let builds = root + "/source/.build/"
    let guardBuild = "guard-" + String(repeating: "0", count: 160 - builds.utf8.count - 6)
    try Files.makeFolder(builds + guardBuild + "/release")
    try Files.link(
      builds + guardBuild + "/release/keybackup-guard", to: BuiltProduct.path("keybackup-guard"))
    try await make(["build"]).expectSuccess()
    let called = try computer.called()
    #expect(called.allSatisfy { $0.hasPrefix("swift build") })
    // The command and the three that it starts, all in one, the guard.
    #expect(called.count == 6, "\(called)")
    #expect(Files.exists(builds + "guard/release/keybackup-guard"))
    try await make(["install", "DESTDIR=\(root)/system"]).expectSuccess()
    #expect(try computer.called().count == 6, "make install called something")
    let installed = root + "/system/usr/local/"
    #expect(Files.mode(installed + "bin/keybackup") == 0o755)
    for program in ["keybackup", "keybackup-guard"] {
      let version = try await computer.run([installed + "bin/" + program, "--version"])
      #expect(version.code == 0, "\(program)")
    }
    for group in ["foreign", "nostr", "guard"] {
      let help = try await computer.run([installed + "bin/keybackup", group, "--help"])
      #expect(help.out.contains("Usage: keybackup \(group) "), "\(help.text)")
    }
    for file in [
      "bash-completion/completions/keybackup", "zsh/site-functions/_keybackup",
      "fish/vendor_completions.d/keybackup.fish",
    ] {
      #expect(try Files.text(installed + "share/" + file).contains("recovery-kit"), "\(file)")
      #expect(Files.mode(installed + "share/" + file) == 0o644)
    }
    for page in ["man1/keybackup.1", "man1/keybackup-wallet.1", "man5/keybackup.5"] {
      #expect(try Files.text(installed + "share/man/" + page).contains(".TH \"KEYBACKUP"))
      #expect(Files.mode(installed + "share/man/" + page) == 0o644)
    }
    for unit in [
      "lib/systemd/user/keybackup-watch@.service",
      "share/doc/keybackup/examples/keybackup-watch-lnd.service",
    ] {
      let text = try Files.text(installed + unit)
      #expect(text.contains("\nExecStart=/usr/local/bin/keybackup file watch "), "\(unit)")
    }
    try await make(["uninstall", "DESTDIR=\(root)/system"]).expectSuccess()
    #expect(Files.tree(root + "/system") == [])
  }

  @Test(arguments: ["", "Guards/"])
  func `Every Swift package that is built has its exact version in Package.swift`(
    _ folder: String
  ) throws {
    let manifest = try Files.text(Build.root + "/" + folder + "Package.swift")
    let pins = try Files.text(Build.root + "/" + folder + "Package.resolved")
    let found = pins.matches(
      of: /"identity" : "([^"]+)"[^}]*?"revision" : "[0-9a-f]{40}",\s*"version" : "([^"]+)"/)
    // `keybackup` itself has one alone.
    #expect(folder.isEmpty ? found.count == 1 : found.count >= 27, "\(pins)")
    #expect(found.count == manifest.matches(of: /", exact: "/).count, "one that is not built")
    for pin in found {
      // An identity is in small letters.
      #expect(
        manifest.lowercased().contains("/\(pin.1)\", exact: \"\(pin.2)\""), "\(pin.1) \(pin.2)")
    }
    for file in [
      folder + "Package.swift", "Benchmarks/Package.swift", "Examples/Package.swift",
    ] {
      for line in try Files.text(Build.root + "/" + file).split(separator: "\n")
      where line.contains("url: \"") && !line.contains(", exact: \"") {
        Issue.record("\(file): \(line)")
      }
    }
  }
}

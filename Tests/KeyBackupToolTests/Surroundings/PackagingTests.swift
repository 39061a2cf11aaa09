import CommandSupport
import TestSupport
import Testing

/// What the Debian packages and a release are made of, as far as that is cheap to see.
///
/// `make deb`, `make try-packages`, `make try-dist` and `make reproducible` try the rest.
@Suite struct PackagingTests {
  private func text(_ path: String) throws -> String { try Files.text(Build.root + "/" + path) }

  @Test
  func `The packages have the program's version`() throws {
    let first = try text("debian/changelog").split(separator: "\n").first ?? ""
    #expect(first.hasPrefix("keybackup (\(Version.current)) "), "\(first)")
  }

  @Test
  func `What the packages name is in the source, or made by make package-parts`() throws {
    let rules = try text("debian/rules") + text("Makefile")
    for list in [
      "keybackup.install", "keybackup-foreign.install", "keybackup-virtual-key.install",
      "keybackup-virtual-key.manpages",
    ] {
      let lines = try text("debian/" + list).split(separator: "\n")
      #expect(!lines.isEmpty)
      for line in lines {
        let path = String(line.split(separator: " ")[0])
        let isMade =
          path.hasPrefix(".build/release/")
          ? rules.contains("release-build \(path.dropFirst(".build/release/".count))")
          : path.hasPrefix(".build/package/") && rules.contains(path)
        #expect(isMade || Files.exists(Build.root + "/" + path), "\(list): \(path)")
      }
    }
  }

  /// `make dist` and `make reproducible` fail where a module is not known.
  @Test
  func `Every module that is linked is of a known package with a known licence`() async throws {
    let box = try Sandbox()
    let lists = [
      ".build/debug/keybackup", ".build/debug/keybackup-foreign", ".build/debug/keybackup-nostr",
      ".build/debug/keybackup-guard-commands",
      ".build/debug/virtual-key", "Guards/.build/debug/keybackup-guard",
    ].map { $0 + ".product/Objects.LinkFileList" }
    let listed = try await box.run(
      ["env", "--chdir=" + Build.root, "scripts/spdx", "--modules"] + lists, key: nil)
    #expect(listed.code == 0, "\(listed.text)")
    let lines = listed.out.split(separator: "\n")
    let modules = Set(lines.compactMap { $0.split(separator: " ").first })
    #expect(modules.isSuperset(of: ["ArgumentParser", "Hummingbird", "CNIOBoringSSL", "GRDB"]))
  }

  @Test
  func `Installing keybackup brings no server along`() throws {
    let parts = try text("debian/control").split(separator: "\n\n")
    let own = try #require(parts.first { $0.hasPrefix("Package: keybackup\n") })
    // Fields begin at the beginning of a line, and go on in lines that begin with a space.
    let fields = own.replacing("\n ", with: " ").split(separator: "\n")
    func field(_ name: String) -> String {
      fields.first { $0.hasPrefix(name + ": ") }.map(String.init) ?? ""
    }
    #expect(!field("Depends").contains("keybackup-guard"))
    #expect(!(field("Depends") + field("Recommends")).contains("keybackup-foreign"))
    #expect(field("Suggests").contains("keybackup-foreign"))
    #expect(field("Recommends").contains("pcscd"))
    #expect(!field("Recommends").contains("keybackup-guard"))
    #expect(field("Suggests").contains("keybackup-guard"))
  }

  @Test
  func `make lists every target that a person may want`() async throws {
    let list = try await Sandbox().run(["make", "-s", "-C", Build.root, "help"], key: nil)
    for target in [
      "deb", "dist", "reproducible", "try-clone", "try-packages", "try-newcomer", "try-dist",
    ] {
      #expect(list.out.contains("  make \(target) "), "\(target)")
    }
  }

  @Test
  func `The package's udev rule gives keys to the person at the computer, and to no group`() throws
  {
    let lines = try text("udev-rules/70-keybackup-seat.rules").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.joined(separator: "\n")
    #expect(lines.contains(#"ENV{ID_FIDO_TOKEN}=="1", TAG+="uaccess""#))
    #expect(!lines.contains("GROUP") && !lines.contains("MODE") && !lines.contains("OWNER"))
  }

  @Test
  func `The user's unit runs a command that exists, and never waits for a person`() async throws {
    let service = try text("systemd/keybackup-verify.service")
    let line = try #require(
      service.split(separator: "\n").first { $0.hasPrefix("ExecStart=/usr/bin/keybackup ") })
    let arguments = line.split(separator: " ").dropFirst().map(String.init)
    #expect(arguments.contains("--no-input"))
    let box = try Sandbox()
    let run = try await box.run(
      [Build.keybackup] + arguments.map { $0 == "300" ? "0" : $0 } + ["--folder", box.root],
      key: nil)
    #expect(run.code == 66, "\(run.text)")
  }

  @Test
  func `Every Swift package has a licence in the list of what is linked in`() throws {
    let script = try text("scripts/spdx")
    let packages = try (text("Package.swift") + text("Guards/Package.swift")).matches(
      of: #/url: "[^"]*/([^"/]+)", exact: "/#)
    #expect(packages.count >= 28)
    for match in packages {
      #expect(script.contains("\"\(match.1.lowercased())\": \""), "\(match.1)")
    }
  }

  @Test
  func `docs/releases.md checks a signature as scripts/dist makes it`() throws {
    let page = try text("docs/releases.md")
    #expect(try text("scripts/dist").contains("namespace=keybackup-release\n"))
    #expect(page.contains("ssh-keygen -Y verify") && page.contains("-n keybackup-release "))
    #expect(page.contains("There is no published release key yet."))
  }

  @Test(arguments: ["INT", "TERM", "HUP"])
  func `A script that is stopped ends what it runs, and leaves no folder`(signal: String)
    async throws
  {
    let box = try Sandbox()
    // What runs takes no signal, like the first process of a namespace, and has a process group of
    // its own, like Swift's compilers. With job control (-m) no job of this shell ignores Ctrl-C.
    let script = #"""
      set -eum
      cd "$1"
      export TMPDIR=$2/temporary started=$2/started
      mkdir "$TMPDIR"
      bash -euc '. scripts/work-folder stopped; ls "$TMPDIR" >"$started.folder"
        stoppable KILL bash -c "trap : INT TERM HUP; set -m; sleep 10 & echo \$! >\"\$started\"
          wait; wait; echo >\"\$started.ended\""' &
      until [ -s "$started" ]; do sleep 0.02; done
      kill "-$3" $!
      code=0
      wait $! || code=$?
      echo "$code, $(wc -l <"$started.folder") folder, $(ls "$TMPDIR" | wc -l) left"
      [ ! -e "$started.ended" ] || echo "its end was waited for"
      if grep -qs ") [^ZX]" "/proc/$(cat "$started")/stat"; then echo "it still runs"; fi
      """#
    let run = try await box.run(
      ["bash", "-c", script, "bash", Build.root, box.root, signal], key: nil)
    let code = ["HUP": 129, "INT": 130, "TERM": 143][signal] ?? 0
    #expect(run.out == "\(code), 1 folder, 0 left\n", "\(run.text)")
  }
}

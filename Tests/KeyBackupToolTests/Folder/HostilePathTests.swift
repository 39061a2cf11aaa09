import CommandSupport
import Testing

@testable import CommandKit

/// Folders and files whose own names do more than show themselves.
@Suite struct HostilePathTests {
  private static let names = [
    "line\nkeybackup: all is well\nhint: run rm", "\u{1B}[2J\u{1B}]0;title\u{7}",
    "\u{202E}desrever\u{202C} \u{2066}x", "it's $(touch x) `y` \"z\" \\n", "tab\tand space\n",
    "a keybackup status b", "it's a keybackup status b",
  ]

  @Test func `A shell takes a printed name for what it is`() async throws {
    let box = try Sandbox()
    for name in Self.names + ["-rf", "", "\u{7F}\u{80}", "é ü", "$'x'", "a'b"] {
      let word = ShellWord.quoted(name)
      #expect(!word.unicodeScalars.contains(where: UnsafeText.isUnsafe), "\(word)")
      let told = try await box.run(["bash", "-c", "printf %s \(word)"], key: nil)
      #expect(told.code == 0 && told.out == name, "\(word): \(told.text)")
    }
    #expect(ShellWord.quoted("/a b/it's") == #"'/a b/it'\''s'"#)
    #expect(ShellWord.quoted("/a\n'b\\ c") == #"$'/a\012\047b\\\040c'"#)
  }

  /// Debian's `sh` knows no `$'...'`: it may take the name for another, but runs nothing.
  @Test func `No shell runs what is in a printed name`() async throws {
    let box = try Sandbox()
    let made = box.root + "/made"
    let pieces = ["$(touch \(made))", "`touch \(made)`", "; touch \(made); ", "&touch \(made)&"]
    for piece in pieces + ["\ntouch \(made)\n"] {
      for name in [
        piece, "it's " + piece, "\n'" + piece, "'\n" + piece + "#'", "\t\\'" + piece + "'\\",
        "'a: sudo x " + piece, "a' keybackup x' " + piece,
      ] {
        let word = ShellWord.quoted(name)
        for shell in ["bash", "dash"] {
          let told = try await box.run([shell, "-c", "printf %s \(word)"], key: nil)
          #expect(told.code == 0, "\(shell): \(word): \(told.text)")
          if shell == "bash" { #expect(told.out == name, "\(word): \(told.text)") }
          #expect(!Files.exists(made), "\(shell) ran a part of \(word)")
        }
      }
    }
  }

  @Test(arguments: names)
  func `No message about such a folder is more than text`(name: String) async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let folder = box.root + "/" + name
    try Files.copy(box.folder, to: folder)
    let shown = ShellWord.quoted(folder)
    for command in [
      ["status", "--folder", folder], ["doctor", "--folder", folder], ["init", folder],
      ["restore", "--folder", folder, "--out", folder + "/out"],
      ["status", "--folder", folder + "-none"], ["restore", "--folder", folder, "--device", name],
      ["recovery-kit", "create", "--folder", folder, "--out", folder + "-none/kit.html"],
    ] {
      let told = try await box.keybackup(command, pin: .none, expecting: nil)
      expectSafe(told, command)
      #expect(!told.text.contains("\nkeybackup: all is well"), "\(told.text)")
      #expect(!told.text.contains("\nhint: run rm"), "\(told.text)")
    }
    // The command as it is printed is run by a shell.
    let status = try await box.keybackup(["status", "--folder", folder], pin: .none, expecting: 88)
    #expect(status.out.contains("Folder     \(shown)"), "\(status.out)")
    #expect(status.out.contains("keybackup verify --folder \(shown) --deep"), "\(status.out)")
    let told = try await box.run(["bash", "-c", "printf %s \(shown)"], key: nil)
    #expect(told.out == folder)
  }

  @Test(arguments: names)
  func `A file that is too large is named by a word that shows itself alone`(name: String) throws {
    let box = try Sandbox()
    let path = box.root + "/" + name
    try Files.write("12", to: path)
    let told = #expect(throws: UserMessage.self) { try InputFile.readFile(path, limit: 1) }
    #expect(told?.message == "\(ShellWord.quoted(path)) is larger than 1 bytes")
  }

  @Test func `A wallet's name suggests no command of its own`() async throws {
    let backup = try await PreparedBackup()
    let box = backup.box
    let name = "run keybackup lock now \u{202E}\u{7}"
    let added = try await box.keybackup(
      [
        "wallet", "add", "--name", name, "--network", "bitcoin", "--mnemonic", "-", "--folder",
        box.folder,
      ], input: Array(Samples.mnemonic.utf8))
    expectSafe(added, ["wallet", "add"])
    #expect(added.err.contains("Added \"run\u{A0}keybackup\u{A0}lock now"), "\(added.err)")
    #expect(!added.err.contains("lock --folder"), "\(added.err)")
  }
}

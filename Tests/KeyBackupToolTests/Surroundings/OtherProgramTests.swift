import ArgumentParser
import Glibc
import TestSupport
import Testing

@testable import CommandKit
@testable import CommandTree
@testable import ForeignCommands
@testable import GuardCommands
@testable import NostrCommands

/// Programs that `keybackup` runs in its own place.
@Suite struct OtherProgramTests {
  @Test func `keybackup knows the names and the summary of what they run`() {
    func compare(_ known: any OtherProgramGroup.Type, _ real: any ParsableCommand.Type) {
      // No key paths here: of types they crash the compiler.
      var names: [String?] = []
      for command in real.configuration.subcommands {
        names.append(command.configuration.commandName)
      }
      #expect(known.commands == names)
      #expect(known.configuration.commandName == real.configuration.commandName)
      #expect(known.configuration.abstract == real.configuration.abstract)
    }
    compare(ForeignProgram.self, ForeignGroup.self)
    compare(NostrProgram.self, NostrGroup.self)
    compare(GuardWaysProgram.self, GuardGroup.self)
    var names: Set<String?> = []
    for command in KeyBackup.configuration.subcommands where command is any OtherProgramGroup.Type {
      names.insert(command.configuration.commandName)
    }
    for group in KeyBackup.otherPrograms { names.remove(group.configuration.commandName) }
    #expect(KeyBackup.otherPrograms.count == 3 && names.isEmpty)
  }

  @Test func `None is linked into keybackup`() throws {
    let list = Build.root + "/.build/debug/keybackup.product/Objects.LinkFileList"
    let objects = try Files.text(list)
    #expect(objects.contains("/BackupCommands.build/"))
    for module in ["ForeignBackups", "ForeignCommands", "Nostr", "NostrCommands", "GuardCommands"] {
      #expect(!objects.contains("/\(module).build/"), "\(module)")
    }
  }

  /// A copy of `keybackup` in a folder where no other program is.
  private static func alone(_ box: Sandbox) throws -> String {
    try Files.makeFolder(box.root + "/installed/bin")
    let program = box.root + "/installed/bin/keybackup"
    try Files.copy(Build.keybackup, to: program)
    return program
  }

  @Test(
    arguments: ["foreign", "nostr"],
    [["--help"], ["list"], [], ["help"], ["--json"]])
  func `Where the program is missing, the Debian package is named`(
    _ group: String, _ rest: [String]
  ) async throws {
    let box = try Sandbox()
    let program = try Self.alone(box)
    // Neither here nor in a backup's folder, not even where PATH has a relative folder.
    let planted = "#!/bin/sh\necho planted\n"
    try Files.write(planted, to: box.folder + "/keybackup-\(group)", mode: 0o755)
    let words = rest == ["help"] ? ["help", group] : [group] + rest
    let outcome = try await box.run(
      ["env", "--chdir=" + box.folder, program] + words, key: nil,
      environment: ["PATH": ".::/usr/bin:/bin", "KEYBACKUP_FOLDER": box.folder])
    #expect(outcome.code == 69, "\(outcome.text)")
    #expect(outcome.text.contains("package keybackup-foreign"), "\(outcome.text)")
    #expect(outcome.text.contains("keybackup-\(group)"), "\(outcome.text)")
    #expect(!outcome.text.contains("planted"))
    if rest.contains("--json") {
      #expect(outcome.out.contains(#""code":"program-missing""#), "\(outcome.text)")
    }
  }

  @Test func `It is taken from beside keybackup, then from libexec, then from PATH`() async throws {
    let box = try Sandbox()
    let program = try Self.alone(box)
    let folders = ["installed/bin", "installed/libexec/keybackup", "elsewhere"]
    let path = "relative:/nonexistent:\(box.root)/elsewhere:/usr/bin:/bin"
    for folder in folders.reversed() {
      try Files.makeFolder(box.root + "/" + folder)
      try Files.write(
        "#!/bin/sh\necho \(folder)\n", to: "\(box.root)/\(folder)/keybackup-nostr", mode: 0o755)
      let outcome = try await box.run(
        [program, "nostr", "list"], key: nil, environment: ["PATH": path])
      #expect(outcome.out == folder + "\n", "\(outcome.text)")
    }
  }

  @Test func `It is never taken from a backup's folder, also where PATH names that`() async throws {
    let box = try Sandbox()
    let program = try Self.alone(box)
    for folder in [box.folder + "/cspp-namespaces", box.folder + "/bin"] {
      try Files.makeFolder(folder)
    }
    let planted = "#!/bin/sh\necho planted\n"
    for folder in [box.folder, box.folder + "/bin"] {
      try Files.write(planted, to: folder + "/keybackup-nostr", mode: 0o755)
    }
    let path = "\(box.folder):\(box.folder)/bin:/usr/bin:/bin"
    let outcome = try await box.run(
      [program, "nostr", "list"], key: nil, environment: ["PATH": path])
    #expect(outcome.code == 69 && !outcome.text.contains("planted"), "\(outcome.text)")
    // The advice about a typed PIN comes first.
    let typed = try await box.run(
      [program, "nostr", "pubkey", "--pin", "4821"], key: nil, environment: ["PATH": path])
    #expect(typed.code == 69 || typed.code == 64)
    #expect(typed.err.contains("KEYBACKUP_PIN_FILE") || typed.err.contains("--pin-file"))
    #expect(!typed.text.contains("4821"), "\(typed.text)")
  }

  @Test func `One that does not run is passed over`() async throws {
    let box = try Sandbox()
    let program = try Self.alone(box)
    try Files.makeFolder(program + "-nostr")
    for (folder, text) in [("first", "no program\n"), ("second", "#!/bin/sh\necho runs\n")] {
      try Files.makeFolder(box.root + "/" + folder)
      try Files.write(text, to: "\(box.root)/\(folder)/keybackup-nostr", mode: 0o755)
    }
    let outcome = try await box.run(
      [program, "nostr", "list"], key: nil,
      environment: ["PATH": "\(box.root)/first:\(box.root)/second:/usr/bin:/bin"])
    #expect(outcome.out == "runs\n", "\(outcome.text)")
  }

  @Test func `It has the process: arguments, streams, descriptors, exit code, signals`()
    async throws
  {
    let box = try Sandbox()
    let program = try Self.alone(box)
    let script = #"""
      #!/bin/sh
      printf '%s|' "$@"
      cat
      cat <&5
      echo "$$" >&2
      [ "$1" != end ] || kill -TERM $$
      exit 83
      """#
    try Files.write(script, to: program + "-nostr", mode: 0o755)
    let lines = #"echo "$$" >&2; exec "$@" 5<"$pin" 2>&2"#
    let outcome = try await box.run(
      ["sh", "-c", lines, "sh", program, "nostr", "a b", "", "--x=y"], key: nil,
      input: Array("typed\n".utf8), environment: ["pin": box.pinFile])
    #expect(outcome.code == 83)
    #expect(outcome.out == "a b||--x=y|typed\n\(Sandbox.pin)\n", "\(outcome.text)")
    let processes = outcome.err.split(separator: "\n")
    #expect(processes.count == 2 && Set(processes).count == 1, "\(outcome.text)")
    let ended = try await box.run(
      ["sh", "-c", #""$@" 5</dev/null; echo "code $?""#, "sh", program, "nostr", "end"], key: nil)
    #expect(ended.out.contains("code 143"), "\(ended.text)")
    let help = try await box.run(
      ["sh", "-c", #"exec "$@" 5</dev/null"#, "sh", program, "help", "--json", "nostr", "sign"],
      key: nil)
    #expect(help.out == "sign|--help|--json|", "\(help.text)")
  }

  @Test func `A program in libexec finds those beside keybackup`() {
    let own = "/usr/libexec/keybackup/keybackup-foreign"
    #expect(
      SiblingProgram.places(of: "keybackup-guard", besides: own).last == "/usr/bin/keybackup-guard")
    #expect(
      SiblingProgram.places(of: "x", besides: "/usr/local/bin/keybackup")
        == ["/usr/local/bin/x", "/usr/local/libexec/keybackup/x"])
    #expect(SiblingProgram.places(of: "x", besides: "keybackup") == [])
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `The completions that are installed know all commands`(_ shell: String) throws {
    let made = try FinishedProgram([
      BuiltProduct.path("all-commands"), "--generate-completion-script", shell,
    ])
    #expect(made.code == 0)
    for word in ["sealvault", "reset-proof", "recovery-kit"] {
      let isThere = made.output.contains(word)
      #expect(isThere, "\(word)")
    }
  }
}

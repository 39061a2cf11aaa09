import ArgumentParser
import HelpPages
import TestSupport
import Testing

@testable import CommandKit
@testable import all_commands

/// Values that begin with a hyphen, as every 64th ID does.
@Suite struct DashedValueTests {
  /// Every option of a command that takes free text.
  private static func options(of command: DefinedCommand) -> [DefinedArgument] {
    (command.arguments ?? []).filter { $0.kind == .option && ($0.allValues ?? []).isEmpty }
  }

  /// What the parser says of arguments, which need not be complete.
  private static func answer(
    _ command: any ParsableCommand.Type, _ arguments: [String]
  ) -> String {
    do {
      _ = try command.parseAsRoot(arguments)
      return ""
    } catch {
      return command.message(for: error)
    }
  }

  @Test(arguments: CommandLeaf.all)
  func `Every option of every command takes one`(_ leaf: CommandLeaf) {
    let path = CommandPath(AllCommands.self, leaf.path)
    let names = Self.options(of: leaf.command).flatMap { $0.names ?? [] }.map(\.text)
    #expect(!names.isEmpty)
    for name in names {
      for value in ["-Pm4xYwIChNSR8Qk", "--m4xYwIChNSR8Qk", "-x", "-1", "-h"] {
        let joined = leaf.command.joiningDashedValues([name, value, "--json"])
        #expect(joined == [name + "=" + value, "--json"])
      }
      // It was forgotten: the next word is an option, or there is none.
      for forgotten in [[name], [name, name], [name, "--help"], [name, "--", "x"]] {
        #expect(leaf.command.joiningDashedValues(forgotten) == forgotten)
      }
      #expect(leaf.command.joiningDashedValues([name, "-"]) == [name, "-"])
      #expect(leaf.command.joiningDashedValues([name, "x", "-y"]) == [name, "x", "-y"])
    }
    let all = leaf.command.joiningDashedValues(names.flatMap { [$0, "-1"] })
    let said = Self.answer(path.type, all)
    #expect(!said.contains("Missing value") && !said.contains("Unknown option"), "\(said)")
    #expect(Self.answer(path.type, [names[0]]).contains("Missing value"))
  }

  /// None is run: the last option is none of theirs.
  @Test func `Every option of every command of a guard takes one`() async throws {
    let box = try Sandbox()
    let program = BuiltProduct.path("keybackup-guard")
    let dump = try await box.run([program, "--experimental-dump-help"], key: nil)
    let root = try #require(DefinedCommand.reading(dump: dump.out))
    let commands = (root.subcommands ?? []).filter { $0.commandName != "help" }
    #expect(commands.count > 4)
    for command in commands {
      let names = Self.options(of: command).flatMap { $0.names ?? [] }.map(\.text)
      for value in ["-1", "-Pm4xYwIChNSR8Qk"] {
        let told = try await box.run(
          [program, command.commandName] + names.flatMap { [$0, value] } + ["--no-such-option"],
          key: nil)
        #expect(told.code == 64 && !told.err.contains("Missing value"), "\(told.text)")
      }
    }
  }

  @Test func `An ID in base64url may be an argument too`() throws {
    let delete = try #require(
      CommandLeaf.all.first { $0.path == ["credential", "delete"] }?.command)
    for id in ["-Pm4xYwIChNSR8QkAA", "--m4xYwIChNSR8QkAA", "-_abcdefghijklmnopqrst_"] {
      #expect(delete.joiningDashedValues([id, "--force"]) == ["--force", "--", id])
      #expect(delete.joiningDashedValues(["--force", "--", id]) == ["--force", "--", id])
      #expect(
        AllCommands.parseLeaf(AllCommands.joiningDashedValues(["credential", "delete", id])) != nil)
    }
    for mistyped in ["--forse", "--allow-last-trys", "-v", "--pin-file-x=Ab12Cd34"] {
      #expect(delete.joiningDashedValues([mistyped]) == [mistyped])
    }
    // Other commands take no such ID: it may be a PIN that was typed after a letter.
    let set = try #require(CommandLeaf.all.first { $0.path == ["pin", "set"] }?.command)
    #expect(set.joiningDashedValues(["-phunter2secret"]) == ["-phunter2secret"])
  }

  @Test func `Each command that takes an ID or a name takes one, in its place`() throws {
    let leaves = CommandLeaf.all.filter { leaf in
      (leaf.command.arguments ?? []).contains { $0.kind == .positional }
    }
    #expect(leaves.count > 20)
    for leaf in leaves {
      let id = "-Pm4xYwIChNSR8QkAA"
      #expect(leaf.command.joiningDashedValues([id, "x", "--json"]) == ["--json", "--", id, "x"])
      #expect(leaf.command.joiningDashedValues(["x", "--json", id]) == ["--json", "--", "x", id])
      #expect(leaf.command.joiningDashedValues([id, "--", "-y"]) == ["--", id, "-y"])
      if leaf.path == ["credential", "delete"] { continue }
      for mistyped in ["--pin_file", "-recoveryCode", "--noKeyring", "-some_thing"] {
        #expect(leaf.command.joiningDashedValues([mistyped, "x"]) == [mistyped, "x"])
      }
    }
    for line in [
      ["wallet", "show", "-Pm4xYwIChNSR8QkAA"],
      ["wallet", "keep", "-Pm4xYwIChNSR8QkAA", "00112233"],
      ["key", "label", "-Pm4xYwIChNSR8QkAA", "new"], ["key", "label", "00112233", "-Blue_key9"],
    ] {
      #expect(AllCommands.parseLeaf(AllCommands.joiningDashedValues(line)) != nil, "\(line)")
    }
  }

  /// A script would take the page for what it asked for.
  @Test func `A value of -h is no wish for help`() async throws {
    for line in [["derive", "--salt", "-h"], ["wallet", "add", "--name", "-h"]] {
      #expect(HelpRequest(line, AllCommands.self) == nil, "\(line)")
    }
    for line in [["derive", "-h"], ["derive", "--json", "-h"], ["derive", "--salt", "x", "-h"]] {
      #expect(HelpRequest(line, AllCommands.self) != nil, "\(line)")
    }
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let spaced = try await box.keybackup(["derive", "--salt", "-h"])
    let joined = try await box.keybackup(["derive", "--salt=-h"])
    #expect(spaced.out == joined.out && !spaced.out.contains("SALT"))
  }

  @Test func `A name that looks like options is answered with two hyphens`() async throws {
    let box = try Sandbox()
    for line in [
      ["file", "add", "-abc"], ["wallet", "show", "-abc"],
      ["key", "remove", "-abc"], ["key", "label", "-abc"], ["file", "show", "-a b"],
      ["conflicts", "keep", "-abc"], ["writers", "retire", "-abc"],
      ["credential", "delete", "-abc"],
    ] {
      let told = try await box.keybackup(line, key: nil, pin: .none, expecting: 64)
      let word = line[2].contains(" ") ? "'\(line[2])'" : line[2]
      expectFailure(told, 64, says: "put -- before it", " \(line[0]) \(line[1]) -- \(word)")
    }
    let behind = try await box.keybackup(
      ["wallet", "keep", "-abc", "00112233"], key: nil, pin: .none, expecting: 64)
    #expect(behind.err.contains("keybackup wallet keep -- -abc 00112233"), "\(behind.err)")
    for line in [["status", "-abc"], ["file", "add", "--abc"]] {
      let told = try await box.keybackup(line, key: nil, pin: .none, expecting: 64)
      #expect(!told.err.contains("put --"), "\(told.err)")
    }
    try await box.keybackup(["init"])
    try Files.write("text", to: box.root + "/-abc")
    try await box.keybackup(
      ["file", "add", "--pin-file", box.pinFile, "--", "-abc"], pin: .none,
      wrapper: ["env", "--chdir", box.root])
  }

  @Test func `A script with an ID that begins with a hyphen runs`() async throws {
    let box = try Sandbox()
    _ = try await box.makeCredential()
    let id = "-Pm4xYwIChNSR8QkAAAAAA"
    let other = try await box.keybackup(Sandbox.derive + ["--credential", id], expecting: nil)
    expectFailure(other, 80)
    let deleted = try await box.keybackup(["credential", "delete", id], expecting: nil)
    expectFailure(deleted, 66, says: "no discoverable credential with this ID")
    let forgotten = try await box.keybackup(
      Sandbox.derive + ["--credential", "--json"], expecting: nil)
    try expectFailure(forgotten, 64, word: "usage")
  }
}

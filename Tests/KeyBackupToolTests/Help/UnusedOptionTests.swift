import ArgumentParser
import HelpPages
import Testing

@testable import CommandKit
@testable import Unlocking
@testable import all_commands

/// An option that a mode would ignore is refused: somebody who gives it relies on it.
@Suite struct UnusedOptionTests {
  /// The options for opening a backup that are not for output, and not for finding it.
  private static let opening: [[String]] = {
    let shared = DefinedCommand.reading(dump: UnlockOptions._dumpHelp())?.arguments ?? []
    let elsewhere = [
      "json", "verbose", "quiet", "no-input", "events-fd", "folder", "namespace", "wait-sync",
      "help",
    ]
    let values = [
      "wait": "5", "timeout": "5", "kit-id": "abcdef", "pin-fd": "9", "recovery-code-fd": "9",
      "guard-pin-fd": "9",
      "guard-server": "00112233445566778899aabbccddeeff=https://guard.example",
    ]
    return shared.filter { !elsewhere.contains($0.id) }.map { option in
      let words = ["--\(option.id)"] + (option.kind == .flag ? [] : [values[option.id] ?? "x"])
      return option.id == "new-login" ? words + ["--guard-login"] : words
    }
  }()

  /// Options for opening that a descriptor of this process would have to stand behind.
  private static func isDescriptor(_ words: [String]) -> Bool { words[0].hasSuffix("-fd") }

  private static let world = [
    "archive", "--encrypted-keypair", "x", "--factor-secret", "y",
  ]
  private static let sealvault = ["zip", "--kdf-secret", "x"]

  /// Commands, and options that have no effect with them.
  private static let rows: [(command: [String], options: [[String]])] = [
    (["verify"], opening),
    (["foreign", "celo", "open", "file"], opening + [["--wait-sync", "5"]]),
    (["foreign", "sealvault", "open", "--out", "x"] + sealvault, opening),
    (["foreign", "sealvault", "verify"] + sealvault, opening),
    (
      ["foreign", "sealvault", "write", "database", "target", "--device-id", "x"], opening
    ),
    (["foreign", "world", "open", "--out", "x"] + world, opening),
    (["foreign", "world", "verify"] + world, [["--device", "x"], ["--pin-file", "x"]]),
    (["foreign", "world", "id"] + world, [["--device", "x"], ["--pin-file", "x"]]),
    (
      ["status"],
      [
        ["--guard-ca", "x"],
        ["--guard-server", "00112233445566778899aabbccddeeff=https://g.example"],
      ]
    ),
    (["status", "--accept"], [["--synchronised"], ["--wait-sync", "5"]]),
    (["restore"], [["--allow-synced-folder"], ["--names"], ["--removed"]]),
    (["wallet", "show", "x"], [["--allow-synced-folder"]]),
    (["wallet", "show", "x", "--out", "-"], [["--passphrase"]]),
    (["lock", "--all"], [["--namespace", "x"]]),
    (["init"], [["--namespace", "x"]]),
    (["devices"], [["--pin-file", "x"], ["--allow-last-tries"], ["--timeout", "5"]]),
    (["doctor"], [["--wait", "5"], ["--timeout", "5"], ["--namespace", "x"]]),
    (["derive", "--salt", "x"], [["--namespace", "x"]]),
    (["derive", "--salt", "x", "--out", "x"], [["--reveal"]]),
    (["derive", "--salt", "x", "--json"], [["--encoding", "raw"], ["--encoding", "base64"]]),
    (["credential", "delete", "00"], [["--namespace", "x"]]),
    (["writers", "request"], [["--namespace", "x"]]),
    (["writers", "accept", "x"], [["--namespace", "x"]]),
    (["nostr", "pubkey"], [["--namespace", "x"]]),
    (["recovery-kit", "test"], [["--guard-pin"], ["--guard-login"]]),
    (["wallet", "import", "--covb", "x"], [["--allow-synced-folder"]]),
    (
      ["wallet", "import", "x", "--format", "labels", "--wallet", "x"], [["--allow-synced-folder"]]
    ),
    (["rotate"], [["--guard-pin"], ["--guard-login"], ["--recovery-code"], ["--despite-gaps"]]),
    (["rotate", "--master-key"], [["--guard-pin"], ["--credential"]]),
    (["key", "add", "--guard-pin"], [["--unlock-device", "x"], ["--unlock-pin-file", "x"]]),
    (["recovery-kit", "create"], [["--owner", "x"]]),
    (
      ["file", "watch", "x", "--forget"],
      [
        ["--every", "5"], ["--once"], ["--name", "x"], ["--on-failure", "x"], ["--heartbeat", "x"],
      ]
    ),
    (["file", "watch", "x", "--once"], [["--every", "5"]]),
    (
      ["guard", "renew", "--finish"],
      [["--invite", "x"], ["--choose"], ["--digits", "6"], ["--pin-out", "x"], ["--restart"]]
    ),
    (["guard", "retire"], [["--yes"]]),
    (
      ["guard", "add", "--pin", "--threshold", "1", "--server", "https://guard.example"],
      [["--paste-login"], ["--delay", "1d"], ["--client-id", "x"]]
    ),
    (["nostr", "encode", "00"], [["--reveal"], ["--out", "x"], ["--hex"]]),
    (["nostr", "decode", "npub1"], [["--reveal"], ["--out", "x"]]),
  ]

  @Test(arguments: rows.indices)
  func `An option without an effect is a mistake`(_ row: Int) {
    let (command, options) = Self.rows[row]
    #expect(AllCommands.parseLeaf(command) != nil, "\(command)")
    for words in options where !Self.isDescriptor(words) {
      #expect(AllCommands.parseLeaf(command + words) == nil, "\(command) \(words)")
    }
  }

  /// A new option of the shared ones cannot be forgotten.
  @Test func `Every option for opening a backup is told when it was given`() throws {
    #expect(Self.opening.count > 20)
    for words in Self.opening where !Self.isDescriptor(words) {
      let options = try UnlockOptions.parse(words)
      #expect(options.given.names.contains(words[0]), "\(words)")
    }
    #expect(try UnlockOptions.parse(["--json", "--namespace", "x"]).given.names.isEmpty)
    // With what they go with, they are taken.
    for words in Self.opening where !Self.isDescriptor(words) {
      #expect(AllCommands.parseLeaf(["verify", "--deep"] + words) != nil, "\(words)")
    }
  }

  /// A kit's second secret may be a security key: a script need not know.
  @Test func `A PIN beside a recovery code is no mistake`() async throws {
    let kit = try await PreparedKit()
    _ = try await kit.alone(["verify", "--deep", "--pin-file", kit.box.pinFile] + kit.opening)
  }

  @Test(arguments: [
    ["--kit-id", "abcdef"], ["--secret-file", "x"], ["--guard-way", "x"], ["--guard-ca", "x"],
    ["--allow-spent-tries"], ["--paste-login"],
  ])
  func `What says more about a way in is refused where that is not used`(
    options: [String]
  ) async throws {
    let own = try OwnWorld(try Sandbox())
    let refused = try await own.run(["wallet", "list"] + options, expecting: 64)
    #expect(refused.err.contains("\(options[0]) goes with --"), "\(refused.text)")
  }
}

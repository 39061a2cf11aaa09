internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import FileCommands
internal import SecretMemory
internal import Unlocking
internal import WalletCommands
internal import WalletFormats

/// Whether the contents of a file go into the backup, and under which name.
struct CeloAddOptions: ParsableArguments {
  @Flag(help: "Put it into the backup: a wallet, or else a file.")
  var add = false

  @Option(
    help: ArgumentHelp(
      "With --add: its name in the backup (default: as the file's).", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "With --add, a wallet's network (default: bitcoin).",
      valueName: "network"))
  var network: String?

  mutating func validate() throws {
    guard add else {
      if name != nil || network != nil {
        throw ValidationError("--name and --network go with --add")
      }
      return
    }
    if let name, !Self.isName(name) {
      throw ValidationError("--name has 1 to 200 bytes and no /")
    }
    if let network, (try? WalletNetwork(argument: network)) == nil {
      throw ValidationError("--network is bitcoin, testnet, testnet4 or signet")
    }
  }

  private static func isName(_ name: String) -> Bool {
    PathComponent(name) != nil && (1...200).contains(name.utf8.count)
  }

  /// The name for the contents of a file, where a person gives none.
  static func name(of file: String) -> String {
    let last = file.split(separator: "/").last ?? ""
    let name = "celo-" + (last.hasSuffix(".json") ? last.dropLast(5) : last)
    return isName(name) && file != "-" ? name : "celo-backup"
  }

  /// Adds the contents, and says how.
  ///
  /// - Parameters:
  ///   - data: the contents.
  ///   - name: their name in the backup.
  ///   - mark: what tells files apart where a person gave no name.
  ///   - unlock: what opens the backup.
  ///   - world: what surrounds the process.
  /// - Returns: the exit code.
  /// - Throws: as opening the backup and adding do.
  func write(
    _ data: borrowing SecretBytes, _ name: String, _ mark: String, _ unlock: UnlockOptions,
    _ world: World
  ) async throws(UserMessage) -> ExitReason {
    switch try? Mnemonic(checking: data) {
    case .some(let words):
      try await write(words, name, unlock, world)
      return .success
    case nil:
      let name = self.name == nil ? "\(name)-\(mark)" : name
      return try await write(
        file: data.copy(), name, because: Self.reason(data), unlock, world)
    }
  }

  /// Why the contents are no wallet.
  private static func reason(_ data: borrowing SecretBytes) -> String {
    do throws(WalletFormatError) {
      _ = try Mnemonic(checking: data).wordCount
    } catch .mnemonicChecksum {
      return "The checksum of its words is wrong"
    } catch {}
    return "What it holds are no BIP-39 words"
  }

  private func write(
    _ words: consuming Mnemonic, _ name: String, _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) {
    let entries = try entries(words, name, world)
    var opened = try await unlock.open(
      world, for: .writing, purpose: .writing, using: UnlockOptions.ownKey)
    let outcome = try entries.add(to: &opened, byRecord: false) { version, entry in
      SecretImport.content(version.entry, in: entry)
    }
    let output = unlock.output(world)
    output.warn(viewProblem: opened.viewProblem)
    try output.result(
      opened.importWords(
        added: outcome.added.count, unchanged: outcome.unchanged.count, of: outcome.unchanged,
        same: "secret"),
      json: [
        "added": [
          "wallets": [
            [
              // Words that were there already have the name that they had.
              "name": outcome.added.isEmpty ? .null : .string(name),
              "changed": .bool(!outcome.added.isEmpty),
              "record_id": .optional(outcome.added.first?.hex ?? outcome.unchanged.first?.hex),
            ]
          ]
        ]
      ], ofChange: "the wallet was added all the same")
    output.note(
      "Wallets for Celo find the coins of such words at the path m/44'/52752'/0'/0. The network that "
        + "the backup names is only a label: restore the words in a wallet for Celo.")
  }

  private func entries(
    _ words: consuming Mnemonic, _ name: String, _ world: World
  ) throws(UserMessage) -> NewEntries {
    do {
      let network = try WalletNetwork(argument: network ?? "bitcoin")
      var metadata = NewWalletEntry.Metadata(name: name, network: network.csppName)
      metadata.walletType = "Hot"
      // Without RIPEMD-160 the words are kept all the same.
      metadata.masterFingerprint =
        try? words.masterKey(passphrase: SecretBytes(zeroed: 0)).fingerprint().description
      let entry = NewWalletEntry(
        walletID: WalletID.random().description, kind: .mnemonic, secret: words.phrase.copy(),
        metadata: metadata)
      var entries = NewEntries()
      try SecretImport.append(entry, UInt64(max(0, world.now())), to: &entries)
      return entries
    } catch {
      throw UserMessage(any: error, in: "the new wallet's entry")
    }
  }

  private func write(
    file data: consuming SecretBytes, _ name: String, because reason: String,
    _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> ExitReason {
    let output = unlock.output(world)
    output.note(
      "\(reason), so it is saved as a file"
        + (network == nil ? "." : ", and --network has no effect."))
    var files = ForeignAddition()
    try files.append(data, name: name)
    let added = try await files.add(unlock, world)
    if output.json {
      try output.result(json: ["added": added.json], ofChange: "the file was saved all the same")
    } else {
      try added.show(output)
    }
    return added.exitCode
  }
}

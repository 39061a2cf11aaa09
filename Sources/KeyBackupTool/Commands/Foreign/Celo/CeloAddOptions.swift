internal import ArgumentParser
internal import BackupFolder
internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Whether the contents of a file go into the backup, and under which name.
struct CeloAddOptions: ParsableArguments {
  @Flag(help: "Put it into the backup: a wallet, or else a file.")
  var add = false

  @Option(help: ArgumentHelp("With --add: its name in the backup (required).", valueName: "name"))
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
    guard let name, PathComponent(name) != nil, (1...200).contains(name.utf8.count) else {
      throw ValidationError("--add needs --name, with 1 to 200 bytes and no /")
    }
    if let network, (try? WalletNetwork(argument: network)) == nil {
      throw ValidationError("--network is bitcoin, testnet, testnet4 or signet")
    }
  }

  /// Adds the contents, and says how.
  ///
  /// - Parameters:
  ///   - data: the contents.
  ///   - unlock: what opens the backup.
  ///   - world: what surrounds the process.
  /// - Returns: the exit code.
  /// - Throws: as opening the backup and adding do.
  func write(
    _ data: borrowing SecretBytes, _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> ExitCode {
    switch try? Mnemonic(checking: data) {
    case .some(let words):
      try await write(words, unlock, world)
      return .success
    case nil: return try await write(file: data.copy(), unlock, world)
    }
  }

  private func write(
    _ words: consuming Mnemonic, _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) {
    let entries = try entries(words, world)
    var opened = try await unlock.open(world, for: .writing, purpose: .writing)
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
              "name": .string(name ?? ""), "changed": .bool(!outcome.added.isEmpty),
              "record_id": .optional(outcome.added.first?.hex ?? outcome.unchanged.first?.hex),
            ]
          ]
        ]
      ], ofChange: "the wallet was added all the same")
  }

  private func entries(
    _ words: consuming Mnemonic, _ world: World
  ) throws(UserMessage) -> NewEntries {
    do {
      let network = try WalletNetwork(argument: network ?? "bitcoin")
      var metadata = NewWalletEntry.Metadata(name: name ?? "", network: network.csppName)
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
    file data: consuming SecretBytes, _ unlock: UnlockOptions, _ world: World
  ) async throws(UserMessage) -> ExitCode {
    let output = unlock.output(world)
    output.note(
      "What it holds are no BIP-39 words, so it is saved as a file"
        + (network == nil ? "." : ", and --network has no effect."))
    var files = ForeignAddition()
    try files.append(data, name: name ?? "")
    let added = try await files.add(unlock, world)
    if output.json {
      try output.result(json: ["added": added.json], ofChange: "the file was saved all the same")
    } else {
      try added.show(output)
    }
    return added.exitCode
  }
}

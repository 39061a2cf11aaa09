package import ArgumentParser
internal import BackupFolder
package import CSPP
package import CommandKit
internal import FileCommands
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
package import WalletFormats

/// `keybackup wallet add`: one wallet, its secret checked before any touch.
package struct WalletAddCommand: ParsableCommand, KeyBackupCommand {
  package static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a wallet to the backup.",
    discussion: """
      The secret comes from a file, from standard input or from a hidden prompt. Without one \
      of the options, the terminal asks for BIP-39 words.
      A computer that keybackup writers authorise lets add wallets needs no key here. Any other \
      opens the backup.
      """)

  @OptionGroup var unlock: UnlockOptions
  @OptionGroup var secret: WalletSecretOptions
  @OptionGroup var place: SyncedFolderOption

  @Option(help: ArgumentHelp("The wallet's name.", valueName: "name"))
  var name: String

  @Option(
    help: ArgumentHelp(
      "The wallet's network: bitcoin, testnet, testnet4 or signet.", valueName: "network"))
  var network: String

  @Option(help: ArgumentHelp("Master fingerprint, 8 hex digits.", valueName: "hex"))
  var fingerprint: String?

  @Option(help: ArgumentHelp("Derivation path as a note, such as m/84'/0'/0'.", valueName: "path"))
  var derivationPath: String?

  @Option(help: ArgumentHelp("The wallet's ID (default: a random one).", valueName: "id"))
  var id: String?

  @Flag(help: "Open the backup, even where this computer may add wallets without a touch.")
  var withKey = false

  package init() {}

  package mutating func validate() throws {
    guard (1...200).contains(name.utf8.count) else {
      throw ValidationError("a wallet's name has 1 to 200 bytes")
    }
    try unlock.requireOtherInput(
      than: secret.mnemonic, secret.xprv, secret.descriptor, secret.xpub, secret.labels)
  }

  package func run(in world: World) async throws(UserMessage) -> ExitReason {
    // Everything that can be wrong with the input is found before the key is
    // touched.
    let walletID = try walletID()
    let new = try encode(walletID, world)
    var batch = WalletBatch()
    try Self.append(new.entry, to: &batch)
    let record = RecordID(walletID: walletID)
    var uncounted: UserMessage?
    if try addSilently(batch, new, record, &uncounted, world) {
      let code = try report(new, walletID, .silent, world)
      guard let uncounted else { return code }
      unlock.output(world).warn(uncounted)
      return uncounted.code
    }

    return try await add(batch, new, walletID, world)
  }

  /// Opens the backup, and adds the wallet.
  ///
  /// A function of its own: scripts/check-frames found that of the whole too large for the compiler.
  private func add(
    _ batch: borrowing WalletBatch, _ new: borrowing NewWallet, _ walletID: String, _ world: World
  ) async throws(UserMessage) -> ExitReason {
    let record = RecordID(walletID: walletID)
    var opened = try await open(world)
    let same = try add(batch, new, walletID, to: &opened)
    if new.spending == .watchOnly { WatchOnlyMemory(opened.id, world).keep(adding: [record]) }
    opened.rememberFiles(world)
    let namesakes = Namesakes(of: [record], in: &opened)
    unlock.output(world).warn(viewProblem: opened.viewProblem)
    return try report(new, walletID, .compared(same, namesakes), world)
  }

  /// Opens the backup, to add the wallet.
  private func open(_ world: World) async throws(UserMessage) -> OpenNamespace {
    let backup = try await unlock.backup(world, for: .writing)
    do throws(UserMessage) {
      return try await backup.unlock(unlock, world, orElse: "nothing was added", for: .writing)
    } catch  where error.code == .noAuthenticator {
      guard let hint = backup.folder.lostPermission(for: .put, world) else { throw error }
      throw error.adding(hint: hint)
    }
  }

  /// Adds the wallet without a touch, where this computer may.
  ///
  /// - Returns: whether it was added. Then `uncounted` says why it does not count yet.
  private func addSilently(
    _ batch: borrowing WalletBatch, _ new: borrowing NewWallet, _ record: RecordID,
    _ uncounted: inout UserMessage?, _ world: World
  ) throws(UserMessage) -> Bool {
    guard let silent = try SilentWalletAddition.here(unlock, withKey: withKey, world) else {
      return false
    }
    try Interruption.check()
    let backup: NamespaceID?
    (backup, uncounted) = try silent.add(batch)
    if let backup, new.spending == .watchOnly {
      WatchOnlyMemory(backup, world).keep(adding: [record])
    }
    return true
  }

  /// Adds the wallet unless its ID is taken.
  ///
  /// - Returns: the wallets that it is the same as.
  private func add(
    _ batch: borrowing WalletBatch, _ new: borrowing NewWallet, _ walletID: String,
    to opened: inout OpenNamespace
  ) throws(UserMessage) -> SameWallets {
    try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      let same = SameWallets(as: new.entry, in: &opened)
      try Interruption.check()
      let isThere: Bool
      do throws(BackupFolderError) {
        // A random ID is new.
        isThere = id == nil ? false : try opened.contains(RecordID(walletID: walletID))
        if !isThere { try opened.add(batch) }
      } catch {
        throw UserMessage(error)
      }
      guard !isThere else {
        throw UserMessage(
          .cannotCreate, "a wallet with the ID \(walletID) is in the backup already",
          hint: "leave out --id for a new one, or remove the old one first")
      }
      return same
    }
  }

  /// The way in which a wallet was added.
  private enum Addition {
    case silent
    /// With the backup open, so it was compared with the wallets that are there.
    case compared(SameWallets, Namesakes)
  }

  private func report(
    _ new: borrowing NewWallet, _ walletID: String, _ addition: Addition, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let output = unlock.output(world)
    if !unlock.common.json { tell(new, world) }
    var json: JSONOutput = [
      "id": .string(walletID), "record_id": .string(RecordID(walletID: walletID).hex),
      "fingerprint": .optional(new.fingerprint), "spending": .string(new.spending.rawValue),
      "watch_only": .bool(new.spending == .watchOnly),
    ]
    if let leftOut = new.leftOut { json.add(leftOut) }
    switch addition {
    case .silent:
      json["silent"] = true
      (json["same_as"], json["same_name"]) = (.null, .null)
      output.note(
        "It was added without a touch. The next change on a computer with a key writes its CSPP file."
      )
    case .compared(let same, let namesakes):
      json["silent"] = false
      json["same_as"] = .array(same.found.map { .string($0.id) })
      json["same_name"] = namesakes.json
    }
    // A program reads the ID alone.
    try output.result(
      output.resultIsTerminal ? "Its ID: \(walletID)" : walletID, json: json,
      ofChange: "the wallet \(walletID) was added all the same")
    if case .compared(let same, let namesakes) = addition {
      output.warn(same)
      output.warn(namesakes)
    }
    if secret.descriptor != nil {
      output.warn(
        publicOnly: new.spending == .watchOnly ? 1 : 0,
        partly: new.spending == .partly ? 1 : 0, of: 1)
    }
    if new.isElectrumToo { output.noteElectrumToo() }
    if new.spending != .watchOnly { output.note(secretStaysIn: secret.source) }
    return new.leftOut.map { output.warn($0) } ?? .success
  }

  /// Reports the added wallet, and the fingerprint to compare.
  private func tell(_ new: borrowing NewWallet, _ world: World) {
    unlock.output(world).note(
      "Added \"\(PrintableText.name(name))\""
        + (new.spending == .watchOnly ? " (watch-only)" : "") + ", saved here and checked.")
    guard let fingerprint = new.fingerprint else { return }
    unlock.output(world).note(
      "Master fingerprint \(fingerprint)"
        + (secret.passphrase.isGiven ? ", of these words with this passphrase" : "")
        + ". Compare it with what your wallet program shows.")
  }

  /// The entry to add, and what is known of it beside its secret.
  private struct NewWallet: ~Copyable {
    let entry: SecretBytes
    let fingerprint: String?
    let spending: WalletSpending
    /// The lines of the label file that were not taken; nil: there is no such file.
    let leftOut: LabelsLeftOut?
    let isElectrumToo: Bool
  }

  private static func append(
    _ entry: borrowing SecretBytes, to batch: inout WalletBatch
  ) throws(UserMessage) {
    do throws(BackupFolderError) {
      _ = try entry.withBytes { bytes throws(BackupFolderError) in try batch.append(bytes) }
    } catch {
      throw UserMessage(error)
    }
  }

  private func walletID() throws(UserMessage) -> String {
    guard let id else { return WalletID.random().description }
    do throws(WalletFormatError) {
      return try WalletID(id).description
    } catch {
      throw UserMessage(error)
    }
  }

  private func encode(
    _ walletID: String, _ world: World
  ) throws(UserMessage) -> NewWallet {
    do {
      let network = try WalletNetwork(argument: network)
      var metadata = NewWalletEntry.Metadata(name: name, network: network.csppName)
      metadata.derivationPath = try derivationPath.map { try DerivationPath($0).description }
      _ = try fingerprint.map { try Fingerprint($0) }
      let checked = try secret.read(network: network, unlock.common.prompter(world))
      if checked.spending != .watchOnly {
        try place.requirePrivate(input: secret.source, besides: unlock.folder.folder, world)
      }
      metadata.masterFingerprint = try checked.fingerprint(given: fingerprint)
      metadata.walletType = checked.walletType
      var entry = NewWalletEntry(
        walletID: walletID, kind: checked.kind, secret: checked.text.copy(),
        metadata: metadata)
      if checked.kind == .watchOnly { entry.xpub = checked.publicText }
      var leftOut: LabelsLeftOut?
      if let labels = secret.labels {
        let file = try LabelFile.read(labels, world.streams)
        entry.labels = try .init(WalletLabels(merging: file.records, over: SecretBytes(zeroed: 0)))
        leftOut = LabelsLeftOut(of: file)
      }
      return NewWallet(
        entry: try entry.encode(updatedAt: UInt64(max(0, world.now()))),
        fingerprint: metadata.masterFingerprint, spending: checked.spending, leftOut: leftOut,
        isElectrumToo: checked.isElectrumToo)
    } catch {
      throw UserMessage(any: error, in: "the new wallet's entry")
    }
  }
}

extension CheckedSecret {
  /// CSPP's word for what the wallet can do.
  package var walletType: String {
    switch kind {
    case .mnemonic, .xprv: "Hot"
    case .descriptor: spending == .watchOnly ? "Cold" : "Hot"
    case .tapSignerBackup: "Cold"
    case .watchOnly: "XpubOnly"
    }
  }

  /// The text of something that is no secret: an extended public key.
  var publicText: String {
    unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension NewWalletEntry.Labels {
  /// Takes over checked labels.
  package init(_ labels: borrowing WalletLabels) throws(UserMessage) {
    guard let hash = Digest(hex: labels.hash) else {
      throw UserMessage(.internalError, "a fault in keybackup: label hash")
    }
    self.init(
      compressed: labels.compressed.copy(),
      count: labels.count, hash: hash, uncompressedSize: labels.uncompressedSize)
  }
}

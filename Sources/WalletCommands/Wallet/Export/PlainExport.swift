internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import CommandSupport
internal import FileCommands
internal import SecretMemory
internal import SyncFolders
internal import Unlocking
internal import WalletFormats

/// Exports one wallet as text or a picture.
struct PlainExport {
  let unlock: UnlockOptions
  let wallet: String
  let format: WalletExportFormat
  /// A new file; nil: standard output.
  let out: String?
  let versionID: String?
  let descriptors: WalletDescriptors
  let passphrase: WalletPassphraseOption
  let place: SyncedFolderOption

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    try OutputFile.requireFree(out)
    let passphrase = try passphrase.read(unlock.common.prompter(world), twice: true)
    let backup = try await unlock.backup(world)
    try place.requirePrivate(
      out, printed: out == nil ? unlock.output(world).resultFile : nil, besides: backup.folder.path,
      world)
    var opened = try await backup.unlock(unlock, world)
    let chosen = try ChosenWallet.find(wallet, versionID: versionID, in: &opened)
    let content = try content(of: chosen, passphrase)
    if format != .descriptors, format != .labels,
      let note = chosen.entry.missingPassphrase(in: chosen.bytes)
    {
      unlock.output(world).warn("keybackup: \(note)")
    }
    var json: JSONOutput = [
      "format": .string(format.rawValue), "id": .string(chosen.entry.walletID),
      "record_id": .string(chosen.recordID.hex), "out": .optional(out),
    ]
    if let out {
      try OutputFile.write(content, to: out, world.run)
      if unlock.common.json {
        try unlock.output(world).result(
          json: json, ofChange: "\(ShellWord.quoted(out)) was written all the same")
      } else {
        let file = world.run.typed.naming(out, else: "the file that --out names")
        unlock.output(world).note(required: "Written to \(file). Anyone who reads it \(harm).")
      }
    } else if unlock.common.json {
      json = unlock.output(world).complete(json)
      var text = SecretWriter(capacity: content.count * 2 + 4096)
      // The secret joins them in guarded memory: `}` gives way to it.
      text.raw(String(json.text.dropLast()) + ",\"content\":")
      content.withBytes { text.string($0) }
      text.raw("}\n")
      try unlock.output(world).result(secret: text.finish())
    } else {
      try unlock.output(world).result(secret: content)
    }
    return opened.earlierCode
  }

  private var harm: String {
    switch format {
    case .mnemonic, .seedqr, .compactSeedQR, .seedQRDigits: "can spend from the wallet"
    case .descriptors: descriptors.half == .privateKey ? "can spend from it" : "sees its addresses"
    case .labels: "sees whom you dealt with"
    }
  }

  private func content(
    of chosen: borrowing ChosenWallet, _ passphrase: borrowing SecretBytes
  ) throws(UserMessage) -> SecretBytes {
    let entry = chosen.entry
    do throws(WalletFormatError) {
      switch format {
      case .descriptors:
        return try descriptors.json(of: entry, in: chosen.bytes, passphrase: passphrase)
      case .labels:
        switch entry.compressedLabels(in: chosen.bytes) {
        case nil: break
        case .some(let labels): return try WalletLabels.decompress(labels)
        }
      case .mnemonic, .seedqr, .compactSeedQR, .seedQRDigits:
        guard entry.secretKind == .mnemonic else { break }
        switch try? entry.secret(in: chosen.bytes) {
        case nil: break
        case .some(let words): return try content(of: Mnemonic(checking: words))
        }
      }
    } catch {
      throw UserMessage(error)
    }
    throw format == .labels
      ? UserMessage(.noInput, "the wallet has no labels")
      : UserMessage(
        .dataInvalid, "the wallet has no mnemonic",
        hint: "it may have descriptors: --format descriptors")
  }

  private func content(
    of mnemonic: borrowing Mnemonic
  ) throws(WalletFormatError) -> SecretBytes {
    switch format {
    case .seedqr: return picture(of: try SeedQR.digits(of: mnemonic), .numeric)
    case .compactSeedQR: return picture(of: try SeedQR.entropy(of: mnemonic), .bytes)
    case .seedQRDigits: return Self.line(try SeedQR.digits(of: mnemonic))
    default: return Self.line(mnemonic.phrase)
    }
  }

  private static func line(_ text: borrowing SecretBytes) -> SecretBytes {
    var writer = SecretWriter(capacity: text.count + 1)
    text.withBytes { writer.raw($0) }
    writer.raw("\n")
    return writer.finish()
  }

  private func picture(of content: borrowing SecretBytes, _ mode: SeedQRCode.Mode) -> SecretBytes {
    // Both lengths of a SeedQR fit.
    switch SeedQRCode(content, mode) {
    case nil: return SecretBytes(zeroed: 0)
    case .some(let code): return out == nil ? code.terminalText() : code.png()
    }
  }
}

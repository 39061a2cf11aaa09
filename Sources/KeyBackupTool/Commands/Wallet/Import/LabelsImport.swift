internal import BackupFolder
internal import CSPP
internal import SecretMemory
internal import WalletFormats

/// Imports BIP-329 labels onto a wallet of the backup.
struct LabelsImport {
  let unlock: UnlockOptions
  /// A path or `-`.
  let file: String
  let wallet: String

  func run(in world: World) async throws(UserMessage) -> ExitCode {
    let file = try LabelFile.read(self.file, world.streams)
    let leftOut = LabelsLeftOut(of: file)
    var opened = try await unlock.open(world, for: .writing)
    let chosen = try ChosenWallet.find(wallet, versionID: nil, in: &opened)
    let labels = try merged(file.records, chosen)
    let isSame = chosen.entry.labelsHash?.hex == labels.hash
    if !isSame {
      var batch = WalletBatch()
      do {
        let entry = try WalletEntry.replacingLabels(
          of: chosen.bytes, with: labels, updatedAt: UInt64(max(0, world.now())))
        try entry.withBytes { (bytes) throws(BackupFolderError) in _ = try batch.append(bytes) }
        try opened.add(batch)
      } catch {
        throw UserMessage(any: error, in: "the wallet's entry")
      }
      unlock.output(world).warn(viewProblem: opened.viewProblem)
    }
    let name = PrintableText.name(chosen.entry.name ?? chosen.entry.walletID)
    try unlock.output(world).result(
      isSame
        ? "\"\(name)\" has these labels already."
        : "\"\(name)\" has \(labels.count) \(labels.count == 1 ? "label" : "labels") now.",
      json: [
        "id": .string(chosen.entry.walletID),
        "record_id": .string(chosen.recordID.hex), "labels": .number(labels.count),
        "imported": .number(isSame ? 0 : 1), "unchanged": .number(isSame ? 1 : 0),
        "unknown_types": .number(leftOut.unknownTypes.count),
        "damaged_lines": .number(leftOut.damaged.count),
      ], ofChange: "the labels were imported all the same")
    return unlock.output(world).warn(leftOut)
  }

  private func merged(
    _ lines: borrowing SecretBytes, _ chosen: borrowing ChosenWallet
  ) throws(UserMessage) -> WalletLabels {
    do throws(WalletFormatError) {
      var old = SecretBytes(zeroed: 0)
      if let compressed = chosen.entry.compressedLabels(in: chosen.bytes) {
        old = try WalletLabels.decompress(compressed)
      }
      return try WalletLabels(keeping: WalletLabels.merge(lines, over: old))
    } catch {
      throw UserMessage(error)
    }
  }
}

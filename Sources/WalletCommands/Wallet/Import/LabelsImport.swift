internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import SecretMemory
internal import Unlocking
internal import WalletFormats

/// Imports BIP-329 labels onto a wallet of the backup.
struct LabelsImport {
  let unlock: UnlockOptions
  /// A path or `-`.
  let file: String
  let wallet: String

  func run(in world: World) async throws(UserMessage) -> ExitReason {
    let file = try LabelFile.read(self.file, world.streams)
    let leftOut = LabelsLeftOut(of: file)
    var opened = try await unlock.open(world, for: .writing)
    let labeled = try opened.deciding(UserMessage.init) { (opened) throws(UserMessage) in
      try label(file.records, in: &opened, world)
    }
    if !labeled.isSame { unlock.output(world).warn(viewProblem: opened.viewProblem) }
    return try report(labeled, leftOut, world)
  }

  /// The wallet with its labels.
  private struct Labeled {
    let entry: WalletEntry
    /// The number of its labels.
    let count: Int
    /// Whether it had them before.
    let isSame: Bool
  }

  /// Merges the labels with those that the wallet has now.
  private func label(
    _ records: borrowing SecretBytes, in opened: inout OpenNamespace, _ world: World
  ) throws(UserMessage) -> Labeled {
    let chosen = try ChosenWallet.find(wallet, versionID: nil, in: &opened)
    let labels = try merged(records, chosen)
    let isSame = chosen.entry.labelsHash?.hex == labels.hash
    let labeled = Labeled(entry: chosen.entry, count: labels.count, isSame: isSame)
    if isSame { return labeled }
    var batch = WalletBatch()
    do {
      let entry = try WalletEntry.replacingLabels(
        of: chosen.bytes, with: labels, updatedAt: UInt64(max(0, world.now())))
      try entry.withBytes { (bytes) throws(BackupFolderError) in _ = try batch.append(bytes) }
      try opened.add(batch)
    } catch {
      throw UserMessage(any: error, in: "the wallet's entry")
    }
    return labeled
  }

  private func report(
    _ labeled: Labeled, _ leftOut: LabelsLeftOut, _ world: World
  ) throws(UserMessage) -> ExitReason {
    let (entry, count, isSame) = (labeled.entry, labeled.count, labeled.isSame)
    let name = PrintableText.name(entry.name ?? entry.walletID)
    var json: JSONOutput = [
      "id": .string(entry.walletID), "record_id": .string(entry.recordID.hex),
      "record_ids": [.string(entry.recordID.hex)], "labels": .number(count),
      "imported": .number(isSame ? 0 : 1), "unchanged": .number(isSame ? 1 : 0),
    ]
    json.add(leftOut)
    try unlock.output(world).result(
      isSame
        ? "\"\(name)\" has these labels already."
        : "\"\(name)\" has \(count) \(count == 1 ? "label" : "labels") now.",
      json: json, ofChange: "the labels were imported all the same")
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
      return try WalletLabels(merging: lines, over: old)
    } catch {
      throw UserMessage(error)
    }
  }
}

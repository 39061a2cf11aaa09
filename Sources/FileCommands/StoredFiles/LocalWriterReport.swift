package import BackupFolder
package import CSPP
package import CommandKit
internal import Unlocking

/// This computer as one that writes without a touch, for a report that needs no key.
package struct LocalWriterReport: Sendable {
  private let writers: [LocalSilentWriter]
  /// Those that this computer has seen to be retired.
  private let retired: Set<WriterID>
  /// The backup that is reported about.
  private let backup: NamespaceID
  /// Wallets that were added here and have no CSPP file.
  private let waiting: Int
  /// Whether the last change that was written here is not in the folder.
  private let lacksLastChange: Bool
  /// The files whose last version is not in the folder, or not all of it.
  private let unkept: [PathComponent]
  /// Wallets that were added here and are not in the folder.
  private let lostWallets: Int
  /// Wallets that were added here before this computer was authorised again, and have no CSPP file.
  private let walletsBefore: Int
  /// Why nothing that is written here counts; nil: it does.
  private let uncounted: UserMessage?
  /// The backup for which this computer was authorised last, if it is another one and not here.
  private let awaited: NamespaceID?
  /// Why it is not known.
  package let problem: UserMessage?
  /// The advice where the folder was moved; nil: it was not.
  private let movedHint: String?

  /// - Parameters:
  ///   - folder: the synced folder.
  ///   - backup: the backup that is reported about.
  ///   - world: what this computer remembers.
  package init(_ folder: BackupFolder, _ backup: NamespaceID, _ world: World) {
    self.backup = backup
    var found: ([LocalSilentWriter], Int) = ([], 0)
    var obstacle: UserMessage?
    var isLacking = false
    var missing: [PathComponent] = []
    var missingWallets = 0
    var earlierWallets = 0
    var notCounting: UserMessage?
    do throws(BackupFolderError) {
      found.0 = try folder.localSilentWriters()
      for writer in found.0
      where writer.namespaceID == backup && !writer.isKnownRetired(in: folder, world) {
        let wallets = try folder.waitingWallets(of: writer)
        let isCounting = try folder.holdsAuthorisation(of: writer)
        found.1 += isCounting ? wallets.here : 0
        earlierWallets += wallets.before
        missingWallets += wallets.notHere
        if try !folder.holdsLastChange(of: writer) { isLacking = true }
        missing += try folder.filesWithoutLastVersion(of: writer)
        notCounting = writer.uncounted(in: folder) ?? notCounting
      }
    } catch {
      obstacle = UserMessage(error)
    }
    (writers, waiting) = found
    let last = found.0.last { $0.namespaceID != nil }?.namespaceID
    let isHere = last.map { (try? folder.namespace($0)) != nil } ?? true
    awaited = isHere || last == backup ? nil : last
    retired = Set(found.0.filter { $0.isKnownRetired(in: folder, world) }.map(\.writerID))
    lacksLastChange = isLacking
    unkept = missing
    lostWallets = missingWallets
    walletsBefore = earlierWallets
    uncounted = notCounting
    problem = obstacle
    movedHint = folder.movedHint
  }

  private var current: [LocalSilentWriter] {
    writers.filter { $0.namespaceID == backup && !retired.contains($0.writerID) }
  }

  /// Whether this computer may write to the backup without a touch.
  package var isCurrent: Bool { !current.isEmpty }

  /// The writer IDs of this computer.
  package var ids: Set<WriterID> { Set(writers.map(\.writerID)) }

  /// The lines of a report.
  package var lines: [String] {
    current.map { writer in
      let things = [
        writer.may.contains(.filePut) ? counted(writer.files.count, "file") : nil,
        writer.may.contains(.put) ? counted(writer.wallets.count, "wallet") : nil,
        counted(Int(clamping: writer.operations), "change"),
      ]
      return
        "No touch   this computer, as \"\(PrintableText.name(writer.label.text, limit: 40))\": "
        + things.compactMap(\.self).joined(separator: ", ")
    }
  }

  /// The codes of a report.
  package var codes: [ExitReason] {
    (lacksLastChange || uncounted != nil || !unkept.isEmpty || lostWallets > 0 || awaited != nil
      ? [.incomplete] : [])
      + [problem?.code].compactMap(\.self)
  }

  /// The advice, a sentence or two each.
  package var advice: [String] {
    // A memory that cannot be used, or read, is reported with the others.
    let isReported = [.dataInvalid, .permissionDenied].contains(problem?.code)
    var advice = problem.flatMap { isReported ? nil : [$0.sentence] } ?? []
    if current.isEmpty, writers.contains(where: { retired.contains($0.writerID) }) {
      advice.append(LocalSilentWriter.retiredAdvice)
    }
    if let movedHint { advice.append(movedHint) }
    if let uncounted { advice.append(uncounted.sentence) }
    if lacksLastChange {
      advice.append(
        "the last change that this computer wrote without a touch is not in the folder. A run was "
          + "interrupted, or somebody removed it. The next change writes it again. Then see whether "
          + "older ones are missing, too: keybackup verify --deep")
    }
    if let first = unkept.first {
      advice.append(
        "the last version of \"\(PrintableText.name(first.text, limit: 80))\""
          + (unkept.count > 1 ? " and of \(counted(unkept.count - 1, "other file"))" : "")
          + " that this computer wrote without a touch is not in the folder, or not all of it. When "
          + "nothing more will come, save the file again: keybackup file add FILE")
      advice.append("if you no longer have that file: keybackup status --accept")
    }
    if lostWallets > 0 {
      advice.append(
        "\(counted(lostWallets, "wallet")) that \(lostWallets == 1 ? "was" : "were") added here without a "
          + "touch \(lostWallets == 1 ? "is" : "are") not in the folder. When nothing more will come, add "
          + "them again: keybackup wallet add")
      advice.append("if they are no longer needed: keybackup status --accept")
    }
    if walletsBefore > 0 {
      advice.append(
        "\(counted(walletsBefore, "wallet")) that \(walletsBefore == 1 ? "was" : "were") added here before "
          + "this computer was authorised again \(walletsBefore == 1 ? "has" : "have") no CSPP file. Wait "
          + "until a computer with the key has written something.")
      advice.append(
        "if there is none then, and nobody removed the wallet, add it again: keybackup wallet add")
      advice.append("if they are no longer needed: keybackup status --accept")
    }
    if waiting > 0 {
      advice.append(
        "\(counted(waiting, "wallet")) that \(waiting == 1 ? "was" : "were") added here without a touch "
          + "\(waiting == 1 ? "has" : "have") no CSPP file. A computer with a key writes it with its "
          + "next change, unless it was removed there.")
    }
    if let awaited {
      advice.append(
        "this computer was authorised for the backup \(awaited.hex), which is not here yet. Wait until "
          + "the folder is synchronised.")
    }
    let before = current.reduce(0) { $0 + $1.filesBefore }
    if before > 0 {
      advice.append(
        "\(counted(before, "file")) \(before == 1 ? "was" : "were") saved here before this computer was "
          + "authorised again, and not since. To save one to this backup, too: keybackup file add FILE"
      )
    }
    if current.isEmpty, retired.isEmpty, awaited == nil,
      let other = writers.last(where: { $0.namespaceID != nil })?.namespaceID
    {
      advice.append(
        "this computer writes without a touch to the backup \(other.hex), not to this one. If the "
          + "master key was rotated, authorise it again. With your key here: keybackup writers authorise"
      )
      advice.append("to authorise it again from another computer: keybackup writers request")
    }
    if current.isEmpty, writers.contains(where: { $0.namespaceID == nil }) {
      advice.append(
        "this computer asked to write without a touch, and has no answer yet. With the answer, run: "
          + "keybackup writers accept LINE")
    }
    return advice
  }

  /// The number of wallets that were added here and have no CSPP file.
  var waitingWallets: Int { waiting }

  /// The report as JSON.
  package var json: JSONOutput {
    .array(
      writers.map { writer in
        [
          "writer_id": .string(writer.writerID.hex), "label": .string(writer.label.text),
          "namespace_id": .optional(writer.namespaceID?.hex),
          "operations": .number(Int(clamping: writer.operations)),
          "wallets": .number(writer.wallets.count),
          "may": .array(writer.may.names.map(JSONOutput.string)),
          "files": .array(
            writer.files.sorted { $0.key.text < $1.key.text }.map { name, id in
              ["name": .string(name.text), "file_id": .string(id.hex)]
            }),
        ]
      })
  }
}

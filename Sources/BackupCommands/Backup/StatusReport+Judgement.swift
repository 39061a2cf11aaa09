internal import BackupFolder
internal import CSPP
internal import CommandKit
internal import FileCommands
internal import Unlocking

/// The meaning of the states of wallets, files and logs: exit codes, and advice.
extension StatusReport {
  /// Adds codes and advice for all that `status` tells at a time, in Unix seconds.
  mutating func judgeAll(at time: Int64) {
    judge()
    judgeKeySlots(at: time)
    requireSpare()
  }

  /// Adds codes and advice for all that was found.
  mutating func judge() {
    judgeMemory()
    judgeFiles()
    judgeHistory()
    judgeFreshness()
    judgeWallets()
    stored.judge(&codes, &advice, isForbidden: findings.contains(where: \.isForbidden))
    spent = spent.judged(codes, &advice)
  }

  /// Whether files of the folder itself are damaged.
  private var hasDamagedFiles: Bool {
    wallets[.unreadable] > 0
      || findings.contains { $0.state == .unreadable && !$0.isForbidden }
  }

  /// Whether something is known to be on its way.
  var isIncomplete: Bool {
    wallets[.incomplete] + health.incomplete > 0
      || findings.contains { $0.state == .incomplete }
  }

  /// The code to end with.
  var exitCode: ExitReason { .mostUrgent(of: codes) }

  /// How the backup stands, in one line for a person.
  var verdict: String {
    guard let trouble else {
      let first = advice.first { !hints.contains($0) }
      return first.map { StatusVerdict.attention + $0 } ?? "Everything is fine."
    }
    return StatusVerdict.attention + trouble
  }

  /// The meaning of the exit code for the backup; nil: nothing is wrong.
  private var trouble: String? {
    switch exitCode {
    case .success: nil
    case .dataInvalid:
      if let unusable = unusable.first, !hasDamagedFiles {
        "\(unusable.message)."
      } else {
        "some files of the backup are damaged."
      }
    case .rollback:
      if case .lacking = comparison, health.rolledBack == 0, health.forked == 0, vanished.isEmpty {
        "something is missing that was there when the freshness word was written, or the word was "
          + "copied wrongly."
      } else {
        "something that was in the backup is missing, or was replaced."
      }
    case .conflict:
      "some \(walletsToDecide > 0 ? "wallets" : "files") need your decision."
    case .partial: "a watched file is not backed up."
    case .permissionDenied: "you may not read some folders of the backup."
    case .incomplete: "the backup is not fully synchronised yet."
    case .atRisk:
      if !knowsKeySlots {
        "\(whyUnknown), so its ways in are unconfirmed."
      } else if keys == 1 {
        "there is one way in only. If you lose it, the backup is lost."
      } else {
        "no way into the backup counts."
      }
    default: advice.first ?? "the backup needs a look."
    }
  }

  private mutating func judgeMemory() {
    for problem in unusable {
      codes.append(problem.code)
      advice.append(problem.message + (problem.hint.map { "; " + $0 } ?? ""))
    }
  }

  private mutating func judgeFiles() {
    if wallets[.unreadable] > 0 {
      codes.append(.dataInvalid)
      advice.append(
        "some files are damaged or cannot be read. Your sync provider may have older versions.")
    }
    if hasDamagedFiles { codes.append(.dataInvalid) }
    if findings.contains(where: \.isForbidden) {
      codes.append(.permissionDenied)
      advice.append("you may not read some folders. Check their owner and permissions.")
    }
    if isIncomplete { codes.append(.incomplete) }
    if isIncomplete, !findings.explainAbsence {
      advice.append("some files are not synchronised yet. Wait, then run: keybackup status")
    }
  }

  private mutating func judgeHistory() {
    if let next = health.successor {
      codes.append(.incomplete)
      advice.append("its master key was rotated. The new backup is \(next.hex).")
    }
    if !vanished.isEmpty {
      codes.append(.rollback)
      advice.append(
        "another backup that this computer knew is gone from the folder: "
          + NamespaceID.listed(vanished) + ".")
    }
    if !others.isEmpty {
      advice.append(
        "the folder also holds \(NamespaceID.listed(others)), which this computer never opened and "
          + "does not use. If the master key was rotated on another computer, it may be your new "
          + "backup. Delete nothing. With your key, run: keybackup verify --deep")
    }
    if wallets[.rolledBack] > 0 || health.rolledBack > 0 {
      codes.append(.rollback)
      let whose = WriterID.listed(health.rolledBackBy.keys, name: name)
      advice.append(
        "the folder is older than what this computer has seen. "
          + (health.rolledBack == 0
            ? "" : "Missing: \(counted(health.rolledBack, "change")) of \(whose). ")
          + "Check the sync program and its deleted files.")
    }
    advice += health.lostCopyLines.map { $0 + "." }
    advice += health.copyLines.map { "\($0); \(LogHealth.copyAdvice)." }
    if health.forked > 0 {
      codes.append(.rollback)
      let whose = WriterID.listed(health.forkedWriters, name: name)
      advice.append(
        "two histories of \(whose) contradict each other. Somebody changed or replaced a file of "
          + "the log, or wrote to an old copy of the folder."
          + (isOpened ? "" : " To see more: keybackup verify --deep"))
    }
    if codes.contains(.rollback) {
      advice.append(
        "when nothing more will come back, accept what is missing: keybackup status --accept")
    }
    if health.afterRetirement > 0 {
      advice.append(
        "a retired computer wrote again, or what it wrote before came only now. To see which: "
          + "keybackup writers list")
    }
    if hasUnknownChanges {
      advice.append("a newer keybackup wrote to this backup. Update this one.")
    }
  }

  private mutating func judgeFreshness() {
    switch comparison {
    case .same, .newer: return
    case .unknown:
      codes.append(.incomplete)
      advice.append(
        "the freshness word cannot be compared yet. Wait until the folder is synchronised, then "
          + "compare again.")
    case .lacking(let triedAll):
      codes.append(.rollback)
      advice.append(
        "compare the freshness word letter by letter"
          + (triedAll ? "" : "; a very old one is not known any more")
          + ". If it is right, wait until the folder is synchronised, and check its sync program.")
    case nil:
      guard !health.isFreshnessKnown, !health.freshness.isEmpty else { return }
      advice.append(
        "this computer cannot tell whether something newer exists. Compare with the freshness word "
          + "of another computer: keybackup status --freshness WORD")
    }
  }

  private var walletsToDecide: Int {
    wallets[.conflict] + wallets[.late] + wallets[.heldBack]
  }

  private mutating func judgeWallets() {
    if wallets[.heldBack] > 0 {
      codes.append(.conflict)
      advice.append(
        "a retired computer wrote \(counted(wallets[.heldBack], "wallet")), held back. To see them: "
          + "keybackup conflicts list")
    }
    if wallets[.conflict] > 0 {
      codes.append(.conflict)
      advice.append(
        "some wallets have several versions; all of them are restored. To see them: keybackup "
          + "conflicts list")
      advice.append("to choose one: keybackup conflicts keep WALLET VERSION")
    }
    if wallets[.late] > 0 {
      codes.append(.conflict)
      advice.append(
        "\(counted(wallets[.late], "wallet")) written late, to the backup as it was before its "
          + "master key was rotated. All are restored. To take one over: keybackup conflicts keep "
          + "WALLET VERSION")
    }
    if removedEarlier > 0 {
      advice.append(
        "\(counted(removedEarlier, "wallet")) removed late, in the backup as it was before its "
          + "master key was rotated. This backup still has them.")
    }
    advice += KeySlot.advice(onPending: waiting)
    if keptAgainstRemoval > 0 {
      advice.append(
        "\(counted(keptAgainstRemoval, "wallet")) removed on one computer and changed on another. "
          + "The change was kept; nothing is lost.")
    }
    // A wallet counts by its worst state: any other one may hide a copy that the log does not have.
    let isUnread = findings.contains { $0.recordID != nil && $0.state == .foreign }
    let isLogged = !isUnread && wallets[.current] + wallets[.missing] == wallets.total
    if copies > 0, !isOpened || isLogged {
      advice.append(
        "\(counted(copies, "wallet file")) may be "
          + (copies == 1 ? "a conflict copy" : "conflict copies") + " of a sync program. "
          + (isOpened
            ? "The log has all that is in them. To remove them: keybackup key repair"
            : "To see whether they differ: keybackup verify --deep"))
    }
    if wallets[.missing] > 0 {
      codes.append(.incomplete)
      advice.append(
        "some wallets are in the log only. To write their files again: keybackup key repair")
    }
  }

  /// The name by which a person knows a computer.
  private func name(_ writer: WriterID) -> String {
    guard let label = writerLabels[writer] else { return "computer \(writer.shortName)" }
    return "\"\(PrintableText.name(label, limit: 40))\""
  }
}

internal import BackupFolder
internal import CSPP

/// What the states of wallets, files and logs mean: exit codes, and what to do.
extension StatusReport {
  /// Adds codes and advice for all that `status` tells.
  ///
  /// - Parameter time: Unix seconds.
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
  var exitCode: ExitCode { .mostUrgent(of: codes) }

  /// How the backup stands, in one line for a person.
  var verdict: String {
    guard let trouble else {
      return advice.first.map { "Attention: \($0)" } ?? "Everything is fine."
    }
    return "Attention: \(trouble)"
  }

  /// What the code to end with means for the backup; nil: nothing is wrong.
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
        "this folder lacks something that the freshness word stands for."
      } else {
        "something that was in the backup is gone, or contradicts itself."
      }
    case .conflict: "some wallets need your decision."
    case .permissionDenied: "some folders of the backup may not be read."
    case .incomplete: "the backup is not all here, or not everywhere yet."
    case .atRisk:
      if !knowsKeySlots {
        "\(whyUnknown), so its ways in are unconfirmed."
      } else if keys == 1 {
        "there is one way in only; lose it and the backup is lost."
      } else {
        "no way into the backup counts."
      }
    default: advice.first ?? "the backup needs a look."
    }
  }

  private mutating func judgeMemory() {
    for problem in unusable {
      codes.append(.dataInvalid)
      advice.append(problem.message + (problem.hint.map { "; " + $0 } ?? ""))
    }
  }

  private mutating func judgeFiles() {
    if wallets[.unreadable] > 0 {
      codes.append(.dataInvalid)
      advice.append(
        "some files are damaged or cannot be read; your sync provider may have older versions")
    }
    if hasDamagedFiles { codes.append(.dataInvalid) }
    if findings.contains(where: \.isForbidden) {
      codes.append(.permissionDenied)
      advice.append("some folders may not be read by you: check their owner and permissions")
    }
    if isIncomplete {
      codes.append(.incomplete)
      advice.append("some files are not synchronised yet: wait and look again")
    }
  }

  private mutating func judgeHistory() {
    if let next = health.successor {
      codes.append(.incomplete)
      advice.append("its master key was rotated: the backup that follows is \(next.hex)")
    }
    if !vanished.isEmpty {
      codes.append(.rollback)
      advice.append(
        "another backup that this computer knew is gone from the folder: "
          + NamespaceID.listed(vanished))
    }
    if !others.isEmpty {
      advice.append(
        "the folder also holds \(NamespaceID.listed(others)), which this computer never opened and "
          + "does not use. It may be this backup after rotate --master-key on another computer: "
          + "delete nothing, and open it once with your key: keybackup verify --deep")
    }
    if wallets[.rolledBack] > 0 || health.rolledBack > 0 {
      codes.append(.rollback)
      let whose = WriterID.listed(health.rolledBackBy.keys, name: name)
      advice.append(
        "the folder is older than what this computer has seen: "
          + (health.rolledBack == 0
            ? "" : "\(counted(health.rolledBack, "operation")) of \(whose) gone; ")
          + "check its sync program and its deleted files")
    }
    if health.forked > 0 {
      codes.append(.rollback)
      let whose = WriterID.listed(health.forkedWriters, name: name)
      advice.append(
        "two histories of \(whose) contradict each other: a file of the log was changed or "
          + "replaced, or an old copy of the folder was written to"
          + (isOpened ? "" : "; verify --deep says more"))
    }
    if codes.contains(.rollback) {
      advice.append(
        "when you have looked and nothing more will come back: keybackup status --accept")
    }
    if health.afterRetirement > 0 {
      advice.append(
        "a retired computer wrote again, or what it wrote before came only now; "
          + "keybackup writers list shows which")
    }
    if hasUnknownChanges {
      advice.append("a newer keybackup wrote here what this one does not know: update it")
    }
  }

  private mutating func judgeFreshness() {
    switch comparison {
    case .same, .newer: return
    case .unknown:
      codes.append(.incomplete)
      advice.append(
        "the freshness word cannot be compared yet: wait until the folder is synchronised, then "
          + "compare again")
    case .lacking(let triedAll):
      codes.append(.rollback)
      advice.append(
        "this folder lacks something that was there when the freshness word was written, or the "
          + "word was copied wrongly" + (triedAll ? "" : ", or is very old")
          + ": wait until the folder is synchronised, and check its sync program")
    case nil:
      guard !health.isFreshnessKnown, !health.freshness.isEmpty else { return }
      advice.append(
        "freshness unknown: this computer cannot tell whether something newer exists; compare "
          + "with the word of another computer: keybackup status --freshness WORD")
    }
  }

  private mutating func judgeWallets() {
    if wallets[.conflict] > 0 {
      codes.append(.conflict)
      advice.append(
        "some wallets have several versions, and all of them are restored: keybackup conflicts "
          + "list shows them, conflicts keep decides")
    }
    if wallets[.late] > 0 {
      codes.append(.conflict)
      advice.append(
        "\(counted(wallets[.late], "wallet")) written late, to the backup as it was before its master "
          + "key was rotated; restored all the same: keybackup conflicts keep takes them over")
    }
    if removedEarlier > 0 {
      advice.append(
        "\(counted(removedEarlier, "wallet")) removed late, in the backup as it was before its "
          + "master key was rotated: still here")
    }
    if !waiting.isEmpty {
      let labels = waiting.map { PrintableText.clean($0.label, limit: 40) }
      advice.append(
        "not used since the master key was rotated: \(labels.joined(separator: ", ")). They still "
          + "open the backup; give each its place in it: with it, keybackup key repair "
          + "(a recovery kit: --recovery-code)")
    }
    for old in spent {
      advice.append(
        "the earlier backup \(old.id.hex) may be deleted, all but keybackup/keys and "
          + old.operations.joined(separator: ", ") + "; then status --accept --namespace names it")
    }
    if keptAgainstRemoval > 0 {
      advice.append(
        "\(counted(keptAgainstRemoval, "wallet")) removed on one computer and changed on another: "
          + "the change was kept, nothing is lost")
    }
    if copies > 0 {
      advice.append(
        "\(counted(copies, "wallet file")) with a sync program's name, perhaps conflict copies: "
          + "verify --deep tells whether they differ")
    }
    if wallets[.missing] > 0 {
      codes.append(.incomplete)
      advice.append(
        "some wallets are in the log only; adding or removing one writes their files again")
    }
  }

  /// What a person knows a computer by.
  private func name(_ writer: WriterID) -> String {
    guard let label = writerLabels[writer] else { return "computer \(writer.shortName)" }
    return "\"\(PrintableText.clean(label, limit: 40))\""
  }
}
